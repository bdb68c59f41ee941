"""The depth of a tree, before anything walks it by recursion.

In: a surface node. Out: a diagnostic if expressions or statements are nested deeper than later passes can follow. The walk is a
loop. Non-goals: brackets and blocks as such: only the depth of the tree counts (`a + b + c + ...` is deep, `((((a))))` is not).
"""

from __future__ import annotations

from dataclasses import fields
from functools import cache

from transpiler.frontend.findings import Findings
from transpiler.ir import surface as s

MAX_EXPRESSION = 150
MAX_STATEMENT = 100


@cache
def _child_fields(kind: type[s.Node]) -> tuple[str, ...]:
    """The fields that hold nodes or tuples of them."""
    plain = {
        "span",
        "source",
        "name_span",
        "comments",
        "trailing",
        "closing_comments",
        "docstring",
        "ops",
        "name",
        "text",
    }
    return tuple(field.name for field in fields(kind) if field.name not in plain)


def check_depth(root: s.Node, findings: Findings) -> None:
    """Report the first node that lies too deep."""
    pending: list[tuple[s.Node, int, int]] = [(root, 0, 0)]
    while pending:
        node, statements, expressions = pending.pop()
        if isinstance(node, s.Stmt):
            statements, expressions = statements + 1, 0
        elif isinstance(node, s.Expr):
            expressions += 1
        if expressions > MAX_EXPRESSION:
            help = "take a part of it into a variable"
            findings.add("E0130", node.span, f"an expression of more than {MAX_EXPRESSION} levels", help)
            return
        if statements > MAX_STATEMENT:
            help = "take the inner part into a `@device` function"
            findings.add("E0130", node.span, f"statements nested more than {MAX_STATEMENT} deep", help)
            return
        for name in _child_fields(type(node)):
            value = getattr(node, name)
            if isinstance(value, s.Node):
                pending.append((value, statements, expressions))
            elif type(value) is tuple:
                pending += [(child, statements, expressions) for child in value if isinstance(child, s.Node)]
