"""Types of what evaluates only a part of itself: `and`, `or`, `x if c else y`.

In: an expression of that class and its `Context`. Out: its meaning. What a compile-time condition leaves out is not typed at all:
`b is not None and b[0] > 0` has no second half where `b` is absent.
Non-goals: conditions of statements, which call `expressions.infer_condition`.
"""

from __future__ import annotations

from collections.abc import Callable

from transpiler.check import promotion
from transpiler.check.context import Context
from transpiler.check.expressions import describe, infer, infer_condition
from transpiler.check.meaning import (
    Meaning,
    Static,
    TupleMeaning,
    live_operands,
    type_of,
)
from transpiler.check.operators import literals_fit
from transpiler.diagnostics import Label
from transpiler.ir import surface
from transpiler.ir.types import BOOL, Type


def bool_op(ctx: Context, expr: surface.BoolOp) -> Meaning | None:
    """`and` and `or` as values: an operand, so that all need a common type."""
    live = _evaluated(ctx, expr, _value_of)
    if live is None:
        return None
    meanings = [meaning for _, meaning in live]
    if len(live) == 1:
        return meanings[0]
    if all(type_of(m) == BOOL for m in meanings):
        return BOOL
    return _joined(ctx, expr.span, meanings, tuple(e for e, _ in live), f"the operands of `{expr.op}`")


def condition_of(ctx: Context, expr: surface.BoolOp) -> Meaning | None:
    """`and` and `or` where only the truth matters: the operands need no common type."""
    live = _evaluated(ctx, expr, infer_condition)
    if live is None:
        return None
    last = live[-1][1]
    meaning: Meaning = Static(bool(last.value)) if len(live) == 1 and isinstance(last, Static) else BOOL
    ctx.typed.meanings[expr] = meaning
    return meaning


def _value_of(ctx: Context, operand: surface.Expr) -> Meaning | None:
    """An operand whose value may be the result: `and` and `or` in it are values too."""
    return infer(ctx, operand) if isinstance(operand, surface.BoolOp) else infer_condition(ctx, operand)


def _evaluated(
    ctx: Context, expr: surface.BoolOp, typed: Callable[[Context, surface.Expr], Meaning | None]
) -> list[tuple[surface.Expr, Meaning]] | None:
    """The operands that can matter, typed; what stands behind one that decides at compile time is never looked at."""
    for operand in expr.values:
        meaning = typed(ctx, operand)
        if meaning is None:
            return None
        if isinstance(meaning, Static) and bool(meaning.value) == (expr.op == "or"):
            break
    return [(e, ctx.typed.meanings[e]) for e in live_operands(expr, ctx.typed.meanings)]


def _joined(
    ctx: Context, span: surface.Span, meanings: list[Meaning], exprs: tuple[surface.Expr, ...], what: str
) -> Meaning | None:
    if all(isinstance(m, TupleMeaning) for m in meanings):
        return _joined_tuples(ctx, span, meanings, what)
    result: Type | None = None
    for meaning, expr in zip(meanings, exprs, strict=True):
        value = type_of(meaning)
        if value is None:
            ctx.report("E0204", expr.span, f"{what} have to be numbers, not {describe(meaning)}")
            return None
        joined = value if result is None else promotion.join(result, value)
        if isinstance(joined, promotion.Refusal):
            labels = tuple(Label(e.span, describe(m)) for m, e in zip(meanings, exprs, strict=True))
            ctx.report("E0203", span, f"{what} have different types: {joined.reason}", joined.help, labels)
            return None
        result = joined
    assert result is not None
    return result if literals_fit(ctx, span, result, *meanings) else None


def _joined_tuples(ctx: Context, span: surface.Span, meanings: list[Meaning], what: str) -> Meaning | None:
    tuples = [m.items for m in meanings if isinstance(m, TupleMeaning)]
    if len({len(items) for items in tuples}) != 1:
        ctx.report("E0203", span, f"{what} are tuples of different lengths")
        return None
    items: list[Meaning] = []
    for column in zip(*tuples, strict=True):
        types = [type_of(item) for item in column]
        joined = types[0]
        for value in types[1:]:
            both = promotion.join(joined, value) if joined is not None and value is not None else None
            if both is None or isinstance(both, promotion.Refusal):
                ctx.report("E0203", span, f"{what} have items of different types")
                return None
            joined = both
        assert joined is not None
        items.append(joined)
    return TupleMeaning(tuple(items))


def conditional(ctx: Context, expr: surface.IfExp) -> Meaning | None:
    test = infer_condition(ctx, expr.test)
    if isinstance(test, Static):
        return infer(ctx, expr.body if test.value else expr.orelse)
    body, orelse = infer(ctx, expr.body), infer(ctx, expr.orelse)
    if test is None or body is None or orelse is None:
        return None
    if body == orelse and isinstance(body, Static):
        return body.type
    return _joined(ctx, expr.span, [body, orelse], (expr.body, expr.orelse), "the arms of this conditional expression")
