"""The builder's part for statements: one method a rule of `kernel.lark`.

In: the children of a rule. Out: surface statements with their comments.
Non-goals: types and scopes; what CPython's compiler refuses (a target that is none, `break` outside a loop, a parameter twice) is
refused here. `functions` has the rest of that file.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, NamedTuple

from transpiler.frontend.expressions import ExpressionBuilder, ParseExpression
from transpiler.frontend.findings import Findings
from transpiler.frontend.layout import Layout
from transpiler.frontend.tokens import Token
from transpiler.ir import surface as s
from transpiler.ir.types import DTYPES
from transpiler.source import Span

DTYPE_SPELLINGS = frozenset(
    [
        *DTYPES,
        *("bool_", "int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64"),
        *("float16", "bfloat16", "float32", "float64"),
    ]
)
"""A whole annotation that is a string with one of these stays a string; any other is parsed."""

_TARGETS = (s.Name, s.Subscript, s.Attribute)


@dataclass(slots=True, eq=False)
class Suite:
    """The statements of a line or a block; `end` is behind its last token, `trailing` the comment behind the header."""

    statements: list[s.Stmt]
    start: int
    end: int
    trailing: str | None = None


class Elif(NamedTuple):
    token: Token
    test: s.Expr
    suite: Suite


class StatementBuilder(ExpressionBuilder):
    def __init__(self, findings: Findings, parse_expression: ParseExpression, layout: Layout) -> None:
        super().__init__(findings, parse_expression)
        self._layout = layout
        self._jumps: list[s.Stmt] = []
        """The `break` and `continue` so far that no loop has taken."""

    # --- lines ---

    def simple_line(self, children: list[Any]) -> Suite:
        newline = children[-1]
        statements = [child for child in children if type(child) is not Token]
        trailing = self._layout.trailing.pop(newline.start, None)
        if trailing is not None:
            statements[-1] = replace(statements[-1], trailing=trailing)
        last = children[-2]
        end = last.end if type(last) is Token else last.span.end
        return Suite(statements, statements[0].span.start, end)

    def module_line(self, children: list[Any]) -> Suite:
        return children[0]

    def suite(self, children: list[Any]) -> Suite:
        if len(children) == 1:
            return children[0]
        statements: list[s.Stmt] = []
        end = 0
        for child in children[2:-1]:
            if type(child) is Suite:
                statements += child.statements
                end = child.end
            else:
                statements.append(child)
                end = child.span.end
        trailing = self._layout.trailing.pop(children[0].start, None)
        return Suite(statements, statements[0].span.start, end, trailing)

    # --- simple statements ---

    def assign(self, children: list[Any]) -> s.Stmt:
        targets = tuple(children[:-1:2])
        for target in targets:
            self._check_target(target, "assign to")
        return self._simple(s.Assign, children, targets, children[-1])

    def annotated(self, children: list[Any]) -> s.Stmt:
        target, _, annotation, *rest = children
        if not isinstance(target, _TARGETS):
            self.findings.add(
                "E0109", target.span, "only a single name can be annotated", "annotate each on a line of its own"
            )
        self._allow_displays(annotation.span)
        return self._simple(s.AnnAssign, children, target, self._annotation(annotation), rest[1] if rest else None)

    def augmented(self, children: list[Any]) -> s.Stmt:
        target, op, value = children
        if isinstance(target, s.TupleExpr):
            message = f"`{op.value}` needs a single target"
            self.findings.add("E0109", target.span, message, "write one statement for each")
        else:
            self._check_target(target, f"use `{op.value}` on")
        return self._simple(s.AugAssign, children, target, op.value[:-1], value)

    def expression_statement(self, children: list[Any]) -> s.Stmt:
        return self._simple(s.ExprStmt, children, children[0])

    def assert_statement(self, children: list[Any]) -> s.Stmt:
        return self._simple(s.Assert, children, children[1], children[3] if len(children) > 2 else None)

    def return_statement(self, children: list[Any]) -> s.Stmt:
        return self._simple(s.Return, children, children[1] if len(children) > 1 else None)

    def pass_statement(self, children: list[Any]) -> s.Stmt:
        return self._simple(s.Pass, children)

    def break_statement(self, children: list[Any]) -> s.Stmt:
        return self._jump(s.Break, children)

    def continue_statement(self, children: list[Any]) -> s.Stmt:
        return self._jump(s.Continue, children)

    def _simple(self, kind: Any, children: list[Any], *fields: Any) -> s.Stmt:
        span = self.span(children)
        return kind(*fields, span=span, comments=self._layout.take(span.start))

    def _jump(self, kind: Any, children: list[Any]) -> s.Stmt:
        node = self._simple(kind, children)
        self._jumps.append(node)
        return node

    # --- compound statements ---

    def if_statement(self, children: list[Any]) -> s.Stmt:
        head, test, _, suite, *clauses = children
        orelse: tuple[s.Stmt, ...] = ()
        end = (
            clauses[-1].suite.end
            if clauses and type(clauses[-1]) is Elif
            else clauses[-1].end
            if clauses
            else suite.end
        )
        for clause in reversed(clauses):
            if type(clause) is Elif:
                orelse = (self._if(clause.token, clause.test, clause.suite, orelse, end, is_elif=True),)
            else:
                orelse = tuple(clause.statements)
        return self._if(head, test, suite, orelse, end, is_elif=False)

    def _if(self, head: Token, test: s.Expr, suite: Suite, orelse: Any, end: int, *, is_elif: bool) -> s.If:
        comments = self._layout.take(head.start)
        body = tuple(suite.statements)
        return s.If(test, body, orelse, is_elif, span=Span(head.start, end), comments=comments, trailing=suite.trailing)

    def elif_clause(self, children: list[Any]) -> Elif:
        head, test, _, suite = children
        return Elif(head, test, suite)

    def else_clause(self, children: list[Any]) -> Suite:
        """`else` is no statement: its comments go to the first one in it."""
        head, _, suite = children
        comments = self._layout.take(head.start) + (() if suite.trailing is None else (suite.trailing,))
        if comments:
            first = suite.statements[0]
            suite.statements[0] = replace(first, comments=comments + first.comments)
        return Suite(suite.statements, suite.start, suite.end)

    def while_statement(self, children: list[Any]) -> s.Stmt:
        head, test, _, suite, *rest = children
        return self._loop(s.While, head, (test,), suite, rest)

    def for_statement(self, children: list[Any]) -> s.Stmt:
        place = next(i for i, child in enumerate(children) if type(child) is Token and child.type == "IN")
        targets, (over, _, suite, *rest) = children[1:place], children[place + 1 :]
        target = targets[0] if len(targets) == 1 else self.open_tuple(targets)
        self._check_target(target, "loop with")
        return self._loop(s.For, children[0], (target, over), suite, rest)

    def _loop(self, kind: Any, head: Token, fields: tuple[Any, ...], suite: Suite, rest: list[Suite]) -> s.Stmt:
        self._jumps = [jump for jump in self._jumps if not suite.start <= jump.span.start < suite.end]
        comments = self._layout.take(head.start)
        orelse = tuple(rest[0].statements) if rest else ()
        span = Span(head.start, rest[0].end if rest else suite.end)
        return kind(*fields, tuple(suite.statements), orelse, span=span, comments=comments, trailing=suite.trailing)

    # --- annotations and targets ---

    def _annotation(self, node: s.Expr) -> s.Expr:
        """A string as a whole annotation stands for the expression in it."""
        if not isinstance(node, s.Str) or node.value in DTYPE_SPELLINGS or "\n" in node.value:
            return node
        start = self.findings.source.text.find(node.value, node.span.start, node.span.end)
        if not node.value.strip() or start < 0:
            return node
        return self.parse_expression(start, start + len(node.value)) or node

    def _check_target(self, node: s.Expr, what: str) -> None:
        pending = [node]
        while pending:
            target = pending.pop()
            if isinstance(target, s.TupleExpr):
                pending += target.items
            elif not isinstance(target, (*_TARGETS, s.ListExpr)):
                message = f"cannot {what} {_kind(target)}"
                is_compared = isinstance(target, s.Compare | s.BoolOp)
                help = "to compare, write `==`" if is_compared else "a target is a name or an element such as `a[i]`"
                self.findings.add("E0109", target.span, message, help)

    def _allow_displays(self, span: Span) -> None:
        self.displays = [node for node in self.displays if not span.start <= node.span.start < span.end]


def _kind(node: s.Expr) -> str:
    match node:
        case s.Call():
            return "a call"
        case s.Compare() | s.BoolOp():
            return "a comparison"
        case s.IfExp():
            return "a conditional expression"
        case s.Int() | s.Float() | s.Str() | s.FString():
            return "a literal"
        case s.Bool() | s.NoneLiteral() | s.EllipsisLiteral():
            return "a constant"
    return "an expression"
