"""Tokens, and the cutting of text into them.

In: a piece of a text and the `Tables`. Out: `Token`s with character offsets; line ends with their comments are one token.
Non-goals: indentation and brackets (`layout`), errors: what is no token of Python comes out as STRAY or BADSTRING.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from transpiler.frontend.tables import Tables
from transpiler.source import Span


@dataclass(slots=True, eq=False)
class Token:
    """`type` is the name of a terminal in the grammar, `[start, end)` where it stands in the text."""

    type: str
    value: str
    start: int
    end: int

    @property
    def span(self) -> Span:
        return Span(self.start, self.end)


def kinds(words: str) -> frozenset[str]:
    """A set of token types, written as one string."""
    return frozenset(words.split())


def cut(tables: Tables, text: str, start: int, end: int) -> Iterator[Token]:
    """The tokens of `text[start:end]`; every character is in one of them or in an ignored one (blanks, joined lines)."""
    match, ignored, keywords = tables.pattern.match, tables.ignored, tables.keywords
    while start < end:
        found = match(text, start, end)
        assert found is not None, "STRAY matches any character"
        kind, stop = found.lastgroup or "", found.end()
        if kind not in ignored:
            value = found.group()
            yield Token(keywords.get(value, kind) if kind == "NAME" else kind, value, start, stop)
        start = stop
