"""Types of operators: arithmetic, bits, comparisons.

In: an expression of that class and its `Context`. Out: its meaning; numbers known at compile time are computed.
Non-goals: the promotion rules themselves (`promotion`), `and`, `or` and conditional expressions (`choices`).
"""

from __future__ import annotations

from transpiler.check import promotion
from transpiler.check.constants import fold_binary, fold_compare, fold_unary
from transpiler.check.context import Context
from transpiler.check.expressions import describe, fits_64_bits, infer, infer_condition, infer_number
from transpiler.check.meaning import (
    ArrayMeaning,
    Meaning,
    NoneMeaning,
    Static,
    Text,
    type_of,
)
from transpiler.ir import surface
from transpiler.ir.types import BOOL, DType, Type, VectorType
from transpiler.source import Span


def unary(ctx: Context, expr: surface.Unary) -> Meaning | None:
    if expr.op == "not":
        meaning = infer_condition(ctx, expr.operand)
        if isinstance(meaning, Static):
            return Static(not meaning.value)
        return None if meaning is None else BOOL
    operand = infer(ctx, expr.operand)
    if isinstance(operand, Static):
        folded = fold_unary(expr.op, operand.value)
        if isinstance(folded, str):
            ctx.report("E0224", expr.span, folded, "use `not`" if "True" in folded else None)
            return None
        return Static(folded)
    if isinstance(operand, VectorType) and expr.op in "+-":
        return operand
    value = infer_number(ctx, expr.operand, f"the operand of `{expr.op}`")
    if value is None:
        return None
    if expr.op == "~":
        if value == BOOL:
            ctx.report("E0224", expr.span, "`~` on a bool is -1 or -2 in Python", "use `not`")
            return None
        if not promotion.is_int(value):
            ctx.report("E0204", expr.span, f"`~` works on integers, not on {value}")
            return None
        return value
    promoted = promotion.arithmetic_type(value, value)
    assert isinstance(promoted, promotion.Promoted)
    if expr.op == "-" and isinstance(value, DType) and value.kind == "uint":
        ctx.report("W0209", expr.span, f"`-` on {value} wraps to a large number", "cast to a signed type first")
    return promoted.result


def binary(ctx: Context, op: str, left_expr: surface.Expr, right_expr: surface.Expr, span: Span) -> Meaning | None:
    """The meaning of `left op right`: a number where both are known, else a type."""
    left, right = infer(ctx, left_expr), infer(ctx, right_expr)
    if left is None or right is None:
        return None
    if isinstance(left, Static) and isinstance(right, Static):
        folded = fold_binary(op, left.value, right.value)
        if isinstance(folded, str):
            code = "E0503" if folded.startswith("division") else "E0204"
            ctx.report(code, span, f"this expression has no value: {folded}")
            return None
        return Static(folded)
    a, b = type_of(left), type_of(right)
    if isinstance(left, Text) or isinstance(right, Text):
        ctx.report(
            "E0230", span, "strings are not formatted or joined in a kernel", 'print an f-string: `print(f"{x:.3f}")`'
        )
        return None
    if a is None or b is None:
        ctx.report(
            "E0204",
            span,
            f"`{op}` needs numbers, not {describe(left)} and {describe(right)}",
            _array_help(left, right),
        )
        return None
    if isinstance(a, VectorType) or isinstance(b, VectorType):
        return vector_binary(ctx, op, span, a, b)
    return binary_type(ctx, span, op, left, right)


def _array_help(*operands: Meaning) -> str | None:
    if any(isinstance(m, ArrayMeaning) for m in operands):
        return "one thread works on one element: index the array"
    return None


def vector_binary(ctx: Context, op: str, span: Span, a: Type, b: Type) -> Meaning | None:
    """One operand is a vector, the other too or a number for all its items."""
    sizes = {t.size for t in (a, b) if isinstance(t, VectorType)}
    if len(sizes) != 1:
        ctx.report("E0204", span, f"`{op}` on vectors of {min(sizes)} and {max(sizes)} items")
        return None
    left = a.dtype if isinstance(a, VectorType) else a
    right = b.dtype if isinstance(b, VectorType) else b
    item = binary_type(ctx, span, op, left, right)
    value = promotion.settle(item) if item is not None else None
    return VectorType(value, sizes.pop()) if isinstance(value, DType) else None


