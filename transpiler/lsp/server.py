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
from tempfile import TemporaryDirectory
from typing import Any

from lsprotocol import types as lsp
from pygls.capabilities import get_capability
from pygls.lsp.server import LanguageServer
from pygls.uris import from_fs_path, to_fs_path

from transpiler.diagnostics import Diagnostic
from transpiler.lsp.analysis import Analysis, analyse, once
from transpiler.lsp.hover import hover
from transpiler.lsp.positions import Positions
from transpiler.lsp.prover import Prover, ProverEnded
from transpiler.lsp.published import Published
from transpiler.lsp.worker import Emit, Prove, Repair, Request, read_from
from transpiler.pipeline import KernelReport, unit_name
from transpiler.source import Source
from transpiler.version import VERSION

TOGETHER = 0.01
"""Seconds in which changes that follow each other are taken as one."""
QUIET = 0.3
"""Seconds without a change before a document is proved."""
EMITTED_CPP = "transpiler.emittedCpp"
SHOW_CPP = "transpiler.showCpp"


@dataclass(eq=False, slots=True)
class Document:
    """An open document. `kernels` are the proofs of just this text, None until they are there."""

    uri: str
    version: int
    source: Source
    before: Analysis | None = None
    """The last analysis, until there is one of this text."""
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
        self.folder = TemporaryDirectory(prefix="transpile-lsp-")
        """Of the C++ that is shown."""

    @property
    def positions(self) -> Positions:
        encoding = self.workspace.position_encoding or lsp.PositionEncodingKind.Utf16
        return Positions(str(getattr(encoding, "value", encoding)))

    # --- documents ---

    def opened(self, uri: str, version: int, text: str) -> None:
        source = Source(text.replace("\r\n", "\n").replace("\r", "\n"), to_fs_path(uri) or uri)
        before = self.documents.get(uri)
        self.closed(uri)
        document = self.documents[uri] = Document(uri, version, source)
        document.before = before and (before.analysis or before.before)
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
            document.analysis = analyse(document.source, read_from(self.others(document)), document.before)
            document.before = None
        return document.analysis

    def _start(self, document: Document) -> None:
        if document.check is not None:
            document.check.cancel()
        document.before, document.analysis = document.analysis or document.before, None
        document.kernels = None
        document.check = asyncio.get_running_loop().create_task(self._check(document))
        document.check.add_done_callback(self._failed)

    async def _check(self, document: Document) -> None:
        await asyncio.sleep(TOGETHER)
        analysis = self.analysed(document)
        self._publish(document, analysis.diagnostics)
        if not analysis.sound:
            return
        await asyncio.sleep(QUIET - TOGETHER)
        kernels = await self._prover_of(document, Prove(document.source, self.others(document)))
        if kernels is None:
            return
        document.kernels = kernels
        self._publish(document, _together(analysis, kernels))
        if any(d.proposals for d in document.found):
            repaired = await self._prover_of(document, Repair(document.source, self.others(document), kernels))
            document.found = document.found if repaired is None else _together(analysis, repaired)

    async def _prover_of(self, document: Document, request: Request) -> Any:
        """What the worker answers; None, and a line in the client's log, where it dies of the request."""
        try:
            return await self.prover.ask(request)
        except ProverEnded:
            self._log(f"a proof for {document.source.path} ended without an answer, which is a bug in transpile")
            return None

    async def settled(self, uri: str) -> Document | None:
        """The document once nothing of it is open; None where it has changed meanwhile."""
        document = self.documents.get(uri)
        if document is not None and document.check is not None:
            await asyncio.wait({document.check})
        return document if self.documents.get(uri) is document else None

    def _failed(self, check: asyncio.Task[None]) -> None:
        """Say what a check died of, a bug of ours, and go on: the next change starts another."""
        error = None if check.cancelled() else check.exception()
        if error is not None:
            self._log("".join(traceback.format_exception(error)))

    def _log(self, message: str) -> None:
        self.window_log_message(lsp.LogMessageParams(lsp.MessageType.Error, message))

    def published(self, document: Document) -> Published:
        return Published(document.source, self.positions, self.uri_of)

    def _publish(self, document: Document, found: tuple[Diagnostic, ...]) -> None:
        document.found = found
        published = self.published(document).all(found)
        self.text_document_publish_diagnostics(
            lsp.PublishDiagnosticsParams(document.uri, published, version=document.version)
        )

    # --- C++ ---

    async def emitted(self, uri: str, position: lsp.Position) -> dict[str, Any]:
        """The C++ of the kernel at a position, or a message that says why there is none."""
        answer: dict[str, Any] = {"kernel": None, "text": None, "proved": False, "message": None, "version": None}
        document = self.documents.get(uri)
        if document is None:
            return answer | {"message": f"{uri} is not open"}
        answer["version"] = document.version
        kernel = self.analysed(document).kernel_at(self.positions.offset(document.source, position))
        if kernel is None:
            return answer | {"message": "no kernel here"}
        emitted = await self._prover_of(document, Emit(document.source, self.others(document), kernel.name))
        if emitted is None or emitted.text is None:
            return answer | {"kernel": kernel.name, "message": f"`{kernel.name}` has an error"}
        return answer | {"kernel": kernel.name, "text": emitted.text, "proved": emitted.proved}

    def uri_of(self, source: Source) -> str:
        for document in self.documents.values():
            if document.source.path == source.path:
                return document.uri
        return from_fs_path(source.path) or source.path


