"""What a device function returns: the join of its `return`s, or its annotation, which they must fit.

In: a typed body. Out: `typed.returns`, diagnostics E0232.
Non-goals: the `return` of a kernel, refused in `statements`.
"""

from __future__ import annotations

from transpiler.check.context import Context
from transpiler.check.meaning import Meaning, NoneMeaning, Static, TupleMeaning, at_run_time, settled, type_of
from transpiler.check.promotion import Refusal, conversion, fits, join
from transpiler.check.statements import annotation_type
from transpiler.diagnostics import Label
from transpiler.ir import surface
from transpiler.source import Span


def check_returns(ctx: Context, falls_through: bool) -> None:
    """Type the results; `falls_through` says that the end of the body can be reached, which returns None."""
    found = [meaning for meaning, _ in ctx.return_meanings]
    if None in found:
        return
    annotated = _return_annotation(ctx)
    result: Meaning | None = NoneMeaning() if falls_through or not found else None
    for meaning, span in ctx.return_meanings:
        assert meaning is not None
        returned = at_run_time(meaning)
        if annotated is not None and not falls_through:
            _check_return(ctx, returned, annotated, span)
            continue
        result = returned if result is None else _joined(ctx, result, returned, span)
        if result is None:
            return
    if annotated is not None and falls_through and found:
        ctx.report("E0232", ctx.function.name_span, f"`{ctx.function.name}` has a path without a `return`")
    _literals_fit(ctx, annotated or result)
    ctx.typed.returns = annotated or (settled(result) if result is not None else None)


def _literals_fit(ctx: Context, result: Meaning | None) -> None:
    held = type_of(settled(result)) if result is not None else None
    for meaning, span in ctx.return_meanings:
        if isinstance(meaning, Static) and held is not None and not fits(meaning.value, held):
            ctx.report("E0208", span, f"the number {meaning.value} does not fit {held}, what the function returns")


def _joined(ctx: Context, a: Meaning, b: Meaning, span: Span) -> Meaning | None:
    joined = _join(a, b)
    if not isinstance(joined, str):
        return joined
    first = ctx.return_meanings[0][1]
    labels = (Label(first, "another return"),) if first != span else ()
    ctx.report("E0232", span, f"the returns of this function differ: {joined}", labels=labels)
    return None


def _join(a: Meaning, b: Meaning) -> Meaning | str:
    """The common meaning, or why there is none."""
    if a == b:
        return a
    if isinstance(a, TupleMeaning) and isinstance(b, TupleMeaning) and len(a.items) == len(b.items):
        items = [_join(x, y) for x, y in zip(a.items, b.items, strict=True)]
        refused = next((item for item in items if isinstance(item, str)), None)
        return refused or TupleMeaning(tuple(item for item in items if not isinstance(item, str)))
    if isinstance(a, NoneMeaning) or isinstance(b, NoneMeaning):
        return "some paths return nothing"
    x, y = type_of(a), type_of(b)
    if x is None or y is None or isinstance(a, TupleMeaning) or isinstance(b, TupleMeaning):
        return "one is a tuple of another length, or no value"
    joined = join(x, y)
    return joined.reason if isinstance(joined, Refusal) else joined


def _return_annotation(ctx: Context) -> Meaning | None:
    """The annotation's type; None where there is none, or where it is wrong (then reported)."""
    annotated = ctx.function.returns
    if annotated is None or isinstance(annotated, surface.NoneLiteral):
        return None
    if isinstance(annotated, surface.Subscript | surface.TupleExpr):
        items = [annotation_type(ctx, item) for item in annotated.items]
        return None if None in items else TupleMeaning(tuple(i for i in items if i is not None))
    return annotation_type(ctx, annotated)


def _check_return(ctx: Context, returned: Meaning, annotated: Meaning, span: Span) -> None:
    reason = _misfit(returned, annotated)
    if reason:
        where = ctx.function.returns.span if ctx.function.returns is not None else span
        ctx.report(
            "E0232",
            span,
            f"this `return` is not what the annotation says: {reason}",
            labels=(Label(where, "said here"),),
        )


def _misfit(returned: Meaning, annotated: Meaning) -> str:
    if returned == annotated:
        return ""
    if isinstance(returned, TupleMeaning) and isinstance(annotated, TupleMeaning):
        if len(returned.items) != len(annotated.items):
            return f"{len(returned.items)} values, not {len(annotated.items)}"
        reasons = (_misfit(a, b) for a, b in zip(returned.items, annotated.items, strict=True))
        return next((reason for reason in reasons if reason), "")
    a, b = type_of(returned), type_of(annotated)
    if a is None or b is None or isinstance(returned, TupleMeaning) or isinstance(annotated, TupleMeaning):
        return "a tuple is no number"
    converted = conversion(a, b)
    return converted.reason if isinstance(converted, Refusal) else ""
