"""What went wrong in a text: collected while it is parsed.

In: code, span, words. Out: `Findings.diagnostics`, at most `LIMIT` a function.
Non-goals: the words, which `syntax_errors` and the builders write.
"""

from __future__ import annotations

from transpiler.diagnostics import Diagnostic, Label
from transpiler.source import Source, Span

LIMIT = 20
"""Diagnostics a function: what comes after is rarely news."""


class Findings:
    def __init__(self, source: Source) -> None:
        self.source = source
        self.diagnostics: list[Diagnostic] = []

    def add(self, code: str, span: Span, message: str, help: str | None = None, label: Label | None = None) -> None:
        if self.is_full:
            return
        labels = () if label is None else (label,)
        found = Diagnostic(code=code, message=message, source=self.source, span=span, labels=labels, help=help)
        self.diagnostics.append(found)

    @property
    def is_full(self) -> bool:
        return len(self.diagnostics) >= LIMIT

    def has(self, code: str) -> bool:
        return any(found.code == code for found in self.diagnostics)
