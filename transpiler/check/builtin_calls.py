"""Types of calls of Python's built-ins: `len abs min max round divmod pow print`, and of `vec`.

In: a `surface.Call`. Out: its meaning, and a `BuiltinCall`, `PrintCall` or `VectorCall` in the table.
Non-goals: `range` and what else stands behind `in` (`loops`); casts (`calls`).
"""

from __future__ import annotations

from transpiler.check import promotion
from transpiler.check.calls import Form, arguments, intrinsic, resolved, storable
from transpiler.check.context import Context
from transpiler.check.expressions import describe, fits_64_bits, infer, infer_number, runs_something
from transpiler.check.meaning import (
    ArrayMeaning,
    BuiltinCall,
    DTypeRef,
    Meaning,
    NoneMeaning,
    PrintCall,
    ShapeOf,
    Static,
    TupleMeaning,
    VectorCall,
    VectorRef,
)
from transpiler.check.operators import binary, literals_fit
from transpiler.ir import surface
from transpiler.ir.types import BOOL, I32, INDEX, VectorType


def _len(ctx: Context, call: surface.Call) -> Meaning | None:
    args = arguments(ctx, call, ("a",))
    if args is None or args[0] is None:
        return None
    value = infer(ctx, args[0])
    if isinstance(value, TupleMeaning | VectorType) and runs_something(args[0]):
        ctx.report("E0204", call.span, "`len` of a tuple that is computed on the way", "give the tuple a name first")
        return None
    if isinstance(value, TupleMeaning):
        return Static(len(value.items))
    if isinstance(value, VectorType):
        return Static(value.size)
    if isinstance(value, ShapeOf):
        return Static(value.array.rank)
    if not isinstance(value, ArrayMeaning):
        if value is not None:
            ctx.report("E0204", call.span, f"`len` of {describe(value)}")
        return None
    if value.rank == 0 or value.dynamic:
        what = "a 0-d array" if value.rank == 0 else "the rest of shared memory, whose size the launch gives"
        ctx.report("E0204", call.span, f"`len` of {what}")
        return None
    resolved(ctx, call, BuiltinCall("len", (args[0],)))
    extent = value.shape[0]
    return Static(extent) if isinstance(extent, int) else INDEX


def _abs(ctx: Context, call: surface.Call) -> Meaning | None:
    args = arguments(ctx, call, ("x",))
    value = infer_number(ctx, args[0], "the argument of `abs`") if args and args[0] else None
    if value is None or args is None or args[0] is None:
        return None
    known = ctx.typed.meanings[args[0]]
    if isinstance(known, Static):
        return Static(abs(known.value))
    resolved(ctx, call, BuiltinCall("abs", (args[0],)))
    return I32 if value == BOOL else value


def _extremum(name: str) -> Form:
    def form(ctx: Context, call: surface.Call) -> Meaning | None:
        if call.keywords or len(call.args) < 2:
            ctx.report(
                "E0226",
                call.span,
                f"`{name}` takes two or more numbers",
                "`key=`, `default=` and one iterable are not part of the language: write a loop",
            )
            return None
        types = [infer_number(ctx, arg, f"an argument of `{name}`") for arg in call.args]
        meanings = [ctx.typed.meanings.get(arg) for arg in call.args]
        if None in types:
            return None
        if all(isinstance(m, Static) for m in meanings):
            values = [m.value for m in meanings if isinstance(m, Static)]
            return Static(min(values) if name == "min" else max(values))
        result = types[0]
        for value in types[1:]:
            assert result is not None
            assert value is not None
            joined = result if result == value == BOOL else promotion.arithmetic_type(result, value)
            if isinstance(joined, promotion.Refusal):
                ctx.report("E0204", call.span, joined.reason, joined.help)
                return None
            result = joined.operand if isinstance(joined, promotion.Promoted) else joined
        assert result is not None
        if not literals_fit(ctx, call.span, result, *(m for m in meanings if m is not None)):
            return None
        resolved(ctx, call, BuiltinCall(name, call.args))
        return result

    return form


def _round(ctx: Context, call: surface.Call) -> Meaning | None:
    if len(call.args) + len(call.keywords) > 1:
        ctx.report(
            "E0227", call.span, "`round` with digits is not part of the language", "scale, round, and scale back"
        )
        return None
    args = arguments(ctx, call, ("x",))
    value = infer_number(ctx, args[0], "the argument of `round`") if args and args[0] else None
    if value is None or args is None or args[0] is None:
        return None
    known = ctx.typed.meanings[args[0]]
    if isinstance(known, Static):
        return Static(round(known.value))
    if promotion.is_int(value) or value == BOOL:
        resolved(ctx, call, BuiltinCall("int", (args[0],)))
        return value
    return intrinsic(ctx, call, "builtins.round")


