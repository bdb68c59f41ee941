"""Tuples, vectors and shapes as the scalars that they are made of.

In: a surface expression with its tables. Out: a list of device expressions, those of nested tuples in their place.
Non-goals: assigning them (`assignment`).
"""

from __future__ import annotations

from collections.abc import Callable

from transpiler.check import promotion
from transpiler.check.meaning import (
    Meaning,
    NoneMeaning,
    ShapeOf,
    Static,
    TupleMeaning,
    type_of,
)
from transpiler.ir import device, surface
from transpiler.ir.types import VectorType
from transpiler.lower.context import Lowering, Place
from transpiler.lower.expressions import value
from transpiler.lower.values import constant
from transpiler.source import Span


def items(low: Lowering, expr: surface.Expr) -> list[device.Expr]:
    """The scalars that a tuple, a vector or a shape is made of, those of nested tuples in their place."""
    meaning = low.meaning(expr)
    match expr, meaning:
        case _, TupleMeaning() if _all_static(meaning):
            return [constant(m.value, m.type, expr.span, "", m.name) for m in _leaves(meaning)]
        case surface.TupleExpr(), _:
            return low.operands([b for e in expr.items for b in item_builders(low, e)], "item")
        case surface.Name(), _:
            return _place_items(low.places[expr.id], expr.span)
        case surface.Attribute(), ShapeOf():
            from transpiler.lower.arrays import binding

            bound = binding(low, expr.value)
            return [bound.extent(axis) for axis in range(len(bound.axes))]
        case surface.Call(), _:
            from transpiler.lower.calls import call_items

            return call_items(low, expr)
        case surface.IfExp(), _:
            from transpiler.lower.choices import conditional_items

            return conditional_items(low, expr)
        case surface.Binary(), VectorType():
            return vector_binary(low, expr, meaning)
        case surface.Unary(), VectorType():
            return [device.Unary(expr.op, item, type=item.type, span=expr.span) for item in items(low, expr.operand)]
        case surface.Subscript(), _:
            return item_of(low, expr)
        case surface.Walrus(), _:
            from transpiler.lower.assignment import assign_name

            assign_name(low, expr.target, expr.value)
            return _place_items(low.places[expr.target.id], expr.span)
    raise AssertionError(f"{type(expr).__name__} is no tuple")


def item_builders(low: Lowering, expr: surface.Expr) -> list[Callable[[], device.Expr]]:
    """Builders for the scalars of an expression, one for a scalar; the first one builds them all."""
    count = leaf_count(low.meaning(expr))
    if count is None:
        return [lambda: value(low, expr)]
    built: list[device.Expr] = []

    def build(position: int) -> device.Expr:
        if not built:
            built.extend(items(low, expr))
        return built[position]

    return [(lambda k=k: build(k)) for k in range(count)]


def leaf_count(meaning: Meaning) -> int | None:
    """How many scalars a value is made of; None for a scalar."""
    match meaning:
        case TupleMeaning():
            return sum(1 if (n := leaf_count(item)) is None else n for item in meaning.items)
        case VectorType():
            return meaning.size
        case ShapeOf():
            return meaning.array.rank
    return None


def scalar_types(meaning: Meaning | None) -> tuple[device.Scalar, ...]:
    """The types of the scalars that a value is made of; none for `None`."""
    match meaning:
        case None | NoneMeaning():
            return ()
        case TupleMeaning():
            return tuple(k for item in meaning.items for k in scalar_types(item))
        case VectorType():
            return (meaning.dtype,) * meaning.size
    return (scalar(meaning),)


def scalar(meaning: Meaning) -> device.Scalar:
    """The type of a number, literals settled."""
    found = type_of(meaning)
    settled = promotion.settle(found) if found is not None else None
    assert isinstance(settled, device.Scalar), f"{meaning} is no number"
    return settled


def _all_static(meaning: TupleMeaning) -> bool:
    return all(isinstance(m, Static) or (isinstance(m, TupleMeaning) and _all_static(m)) for m in meaning.items)


def _leaves(meaning: TupleMeaning) -> list[Static]:
    found: list[Static] = []
    for item in meaning.items:
        found += [item] if isinstance(item, Static) else _leaves(item) if isinstance(item, TupleMeaning) else []
    return found


def _place_items(place: Place, span: Span) -> list[device.Expr]:
    if isinstance(place, tuple):
        return [read for part in place for read in _place_items(part, span)]
    assert isinstance(place, device.Local | device.ScalarParam)
    return [device.Var(place, type=place.type, span=span)]


def item_of(low: Lowering, expr: surface.Subscript) -> list[device.Expr]:
    """The scalars of `t[k]`, where the item is a tuple itself or a number."""
    base, known = low.meaning(expr.value), low.meaning(expr.items[0])
    assert isinstance(known, Static)
    counts = (
        [1 if (n := leaf_count(m)) is None else n for m in base.items]
        if isinstance(base, TupleMeaning)
        else [1] * (leaf_count(base) or 0)
    )
    position = range(len(counts))[int(known.value)]
    start = sum(counts[:position])
    return items(low, expr.value)[start : start + counts[position]]


def vector_binary(low: Lowering, expr: surface.Binary, vector: VectorType) -> list[device.Expr]:
    from transpiler.lower.operators import arithmetic

    columns: list[list[device.Expr]] = []
    for side in (expr.left, expr.right):
        meaning = low.meaning(side)
        if isinstance(meaning, VectorType):
            columns.append(items(low, side))
        else:
            columns.append([low.once(value(low, side, vector.dtype), "scale")] * vector.size)
    return [arithmetic(low, expr.op, left, right, expr.span) for left, right in zip(*columns, strict=True)]
