"""Results of calls go straight into the variables that they are meant for.

In: a body in which lowering has put the results of a call into temporaries and copied them (`a, b = f(x)`). Out: the body with
the copies taken out where a temporary has no other use, so that the C++ reads `const auto [a, b] = f(x)`.
Non-goals: any other rewriting; nodes that stay are the very same, so facts about them hold.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import replace

from transpiler.emit import walk
from transpiler.ir import device as d


def coalesce(body: tuple[d.Stmt, ...]) -> tuple[d.Stmt, ...]:
    reads = Counter(
        node.var for node in walk.everything(body) if isinstance(node, d.Var) and isinstance(node.var, d.Local)
    )
    return _block(body, reads)


def _block(body: tuple[d.Stmt, ...], reads: Counter[d.Local]) -> tuple[d.Stmt, ...]:
    out: list[d.Stmt] = []
    position = 0
    while position < len(body):
        stmt = _inside(body[position], reads)
        position += 1
        if isinstance(stmt, d.CallStmt) and stmt.targets:
            copies = _copies(stmt, body[position : position + len(stmt.targets)], reads)
            if copies:
                position += len(copies)
                stmt = _merged(stmt, copies)
        out.append(stmt)
    return body if len(out) == len(body) and all(a is b for a, b in zip(out, body, strict=True)) else tuple(out)


def _inside(stmt: d.Stmt, reads: Counter[d.Local]) -> d.Stmt:
    match stmt:
        case d.If():
            then, orelse = _block(stmt.then, reads), _block(stmt.orelse, reads)
            return stmt if then is stmt.then and orelse is stmt.orelse else replace(stmt, then=then, orelse=orelse)
        case d.For():
            body = _block(stmt.body, reads)
            return stmt if body is stmt.body else replace(stmt, body=body)
        case d.While():
            pre, body = _block(stmt.pre, reads), _block(stmt.body, reads)
            return stmt if pre is stmt.pre and body is stmt.body else replace(stmt, pre=pre, body=body)
    return stmt


def _copies(call: d.CallStmt, following: tuple[d.Stmt, ...], reads: Counter[d.Local]) -> list[d.Assign]:
    """The copies behind a call, one for each target in order, if that is all that its targets are for."""
    copies = [stmt for stmt in following if isinstance(stmt, d.Assign)]
    if len(copies) < len(call.targets) or len({copy.target for copy in copies}) < len(copies):
        return []
    for target, copy in zip(call.targets, copies, strict=True):
        same = isinstance(copy.value, d.Var) and copy.value.var is target and copy.target.type == target.type
        if not same or not target.is_temp or reads[target] != 1:
            return []
    return copies


def _merged(call: d.CallStmt, copies: list[d.Assign]) -> d.CallStmt:
    comments = [comment for copy in copies for comment in copy.comments]
    trailing = next((copy.trailing for copy in copies if copy.trailing), None)
    return replace(
        call,
        targets=tuple(copy.target for copy in copies),
        comments=(*call.comments, *comments),
        trailing=call.trailing or trailing,
    )
