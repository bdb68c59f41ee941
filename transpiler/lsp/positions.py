"""Lines and columns as an LSP client counts them: from 0, columns in code units of the encoding that was agreed upon.

In: a `Source` and offsets in it, or a client's position. Out: `lsprotocol` positions and ranges, or offsets. What lies
outside the text is moved to the nearest place in it, as LSP demands.
Non-goals: the text of documents (`server`).
"""

from __future__ import annotations

from lsprotocol.types import Position, Range

from transpiler.source import Source, Span

_UNITS = {"utf-8": "utf-8", "utf-16": "utf-16-le", "utf-32": "utf-32-le"}
_BYTES = {"utf-8": 1, "utf-16": 2, "utf-32": 4}


class Positions:
    """Converts between a text and one encoding of columns: `utf-8`, `utf-16` or `utf-32`."""

    def __init__(self, encoding: str = "utf-16") -> None:
        self._codec = _UNITS[encoding]
        self._bytes = _BYTES[encoding]

    def units(self, text: str) -> int:
        """How many columns a text takes."""
        return len(text) if text.isascii() else len(text.encode(self._codec, "surrogatepass")) // self._bytes

    def position(self, source: Source, offset: int) -> Position:
        here = source.position(offset)
        line = source.line_text(here.line)
        return Position(here.line - source.first_line, self.units(line[: here.column - 1]))

    def range(self, source: Source, span: Span) -> Range:
        return Range(self.position(source, span.start), self.position(source, max(span.start, span.end)))

    def offset(self, source: Source, position: Position) -> int:
        """The offset of a position; inside of a character it is that character's."""
        starts = source.line_starts
        if position.line >= len(starts):
            return len(source.text)
        line = source.line_text(position.line + source.first_line)
        left = position.character
        for column, character in enumerate(line):
            left -= self.units(character)
            if left < 0:
                return starts[position.line] + column
        return starts[position.line] + len(line)

    def span(self, source: Source, range: Range) -> Span:
        return Span(self.offset(source, range.start), self.offset(source, range.end))
