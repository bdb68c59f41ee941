"""String literals and f-strings.

In: the STRING and FSTRING tokens that stand side by side. Out: `Str` with the value that Python gives it, or `FString` with its
fields parsed by the expression grammar, spans in place.
Non-goals: where strings are allowed (`check`): only `print`, `assert` and annotations take them.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable

from transpiler.frontend.findings import Findings
from transpiler.frontend.tokens import Token
from transpiler.ir import surface as s
from transpiler.source import Span

_ESCAPE = re.compile(
    r"\\(?:(\r\n|[\n\r\\'\"abfnrtv])|([0-7]{1,3})|x([0-9a-fA-F]{2})|u([0-9a-fA-F]{4})|U([0-9a-fA-F]{8})|N\{([^}]*)\})"
)
_SIMPLE = {"a": "\a", "b": "\b", "f": "\f", "n": "\n", "r": "\r", "t": "\t", "v": "\v", "\n": "", "\r": "", "\r\n": ""}
_NUMBERED_ESCAPE = re.compile(r"\\(?:\\|x|u|U|N)")
_PIECE = re.compile(r"\{\{|\}\}|\{|\}|\\N\{[^}]*\}|\\.", re.DOTALL)
_FIELD_TOKEN = re.compile(r"""[(\[{]|[)\]}]|"(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*'|[=!<>]=|:=|=|!|:""")


class StringReader:
    """`parse` parses a piece of the source text as an expression."""

    def __init__(self, findings: Findings, parse: Callable[[int, int], s.Expr | None]) -> None:
        self._findings = findings
        self._parse = parse

    def read(self, tokens: list[Token], span: Span) -> s.Expr:
        if len(tokens) == 1 and tokens[0].type == "STRING":
            return s.Str(self._plain(tokens[0]), span=span)
        parts: list[s.Str | s.FormattedValue] = []
        for token in tokens:
            if token.type == "FSTRING":
                parts += self._formatted(token)
            else:
                parts.append(s.Str(self._plain(token), span=token.span))
        merged = _merge(parts)
        if any(token.type == "FSTRING" for token in tokens):
            return s.FString(merged, span=span)
        return s.Str("".join(part.value for part in merged if isinstance(part, s.Str)), span=span)

    def _plain(self, token: Token) -> str:
        prefix, start, end = _quotes(token)
        text = token.value[start:end]
        return self._unescape(text, token.start + start) if "r" not in prefix else _newlines(text)

    def _unescape(self, text: str, at: int) -> str:
        text = _newlines(text)
        if "\\" not in text:
            return text
        self._check_escapes(text, at)
        return _ESCAPE.sub(_character, text)

    def _check_escapes(self, text: str, at: int) -> None:
        """`\\x`, `\\u` and `\\N` must be whole; any other unknown escape stays as it is written."""
        for found in _NUMBERED_ESCAPE.finditer(text):
            whole = _ESCAPE.match(text, found.start())
            if (
                whole is None
                or (whole[6] is not None and _named(whole[6]) is None)
                or (whole[5] and int(whole[5], 16) > 0x10FFFF)
            ):
                span = Span(at + found.start(), at + found.end())
                self._findings.add(
                    "E0104", span, f"`{found[0]}` does not begin a character", "write `\\\\` for a backslash"
                )
                return

    # --- f-strings ---

    def _formatted(self, token: Token) -> list[s.Str | s.FormattedValue]:
        prefix, start, end = _quotes(token)
        if "t" in prefix:
            self._findings.add(
                "E0131", token.span, "a template string is not part of the kernel language", "use an f-string"
            )
            return []
        text, raw = token.value, "r" in prefix
        parts: list[s.Str | s.FormattedValue] = []

        def literal(first: int, last: int) -> None:
            if first < last:
                piece = text[first:last].replace("{{", "{").replace("}}", "}")
                value = _newlines(piece) if raw else self._unescape(piece, token.start + first)
                parts.append(s.Str(value, span=Span(token.start + first, token.start + last)))

        done = start
        position = start
        while (found := _PIECE.search(text, position, end)) is not None:
            position = found.end()
            if found[0] == "{":
                literal(done, found.start())
                field, position = self._field(token, position, end)
                parts += field
                done = position
            elif found[0] == "}":
                span = Span(token.start + found.start(), token.start + found.end())
                self._findings.add("E0131", span, "a `}` with no `{` in an f-string", "write `}}` for a brace")
                return parts
            elif raw and found[0].startswith("\\"):
                position = found.start() + 1
        literal(done, end)
        return parts

    def _field(self, token: Token, start: int, end: int) -> tuple[list[s.Str | s.FormattedValue], int]:
        """The field whose text begins at `start` (in the token), and where the text goes on."""
        text, depth, stop, is_echo = token.value, 0, end, False
        for found in _FIELD_TOKEN.finditer(text, start, end):
            sign = found[0]
            if sign in "([{":
                depth += 1
            elif depth and sign in ")]}":
                depth -= 1
            elif depth == 0 and sign in ("}", "!", ":", ":=", "="):
                stop, is_echo = found.start(), sign == "="
                break
        else:
            return self._refuse(
                token, start - 1, start, "a `{` with no `}` in an f-string", "write `{{` for a brace"
            ), end
        parts: list[s.Str | s.FormattedValue] = []
        after = stop
        if is_echo:
            after += 1 + len(text[stop + 1 : end]) - len(text[stop + 1 : end].lstrip())
            parts.append(s.Str(text[start:after], span=Span(token.start + start, token.start + after)))
        spec = ""
        if text.startswith("!", after):
            return self._refuse(
                token, after, after + 2, "a conversion in an f-string", "leave it out: a number has one form"
            ), end
        if text.startswith(":", after):
            close = text.find("}", after, end)
            spec = text[after + 1 : close] if close >= 0 else ""
            if "{" in spec:
                return self._refuse(
                    token, after, close, "a field in the format of a field", "write the format out"
                ), end
            after = close
        if not text.startswith("}", after, end) or after < 0:
            return self._refuse(
                token, start - 1, start, "a `{` with no `}` in an f-string", "write `{{` for a brace"
            ), end
        value = self._parse(token.start + start, token.start + stop)
        if value is not None:
            span = Span(token.start + start - 1, token.start + after + 1)
            parts.append(s.FormattedValue(value, spec, span=span))
        return parts, after + 1

    def _refuse(self, token: Token, start: int, end: int, message: str, help: str) -> list[s.Str | s.FormattedValue]:
        self._findings.add("E0131", Span(token.start + start, token.start + end), message, help)
        return []


