"""Types of calls of `@device` functions: arguments by name and by default.

In: a `surface.Call` of a device function. Out: what it returns, and a `FunctionCall` in the table.
Non-goals: the instances themselves (`device_instances`).
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
    ParamMeaning,
    Static,
    TupleMeaning,
    type_of,
)
from transpiler.check.module_constants import fold_static
from transpiler.check.promotion import fits
from transpiler.ir import device, surface
from transpiler.ir.types import VectorType
from transpiler.source import Span


def device_call(ctx: Context, call: surface.Call, function: surface.Function) -> Meaning | None:
    if not _kinds(ctx, call, function):
        return None
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
    given = [_argument(ctx, call, p, arg) for p, arg in zip(function.params, args, strict=True)]
    known = [g for g in given if g is not None]
    if len(known) < len(given):
        return None
    callee = ctx.instances(function, [m for _, m, _ in known], [span for _, _, span in known], ctx)
    if callee is None:
        return None
    passed: list[surface.Expr | None] = []
    for param, (expr, _, span) in zip(callee.params, known, strict=True):
        passed.append(None if isinstance(param.meaning, Static | DTypeRef | NoneMeaning) else expr)
        if not _accepts(ctx, expr, param, span):
            return None
    resolved(ctx, call, FunctionCall(callee, tuple(passed)))
    if callee not in ctx.typed.callees:
        ctx.typed.callees.append(callee)
    ctx.typed.axes = max(ctx.typed.axes, callee.axes)
    return callee.returns


def _kinds(ctx: Context, call: surface.Call, function: surface.Function) -> bool:
    """Positional-only and keyword-only parameters, as Python has them."""
    named = {k.name for k in call.keywords}
    for position, param in enumerate(function.params):
        if param.kind == "positional-only" and param.name in named:
            ctx.report("E0205", call.span, f"`{param.name}` of `{function.name}` is positional-only")
            return False
        if param.kind == "keyword-only" and position < len(call.args):
            ctx.report("E0205", call.span, f"`{param.name}` of `{function.name}` is keyword-only")
            return False
    return True


def _argument(
    ctx: Context, call: surface.Call, param: surface.Param, arg: surface.Expr | None
) -> tuple[surface.Expr, Meaning, Span] | None:
    """An argument with its meaning and where it stands; a default is folded in the module of its function."""
    if arg is not None:
        meaning = infer(ctx, arg)
        return None if meaning is None else (arg, meaning, arg.span)
    assert param.default is not None
    function = ctx.typed.meanings.get(call.func)
    source = getattr(function, "function", ctx.function).source
    default = fold_static(ctx.module.home(source), param.default)
    folded = NoneMeaning() if isinstance(param.default, surface.NoneLiteral) else default
    if folded is None:
        ctx.report(
            "E0214", call.span, f"the default of `{param.name}` is not known at compile time", "pass the argument"
        )
        return None
    ctx.typed.meanings[param.default] = folded
    return param.default, folded, call.span


def _accepts(ctx: Context, expr: surface.Expr, param: ParamMeaning, span: Span) -> bool:
    meaning = ctx.typed.meanings.get(expr)
    value, target = type_of(meaning), type_of(param.meaning)
    if value is None or target is None or isinstance(param.meaning, ArrayMeaning | TupleMeaning | VectorType):
        return True
    number = meaning.value if isinstance(meaning, Static) else None
    if (
        isinstance(param.device, device.ScalarParam)
        and isinstance(number, int)
        and not fits(number, param.device.dtype)
    ):
        ctx.report("E0208", span, f"the number {number} does not fit {param.device.dtype}")
        return False
    return isinstance(param.meaning, Static) or storable(ctx, expr, value, target)
