"""Findings as a C compiler prints them, one line each, so that build tools and editors jump to the Python line.

In: `FileFacts`. Out: lines `file:line:column: error: message [E0301]`, labels and help as `note`s behind them.
Non-goals: source excerpts (`render`).
"""

from __future__ import annotations

from collections.abc import Iterable

from transpiler.diagnostics.machine import FileFacts, all_diagnostics
from transpiler.diagnostics.model import Diagnostic
from transpiler.source import Source, Span


def to_gcc(files: Iterable[FileFacts]) -> list[str]:
    return [line for facts in files for diagnostic in all_diagnostics(facts) for line in gcc_lines(diagnostic)]


def gcc_lines(diagnostic: Diagnostic) -> list[str]:
    source, span = diagnostic.source, diagnostic.span
    lines = [_line(source, span, diagnostic.severity.value, f"{diagnostic.message} [{diagnostic.code}]")]
    lines += [_line(source, label.span, "note", label.message) for label in diagnostic.labels]
    if diagnostic.help:
        lines.append(_line(source, span, "note", diagnostic.help))
    return lines


def _line(source: Source, span: Span, kind: str, text: str) -> str:
    place = source.position(span.start)
    return f"{source.path}:{place.line}:{place.column}: {kind}: {' '.join(text.split())}"
