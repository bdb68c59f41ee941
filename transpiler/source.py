"""Source text and positions in it.

In: the text of a kernel file. Out: `Source`, and `Span`s that say where something stands in it.
Non-goals: no parsing, and no file is read here but by `Source.read`.
"""

from __future__ import annotations

import bisect
import io
import tokenize
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path


@dataclass(frozen=True, slots=True)
class Span:
    """Half-open range of character offsets `[start, end)` in a `Source`."""

    start: int
    end: int

    def to(self, other: Span) -> Span:
        """The span from the start of this one to the end of `other`."""
        return Span(self.start, other.end)


@dataclass(frozen=True, slots=True)
class Position:
    """`line` counts from 1, `column` (in characters) from 1, as editors do."""

    line: int
    column: int


@dataclass(frozen=True, eq=False)
class Source:
    """A text with the name it is known by in messages."""

    text: str
    path: str = "<string>"
    first_line: int = 1
    """Line number of the first line, for text cut out of a file or a notebook cell."""

    @staticmethod
    def read(path: str | Path) -> Source:
        """Read a file as Python would: PEP 263 coding line, BOM, any line ends.

        Raises `OSError` where the file cannot be read, and `SyntaxError` or `UnicodeError` where it is no text.
        """
        return Source.decode(Path(path).read_bytes(), str(path))

    @staticmethod
    def decode(raw: bytes, path: str) -> Source:
        """The bytes of a file as text. Raises `SyntaxError` (the coding line) or `UnicodeError`."""
        encoding, _ = tokenize.detect_encoding(io.BytesIO(raw).readline)
        try:
            text = raw.decode(encoding)
        except LookupError as error:  # `rot13` and the like are codecs, but not from bytes to text
            raise SyntaxError(str(error)) from None
        return Source(text.replace("\r\n", "\n").replace("\r", "\n"), path)

    @cached_property
    def line_starts(self) -> list[int]:
        starts = [0]
        for line in self.text.split("\n"):
            starts.append(starts[-1] + len(line) + 1)
        return starts[:-1]

    def position(self, offset: int) -> Position:
        """Line and column of a character offset; an offset past the end is the end."""
        offset = max(0, min(offset, len(self.text)))
        row = bisect.bisect_right(self.line_starts, offset) - 1
        return Position(row + self.first_line, offset - self.line_starts[row] + 1)

    def line(self, offset: int) -> int:
        return self.position(offset).line

    def line_text(self, line: int) -> str:
        """The text of a line (numbered as in `position`) without its line end; empty outside the text."""
        row = line - self.first_line
        if not 0 <= row < len(self.line_starts):
            return ""
        start = self.line_starts[row]
        end = self.text.find("\n", start)
        return self.text[start:] if end < 0 else self.text[start:end]

    def slice(self, span: Span) -> str:
        return self.text[span.start : span.end]
