"""A scripted editor: speaks LSP with a real `transpile lsp` process over its pipes, and knows no more of it than the protocol."""

from __future__ import annotations

import json
import queue
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from typing import Any, BinaryIO

WAIT = 60.0
"""Seconds; far more than anything takes, so that only what never comes fails."""


class Client:
    """One server and what it sent. `text` of a document is what the server was told last."""

    def __init__(self) -> None:
        command = [sys.executable, "-m", "transpiler.cli", "lsp"]
        self.process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        self.notifications: list[dict[str, Any]] = []
        self._unread: list[dict[str, Any]] = []
        self.capabilities: dict[str, Any] = {}
        self.encoding = "utf-16"
        self.text: dict[str, str] = {}
        self._version: dict[str, int] = {}
        self._messages: queue.Queue[dict[str, Any] | None] = queue.Queue()
        self._id = 0
        assert self.process.stdout is not None
        threading.Thread(target=self._listen, args=(self.process.stdout,), daemon=True).start()

    # --- messages ---

    def _listen(self, stream: BinaryIO) -> None:
        while line := stream.readline():
            length = 0
            while line.strip():
                name, _, value = line.decode().partition(":")
                length = int(value) if name.lower() == "content-length" else length
                line = stream.readline()
            self._messages.put(json.loads(stream.read(length)))
        self._messages.put(None)

    def send_raw(self, body: bytes) -> None:
        assert self.process.stdin is not None
        self.process.stdin.write(b"Content-Length: %d\r\n\r\n" % len(body) + body)
        self.process.stdin.flush()

    def _send(self, **message: Any) -> None:
        self.send_raw(json.dumps({"jsonrpc": "2.0", **message}).encode())

    def notify(self, method: str, **params: Any) -> None:
        self._send(method=method, params=params)

    def _receive(self, wanted: Callable[[dict[str, Any]], bool], wait: float = WAIT) -> dict[str, Any]:
        """The next message of that kind; requests of the server are agreed to, notifications kept."""
        for message in self._unread:
            if wanted(message):
                self._unread.remove(message)
                return message
        deadline = time.monotonic() + wait
        while True:
            message = self._messages.get(timeout=max(0.0, deadline - time.monotonic()))
            assert message is not None, "the server has ended"
            if "method" in message and "id" in message:
                self.notifications.append(message)
                self._send(id=message["id"], result={"success": True})
            elif "method" in message:
                self.notifications.append(message)
            if wanted(message):
                return message
            if "method" in message:
                self._unread.append(message)

    def request(self, method: str, **params: Any) -> Any:
        message = self.attempt(method, **params)
        assert "error" not in message, message
        return message["result"]

    def attempt(self, method: str, **params: Any) -> dict[str, Any]:
        """The whole answer, an error too."""
        self._id += 1
        asked = self._id
        self._send(id=asked, method=method, params=params or None)
        return self._receive(lambda m: m.get("id") == asked and "method" not in m)

    # --- a session ---

    def initialize(self, **capabilities: Any) -> dict[str, Any]:
        answer = self.request("initialize", processId=None, rootUri=None, capabilities=capabilities)
        self.capabilities = answer["capabilities"]
        self.encoding = self.capabilities.get("positionEncoding", "utf-16")
        self.notify("initialized")
        return answer

    def open(self, uri: str, text: str) -> None:
        self.text[uri], self._version[uri] = text, 1
        document = {"uri": uri, "languageId": "python", "version": 1, "text": text}
        self.notify("textDocument/didOpen", textDocument=document)

    def change(self, uri: str, text: str) -> int:
        self.text[uri] = text
        self._version[uri] += 1
        document = {"uri": uri, "version": self._version[uri]}
        self.notify("textDocument/didChange", textDocument=document, contentChanges=[{"text": text}])
        return self._version[uri]

    def published(self, uri: str, enough: Callable[[list[Any]], bool] = lambda found: True) -> list[dict[str, Any]]:
        """What is published of the version that was sent last, once it is `enough`."""

        def wanted(message: dict[str, Any]) -> bool:
            if message.get("method") != "textDocument/publishDiagnostics":
                return False
            params = message["params"]
            same = params["uri"] == uri and params.get("version", self._version[uri]) == self._version[uri]
            return same and enough(params["diagnostics"])

        return self._receive(wanted)["params"]["diagnostics"]

    def silent(self, seconds: float) -> bool:
        """Whether nothing more is published for so long."""
        self._unread.clear()
        try:
            self._receive(lambda m: m.get("method") == "textDocument/publishDiagnostics", seconds)
        except queue.Empty:
            return True
        return False

    def close(self) -> int:
        """Shut the server down; its exit status."""
        self.request("shutdown")
        self.notify("exit")
        return self.process.wait(WAIT)

    def end(self) -> None:
        """Whatever has happened: no process is left."""
        if self.process.poll() is None:
            self.process.kill()
        self.process.wait(WAIT)

    # --- positions ---

    def slice(self, uri: str, range: dict[str, Any]) -> str:
        """The text in a range, by the encoding that was agreed upon."""
        text = self.text[uri]
        start, end = (offset(text, range[side], self.encoding) for side in ("start", "end"))
        return text[start:end]

    def place(self, uri: str, needle: str, shift: int = 0) -> dict[str, int]:
        """The position of the first place of a text in a document."""
        text = self.text[uri]
        before = text[: text.index(needle) + shift]
        line = before[before.rfind("\n") + 1 :]
        return {"line": before.count("\n"), "character": columns(line, self.encoding)}

    def apply(self, uri: str, edits: list[dict[str, Any]]) -> str:
        """The text after edits, which do not overlap."""
        text = self.text[uri]
        spans = [
            (offset(text, e["range"]["start"], self.encoding), offset(text, e["range"]["end"], self.encoding), e)
            for e in edits
        ]
        for start, end, edit in sorted(spans, key=lambda span: span[:2], reverse=True):
            text = text[:start] + edit["newText"] + text[end:]
        return text


def columns(text: str, encoding: str) -> int:
    size = {"utf-8": 1, "utf-16": 2, "utf-32": 4}[encoding]
    return len(text.encode(f"{encoding}-le" if size > 1 else encoding)) // size


def offset(text: str, position: dict[str, int], encoding: str) -> int:
    lines = text.split("\n")
    line = lines[position["line"]]
    column = next(n for n in range(len(line) + 1) if columns(line[:n], encoding) >= position["character"])
    return sum(len(above) + 1 for above in lines[: position["line"]]) + column