def _together(analysis: Analysis, kernels: tuple[KernelReport, ...]) -> tuple[Diagnostic, ...]:
    return once([*analysis.diagnostics, *(d for k in kernels for d in k.diagnostics)])


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

    @server.feature(lsp.TEXT_DOCUMENT_HOVER)
    def hover_at(params: lsp.HoverParams) -> lsp.Hover | None:
        document = server.documents.get(params.text_document.uri)
        if document is None:
            return None
        offset = server.positions.offset(document.source, params.position)
        found = hover(server.analysed(document), document.kernels, offset)
        if found is None:
            return None
        content = lsp.MarkupContent(lsp.MarkupKind.Markdown, found.markdown)
        return lsp.Hover(content, server.positions.range(document.source, found.span))

    @server.feature(lsp.TEXT_DOCUMENT_CODE_ACTION, lsp.CodeActionOptions([lsp.CodeActionKind.QuickFix]))
    async def code_action(params: lsp.CodeActionParams) -> list[lsp.CodeAction] | None:
        document = await server.settled(params.text_document.uri)
        if document is None:
            return None
        versioned = get_capability(server.client_capabilities, "workspace.workspace_edit.document_changes", False)
        span = server.positions.span(document.source, params.range)
        return server.published(document).actions(document.found, span, document.version if versioned else None)

    @server.feature(lsp.TEXT_DOCUMENT_CODE_LENS)
    def code_lens(params: lsp.CodeLensParams) -> list[lsp.CodeLens]:
        document = server.documents.get(params.text_document.uri)
        if document is None or not get_capability(server.client_capabilities, "window.show_document.support", False):
            return []
        kernels = [f for f in server.analysed(document).module.functions if f.is_kernel]
        places = [server.positions.range(document.source, kernel.name_span) for kernel in kernels]
        return [
            lsp.CodeLens(place, lsp.Command("Show CUDA C++", SHOW_CPP, arguments=[document.uri, place.start]))
            for place in places
        ]

    @server.command(EMITTED_CPP)
    async def emitted_cpp(uri: str, position: lsp.Position) -> dict[str, Any]:
        return await server.emitted(uri, position)

    @server.command(SHOW_CPP)
    async def show_cpp(uri: str, position: lsp.Position) -> None:
        answer = await server.emitted(uri, position)
        if answer["text"] is None:
            server.window_show_message(lsp.ShowMessageParams(lsp.MessageType.Warning, answer["message"]))
            return
        path = Path(server.folder.name) / f"{unit_name(server.documents[uri].source.path)}.{answer['kernel']}.cu"
        path.write_text(answer["text"], encoding="utf-8")
        await server.window_show_document_async(lsp.ShowDocumentParams(path.as_uri()))

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
        server.folder.cleanup()
