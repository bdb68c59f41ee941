"""Source lines with marks below them, laid out in terminal columns.

In: a `Source`, marks (spans with or without words). Out: `Excerpt`, rows of text for a fixed-width font: tabs expanded, wide
characters two columns, combining ones none, control characters made visible, long lines clipped around what is marked.
Non-goals: colour and the gutter (`render`).
"""

from __future__ import annotations

import unicodedata

from transpiler.records import record
from transpiler.source import Source, Span

TAB = 4
CONTEXT = 16
"""Columns kept left of the first mark in a clipped line."""


@record
class Mark:
    """A span to underline, with carets if `primary`, with dashes and a message else."""

    span: Span
    message: str
    primary: bool


@record
class Row:
    """`kind` is `"source"` (a line of the text), `"marks"` (what stands below it; `parts` as (role, text)) or `"gap"`."""

    kind: str
    line: int = 0
    text: str = ""
    parts: tuple[tuple[str, str], ...] = ()


@record
class Excerpt:
    rows: tuple[Row, ...]
    gutter: int
    """Width of the widest line number shown."""


@record
class _Underline:
    """A mark on one line: columns `[start, end)` as shown."""

    start: int
    end: int
    message: str
    primary: bool


def excerpt(source: Source, marks: list[Mark], width: int = 120) -> Excerpt:
    by_line: dict[int, list[tuple[int, int | None, Mark, bool]]] = {}
    for mark in marks:
        for line, start, end, speaks in _pieces(source, mark.span):
            by_line.setdefault(line, []).append((start, end, mark, speaks))
    rows: list[Row] = []
    shown = sorted(by_line)
    last = None
    for line in shown:
        if last is not None and line == last + 2:
            rows.append(_source_row(source, last + 1, width))
        elif last is not None and line > last + 1:
            rows.append(Row("gap"))
        rows += _line_rows(source, line, by_line[line], width)
        last = line
    return Excerpt(tuple(rows), len(str(shown[-1])) if shown else 1)


def _pieces(source: Source, span: Span) -> list[tuple[int, int, int | None, bool]]:
    """(line, first column, column behind or None for the line's end, carries the message); columns count characters from 0."""
    stop = span.start + len(source.slice(span).rstrip("\n"))
    start, end = source.position(span.start), source.position(stop)
    if start.line == end.line:
        return [(start.line, start.column - 1, max(end.column - 1, start.column), True)]
    text = source.line_text(end.line)
    indent = len(text) - len(text.lstrip())
    return [(start.line, start.column - 1, None, False), (end.line, min(indent, end.column - 1), end.column - 1, True)]


def _line_rows(source: Source, line: int, pieces: list[tuple[int, int | None, Mark, bool]], width: int) -> list[Row]:
    cells = _cells(source.line_text(line))
    underlines = [
        _Underline(
            _column(cells, start),
            max(_column(cells, len(cells.glyphs) if end is None else end), _column(cells, start) + 1),
            mark.message if speaks else "",
            mark.primary,
        )
        for start, end, mark, speaks in pieces
    ]
    text, shift = _clip(cells, underlines, width)
    moved = [_moved(u, shift, len_columns(text), clipped=cells.columns[-1] > width) for u in underlines]
    return [Row("source", line, text), *_mark_rows(moved)]


def _source_row(source: Source, line: int, width: int) -> Row:
    text, _ = _clip(_cells(source.line_text(line)), [], width)
    return Row("source", line, text)


# --- columns ----------------------------------------------------------------------------------------------


@record
class _Cells:
    """A line as shown: one glyph for each character, and the column it starts at; `columns[-1]` is the whole width."""

    glyphs: list[str]
    columns: list[int]


def _cells(text: str) -> _Cells:
    glyphs: list[str] = []
    columns = [0]
    for char in text:
        glyph = " " * (TAB - columns[-1] % TAB) if char == "\t" else _visible(char)
        glyphs.append(glyph)
        columns.append(columns[-1] + (len(glyph) if char == "\t" else char_width(glyph)))
    return _Cells(glyphs, columns)