def binary_type(ctx: Context, span: Span, op: str, left: Meaning, right: Meaning) -> Type | None:
    """The result type of `left op right`, with every refusal and warning that the operator knows."""
    a, b = type_of(left), type_of(right)
    assert a is not None
    assert b is not None
    promoted = promotion.binary(op, a, b)
    if isinstance(promoted, promotion.Refusal):
        ctx.report("E0204", span, promoted.reason, promoted.help)
        return None
    if not literals_fit(ctx, span, promoted.operand, left, right):
        return None
    _warn_mixed(ctx, span, op, promoted, a, b)
    if op == "**":
        return _power(ctx, span, promoted, right)
    if op == "-" and isinstance(promoted.result, DType) and promoted.result.kind == "uint":
        ctx.report(
            "W0209",
            span,
            f"a difference of {promoted.result} wraps where it is negative in Python",
            "cast to a signed type where it may be below zero",
        )
    if op in ("/", "//", "%") and isinstance(right, Static) and right.value == 0 and promotion.is_int(promoted.operand):
        ctx.report("E0503", span, "division by zero")
        return None
    return promoted.result


def literals_fit(ctx: Context, span: Span, target: Type, *operands: Meaning) -> bool:
    for operand in operands:
        if (
            isinstance(operand, Static)
            and not isinstance(operand.value, bool)
            and not promotion.fits(operand.value, target)
        ):
            if isinstance(operand.value, float) and not isinstance(target, DType):
                continue
            ctx.report(
                "E0208",
                span,
                f"the number {operand.value} does not fit {target}",
                f"cast the other operand to a wider type than {target}",
            )
            return False
    return True


def _warn_mixed(ctx: Context, span: Span, op: str, promoted: promotion.Promoted, a: Type, b: Type) -> None:
    words = {
        "W0201": f"`/` of two integers gives {promoted.result} here; Python gives a float64: cast to f64 for that",
        "W0202": f"an integer meets {promoted.operand}: the integer is converted, and rounded above 2**24 (f32) or 2**53 (f64)",
        "W0203": "f32 meets f64: the operation is done in f64",
    }
    for code in promoted.warnings:
        ctx.report(code, span, words[code], "cast one operand to say what is meant")


def _power(ctx: Context, span: Span, promoted: promotion.Promoted, right: Meaning) -> Type | None:
    if promotion.is_int(promoted.result) and isinstance(right, Static) and right.value < 0:
        ctx.report("E0228", span, "an integer to a negative power is a float in Python", "make the base a float")
        return None
    if promotion.is_float(promoted.result) and isinstance(right, Static) and right.value == 0.5:
        ctx.report(
            "W0210", span, "`x ** 0.5` calls `pow`", "write `math.sqrt(x)`, which is faster and correctly rounded"
        )
    return promoted.result


def compare(ctx: Context, expr: surface.Compare) -> Meaning | None:
    operands = [infer(ctx, expr.left), *(infer(ctx, right) for right in expr.rights)]
    if any(op in ("in", "not in") for op in expr.ops):
        ctx.report("E0225", expr.span, "`in` is not part of the language", "compare with each value")
        return None
    if any(op in ("is", "is not") for op in expr.ops):
        return _identity(ctx, expr, operands)
    if None in operands:
        return None
    if all(isinstance(m, Static) for m in operands):
        values = [m.value for m in operands if isinstance(m, Static)]
        return Static(all(fold_compare(op, a, b) for op, a, b in zip(expr.ops, values, values[1:], strict=False)))
    for op, left, right in zip(expr.ops, operands, operands[1:], strict=False):
        assert left is not None
        assert right is not None
        if not _comparable(ctx, expr.span, op, left, right):
            return None
    if not all(_fits_beside(ctx, a, b) for a, b in zip((expr.left, *expr.rights), expr.rights, strict=False)):
        return None
    return BOOL


def _fits_beside(ctx: Context, left: surface.Expr, right: surface.Expr) -> bool:
    a, b = (type_of(ctx.typed.meanings.get(e)) for e in (left, right))
    return a is not None and b is not None and fits_64_bits(ctx, left, b) and fits_64_bits(ctx, right, a)


def _comparable(ctx: Context, span: Span, op: str, left: Meaning, right: Meaning) -> bool:
    a, b = type_of(left), type_of(right)
    if a is None or b is None:
        ctx.report(
            "E0204",
            span,
            f"`{op}` compares numbers, not {describe(left)} with {describe(right)}",
            _array_help(left, right),
        )
        return False
    promoted = promotion.comparison(op, a, b)
    if isinstance(promoted, promotion.Refusal):
        ctx.report("E0204", span, promoted.reason, promoted.help)
        return False
    _warn_mixed(ctx, span, op, promoted, a, b)
    return True


def _identity(ctx: Context, expr: surface.Compare, operands: list[Meaning | None]) -> Meaning | None:
    """`x is None`, decided at compile time; `is` on anything else has no meaning on a device."""
    if len(operands) == 2 and None not in operands and NoneMeaning() in operands:
        same = operands[0] == operands[1]
        return Static(same if expr.ops[0] == "is" else not same)
    if None not in operands:
        ctx.report("E0225", expr.span, "`is` compares identities, which numbers do not have", "write `==`")
    return None
