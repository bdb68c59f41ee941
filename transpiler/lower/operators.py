"""Operators of the typed kernel: conversions of operands, powers, comparisons by value.

In: a surface expression with its tables, or built operands. Out: a device expression.
Non-goals: what evaluates only a part of itself (`choices`).
"""

from __future__ import annotations

from transpiler.check import promotion
from transpiler.check.meaning import (
    Static,
    type_of,
)
from transpiler.ir import device, surface
from transpiler.ir.types import BOOL, INDEX, WEAK_FLOAT, DType, Type, WeakType
from transpiler.lower.choices import lazily
from transpiler.lower.context import Lowering
from transpiler.lower.expressions import condition, value
from transpiler.lower.values import constant, convert
from transpiler.source import Span

_EXPANDED_POWERS = (2, 3, 4)
"""`x ** 2` of a float is `x * x`: exact where `pow` is not, and what a person writes."""


def unary(low: Lowering, expr: surface.Unary, kind: device.Scalar) -> device.Expr:
    if expr.op == "not":
        return device.Unary("not", condition(low, expr.operand), type=BOOL, span=expr.span)
    operand = value(low, expr.operand, kind)
    return operand if expr.op == "+" else device.Unary(expr.op, operand, type=kind, span=expr.span)


def binary(
    low: Lowering, op: str, left: surface.Expr, right: surface.Expr, kind: device.Scalar, span: Span
) -> device.Expr:
    """`left op right`; where both are made of literals alone the operation is done in the wanted type `kind`."""
    a, b = type_of(low.meaning(left)), type_of(low.meaning(right))
    assert a is not None
    assert b is not None
    promoted = promotion.binary(op, a, b)
    assert isinstance(promoted, promotion.Promoted)
    operand = kind if isinstance(promoted.operand, WeakType) else promoted.operand
    exponent = low.meaning(right)
    if op == "**" and isinstance(exponent, Static):
        return power(low, value(low, left, operand), exponent.value, operand, span)
    x, y = low.operands([lambda: value(low, left, operand), lambda: value(low, right, operand)])
    return device.Binary(op, x, y, type=x.type, span=span)


def arithmetic(low: Lowering, op: str, left: device.Expr, right: device.Expr, span: Span) -> device.Expr:
    """`left op right` of built operands, promoted."""
    promoted = promotion.binary(op, left.type, right.type)
    assert isinstance(promoted, promotion.Promoted)
    if op == "**" and isinstance(right, device.Const):
        return power(low, convert(left, promoted.operand), right.value, promoted.operand, span)
    a, b = convert(left, promoted.operand), convert(right, promoted.operand)
    return device.Binary(op, a, b, type=a.type, span=span)


def power(low: Lowering, base: device.Expr, exponent: int | float | bool, kind: Type, span: Span) -> device.Expr:
    """`base ** exponent` for a constant exponent: small whole ones are products."""
    if exponent == 1:
        return base
    if exponent in _EXPANDED_POWERS:
        factor = low.once(base, "base")
        result = factor
        for _ in range(int(exponent) - 1):
            result = device.Binary("*", result, factor, type=factor.type, span=span)
        return result
    return device.Binary("**", base, constant(exponent, kind, span), type=base.type, span=span)


Operand = device.Expr | surface.Expr
"""An operand of a comparison: built, or (a literal, which takes the other side's type) not yet."""


def compare(low: Lowering, expr: surface.Compare) -> device.Expr:
    """A chain evaluates each operand once and stops at the first comparison that is false."""
    rights = list(expr.rights)
    sides = (expr.left, rights[0])
    wanted = _common(low, *sides)
    built = low.operands(
        [(lambda e=e: value(low, e, _weakly(low, e, wanted))) for e in sides if not _is_literal(low, e)]
    )
    pending = iter(built)
    left, right = (e if _is_literal(low, e) else next(pending) for e in sides)
    if len(rights) > 1:
        right = _kept(low, right)
    result = compared(low, expr.ops[0], left, right, expr.span)
    for position, op in enumerate(expr.ops[1:], start=1):
        previous, following = right, rights[position]
        with low.block() as body:
            wanted = _common(low, rights[position - 1], following)
            right = following if _is_literal(low, following) else value(low, following, _weakly(low, following, wanted))
            if position < len(rights) - 1:
                right = _kept(low, right)
            test = compared(low, op, previous, right, expr.span)
        result = lazily(low, "and", result, test, tuple(body), expr.span)
    return result


def _common(low: Lowering, left: surface.Expr, right: surface.Expr) -> Type:
    """The type in which two expressions compare."""
    a, b = type_of(low.meaning(left)), type_of(low.meaning(right))
    assert a is not None
    assert b is not None
    promoted = promotion.comparison("==", a, b)
    assert isinstance(promoted, promotion.Promoted)
    return promoted.operand


def _weakly(low: Lowering, expr: surface.Expr, wanted: Type) -> Type | None:
    """The wanted type for an expression of float literals alone; others keep their own until they are compared."""
    return wanted if type_of(low.meaning(expr)) == WEAK_FLOAT and not isinstance(wanted, WeakType) else None


def _is_literal(low: Lowering, expr: surface.Expr) -> bool:
    return isinstance(low.meaning(expr), Static)


def _kept(low: Lowering, operand: Operand) -> Operand:
    return low.once(operand, "middle") if isinstance(operand, device.Expr) else operand


def compared(low: Lowering, op: str, left: Operand, right: Operand, span: Span) -> device.Expr:
    """A comparison by value."""
    if isinstance(left, surface.Expr):
        left = _literal_beside(low, left, right)
    if isinstance(right, surface.Expr):
        right = _literal_beside(low, right, left)
    promoted = promotion.comparison(op, left.type, right.type)
    assert isinstance(promoted, promotion.Promoted)
    kind = promoted.operand
    mixed = isinstance(kind, DType) and kind.kind == "uint" and kind.bits == 64 and left.type != right.type
    if not mixed:
        left, right = convert(left, kind), convert(right, kind)
    return device.Compare(op, left, right, type=BOOL, span=span)


def _literal_beside(low: Lowering, expr: surface.Expr, other: Operand) -> device.Expr:
    """A literal in the type of the other side where it fits it; else an exact integer or a float of its own."""
    known = low.meaning(expr)
    assert isinstance(known, Static)
    if isinstance(known.value, bool) or isinstance(other, surface.Expr) or other.type == BOOL:
        return value(low, expr)
    kind = other.type
    if isinstance(known.value, float) and not (isinstance(kind, DType) and kind.is_float):
        return value(low, expr)
    return value(low, expr, kind if promotion.fits(known.value, kind) else INDEX)
