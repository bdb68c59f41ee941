"""The builder's part for functions: decorators, parameters, the docstring and what stands around it.

In: the children of a rule. Out: `Param`, `Decorator`, `TypeParam` and in the end the `Function`.
Non-goals: what decorators and annotations mean (`check`).
"""

from __future__ import annotations

import inspect
from collections.abc import Callable
from dataclasses import replace
from typing import Any

from transpiler.frontend.expressions import ParseExpression
from transpiler.frontend.findings import Findings
from transpiler.frontend.layout import Layout, text_of
from transpiler.frontend.statements import StatementBuilder, Suite
from transpiler.frontend.tokens import Token
from transpiler.ir import surface as s
from transpiler.source import Span


class FunctionBuilder(StatementBuilder):
    """`resolve` gives the qualified name of a decorator; `comments` are those above the function."""

    def __init__(
        self,
        findings: Findings,
        parse_expression: ParseExpression,
        layout: Layout,
        resolve: Callable[[s.Expr], str],
        comments: tuple[str, ...] = (),
    ) -> None:
        super().__init__(findings, parse_expression, layout)
        self._resolve = resolve
        self._comments = comments

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
