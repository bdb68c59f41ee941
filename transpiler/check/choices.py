"""Types of what evaluates only a part of itself: `and`, `or`, `x if c else y`.

In: an expression of that class and its `Context`. Out: its meaning. What a compile-time condition leaves out is not typed at all:
`b is not None and b[0] > 0` has no second half where `b` is absent.
Non-goals: conditions of statements, which call `expressions.infer_condition`.
"""

from __future__ import annotations

from transpiler.check import promotion
from transpiler.check.context import Context
from transpiler.check.expressions import describe, infer, infer_condition
from transpiler.check.meaning import (
    Meaning,
    Static,
    TupleMeaning,
    type_of,
)
from transpiler.diagnostics import Label
from transpiler.ir import surface
from transpiler.ir.types import BOOL, Type


def bool_op(ctx: Context, expr: surface.BoolOp) -> Meaning | None:
    meanings = [infer_condition(ctx, value) for value in expr.values]
    if None in meanings:
        return None
    statics = [m for m in meanings if isinstance(m, Static)]
    if len(statics) == len(meanings):
        values = [m.value for m in statics]
        decisive = [v for v in values if bool(v) == (expr.op == "or")]
        return Static(decisive[0] if decisive else values[-1])
    if all(_is_truth(m) for m in meanings):
        return BOOL
    return _joined(ctx, expr.span, meanings, expr.values, f"the operands of `{expr.op}`")


def condition_of(ctx: Context, expr: surface.BoolOp) -> Meaning | None:
    """`and` and `or` where only the truth matters: the operands need no common type."""
    meanings = [infer_condition(ctx, value) for value in expr.values]
    if None in meanings:
        return None
    statics = [bool(m.value) for m in meanings if isinstance(m, Static)]
    known = len(statics) == len(meanings)
    meaning: Meaning = Static(all(statics) if expr.op == "and" else any(statics)) if known else BOOL
    ctx.typed.meanings[expr] = meaning
    return meaning


def _is_truth(meaning: Meaning | None) -> bool:
    return type_of(meaning) == BOOL


def _joined(
    ctx: Context, span: surface.Span, meanings: list[Meaning | None], exprs: tuple[surface.Expr, ...], what: str
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
    return result


def _joined_tuples(ctx: Context, span: surface.Span, meanings: list[Meaning | None], what: str) -> Meaning | None:
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
    arms = [infer(ctx, expr.body), infer(ctx, expr.orelse)]
    if test is None or None in arms:
        return None
    if arms[0] == arms[1] and isinstance(arms[0], Static):
        return arms[0].type
    return _joined(ctx, expr.span, arms, (expr.body, expr.orelse), "the arms of this conditional expression")
