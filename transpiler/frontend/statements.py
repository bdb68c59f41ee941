"""The builder's half for statements and functions: one method a rule of `kernel.lark`.

In: the children of a rule. Out: surface statements with their comments, and the `Function`.
Non-goals: types and scopes; what CPython's compiler refuses (a target that is none, `break` outside a loop, a parameter twice) is
refused here.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

from transpiler.frontend.expressions import ExpressionBuilder, ParseExpression
from transpiler.frontend.findings import Findings
from transpiler.frontend.layout import Layout, text_of
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
    """`resolve` gives the qualified name of a decorator; `comments` are those above the function."""

    def __init__(
        self,
        findings: Findings,
        parse_expression: ParseExpression,
        layout: Layout,
        resolve: Callable[[s.Expr], str],
        comments: tuple[str, ...] = (),
    ) -> None:
        super().__init__(findings, parse_expression)
        self._layout = layout
        self._resolve = resolve
        self._comments = comments
        self._jumps: list[s.Stmt] = []

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

    def _simple(self, kind: type[s.Stmt], children: list[Any], *fields: Any) -> s.Stmt:
        span = self.span(children)
        return kind(*fields, span=span, comments=self._layout.take(span.start))

    def _jump(self, kind: type[s.Stmt], children: list[Any]) -> s.Stmt:
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

    def _loop(
        self, kind: type[s.Stmt], head: Token, fields: tuple[Any, ...], suite: Suite, rest: list[Suite]
    ) -> s.Stmt:
        self._jumps = [jump for jump in self._jumps if not suite.start <= jump.span.start < suite.end]
        comments = self._layout.take(head.start)
        orelse = tuple(rest[0].statements) if rest else ()
        span = Span(head.start, rest[0].end if rest else suite.end)
        return kind(*fields, tuple(suite.statements), orelse, span=span, comments=comments, trailing=suite.trailing)

    # --- functions ---

    def decorator(self, children: list[Any]) -> tuple[Token, s.Decorator]:
        at, node, newline = children
        self._layout.trailing.pop(newline.start, None)
        if isinstance(node, s.Call):
            decorator = s.Decorator(self._resolve(node.func), node.args, node.keywords, span=node.span)
        else:
            decorator = s.Decorator(self._resolve(node), (), (), span=node.span)
        return at, decorator

    def type_params(self, children: list[Any]) -> tuple[s.TypeParam, ...]:
        return tuple(child for child in children if type(child) is s.TypeParam)

    def type_param(self, children: list[Any]) -> s.TypeParam:
        bound = children[2] if len(children) > 1 else None
        return s.TypeParam(children[0].value, bound, span=self.span(children))

    def returns(self, children: list[Any]) -> s.Expr:
        return self._annotation(children[1])

    def marker(self, children: list[Token]) -> Token:
        return children[0]

    def parameter(self, children: list[Any]) -> s.Param:
        annotation = default = None
        for sign, value in zip(children[1::2], children[2::2], strict=True):
            if sign.type == "COLON":
                annotation = value
            else:
                default = value
        span = Span(children[0].start, self.end(children[-1]))
        return s.Param(children[0].value, annotation and self._annotation(annotation), default, span=span)

    def function(self, children: list[Any]) -> s.Function:
        place = next(i for i, child in enumerate(children) if type(child) is Token and child.type == "DEF")
        decorators = children[:place]
        head, name, *middle, suite = children[place:]
        close = max(i for i, child in enumerate(middle) if type(child) is Token and child.type == "RPAR")
        header = middle[:close]
        type_params = header[0] if header and isinstance(header[0], tuple) else ()
        params = self._parameters([child for child in header if type(child) is s.Param or _is_marker(child)])
        returns = next((child for child in middle[close + 1 :] if isinstance(child, s.Expr)), None)
        body, docstring = suite.statements, None
        comments = self._header_comments(decorators, head, suite, params)
        if isinstance(body[0], s.ExprStmt) and isinstance(body[0].value, s.Str):
            docstring = inspect.cleandoc(body[0].value.value)
            comments += body[0].comments + (() if body[0].trailing is None else (body[0].trailing,))
            body = body[1:]
        self._refuse_leftovers(suite.start, params)
        return s.Function(
            name=name.value,
            name_span=name.span,
            source=self.findings.source,
            decorators=tuple(decorator for _, decorator in decorators),
            type_params=type_params,
            params=params,
            returns=returns,
            docstring=docstring,
            comments=comments,
            body=tuple(body),
            closing_comments=self._layout.closing,
            span=Span(head.start, suite.end),
        )

    def _header_comments(
        self, decorators: list[Any], head: Token, suite: Suite, params: tuple[s.Param, ...]
    ) -> tuple[str, ...]:
        """Those above the decorators, between them, and in the header: one beside a parameter names it."""
        comments = list(self._comments)
        for at, _ in decorators:
            comments += self._layout.take(at.start)
        for comment in self._layout.comments.pop(head.start, ()):
            line = self.findings.source.line(comment.start)
            beside = [
                p.name for p in params if p.span.end <= comment.start and self.findings.source.line(p.span.end) == line
            ]
            comments.append(f"{beside[-1]}: {text_of(comment)}" if beside else text_of(comment))
        if suite.trailing is not None:
            comments.append(suite.trailing)
        return tuple(comments)

    # --- parameters ---

    def _parameters(self, found: list[Any]) -> tuple[s.Param, ...]:
        params: list[s.Param] = []
        kind = "positional-or-keyword"
        for item in found:
            if type(item) is s.Param:
                params.append(item if kind == "positional-or-keyword" else replace(item, kind=kind))
            elif item.type == "SLASH" and params and kind == params[0].kind == "positional-or-keyword":
                params = [replace(param, kind="positional-only") for param in params]
            elif item.type == "STAR" and kind == "positional-or-keyword" and item is not found[-1]:
                kind = "keyword-only"
            else:
                self.findings.add(
                    "E0133", item.span, f"`{item.value}` cannot stand here in a parameter list", "leave it out"
                )
        self._check_parameters(params)
        return tuple(params)

    def _check_parameters(self, params: list[s.Param]) -> None:
        seen: dict[str, s.Param] = {}
        has_default = False
        for param in params:
            if param.name in seen:
                self.findings.add(
                    "E0133", param.span, f"the parameter `{param.name}` is there twice", "rename one of them"
                )
            seen[param.name] = param
            if param.default is None and has_default and param.kind != "keyword-only":
                message = f"`{param.name}` has no default, but a parameter in front of it has one"
                self.findings.add("E0133", param.span, message, "move it to the front, or give it a default")
            has_default = has_default or (param.default is not None and param.kind != "keyword-only")

    def _annotation(self, node: s.Expr) -> s.Expr:
        """A string as a whole annotation stands for the expression in it."""
        if not isinstance(node, s.Str) or node.value in DTYPE_SPELLINGS or "\n" in node.value:
            return node
        start = self.findings.source.text.find(node.value, node.span.start, node.span.end)
        if not node.value.strip() or start < 0:
            return node
        return self.parse_expression(start, start + len(node.value)) or node

    # --- what the compiler of CPython refuses ---

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

    def _refuse_leftovers(self, start: int, params: tuple[s.Param, ...]) -> None:
        """Lists and dicts outside decorators and annotations, and jumps outside loops."""
        defaults = [param.default.span for param in params if param.default is not None]
        for node in self.displays:
            at = node.span.start
            if at >= start or any(span.start <= at < span.end for span in defaults):
                what = "list" if isinstance(node, s.ListExpr) else "dict"
                help = "use a tuple `(...)` for constants, `cuda.local.array(n, dtype)` for storage of a thread"
                self.findings.add("E0123", node.span, f"a {what} is not part of the kernel language", help)
        for jump in self._jumps:
            word = "break" if isinstance(jump, s.Break) else "continue"
            self.findings.add("E0132", jump.span, f"`{word}` outside a loop", "use `return` to end the thread's work")


def _is_marker(child: Any) -> bool:
    return type(child) is Token and child.type in ("SLASH", "STAR")


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