def _divmod(ctx: Context, call: surface.Call) -> Meaning | None:
    args = arguments(ctx, call, ("a", "b"))
    if args is None or args[0] is None or args[1] is None:
        return None
    for arg in (args[0], args[1]):
        if infer_number(ctx, arg, "an argument of `divmod`") is None:
            return None
    quotient, rest = (binary(ctx, op, args[0], args[1], call.span) for op in ("//", "%"))
    if quotient is None or rest is None:
        return None
    resolved(ctx, call, BuiltinCall("divmod", (args[0], args[1])))
    return TupleMeaning((quotient, rest))


def _pow(ctx: Context, call: surface.Call) -> Meaning | None:
    if len(call.args) != 2 or call.keywords:
        ctx.report("E0205", call.span, "`pow` takes two numbers here")
        return None
    for arg in call.args:
        if infer_number(ctx, arg, "an argument of `pow`") is None:
            return None
    resolved(ctx, call, BuiltinCall("pow", call.args))
    return binary(ctx, "**", *call.args, call.span)


def _print(ctx: Context, call: surface.Call) -> Meaning | None:
    options = {"sep": " ", "end": "\n"}
    for keyword in call.keywords:
        if keyword.name not in options or not isinstance(keyword.value, surface.Str):
            ctx.report(
                "E0230",
                keyword.span,
                f"`print` in a kernel has `sep=` and `end=` with literal text, not `{keyword.name}`",
            )
            return None
        options[keyword.name] = keyword.value.value
    parts: list[str | tuple[surface.Expr, str]] = []
    for position, arg in enumerate(call.args):
        if position:
            parts.append(options["sep"])
        if not _print_item(ctx, arg, parts):
            return None
    parts.append(options["end"])
    resolved(ctx, call, PrintCall(tuple(parts)))
    return NoneMeaning()


def _print_item(ctx: Context, arg: surface.Expr, parts: list[str | tuple[surface.Expr, str]]) -> bool:
    if isinstance(arg, surface.Str):
        parts.append(arg.value)
        return True
    if isinstance(arg, surface.FString):
        return all(_print_piece(ctx, piece, parts) for piece in arg.parts)
    if infer_number(ctx, arg, "what `print` shows") is None or not fits_64_bits(ctx, arg, INDEX):
        return False
    parts.append((arg, ""))
    return True


def _print_piece(
    ctx: Context, piece: surface.Str | surface.FormattedValue, parts: list[str | tuple[surface.Expr, str]]
) -> bool:
    import re

    if isinstance(piece, surface.Str):
        parts.append(piece.value)
        return True
    value = infer_number(ctx, piece.value, "what `print` shows")
    if value is None:
        return False
    pattern = r"0?\d*(\.\d+)?[fgeE]?" if promotion.is_float(value) else r"0?\d*[dxX]?"
    if not re.fullmatch(pattern, piece.spec):
        ctx.report(
            "E0230",
            piece.span,
            f"the format `{piece.spec}` of {value} is not supported in a kernel",
            "width, `.3f`, `g`, `e`, `d` and `x` are",
        )
        return False
    parts.append((piece.value, piece.spec))
    return True


def _vec(ctx: Context, call: surface.Call) -> Meaning | None:
    args = arguments(ctx, call, ("dtype", "size"))
    if args is None or args[0] is None or args[1] is None:
        return None
    dtype, size = infer(ctx, args[0]), infer(ctx, args[1])
    if (
        not isinstance(dtype, DTypeRef)
        or not isinstance(size, Static)
        or not isinstance(size.value, int)
        or not 2 <= size.value <= 4
    ):
        ctx.report("E0205", call.span, "`vec` takes a dtype and 2, 3 or 4")
        return None
    return VectorRef(VectorType(dtype.dtype, size.value))


def vector(ctx: Context, call: surface.Call, vector: VectorType) -> Meaning | None:
    if call.keywords or len(call.args) not in (1, vector.size):
        ctx.report("E0205", call.span, f"{vector} is made of {vector.size} numbers, or of one for all")
        return None
    for arg in call.args:
        value = infer_number(ctx, arg, "an item of a vector")
        if value is None or not storable(ctx, arg, value, vector.dtype):
            return None
    resolved(ctx, call, VectorCall(vector, call.args))
    return vector


FORMS: dict[str, Form] = {
    "builtins.len": _len,
    "builtins.abs": _abs,
    "builtins.min": _extremum("min"),
    "builtins.max": _extremum("max"),
    "builtins.round": _round,
    "builtins.divmod": _divmod,
    "builtins.pow": _pow,
    "builtins.print": _print,
    "transpiler.vec": _vec,
}
