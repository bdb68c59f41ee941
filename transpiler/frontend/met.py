"""What the parser met where it could not go on, and what is said about it.

In: tokens. Out: `Met`, which the rules of `foreign` and `mistakes` look at, and `Finding`, which they give.
Non-goals: the rules.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import NamedTuple

from transpiler.diagnostics import Label
from transpiler.frontend.layout import CLOSE, OPEN
from transpiler.frontend.tokens import Token
from transpiler.source import Span


@dataclass(slots=True)
class Met:
    """The parser met `token`; `line` is what it took of this line before, `ahead` what follows up to the line end."""

    token: Token
    line: list[Token]
    ahead: list[Token]
    brackets: list[Token]
    accepts: Callable[[str], bool]
    text: str

    @property
    def before(self) -> Token | None:
        return self.line[-1] if self.line else None

    @property
    def head(self) -> str:
        """The type of the first token of the line."""
        return self.line[0].type if self.line else self.token.type

    @property
    def next(self) -> str:
        return self.ahead[0].type if self.ahead else ""

    def touches(self, *types: str) -> bool:
        """Whether the token before is of one of these types and no blank lies between."""
        return self.before is not None and self.before.type in types and self.before.end == self.token.start


class Finding(NamedTuple):
    code: str
    message: str
    help: str | None = None
    span: Span | None = None
    label: Label | None = None


Rule = Callable[[Met], Finding | None]


def open_brackets(tokens: list[Token]) -> list[Token]:
    found: list[Token] = []
    for token in tokens:
        if token.type in OPEN:
            found.append(token)
        elif token.type in CLOSE and found:
            found.pop()
    return found


def ends_value(token: Token) -> bool:
    return token.type in CLOSE or token.type in ("NAME", "INT", "FLOAT", "STRING", "FSTRING", "TRUE", "FALSE", "NONE")
