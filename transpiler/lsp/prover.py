"""The server's end of the worker: one process, one request at a time, a fresh process where an answer is not awaited any more.

In: requests of `worker`. Out: its answers. A request whose asker has been cancelled goes on in the worker; only if it still runs
when the next one comes is the process ended for it: most proofs are done before the next pause in typing.
Non-goals: what the requests mean.
"""

from __future__ import annotations

import asyncio
import pickle
import sys
from subprocess import PIPE, Popen
from typing import Any

from transpiler.lsp.worker import LENGTH, Request, packed

COMMAND = (sys.executable, "-P", "-m", "transpiler.lsp.worker")


class ProverEnded(Exception):
    """The worker ended without an answer; its own words are in the server's standard error."""


class Prover:
    """Starts the worker when it is first needed."""

    def __init__(self) -> None:
        self._process: Popen[bytes] | None = None
        self._answer: asyncio.Future[Any] | None = None
        self._turn = asyncio.Lock()

    async def ask(self, request: Request) -> Any:
        """The worker's answer. Raises `ProverEnded` where it dies of the request."""
        async with self._turn:
            if self._answer is not None and not self._answer.done():
                self.stop()
            exchange = asyncio.to_thread(_exchange, self.start(), packed(request))
            self._answer = asyncio.ensure_future(exchange)
            answer = await asyncio.shield(self._answer)
            if answer is None:
                self.stop()
                raise ProverEnded
            return answer

    def start(self) -> Popen[bytes]:
        """Have a worker: it takes a moment to load."""
        if self._process is None or self._process.poll() is not None:
            self._process = Popen(COMMAND, stdin=PIPE, stdout=PIPE)
        return self._process

    def stop(self) -> None:
        """End the worker, whatever it does."""
        if self._process is not None:
            self._process.kill()
            self._process.wait()
        self._process = None


def _exchange(process: Popen[bytes], request: bytes) -> Any:
    """Send a request and wait for its answer; None where the process ends before."""
    assert process.stdin is not None
    assert process.stdout is not None
    try:
        process.stdin.write(request)
        process.stdin.flush()
        head = process.stdout.read(LENGTH)
        size = int.from_bytes(head, "big")
        body = process.stdout.read(size) if len(head) == LENGTH else b""
    except OSError:  # a pipe that the process has left
        return None
    return pickle.loads(body) if body and len(body) == size else None
