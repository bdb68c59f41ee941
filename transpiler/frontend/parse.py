"""Parsing one function, expression or line of a file.

In: a `Source` and a place in it. Out: surface nodes, and diagnostics for what is not the language. After an error the parser
drops the statement and goes on with the next one, so that one run reports several.
Non-goals: finding the functions (`scan`, `resolve`), the words of a syntax error (`syntax_errors`).
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterator
from typing import Any

from transpiler.diagnostics import Diagnostic
from transpiler.frontend import syntax_errors
from transpiler.frontend.depth import check_depth
from transpiler.frontend.findings import Findings
from transpiler.frontend.functions import FunctionBuilder
from transpiler.frontend.layout import Layout
from transpiler.frontend.machine import END, Machine
from transpiler.frontend.met import Met, open_brackets
from transpiler.frontend.statements import Suite
from transpiler.frontend.tables import tables
from transpiler.frontend.tokens import Token, cut, kinds
from transpiler.ir import surface as s
from transpiler.source import Source

MAX_NESTED_STRINGS = 3
"""Strings in strings: an f-string in a field of an f-string, and so on."""

_KEEPS_BLOCK = kinds("IF ELIF ELSE FOR WHILE WITH TRY EXCEPT FINALLY")
"""Headers whose block is still worth reading after an error in the header."""
_IGNORED = frozenset(["MIXED", "UNALIGNED"])
"""Tokens of the layout that only report: reading goes on as if they were not there."""


def parse_function(
    source: Source,
    start: int,
    end: int,
    indentation: str,
    resolve: Callable[[s.Expr], str],
    comments: tuple[str, ...] = (),
) -> tuple[s.Function | None, list[Diagnostic]]:
    """The function whose first decorator (or `def`) stands at `start`; None where an error leaves none."""
    layout = Layout(indentation)
    parser = _Parser(source, layout, resolve, comments)
    function = parser.run("function", start, end)
    if function is None or parser.findings.diagnostics:
        return None, parser.findings.diagnostics
    check_depth(function, parser.findings)
    return (None if parser.findings.diagnostics else function), parser.findings.diagnostics


def parse_line(source: Source, start: int, end: int) -> list[s.Stmt] | None:
    """The simple statements of one line of a module; None where it is not of the language."""
    parser = _Parser(source, Layout(), _no_name)
    line: Suite | None = parser.run("module_line", start, end)
    if line is None or parser.findings.diagnostics:
        return None
    for statement in line.statements:
        check_depth(statement, parser.findings)
    return None if parser.findings.diagnostics else line.statements


def parse_expression(source: Source, start: int, end: int) -> s.Expr | None:
    """An expression; None where it is not of the language."""
    parser = _Parser(source, Layout(in_brackets=True), _no_name)
    node: s.Expr | None = parser.run("expression", start, end)
    if node is None or parser.findings.diagnostics:
        return None
    check_depth(node, parser.findings)
    return None if parser.findings.diagnostics else node


def _no_name(node: s.Expr) -> str:
    return ""


class _Parser:
    """One parse; it holds all that is not shared, so that many may run at once."""

    def __init__(
        self, source: Source, layout: Layout, resolve: Callable[[s.Expr], str], comments: tuple[str, ...] = ()
    ) -> None:
        self.findings = Findings(source)
        self._text = source.text
        self._tables = tables()
        self._layout = layout
        self._builder = FunctionBuilder(self.findings, self._nested, layout, resolve, comments)
        self._nesting = 0

    def _nested(self, start: int, end: int) -> s.Expr | None:
        """An expression inside a string."""
        if self._nesting >= MAX_NESTED_STRINGS:
            span = Token("STRING", "", start, end).span
            self.findings.add("E0130", span, "strings nested too deeply", "take a part into a variable")
            return None
        self._nesting += 1
        machine = Machine(self._tables, "expression", self._builder)
        tokens = Layout(in_brackets=True).tokens(cut(self._tables, self._text, start, end))
        result = self._expression(machine, [*tokens, Token(END, "", end, end)])
        self._nesting -= 1
        return result

    def _expression(self, machine: Machine, tokens: list[Token]) -> s.Expr | None:
        for place, token in enumerate(tokens):
            if not machine.feed(token):
                brackets = open_brackets(tokens[:place])
                met = Met(token, tokens[:place], tokens[place + 1 :], brackets, machine.accepts, self._text)
                syntax_errors.report(met, self.findings)
                return None
        return machine.result

    def run(self, start_rule: str, start: int, end: int) -> Any:
        machine = Machine(self._tables, start_rule, self._builder)
        stream = _Stream(self._layout.tokens(cut(self._tables, self._text, start, end)), end)
        line: list[Token] = []
        for token in stream:
            if machine.feed(token):
                if token.type == END:
                    return machine.result
                if token.type == "NEWLINE":
                    line = []
                elif token.type not in ("INDENT", "DEDENT"):
                    line.append(token)
            elif self._report(machine, token, line, stream) and not self.findings.is_full:
                line = []
            else:
                return None
        return None

    def _report(self, machine: Machine, token: Token, line: list[Token], stream: _Stream) -> bool:
        """Say what is wrong at `token` and get the machine past it; False where there is no going on."""
        ahead = [] if token.type in ("NEWLINE", END) else stream.rest_of_line()
        met = Met(token, line, ahead, open_brackets(line), machine.accepts, self._text)
        syntax_errors.report(met, self.findings)
        if token.type in _IGNORED:
            return True
        wants_block = machine.accepts("INDENT")
        if token.type in (END, "DEEP") or (token.type == "DEDENT" and not wants_block):
            return False
        if not machine.drop_to("PASS"):
            return False
        if wants_block:
            stream.push(*_words("PASS NEWLINE", token), token)
            return True
        return self._skip(token, line, stream)

    def _skip(self, token: Token, line: list[Token], stream: _Stream) -> bool:
        """Leave out the line that `token` stands in, and its block; `while True:` or `pass` takes the place."""
        if token.type == "INDENT":
            stream.push(*_words("WHILE TRUE COLON NEWLINE", token), token)
            return True
        head = line[0].type if line else token.type
        self._layout.forget_brackets()
        while token.type not in ("NEWLINE", END):
            token = stream.next()
        following = stream.next()
        if following.type != "INDENT":
            stream.push(*_words("PASS NEWLINE", token), following)
        elif head in _KEEPS_BLOCK:
            stream.push(*_words("WHILE TRUE COLON NEWLINE", token), following)
        else:
            depth = 1
            while depth and (following := stream.next()).type != END:
                depth += (following.type == "INDENT") - (following.type == "DEDENT")
            stream.push(*_words("PASS NEWLINE", token), *([following] if following.type == END else []))
        return True


class _Stream:
    """Tokens that can be looked at and put back; behind the last one is END."""

    def __init__(self, tokens: Iterator[Token], end: int) -> None:
        self._tokens = tokens
        self._waiting: deque[Token] = deque()
        self._end = Token(END, "", end, end)

    def __iter__(self) -> Iterator[Token]:
        while True:
            yield self.next()

    def next(self) -> Token:
        return self._waiting.popleft() if self._waiting else next(self._tokens, self._end)

    def push(self, *tokens: Token) -> None:
        self._waiting.extendleft(reversed(tokens))

    def rest_of_line(self, limit: int = 200) -> list[Token]:
        """What stands behind the current token, up to the line end; it stays in the stream."""
        found: list[Token] = []
        while len(found) < limit and (not found or found[-1].type not in ("NEWLINE", END)):
            found.append(self.next())
        self.push(*found)
        return found


def _words(types: str, at: Token) -> list[Token]:
    return [Token(kind, kind.lower(), at.start, at.start) for kind in types.split()]
