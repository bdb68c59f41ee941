"""Types of expressions.

In: a surface expression and its `Context`. Out: its `Meaning`, also written to the table; None where it is unknown (not yet, or
after an error, which was reported). Non-goals: calls (`calls`), statements (`statements`).
"""

from __future__ import annotations

import math

from transpiler.check import promotion
from transpiler.check.context import Context
from transpiler.check.meaning import (
    ArrayMeaning,
    DimMeaning,
    DTypeRef,
    Meaning,
    NoneMeaning,
    Qualified,
    ShapeOf,
    Static,
    Text,
    TupleMeaning,
    type_of,
)
from transpiler.ir import surface
from transpiler.ir.types import INDEX, Type, VectorType
from transpiler.ir.walk import surface_walk


def infer(ctx: Context, expr: surface.Expr) -> Meaning | None:
    """The meaning of an expression, recorded in the table."""
    meaning = _infer(ctx, expr)
    if meaning is not None:
        ctx.typed.meanings[expr] = meaning
    return meaning


def infer_number(ctx: Context, expr: surface.Expr, what: str) -> Type | None:
    """The type of an expression that has to be a number; reports what else it is."""
    meaning = infer(ctx, expr)
    if meaning is None:
        return None
    value = type_of(meaning)
    if value is None or not promotion.is_number(value):
        ctx.report("E0204", expr.span, f"{what} has to be a number, not {describe(meaning)}")
        return None
    return value


def infer_index(ctx: Context, expr: surface.Expr, what: str) -> Type | None:
    """The type of an expression that has to be an integer."""
    value = infer_number(ctx, expr, what)
    if value is not None and not promotion.is_int(value):
        ctx.report(
            "E0204",
            expr.span,
            f"{what} has to be an integer, not {value}",
            "cast with `i32(...)` where truncation is meant",
        )
        return None
    return value if value is not None and fits_64_bits(ctx, expr, INDEX) else None


def fits_64_bits(ctx: Context, expr: surface.Expr, beside: Type) -> bool:
    """Whether a number known at compile time can stand in a kernel: as an index integer, or in the type of the other side."""
    known = ctx.typed.meanings.get(expr)
    if not isinstance(known, Static) or not isinstance(known.value, int):
        return True
    if promotion.fits(known.value, INDEX) or promotion.fits(known.value, beside):
        return True
    ctx.report("E0208", expr.span, f"the number {known.value} does not fit 64 bits")
    return False


def runs_something(expr: surface.Expr) -> bool:
    """Whether evaluating the expression may do more than give a value, so that knowing the value is not enough."""
    return any(isinstance(node, surface.Call | surface.Walrus) for node in surface_walk(expr))


def infer_condition(ctx: Context, expr: surface.Expr) -> Meaning | None:
    """The meaning of a condition: a bool, or a number that is compared with 0."""
    if isinstance(expr, surface.BoolOp):
        from transpiler.check.choices import condition_of

        return condition_of(ctx, expr)
    meaning = infer(ctx, expr)
    if isinstance(meaning, ArrayMeaning | TupleMeaning | ShapeOf):
        ctx.report(
            "E0223", expr.span, f"{describe(meaning)} has no truth value", "compare an element, or use `len(...)`"
        )
        return None
    if isinstance(meaning, NoneMeaning):
        meaning = ctx.typed.meanings[expr] = Static(False)
    if meaning is not None and (type_of(meaning) is None or isinstance(meaning, VectorType)):
        ctx.report("E0223", expr.span, f"{describe(meaning)} has no truth value")
        return None
    return meaning


def describe(meaning: Meaning | None) -> str:
    """What a user would call this meaning."""
    match meaning:
        case ArrayMeaning():
            return f"the {meaning.rank}-d array `{meaning.name}`"
        case Static():
            return f"the number {meaning.value}"
        case Text():
            return "a string"
        case DTypeRef():
            return f"the dtype {meaning.dtype}"
        case Qualified():
            return f"`{meaning.name.removeprefix('builtins.').removeprefix('transpiler.')}`"
        case TupleMeaning():
            return f"a tuple of {len(meaning.items)}"
        case NoneMeaning():
            return "None"
        case DimMeaning():
            return f"the dim {meaning.name}"
        case ShapeOf():
            return f"the shape of `{meaning.array.name}`"
    value = type_of(meaning)
    return str(value) if value is not None else "a function"


def _infer(ctx: Context, expr: surface.Expr) -> Meaning | None:
    from transpiler.check import choices, operators, subscripts

    match expr:
        case surface.Float() if math.isinf(expr.value):
            ctx.report(
                "E0208", expr.span, f"`{expr.text}` is larger than any float", "write `math.inf` if that is meant"
            )
            return None
        case surface.Int() | surface.Float() | surface.Bool():
            return Static(expr.value)
        case surface.Str():
            return Text(expr.value)
        case surface.NoneLiteral():
            return NoneMeaning()
        case surface.Name():
            return ctx.lookup(expr)
        case surface.Attribute():
            return subscripts.attribute(ctx, expr)
        case surface.Subscript():
            return subscripts.subscript(ctx, expr)
        case surface.Unary():
            return operators.unary(ctx, expr)
        case surface.Binary():
            return operators.binary(ctx, expr.op, expr.left, expr.right, expr.span)
        case surface.Compare():
            return operators.compare(ctx, expr)
        case surface.BoolOp():
            return choices.bool_op(ctx, expr)
        case surface.IfExp():
            return choices.conditional(ctx, expr)
        case surface.TupleExpr():
            items = [infer(ctx, item) for item in expr.items]
            known = tuple(item for item in items if item is not None)
            return TupleMeaning(known) if len(known) == len(items) else None
        case surface.Walrus():
            from transpiler.check.bindings import bind

            meaning = infer(ctx, expr.value)
            bind(ctx, expr.target, meaning, expr.value)
            return ctx.typed.locals.get(expr.target.id)
        case surface.Call():
            from transpiler.check.calls import infer_call

            return infer_call(ctx, expr)
        case surface.FString():
            ctx.report("E0230", expr.span, "a string can stand only in `print`, `assert` and `trust`")
        case surface.ListExpr() | surface.DictExpr():
            ctx.report(
                "E0204", expr.span, "lists and dicts are not part of the language", "use a tuple, or `cuda.local.array`"
            )
        case surface.Slice() | surface.EllipsisLiteral():
            ctx.report("E0235", expr.span, "`...` and slices stand only between the brackets of an array")
    return None