def _visible(char: str) -> str:
    """Control characters as pictures; direction marks, which would reorder the line on screen, as a replacement character."""
    code = ord(char)
    if code < 0x20:
        return chr(0x2400 + code)
    if code == 0x7F:
        return "\u2421"
    if 0x80 <= code < 0xA0 or 0x202A <= code <= 0x202E or 0x2066 <= code <= 0x2069 or 0xD800 <= code < 0xE000:
        return "\ufffd"
    return char


def char_width(char: str) -> int:
    """Terminal columns of a character."""
    if char < "\x7f":
        return 1
    if unicodedata.category(char) in ("Mn", "Me", "Cf"):
        return 0
    return 2 if unicodedata.east_asian_width(char) in ("W", "F") else 1


def len_columns(text: str) -> int:
    return sum(map(char_width, text))


def _column(cells: _Cells, index: int) -> int:
    """Column of a character; one behind the line's end is where the next would stand."""
    last = len(cells.columns) - 1
    return cells.columns[min(index, last)] + max(0, index - last)


def _clip(cells: _Cells, underlines: list[_Underline], width: int) -> tuple[str, int]:
    """The text that fits, and how many columns it has moved to the left."""
    if cells.columns[-1] <= width:
        return "".join(cells.glyphs), 0
    first = min((u.start for u in underlines), default=0)
    end = max((u.end for u in underlines), default=0)
    left = 0 if end < width else max(0, min(first - CONTEXT, cells.columns[-1] - width + 1))
    room = width - (left > 0)
    inside = [i for i in range(len(cells.glyphs)) if left <= cells.columns[i] and cells.columns[i + 1] < left + room]
    # A character that the left edge cuts in two is dropped whole: the text starts where the next one does.
    start = cells.columns[inside[0]] if inside else left
    head = "\u2026" if left else ""
    tail = "\u2026" if inside and inside[-1] + 1 < len(cells.glyphs) else ""
    return head + "".join(cells.glyphs[i] for i in inside) + tail, start - len(head)


def _moved(underline: _Underline, shift: int, limit: int, clipped: bool) -> _Underline:
    """The underline in the clipped text; what was cut off is marked at the ellipsis."""
    start, end = max(0, underline.start - shift), underline.end - shift
    if clipped:
        start, end = min(start, limit - 1), min(end, limit)
    return _Underline(start, max(end, start + 1), underline.message, underline.primary)


# --- rows below a line ------------------------------------------------------------------------------------


def _mark_rows(underlines: list[_Underline]) -> list[Row]:
    """Underlines in one row, the message of the rightmost behind it; the other messages below, joined by bars."""
    speakers = sorted((u for u in underlines if u.message), key=lambda u: u.start)
    row = _canvas(underlines)
    inline = speakers.pop() if speakers and speakers[-1].end >= max(u.end for u in underlines) else None
    if inline:
        row += [("secondary", " "), *(("secondary", c) for c in inline.message)]
    rows = [_row(row)]
    while speakers:
        speaker = speakers.pop()
        # Labels at one column share the bar; each message has its own row.
        rows.append(_row(_bars([*speakers, speaker])))
        canvas = _bars([s for s in speakers if s.start < speaker.start])
        canvas += [("", " ")] * (speaker.start - len(canvas))
        rows.append(_row([*canvas, *(("secondary", c) for c in speaker.message)]))
    return rows


def _canvas(underlines: list[_Underline]) -> list[tuple[str, str]]:
    canvas = [("", " ")] * max(u.end for u in underlines)
    for u in sorted(underlines, key=lambda u: u.primary):
        canvas[u.start : u.end] = [("primary", "^") if u.primary else ("secondary", "-")] * (u.end - u.start)
    return canvas


def _bars(underlines: list[_Underline]) -> list[tuple[str, str]]:
    canvas = [("", " ")] * (max((u.start for u in underlines), default=-1) + 1)
    for u in underlines:
        canvas[u.start] = ("secondary", "|")
    return canvas


def _row(canvas: list[tuple[str, str]]) -> Row:
    parts: list[tuple[str, str]] = []
    for role, char in canvas:
        if parts and parts[-1][0] == role:
            parts[-1] = (role, parts[-1][1] + char)
        else:
            parts.append((role, char))
    return Row("marks", parts=tuple(parts))
