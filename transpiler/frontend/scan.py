"""The logical lines of a file, without understanding them.

In: any text. Out: `Line`s with their indentation and first word. Strings, comments, brackets and joined lines are told apart,
no more: the scan works on files in any dialect of Python, with errors in them, and never fails. A bracket that is left open ends
where a definition starts in column 0, a quote at the line end.
Non-goals: tokens and grammar (`tokens`, `parse`).
"""

from __future__ import annotations

import re
from dataclasses import dataclass

_PIECE = re.compile(
    r"""(?P<string>\"{3}(?:[^\\]|\\.)*?\"{3}|'{3}(?:[^\\]|\\.)*?'{3}|"(?:[^"\\\r\n]|\\.)*"|'(?:[^'\\\r\n]|\\.)*')"""
    r"""|(?P<open>[(\[{])|(?P<close>[)\]}])|(?P<newline>\r\n|\n|\r)|(?P<comment>\#[^\r\n]*)"""
    r"""|(?P<joint>\\(?:\r\n|\n|\r))|(?P<quote>["'][^\r\n]*)|(?P<blank>[ \t\f]+)|(?P<plain>[^"'()\[\]{}\r\n\#\\ \t\f]+|\\)""",
    re.DOTALL,
)
_DEFINITION = re.compile(r"(?:async[ \t]+)?(?:def|class)[ \t]+\w+[ \t]*[(:\[]|@[\w. \t]+(?:\(|[ \t]*(?:#|\r|\n|$))")
_WORD = re.compile(r"\w+|.", re.DOTALL)


_COMMENT_LINE = re.compile(r"(?P<blank>[ \t\f]*)(?P<comment>#[^\r\n]*)?(?:\r\n|\n|\r|\Z)")


@dataclass(slots=True, eq=False)
class Line:
    """A logical line: `[start, end)` without indentation, comment and line end. `above` are the comments right above it."""

    start: int
    end: int
    indentation: str
    word: str
    """Its first word, or first character."""
    above: tuple[str, ...]

    @property
    def width(self) -> int:
        return width_of(self.indentation)


def width_of(indentation: str) -> int:
    return len(indentation.rpartition("\f")[2].expandtabs(8))


def logical_lines(text: str) -> list[Line]:
    """All lines of the text that are not blank or comments, at any indentation."""
    lines: list[Line] = []
    comments: list[tuple[str, str]] = []
    start = end = depth = 0
    is_open = False
    line_start = 1 if text.startswith("\ufeff") else 0
    for piece in _PIECE.finditer(text, line_start):
        kind = piece.lastgroup
        if kind == "newline":
            if is_open and (depth <= 0 or _DEFINITION.match(text, piece.end())):
                lines.append(_line(text, start, end, line_start, comments))
                comments, is_open = [], False
            elif not is_open and not text[line_start : piece.start()].strip():
                comments = []
            if not is_open:
                line_start = piece.end()
        elif kind == "comment":
            if not is_open:
                comments.append((text[line_start : piece.start()], piece[0]))
        elif kind != "blank":
            if not is_open:
                start, is_open, depth = piece.start(), True, 0
            depth += (kind == "open") - (kind == "close")
            end = piece.end()
    if is_open:
        lines.append(_line(text, start, end, line_start, comments))
    return lines


def _line(text: str, start: int, end: int, line_start: int, comments: list[tuple[str, str]]) -> Line:
    indentation = text[line_start:start]
    word = _WORD.match(text, start)
    above = tuple(words[1:].removeprefix(" ").rstrip() for at, words in comments if at == indentation)
    return Line(start, end, indentation, word[0] if word else "", above)


def block_end(lines: list[Line], index: int, text: str) -> tuple[int, int]:
    """The index of the first line behind the block of `lines[index]`, and where the text of the block ends.

    Comments at the end of the block belong to it as far as they are indented deeper than its header.
    """
    width = lines[index].width
    after = index + 1
    while after < len(lines) and lines[after].width > width:
        after += 1
    end = stop = lines[after - 1].end
    limit = lines[after].start - len(lines[after].indentation) if after < len(lines) else len(text)
    for part in _COMMENT_LINE.finditer(text, end, limit):
        if part["comment"]:
            if part.start() > end and width_of(part["blank"]) <= width:
                break
            stop = part.end("comment")
    return after, stop


def closing_bracket(text: str, start: int, end: int) -> int:
    """Where the bracket that opens at `start` has its partner; -1 if nowhere before `end`."""
    depth = 0
    for piece in _PIECE.finditer(text, start, end):
        depth += (piece.lastgroup == "open") - (piece.lastgroup == "close")
        if depth == 0 and piece.lastgroup == "close":
            return piece.start()
    return -1
