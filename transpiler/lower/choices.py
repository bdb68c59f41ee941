"""What evaluates only a part of itself: `and`, `or`, `x if c else y`.

In: a surface expression with its tables. Out: `Logic` and `Select`, which are lazy; where an operand needs statements, an `If`
that runs them only where Python would. Non-goals: conditions that are known at compile time, whose other half was never typed.
"""

from __future__ import annotations

from transpiler.check.meaning import (
    Static,
    live_operands,
)
from transpiler.ir import device, surface
from transpiler.ir.types import BOOL
from transpiler.lower.context import Lowering
from transpiler.lower.expressions import condition, value
from transpiler.lower.tuples import items, scalar_types
from transpiler.lower.values import convert, truth
from transpiler.source import Span


def lazily(
    low: Lowering, op: str, left: device.Expr, right: device.Expr, body: tuple[device.Stmt, ...], span: Span
) -> device.Expr:
    """`left op right` where evaluating `right` may need the statements in `body`."""
    if not body:
        return device.Logic(op, left, right, type=BOOL, span=span)
    result = device.Local("holds", BOOL, True, span=span)
    low.emit(device.Assign(result, left, span=span))
    read = device.Var(result, type=BOOL, span=span)
    test = read if op == "and" else device.Unary("not", read, type=BOOL, span=span)
    low.emit(device.If(test, (*body, device.Assign(result, right, span=span)), span=span))
    return read


def bool_op(low: Lowering, expr: surface.BoolOp, kind: device.Scalar) -> device.Expr:
    operands = live_operands(expr, low.typed.meanings)
    if kind != BOOL:
        return _value_of_bool_op(low, expr, operands, kind)
    result = condition(low, operands[0])
    for operand in operands[1:]:
        with low.block() as body:
            following = condition(low, operand)
        result = lazily(low, expr.op, result, following, tuple(body), expr.span)
    return result


def _value_of_bool_op(
    low: Lowering, expr: surface.BoolOp, operands: tuple[surface.Expr, ...], kind: device.Scalar
) -> device.Expr:
    """`a and b` of numbers is an operand, as in Python."""
    if len(operands) == 1:
        return value(low, operands[0], kind)
    result = device.Local("operand", kind, True, span=expr.span)
    low.emit(device.Assign(result, value(low, operands[0], kind), span=expr.span))
    for operand in operands[1:]:
        read = device.Var(result, type=kind, span=expr.span)
        test = truth(read) if expr.op == "and" else device.Unary("not", truth(read), type=BOOL, span=expr.span)
        with low.block() as body:
            low.emit(device.Assign(result, value(low, operand, kind), span=expr.span))
        low.emit(device.If(test, tuple(body), span=expr.span))
    return device.Var(result, type=kind, span=expr.span)


def conditional(low: Lowering, expr: surface.IfExp, kind: device.Scalar) -> device.Expr:
    test = low.meaning(expr.test)
    if isinstance(test, Static):
        return value(low, expr.body if test.value else expr.orelse, kind)
    chosen = condition(low, expr.test)
    with low.block() as then:
        body = value(low, expr.body, kind)
    with low.block() as other:
        orelse = value(low, expr.orelse, kind)
    if not then and not other:
        return device.Select(chosen, body, orelse, type=kind, span=expr.span)
    result = device.Local("chosen", kind, True, span=expr.span)
    arms = (
        (*then, device.Assign(result, body, span=expr.span)),
        (*other, device.Assign(result, orelse, span=expr.span)),
    )
    low.emit(device.If(chosen, *arms, span=expr.span))
    return device.Var(result, type=kind, span=expr.span)


def conditional_items(low: Lowering, expr: surface.IfExp) -> list[device.Expr]:
    test = low.meaning(expr.test)
    if isinstance(test, Static):
        return items(low, expr.body if test.value else expr.orelse)
    kinds = scalar_types(low.meaning(expr))
    chosen = condition(low, expr.test)
    results = [device.Local("item", kind, True, span=expr.span) for kind in kinds]
    arms: list[tuple[device.Stmt, ...]] = []
    for arm in (expr.body, expr.orelse):
        with low.block() as body:
            for local, item in zip(results, items(low, arm), strict=True):
                low.emit(device.Assign(local, convert(item, local.type), span=expr.span))
        arms.append(tuple(body))
    low.emit(device.If(chosen, arms[0], arms[1], span=expr.span))
    return [device.Var(local, type=local.type, span=expr.span) for local in results]
