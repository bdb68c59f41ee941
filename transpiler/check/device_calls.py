"""Types of calls of `@device` functions: arguments by name and default, one instance for each tuple of argument types.

In: a `surface.Call` of a device function. Out: what it returns, and a `FunctionCall` in the table.
Non-goals: lowering the instances.
"""

from __future__ import annotations

from transpiler.check.calls import arguments, resolved, storable
from transpiler.check.context import Context
from transpiler.check.expressions import infer
from transpiler.check.meaning import (
    ArrayMeaning,
    DTypeRef,
    FunctionCall,
    Meaning,
    NoneMeaning,
    Static,
    TupleMeaning,
    type_of,
)
from transpiler.ir import surface
from transpiler.ir.types import VectorType


def device_call(ctx: Context, call: surface.Call, function: surface.Function) -> Meaning | None:
    names = [p.name + ("=" if p.default is not None else "") for p in function.params]
    args = arguments(ctx, call, names)
    if args is None:
        return None
    if function in ctx.stack:
        ctx.report(
            "E0219",
            call.span,
            f"`{function.name}` calls itself, here or through others: a GPU thread has no deep stack",
            "write a loop",
        )
        return None
    meanings: list[Meaning] = []
    exprs: list[surface.Expr | None] = []
    for param, arg in zip(function.params, args, strict=True):
        expr = arg if arg is not None else param.default
        assert expr is not None
        meaning = infer(ctx, expr)
        if meaning is None:
            return None
        meanings.append(meaning)
        exprs.append(expr)
    callee = ctx.instances(function, tuple(meanings), ctx, call.span)
    if callee is None:
        return None
    passed: list[surface.Expr | None] = []
    for param, expr in zip(callee.params, exprs, strict=True):
        passed.append(None if isinstance(param.meaning, Static | DTypeRef | NoneMeaning) else expr)
        if param.device is not None and expr is not None and not _accepts(ctx, expr, param.meaning):
            return None
    resolved(ctx, call, FunctionCall(callee, tuple(passed)))
    if callee not in ctx.typed.callees:
        ctx.typed.callees.append(callee)
    ctx.typed.axes = max(ctx.typed.axes, callee.axes)
    return callee.returns


def _accepts(ctx: Context, expr: surface.Expr, param: Meaning) -> bool:
    value, target = type_of(ctx.typed.meanings.get(expr)), type_of(param)
    if value is None or target is None or isinstance(param, ArrayMeaning | TupleMeaning | VectorType):
        return True
    return storable(ctx, expr, value, target)
