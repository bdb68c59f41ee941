"""Ownership that can be read off the text: inferred for unannotated parameters, and `Out` read before any write.

In: a function. Out: ownership words, diagnostics E0305. Writes to `In` and plain accesses to `Atomic` are refused where they are
typed (`statements`, `check_outs`). Non-goals: order of accesses between threads (`prove`).
"""

from __future__ import annotations

from transpiler.check.context import Context
from transpiler.check.meaning import ArrayMeaning, AtomicCall, BuiltinCall, FunctionCall, ShapeOf
from transpiler.ir import surface
from transpiler.ir.walk import surface_children, surface_walk


def from_use(function: surface.Function) -> dict[str, str]:
    """Ownership of each name that is indexed: only atomics make it `atomic`, a store `inout`, else it is not listed (`in`)."""
    written: set[str] = set()
    atomics: set[str] = set()
    plain: set[str] = set()
    for node in (n for stmt in function.body for n in surface_walk(stmt)):
        match node:
            case surface.Assign():
                written |= {n for target in node.targets for n in _stored(target)}
            case surface.AugAssign():
                written |= set(_stored(node.target))
            case surface.Call(func=surface.Attribute(value=surface.Attribute(attr="atomic"))) if node.args:
                atomics |= set(_base(node.args[0]))
            case surface.Call():
                written |= {a.id for a in node.args if isinstance(a, surface.Name)}
            case surface.Subscript():
                plain |= set(_base(node))
    return {n: "inout" for n in written} | {n: "inout" if n in plain or n in written else "atomic" for n in atomics}


def _stored(target: surface.Expr) -> list[str]:
    if isinstance(target, surface.TupleExpr):
        return [n for item in target.items for n in _stored(item)]
    return _base(target) if isinstance(target, surface.Subscript) else []


def _base(expr: surface.Expr) -> list[str]:
    while isinstance(expr, surface.Subscript):
        expr = expr.value
    return [expr.id] if isinstance(expr, surface.Name) else []


def check_outs(ctx: Context) -> None:
    """Plain reads of `Atomic`s, and reads of an `Out` that stand before every store to it in the text."""
    stored: set[ArrayMeaning] = set()
    for stmt in ctx.function.body:
        _statement(ctx, stmt, stored)


def _statement(ctx: Context, stmt: surface.Node, stored: set[ArrayMeaning]) -> None:
    match stmt:
        case surface.Assign():
            _reads(ctx, stmt.value, stored)
            for target in stmt.targets:
                _write(ctx, target, stored)
            return
        case surface.AugAssign():
            _reads(ctx, stmt.value, stored)
            _reads(ctx, stmt.target, stored)
            _write(ctx, stmt.target, stored)
            return
        case surface.Expr():
            _reads(ctx, stmt, stored)
            return
    for child in surface_children(stmt):
        _statement(ctx, child, stored)


def _write(ctx: Context, target: surface.Expr, stored: set[ArrayMeaning]) -> None:
    if isinstance(target, surface.TupleExpr):
        for item in target.items:
            _write(ctx, item, stored)
    elif isinstance(target, surface.Subscript):
        base = ctx.typed.meanings.get(target.value)
        for item in target.items:
            _reads(ctx, item, stored)
        if isinstance(base, ArrayMeaning):
            stored.add(base.owner)


def _reads(ctx: Context, expr: surface.Expr, stored: set[ArrayMeaning]) -> None:
    call = ctx.typed.calls.get(expr) if isinstance(expr, surface.Call) else None
    if isinstance(call, FunctionCall):
        # What the callee does to an array is its own affair here; the prover looks inside.
        arrays = (ctx.typed.meanings.get(a) for a in call.args if a is not None)
        stored |= {m.owner for m in arrays if isinstance(m, ArrayMeaning)}
    if isinstance(call, AtomicCall):
        for part in (*call.index, *call.operands):
            _reads(ctx, part, stored)
        return
    if isinstance(call, BuiltinCall) and call.name == "len":
        return
    if isinstance(expr, surface.Subscript):
        _element_read(ctx, expr, stored)
    for child in surface_children(expr):
        if isinstance(child, surface.Expr):
            _reads(ctx, child, stored)
        elif isinstance(child, surface.Keyword):
            _reads(ctx, child.value, stored)


def _element_read(ctx: Context, expr: surface.Subscript, stored: set[ArrayMeaning]) -> None:
    base = ctx.typed.meanings.get(expr.value)
    if not isinstance(base, ArrayMeaning) or isinstance(ctx.typed.meanings.get(expr), ArrayMeaning | ShapeOf):
        return
    if base.ownership == "atomic":
        ctx.report(
            "E0306",
            expr.span,
            f"`{base.name}` is an `Atomic` parameter: only atomics touch it",
            "use `cuda.atomic.load`",
        )
    elif base.ownership == "out" and base.owner not in stored:
        ctx.report(
            "E0305",
            expr.span,
            f"`{base.name}` is an `Out` parameter and nothing has written it yet",
            f"annotate it `InOut[{base.dtype}, ...]` if its old value matters",
        )
