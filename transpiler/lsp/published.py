"""Findings as LSP diagnostics, and their fixes as code actions.

In: diagnostics of one document, and how its columns are counted. Out: `lsprotocol` diagnostics and actions. What stands in
another file (a device function that is imported) is shown at the top of the document, with the place as related information.
Non-goals: when they are sent (`server`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable

from lsprotocol import types as lsp

from transpiler.diagnostics import Diagnostic, Fix, Severity
from transpiler.diagnostics.codes import CODES
from transpiler.diagnostics.machine import witness_to_json
from transpiler.lsp.positions import Positions
from transpiler.source import Source, Span

SEVERITY = {
    Severity.ERROR: lsp.DiagnosticSeverity.Error,
    Severity.WARNING: lsp.DiagnosticSeverity.Warning,
    Severity.NOTE: lsp.DiagnosticSeverity.Information,
}


class Published:
    """Writes the diagnostics of one document. `uri_of` is what the client calls the file of a source."""

    def __init__(self, source: Source, positions: Positions, uri_of: Callable[[Source], str]) -> None:
        self._source = source
        self._positions = positions
        self._uri_of = uri_of

    def all(self, found: Iterable[Diagnostic]) -> list[lsp.Diagnostic]:
        return [self.diagnostic(d) for d in found]

    def diagnostic(self, found: Diagnostic) -> lsp.Diagnostic:
        here = found.source.path == self._source.path
        span = found.span if here else Span(0, self._source.text.find("\n"))
        labels = [(label.span, label.message) for label in found.labels]
        if not here:
            labels.insert(0, (found.span, "here"))
        return lsp.Diagnostic(
            range=self._positions.range(self._source, span),
            severity=SEVERITY[found.severity],
            code=found.code,
            source="transpile",
            message=found.message + (f"\nhelp: {found.help}" if found.help else ""),
            related_information=[self._related(found.source, *label) for label in labels] or None,
            data={
                "kind": found.kind,
                "title": CODES[found.code].title,
                "help": found.help,
                "witness": witness_to_json(found.witness) if found.witness else None,
            },
        )

    def actions(self, found: Iterable[Diagnostic], span: Span, version: int | None) -> list[lsp.CodeAction]:
        """The fixes of findings that a span touches, each once. With a version, edits are of that version alone."""
        touched = [d for d in found if d.span.start <= span.end and span.start <= d.span.end]
        mine = [d for d in touched if d.source.path == self._source.path]
        by_fix: dict[Fix, list[Diagnostic]] = {}
        for diagnostic in mine:
            for fix in diagnostic.fixes:
                by_fix.setdefault(fix, []).append(diagnostic)
        preferred = {d.fixes[0] for d in mine if d.fixes}
        return [
            lsp.CodeAction(
                title=fix.title[:1].upper() + fix.title[1:],
                kind=lsp.CodeActionKind.QuickFix,
                diagnostics=self.all(mended),
                is_preferred=fix in preferred or None,
                edit=self._edit(fix, version),
            )
            for fix, mended in by_fix.items()
        ]

    def _edit(self, fix: Fix, version: int | None) -> lsp.WorkspaceEdit:
        uri = self._uri_of(self._source)
        edits = [lsp.TextEdit(self._positions.range(self._source, e.span), e.text) for e in fix.edits]
        if version is None:
            return lsp.WorkspaceEdit(changes={uri: edits})
        document = lsp.OptionalVersionedTextDocumentIdentifier(uri, version)
        return lsp.WorkspaceEdit(document_changes=[lsp.TextDocumentEdit(document, [*edits])])

    def _related(self, source: Source, span: Span, message: str) -> lsp.DiagnosticRelatedInformation:
        place = lsp.Location(self._uri_of(source), self._positions.range(source, span))
        return lsp.DiagnosticRelatedInformation(place, message)
