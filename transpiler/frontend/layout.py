"""Lines and blocks: NEWLINE, INDENT and DEDENT between the tokens, comments out of them.

In: the tokens of `tokens.cut`. Out: `Layout.tokens`, the stream that the parser reads. The added tokens have no width, so that
the span of a block never reaches into the next statement. What is wrong with the layout comes out as a token that no grammar
rule takes: UNCLOSED (a bracket), UNALIGNED (a dedent to no open block), MIXED (tabs and spaces), DEEP, MISNAMED (no identifier).
Comments are kept by position: `comments` by the start of the line they stand above or in, `trailing` by the NEWLINE behind them.
Non-goals: which statement a comment belongs to (`statements`).
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator

from transpiler.frontend.tokens import Token, kinds

MAX_BLOCKS = 64
"""Nested blocks: CPython allows 100; every later pass walks them by recursion."""

OPEN = {"LPAR": "RPAR", "LSQB": "RSQB", "LBRACE": "RBRACE"}
CLOSE = frozenset(OPEN.values())
_OPENS_STATEMENT = kinds("ASSERT BREAK CLASS CONTINUE DEF DEL GLOBAL IMPORT NONLOCAL PASS RAISE RETURN TRY WHILE WITH")
"""A line that starts with one of these inside brackets: the bracket was forgotten."""

_PRAGMA = re.compile(r"#\s*(?:type:|noqa\b|fmt:|isort:|mypy:|pragma:|pylint:|pyright:|ruff:|yapf:)")
_LINE_END = re.compile(r"\r\n|\n|\r")


class Layout:
    """The layout of one function; `indentation` is the blank text in front of its first token.

    With `in_brackets` the text is an expression whose line ends mean nothing.
    """

    def __init__(self, indentation: str = "", *, in_brackets: bool = False) -> None:
        self.comments: dict[int, list[Token]] = {}
        self.trailing: dict[int, str] = {}
        self.closing: tuple[str, ...] = ()
        self.brackets: list[Token] = []
        self._in_brackets = in_brackets
        self._blocks = [_width(indentation)]

    def forget_brackets(self) -> None:
        """After an error: the next line end is a real one."""
        self.brackets.clear()

    def tokens(self, raw: Iterator[Token]) -> Iterator[Token]:
        if self._in_brackets:
            yield from (
                token if token.type != "NAME" else _identifier(token) for token in raw if token.type != "NEWLINE"
            )
            return
        line: int | None = None
        blank = ""
        above: list[Token] = []
        last = None
        at_line_start = False
        for token in raw:
            kind = token.type
            if kind == "NEWLINE":
                behind, own, blank = _comments(token)
                at_line_start = True
                if self.brackets and line is not None:
                    self._keep(line, behind + own)
                elif line is not None:
                    if behind:
                        self.trailing[token.start] = text_of(behind[0])
                    above += own
                    line = None
                    yield Token("NEWLINE", "", token.start, token.start)
                else:
                    above += behind + own
                continue
            if self.brackets and at_line_start and kind in _OPENS_STATEMENT:
                bracket = self.brackets[-1]
                yield Token("UNCLOSED", bracket.value, bracket.start, bracket.end)
                self.brackets.clear()
                if line is not None:
                    line = None
                    yield Token("NEWLINE", "", token.start, token.start)
            if line is None:
                line = token.start
                self._keep(line, above)
                above = []
                if last is not None:
                    yield from self._indent(blank, token.start)
            at_line_start = False
            last = token if kind != "NAME" or token.value.isascii() else _identifier(token)
            yield last
            if kind in OPEN:
                self.brackets.append(token)
            elif kind in CLOSE and self.brackets:
                self.brackets.pop()
        yield from self._end(line, last)
        self.closing = tuple(text_of(comment) for comment in above)

    def take(self, start: int) -> tuple[str, ...]:
        """The comments above and inside the line that starts there."""
        found = self.comments.pop(start, None) if self.comments else None
        return () if found is None else tuple(text_of(comment) for comment in found)

    def _keep(self, line: int, comments: list[Token]) -> None:
        if comments:
            self.comments.setdefault(line, []).extend(comments)

    def _indent(self, blank: str, at: int) -> Iterator[Token]:
        """INDENT or DEDENTs for a line whose indentation is `blank`, by CPython's two ways to count tabs."""
        width, blocks = _width(blank), self._blocks
        if width[0] > blocks[-1][0]:
            if width[1] <= blocks[-1][1]:
                yield Token("MIXED", "", at, at)
            if len(blocks) > MAX_BLOCKS:
                yield Token("DEEP", "", at, at)
            blocks.append(width)
            yield Token("INDENT", "", at, at)
            return
        while width[0] < blocks[-1][0] and len(blocks) > 1:
            if width[0] > blocks[-2][0]:
                blocks[-1] = width
                yield Token("UNALIGNED", "", at, at)
                return
            blocks.pop()
            yield Token("DEDENT", "", at, at)
        if width[0] == blocks[-1][0] and width[1] != blocks[-1][1]:
            yield Token("MIXED", "", at, at)

    def _end(self, line: int | None, last: Token | None) -> Iterator[Token]:
        at = last.end if last is not None else 0
        if self.brackets:
            bracket = self.brackets[-1]
            yield Token("UNCLOSED", bracket.value, bracket.start, bracket.end)
            self.brackets.clear()
        if line is not None:
            yield Token("NEWLINE", "", at, at)
        for _ in self._blocks[1:]:
            yield Token("DEDENT", "", at, at)


def text_of(comment: Token) -> str:
    """The words of a comment: without `#` and one blank behind it."""
    return comment.value[1:].removeprefix(" ").rstrip()


def _comments(newline: Token) -> tuple[list[Token], list[Token], str]:
    """The comment on the line that ends, those on the lines below it, and the indentation of the next line."""
    text = newline.value
    behind: list[Token] = []
    own: list[Token] = []
    position = 0
    if "#" in text:
        for part in _LINE_END.split(text):
            comment = part.lstrip(" \t\f")
            if comment and not _PRAGMA.match(comment):
                start = newline.start + position + len(part) - len(comment)
                (own if position else behind).append(Token("COMMENT", comment, start, start + len(comment)))
            position += len(part) + (2 if text.startswith("\r\n", position + len(part)) else 1)
    last = max(text.rfind("\n"), text.rfind("\r"))
    return behind, own, text[last + 1 :] if last >= 0 else ""


def _width(blank: str) -> tuple[int, int]:
    """The width of an indentation with tabs to the next multiple of 8, and with tabs as one blank."""
    if "\t" not in blank and "\f" not in blank:
        return len(blank), len(blank)
    wide = narrow = 0
    for character in blank:
        if character == "\t":
            wide, narrow = (wide // 8 + 1) * 8, narrow + 1
        elif character == "\f":
            wide = narrow = 0
        else:
            wide, narrow = wide + 1, narrow + 1
    return wide, narrow


def _identifier(token: Token) -> Token:
    """A name as Python knows it: NFKC-normalised, and an identifier or no name at all."""
    if token.value.isascii():
        return token
    name = unicodedata.normalize("NFKC", token.value)
    return Token(
        "NAME" if name.isidentifier() else "MISNAMED",
        name if name.isidentifier() else token.value,
        token.start,
        token.end,
    )
