"""The builder's part for expressions: one method a rule of `expressions.lark`.

In: the children of a rule (tokens and nodes, in order). Out: surface nodes with CPython's spans: brackets around an expression
belong to no node, but to the span of whatever contains it (`_outer`).
Non-goals: meaning; what CPython's compiler refuses in an expression that its grammar takes is refused here too.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from transpiler.frontend.findings import Findings
from transpiler.frontend.literals import StringReader
from transpiler.frontend.tokens import Token
from transpiler.ir import surface as s
from transpiler.source import Span

MAX_DIGITS = 4000
"""Of an integer literal; CPython's default limit is 4300."""

ParseExpression = Callable[[int, int], "s.Expr | None"]
"""Parses a piece of the text, `[start, end)`, for string annotations and the fields of f-strings."""


class ExpressionBuilder:
    def __init__(self, findings: Findings, parse_expression: ParseExpression) -> None:
        self.findings = findings
        self.displays: list[s.Expr] = []
        """The list and dict displays so far: a body must have none."""
        self.parse_expression = parse_expression
        self._strings = StringReader(findings, parse_expression)
        self._outer: dict[s.Node, Span] = {}

    # --- spans ---

    def start(self, child: Any) -> int:
        return child.start if type(child) is Token else self.outer(child).start

    def end(self, child: Any) -> int:
        return child.end if type(child) is Token else self.outer(child).end

    def outer(self, node: s.Node) -> Span:
        """The span of a node with the brackets around it."""
        return self._outer.get(node, node.span) if self._outer else node.span

    def span(self, children: list[Any]) -> Span:
        return Span(self.start(children[0]), self.end(children[-1]))

    # --- operators ---

    def expression(self, children: list[Any]) -> s.Expr:
        return children[0]

    def binary(self, children: list[Any]) -> s.Expr:
        left, op, right = children
        return s.Binary(op.value, left, right, span=self.span(children))

    def unary(self, children: list[Any]) -> s.Expr:
        op, operand = children
        return s.Unary(op.value, operand, span=self.span(children))

    def bool_op(self, children: list[Any]) -> s.Expr:
        return s.BoolOp(children[1].value, tuple(children[::2]), span=self.span(children))

    def compare(self, children: list[Any]) -> s.Expr:
        return s.Compare(children[0], tuple(children[1::2]), tuple(children[2::2]), span=self.span(children))

    def compare_op(self, children: list[Token]) -> str:
        return " ".join(token.value for token in children)

    def conditional(self, children: list[Any]) -> s.Expr:
        body, _, test, _, orelse = children
        return s.IfExp(test, body, orelse, span=self.span(children))

    def walrus(self, children: list[Any]) -> s.Expr:
        name, _, value = children
        return s.Walrus(self.name([name]), value, span=self.span(children))

    # --- primaries ---

    def attribute(self, children: list[Any]) -> s.Expr:
        value, _, name = children
        return s.Attribute(value, name.value, span=self.span(children))

    def call(self, children: list[Any]) -> s.Expr:
        arguments = _nodes(children[2:-1])
        keywords = tuple(a for a in arguments if type(a) is s.Keyword)
        if keywords:
            self._check_arguments(arguments)
        args = tuple(a for a in arguments if type(a) is not s.Keyword)
        return s.Call(children[0], args, keywords, span=self.span(children))

    def keyword(self, children: list[Any]) -> s.Keyword:
        name, _, value = children
        return s.Keyword(name.value, value, span=self.span(children))

    def subscript(self, children: list[Any]) -> s.Expr:
        inside = children[2:-1]
        is_tuple = len(inside) == 1 and type(inside[0]) is s.TupleExpr
        items = inside[0].items if is_tuple else tuple(_nodes(inside))
        return s.Subscript(children[0], items, span=self.span(children))

    def slice(self, children: list[Any]) -> s.Expr:
        parts: list[s.Expr | None] = [None, None, None]
        place = 0
        for child in children:
            if type(child) is Token:
                place += 1
            else:
                parts[place] = child
        return s.Slice(*parts, span=self.span(children))

    # --- brackets ---

    def group(self, children: list[Any]) -> s.Expr:
        self._outer[children[1]] = self.span(children)
        return children[1]

    def open_tuple(self, children: list[Any]) -> s.Expr:
        return s.TupleExpr(tuple(_nodes(children)), span=self.span(children))

    closed_tuple = open_tuple

    def list_display(self, children: list[Any]) -> s.Expr:
        node = s.ListExpr(tuple(_nodes(children)), span=self.span(children))
        self.displays.append(node)
        return node

    def dict_display(self, children: list[Any]) -> s.Expr:
        items = _nodes(children)
        node = s.DictExpr(tuple(items[::2]), tuple(items[1::2]), span=self.span(children))
        self.displays.append(node)
        return node

    # --- atoms ---

    def name(self, children: list[Token]) -> s.Name:
        token = children[0]
        return s.Name(token.value, span=Span(token.start, token.end))

    def integer(self, children: list[Token]) -> s.Expr:
        token = children[0]
        if len(token.value) > MAX_DIGITS:
            self.findings.add(
                "E0106", token.span, f"a number of {len(token.value)} digits", "no type holds such a number"
            )
            return s.Int(0, "0", span=token.span)
        return s.Int(int(token.value.replace("_", ""), 0), token.value, span=token.span)

    def floating(self, children: list[Token]) -> s.Expr:
        token = children[0]
        return s.Float(float(token.value.replace("_", "")), token.value, span=token.span)

    def true(self, children: list[Token]) -> s.Expr:
        return s.Bool(True, span=children[0].span)

    def false(self, children: list[Token]) -> s.Expr:
        return s.Bool(False, span=children[0].span)

    def none(self, children: list[Token]) -> s.Expr:
        return s.NoneLiteral(span=children[0].span)

    def ellipsis(self, children: list[Token]) -> s.Expr:
        return s.EllipsisLiteral(span=children[0].span)

    def string(self, children: list[Token]) -> s.Expr:
        return self._strings.read(children, self.span(children))

    # --- checks that CPython's compiler makes ---

    def _check_arguments(self, arguments: list[Any]) -> None:
        seen: set[str] = set()
        for argument in arguments:
            if type(argument) is not s.Keyword:
                if seen:
                    help = "put it in front of them, or give it its name"
                    self.findings.add("E0134", argument.span, "a positional argument behind a keyword argument", help)
                    return
                continue
            if argument.name in seen:
                message = f"the argument `{argument.name}` is given twice"
                self.findings.add("E0134", argument.span, message, "leave one out")
                return
            seen.add(argument.name)


def _nodes(children: list[Any]) -> list[Any]:
    return [child for child in children if type(child) is not Token]