def _quotes(token: Token) -> tuple[str, int, int]:
    """The prefix in lower case, and where the text between the quotes begins and ends."""
    text = token.value
    first = min(i for i in (text.find('"'), text.find("'")) if i >= 0)
    width = 3 if text[first : first + 3] in ('"""', "'''") and len(text) - first >= 6 else 1
    return text[:first].lower(), first + width, len(text) - width


def _newlines(text: str) -> str:
    return text.replace("\r\n", "\n").replace("\r", "\n") if "\r" in text else text


def _named(name: str) -> str | None:
    try:
        return unicodedata.lookup(name)
    except KeyError:
        return None


def _character(found: re.Match[str]) -> str:
    simple, octal, two, four, eight, name = found.groups()
    if simple is not None:
        return _SIMPLE.get(simple, simple)
    if octal is not None:
        return chr(int(octal, 8))
    if name is not None:
        return _named(name) or ""
    code = int(two or four or eight, 16)
    return chr(code) if code <= 0x10FFFF else ""


def _merge(parts: list[s.Str | s.FormattedValue]) -> tuple[s.Str | s.FormattedValue, ...]:
    """Neighbouring text is one part, as in CPython; empty text is none."""
    merged: list[s.Str | s.FormattedValue] = []
    run: list[s.Str] = []
    for part in [*parts, None]:
        if isinstance(part, s.Str):
            run.append(part)
            continue
        if text := "".join(piece.value for piece in run):
            merged.append(s.Str(text, span=run[0].span.to(run[-1].span)))
        run.clear()
        if part is not None:
            merged.append(part)
    return tuple(merged)
