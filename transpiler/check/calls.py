"""Types of calls: who is called, how arguments bind to parameters, casts, intrinsics of the table.

In: a `surface.Call`. Out: its meaning, and in `typed.calls` the `ResolvedCall` that `lower` builds from. A special form is one
row of `FORMS` in `builtin_calls`, `launch_calls`, `memory_calls`, `copy_calls` or `loops`; a plain intrinsic needs none: it is
looked up in the table of intrinsics. Non-goals: the special forms themselves.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from transpiler.check import promotion
from transpiler.check.context import BUILTIN_DTYPES, Context
from transpiler.check.expressions import describe, infer, infer_number
from transpiler.check.meaning import (
    BuiltinCall,
    CastCall,
    DeviceRef,
    DTypeRef,
    IntrinsicCall,
    Meaning,
    NoneMeaning,
    Qualified,
    ResolvedCall,
    Static,
    TupleMeaning,
    VectorRef,
)
from transpiler.ir import surface
from transpiler.ir.types import BOOL, F32, F64, I32, I64, DType, Type

Form = Callable[[Context, surface.Call], Meaning | None]


def infer_call(ctx: Context, call: surface.Call) -> Meaning | None:
    callee = infer(ctx, call.func)
    match callee:
        case Qualified():
            return _named(ctx, call, callee.name)
        case DTypeRef():
            return cast(ctx, call, callee.dtype)
        case VectorRef():
            from transpiler.check.builtin_calls import vector

            return vector(ctx, call, callee.type)
        case DeviceRef():
            from transpiler.check.device_calls import device_call

            return device_call(ctx, call, callee.function)
        case None:
            for arg in call.args:
                infer(ctx, arg)
            return None
    ctx.report("E0204", call.func.span, f"{describe(callee)} cannot be called")
    return None


def _named(ctx: Context, call: surface.Call, name: str) -> Meaning | None:
    from transpiler.check import builtin_calls, copy_calls, launch_calls, loops, memory_calls

    for table in (builtin_calls.FORMS, launch_calls.FORMS, memory_calls.FORMS, copy_calls.FORMS, loops.FORMS):
        form = table.get(name)
        if form is not None:
            return form(ctx, call)
    if name in BUILTIN_DTYPES:
        return _builtin_cast(ctx, call, name)
    return intrinsic(ctx, call, name)


def arguments(ctx: Context, call: surface.Call, names: Sequence[str]) -> list[surface.Expr | None] | None:
    """The arguments in the order of `names`; a name ending in `=` may be missing (then None). Reports wrong ones."""
    plain = [n.rstrip("=") for n in names]
    bound: dict[str, surface.Expr] = {}
    what = ctx.source.slice(call.func.span)
    if len(call.args) > len(names):
        ctx.report("E0205", call.span, f"`{what}` takes {len(names)} arguments, not {len(call.args)}")
        return None
    for name, arg in zip(plain, call.args, strict=False):
        bound[name] = arg
    for keyword in call.keywords:
        if keyword.name not in plain or keyword.name in bound:
            reason = "is given twice" if keyword.name in bound else "is not a parameter"
            ctx.report(
                "E0205",
                keyword.span,
                f"`{keyword.name}` {reason} of `{what}`",
                f"it has the parameters {', '.join(plain)}",
            )
            return None
        bound[keyword.name] = keyword.value
    missing = [n for n in names if not n.endswith("=") and n not in bound]
    if missing:
        ctx.report(
            "E0205",
            call.span,
            f"`{what}` lacks the argument `{missing[0]}`",
            f"it has the parameters {', '.join(plain)}",
        )
        return None
    return [bound.get(n) for n in plain]


def resolved(ctx: Context, call: surface.Call, value: ResolvedCall) -> None:
    ctx.typed.calls[call] = value


# --- casts ------------------------------------------------------------------------------------------------


def cast(ctx: Context, call: surface.Call, dtype: DType) -> Meaning | None:
    """`f32(x)`: a conversion that the user asks for."""
    args = arguments(ctx, call, ("x",))
    if args is None or args[0] is None:
        return None
    if infer_number(ctx, args[0], f"the argument of `{dtype}(...)`") is None:
        return None
    value = ctx.typed.meanings.get(args[0])
    if (
        isinstance(value, Static)
        and isinstance(value.value, int)
        and not promotion.fits(value.value, dtype)
        and dtype.kind == "float"
    ):
        ctx.report("E0208", call.span, f"the number {value.value} does not fit {dtype}")
        return None
    resolved(ctx, call, CastCall(dtype, args[0]))
    return dtype


def _builtin_cast(ctx: Context, call: surface.Call, name: str) -> Meaning | None:
    args = arguments(ctx, call, ("x",))
    if args is None or args[0] is None:
        return None
    operand = infer_number(ctx, args[0], f"the argument of `{name.removeprefix('builtins.')}`")
    if operand is None:
        return None
    value = ctx.typed.meanings[args[0]]
    if isinstance(value, Static):
        try:
            return Static({"builtins.int": int, "builtins.float": float, "builtins.bool": bool}[name](value.value))
        except (OverflowError, ValueError):
            ctx.report("E0208", call.span, f"{value.value} is no integer")
            return None
    target: Type
    if name == "builtins.bool":
        target = BOOL
    elif name == "builtins.float":
        ctx.report(
            "W0206", call.span, "`float(x)` is f32 in a kernel; Python's is 64 bits wide", "write `f32(x)` or `f64(x)`"
        )
        target = F32
    elif promotion.is_int(operand):
        resolved(ctx, call, BuiltinCall("int", (args[0],)))
        return operand
    else:
        target = I64 if operand == F64 else I32
    assert isinstance(target, DType)
    resolved(ctx, call, CastCall(target, args[0]))
    return target


# --- vectors, launch variables ----------------------------------------------------------------------------


def storable(ctx: Context, expr: surface.Expr, value: Type, target: Type) -> bool:
    """Whether the value of `expr` may be stored as `target`; reports why not, and warns where digits are lost."""
    meaning = ctx.typed.meanings.get(expr)
    if isinstance(meaning, Static) and promotion.is_number(value):
        converted = promotion.conversion(value, target)
        if not isinstance(converted, promotion.Refusal) and not promotion.fits(meaning.value, target):
            ctx.report("E0208", expr.span, f"the number {meaning.value} does not fit {target}")
            return False
    converted = promotion.conversion(value, target)
    if isinstance(converted, promotion.Refusal):
        ctx.report("E0207", expr.span, converted.reason, converted.help)
        return False
    if converted.warning:
        ctx.report(
            converted.warning,
            expr.span,
            f"{value} is narrowed to {target}",
            f"write `{target}(...)` to say that this is meant",
        )
    return True


# --- table intrinsics -------------------------------------------------------------------------------------


def intrinsic(ctx: Context, call: surface.Call, name: str) -> Meaning | None:
    from transpiler.intrinsics import ALIASES, TABLE

    entry = TABLE.get(ALIASES.get(name, name))
    if entry is None:
        shown = name.removeprefix("builtins.").removeprefix("transpiler.")
        ctx.report(
            "E0202", call.func.span, f"`{shown}` is not part of the kernel language", _suggestion(shown, list(TABLE))
        )
        return None
    defaults = dict(p.split("=", 1) for p in entry.params if "=" in p)
    args = arguments(ctx, call, [p.split("=")[0] + ("=" if "=" in p else "") for p in entry.params])
    if args is None:
        return None
    actual: list[surface.Expr | Static] = []
    types: list[Type] = []
    for param, arg in zip(entry.params, args, strict=True):
        if arg is None and defaults[param.split("=")[0]] == "None":
            continue
        if arg is None:
            static = Static(int(defaults[param.split("=")[0]], 0))
            actual.append(static)
            types.append(static.type)
            continue
        value = infer_number(ctx, arg, f"the argument `{param.split('=')[0]}`")
        if value is None:
            return None
        actual.append(arg)
        types.append(value)
    signature = entry.rule(tuple(types))
    if isinstance(signature, str):
        ctx.report("E0206", call.span, signature)
        return None
    for arg, target in zip(actual, signature.args, strict=True):
        known = ctx.typed.meanings.get(arg) if isinstance(arg, surface.Expr) else arg
        if isinstance(known, Static) and not promotion.fits(known.value, target):
            ctx.report("E0208", call.span, f"the number {known.value} does not fit {target}")
            return None
    resolved(ctx, call, IntrinsicCall(entry, signature, tuple(actual)))
    match len(signature.results):
        case 0:
            return NoneMeaning()
        case 1:
            return signature.results[0]
    return TupleMeaning(signature.results)


def _suggestion(name: str, known: list[str]) -> str | None:
    import difflib

    short = {k.removeprefix("transpiler."): k for k in known}
    near = difflib.get_close_matches(name, short, n=1, cutoff=0.6)
    return f"did you mean `{near[0]}`?" if near else None
