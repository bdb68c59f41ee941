"""Documents, their versions and what clients ask: the language server itself, on pygls.

In: LSP messages on standard input. Out: LSP messages on standard output. Each change of a document starts its check anew: after
a moment, in which further changes are taken together, the fast findings are published; after a quiet time the worker
proves, and both are published together. A new version ends the check of the old one, so nothing stale is ever sent.
Non-goals: findings (`analysis`, `worker`), their form (`published`).
"""

from __future__ import annotations

import asyncio
import os
import traceback
from dataclasses import dataclass, field
from pathlib import Path

from lsprotocol import types as lsp
from pygls.lsp.server import LanguageServer
from pygls.uris import from_fs_path, to_fs_path

from transpiler.diagnostics import Diagnostic
from transpiler.lsp.analysis import Analysis, analyse, once
from transpiler.lsp.positions import Positions
from transpiler.lsp.prover import Prover, ProverEnded
from transpiler.lsp.published import Published
from transpiler.lsp.worker import Prove, read_from
from transpiler.pipeline import KernelReport
from transpiler.source import Source
from transpiler.version import VERSION

TOGETHER = 0.01
"""Seconds in which changes that follow each other are taken as one."""
QUIET = 0.3
"""Seconds without a change before a document is proved."""


@dataclass(eq=False, slots=True)
class Document:
    """An open document. `kernels` are the proofs of just this text, None until they are there."""

    uri: str
    version: int
    source: Source
    analysis: Analysis | None = None
    kernels: tuple[KernelReport, ...] | None = None
    found: tuple[Diagnostic, ...] = ()
    """What was published last."""
    check: asyncio.Task[None] | None = field(default=None, repr=False)

    @property
    def path(self) -> Path:
        return Path(self.source.path).resolve()


class Server(LanguageServer):
    """The documents that are open, and the prover that they share."""

    def __init__(self) -> None:
        super().__init__("transpile", VERSION, lsp.TextDocumentSyncKind.Full)
        self.documents: dict[str, Document] = {}
        self.prover = Prover()

    @property
    def positions(self) -> Positions:
        encoding = self.workspace.position_encoding or lsp.PositionEncodingKind.Utf16
        return Positions(str(getattr(encoding, "value", encoding)))

    # --- documents ---

    def opened(self, uri: str, version: int, text: str) -> None:
        source = Source(text.replace("\r\n", "\n").replace("\r", "\n"), to_fs_path(uri) or uri)
        self.closed(uri)
        document = self.documents[uri] = Document(uri, version, source)
        self._start(document)
        for other in self.documents.values():
            if other is not document and _imports(other, document.path):
                self._start(other)

    def closed(self, uri: str) -> None:
        document = self.documents.pop(uri, None)
        if document is not None and document.check is not None:
            document.check.cancel()

    def others(self, document: Document) -> dict[Path, Source]:
        return {d.path: d.source for d in self.documents.values() if d is not document}

    # --- checking ---

    def analysed(self, document: Document) -> Analysis:
        """The analysis of the document as it is now."""
        if document.analysis is None:
            document.analysis = analyse(document.source, read_from(self.others(document)))
        return document.analysis

    def _start(self, document: Document) -> None:
        if document.check is not None:
            document.check.cancel()
        document.analysis = document.kernels = None
        document.check = asyncio.get_running_loop().create_task(self._check(document))
        document.check.add_done_callback(self._failed)

    async def _check(self, document: Document) -> None:
        await asyncio.sleep(TOGETHER)
        analysis = self.analysed(document)
        self._publish(document, analysis.diagnostics)
        if not analysis.sound:
            return
        await asyncio.sleep(QUIET - TOGETHER)
        try:
            kernels = await self.prover.ask(Prove(document.source, self.others(document)))
        except ProverEnded:
            self._log(f"the proof of {document.source.path} ended without an answer, which is a bug in transpile")
            return
        document.kernels = kernels
        self._publish(document, once([*analysis.diagnostics, *(d for k in kernels for d in k.diagnostics)]))

    def _failed(self, check: asyncio.Task[None]) -> None:
        """Say what a check died of, a bug of ours, and go on: the next change starts another."""
        error = None if check.cancelled() else check.exception()
        if error is not None:
            self._log("".join(traceback.format_exception(error)))

    def _log(self, message: str) -> None:
        self.window_log_message(lsp.LogMessageParams(lsp.MessageType.Error, message))

    def _publish(self, document: Document, found: tuple[Diagnostic, ...]) -> None:
        document.found = found
        published = Published(document.source, self.positions, self.uri_of).all(found)
        self.text_document_publish_diagnostics(
            lsp.PublishDiagnosticsParams(document.uri, published, version=document.version)
        )

    def uri_of(self, source: Source) -> str:
        for document in self.documents.values():
            if document.source.path == source.path:
                return document.uri
        return from_fs_path(source.path) or source.path


def _imports(document: Document, path: Path) -> bool:
    imported = document.analysis.module.imported if document.analysis is not None else ()
    return any(Path(name).resolve() == path for name in imported)


# --- messages ---------------------------------------------------------------------------------------------


def make_server() -> Server:
    """A server with all that it answers to."""
    server = Server()

    @server.feature(lsp.INITIALIZED)
    def initialized(params: lsp.InitializedParams) -> None:
        server.prover.start()

    @server.feature(lsp.TEXT_DOCUMENT_DID_OPEN)
    def did_open(params: lsp.DidOpenTextDocumentParams) -> None:
        document = params.text_document
        server.opened(document.uri, document.version, document.text)

    @server.feature(lsp.TEXT_DOCUMENT_DID_CHANGE)
    def did_change(params: lsp.DidChangeTextDocumentParams) -> None:
        uri = params.text_document.uri
        text = server.workspace.get_text_document(uri).source
        server.opened(uri, params.text_document.version, text)

    @server.feature(lsp.TEXT_DOCUMENT_DID_CLOSE)
    def did_close(params: lsp.DidCloseTextDocumentParams) -> None:
        uri = params.text_document.uri
        server.closed(uri)
        server.text_document_publish_diagnostics(lsp.PublishDiagnosticsParams(uri, []))

    @server.feature(lsp.SHUTDOWN)
    def shutdown(params: None) -> None:
        for uri in list(server.documents):
            server.closed(uri)
        server.prover.stop()

    return server


def serve() -> None:
    """Answer on standard input and output until the client says `exit` or has gone."""
    server = make_server()
    answers = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)  # whatever prints must not speak to the client
    try:
        server.start_io(stdout=answers)
    finally:
        server.prover.stop()
