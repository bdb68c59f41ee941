"""What stands behind `in` of a `for`: `range`, `unroll(range)`, `reversed`, `enumerate`, `zip`, constant tuples.

In: the calls and the iterated expression. Out: `RangeMeaning` or `SequenceMeaning`.
Non-goals: trip counts (`prove`), the shape of the C++ loop (`lower`, `emit`).
"""

from __future__ import annotations

from transpiler.check.calls import Form, arguments
from transpiler.check.context import Context
from transpiler.check.expressions import describe, infer, infer_index
from transpiler.check.meaning import ArrayMeaning, Meaning, RangeMeaning, SequenceMeaning, Static, TupleMeaning
from transpiler.ir import surface

_LONGEST_SEQUENCE = 1024


def iterated(ctx: Context, expr: surface.Expr) -> RangeMeaning | SequenceMeaning | None:
    """What a `for` runs over, or None after a report."""
    meaning = infer(ctx, expr)
    match meaning:
        case RangeMeaning() | SequenceMeaning() | None:
            return meaning
        case TupleMeaning():
            return _sequence(ctx, expr, list(meaning.items))
    help = f"write `for i in range(len({meaning.name}))`" if isinstance(meaning, ArrayMeaning) else None
    ctx.report(
        "E0237", expr.span, f"a `for` runs over a `range` or a constant tuple, not over {describe(meaning)}", help
    )
    return None


def _sequence(ctx: Context, expr: surface.Expr, items: list[Meaning]) -> SequenceMeaning | None:
    if not items or not all(_constant(item) for item in items):
        what = "nothing" if not items else "values that are not known at compile time"
        ctx.report("E0237", expr.span, f"this `for` runs over {what}", "use `range`, or a tuple of constants")
        return None
    if len(items) > _LONGEST_SEQUENCE:
        ctx.report("E0237", expr.span, f"a tuple of {len(items)} items", "use `range`")
        return None
    return SequenceMeaning(tuple(items), ())


def _constant(item: Meaning) -> bool:
    if isinstance(item, TupleMeaning):
        return all(_constant(part) for part in item.items)
    return isinstance(item, Static)


def _range(ctx: Context, call: surface.Call) -> Meaning | None:
    if call.keywords or not 1 <= len(call.args) <= 3:
        ctx.report("E0205", call.span, "`range` takes one, two or three integers")
        return None
    if None in [infer_index(ctx, arg, "an argument of `range`") for arg in call.args]:
        return None
    step = call.args[2] if len(call.args) == 3 else None
    known = ctx.typed.meanings.get(step) if step is not None else None
    if isinstance(known, Static) and known.value == 0:
        assert step is not None
        ctx.report("E0506", step.span, "the step of a range is 0")
        return None
    if len(call.args) == 1:
        return RangeMeaning(None, call.args[0], None)
    return RangeMeaning(call.args[0], call.args[1], step)


def _unroll(ctx: Context, call: surface.Call) -> Meaning | None:
    args = arguments(ctx, call, ("range", "count="))
    if args is None or args[0] is None:
        return None
    inner = infer(ctx, args[0])
    if not isinstance(inner, RangeMeaning):
        if inner is not None:
            ctx.report("E0237", call.span, "`unroll` takes a `range`")
        return None
    count = infer(ctx, args[1]) if args[1] is not None else Static(0)
    if not isinstance(count, Static) or not isinstance(count.value, int) or count.value < 0:
        ctx.report("E0205", call.span, "the count of `unroll` is a positive integer known at compile time")
        return None
    return RangeMeaning(inner.start, inner.stop, inner.step, int(count.value), inner.reverse)


def _reversed(ctx: Context, call: surface.Call) -> Meaning | None:
    args = arguments(ctx, call, ("range",))
    inner = infer(ctx, args[0]) if args and args[0] else None
    match inner:
        case RangeMeaning() if inner.step is not None and not isinstance(ctx.typed.meanings.get(inner.step), Static):
            ctx.report("E0237", inner.step.span, "the step of a reversed range has to be a constant")
            return None
        case RangeMeaning():
            return RangeMeaning(inner.start, inner.stop, inner.step, inner.unroll, not inner.reverse)
        case TupleMeaning():
            return TupleMeaning(inner.items[::-1])
        case None:
            return None
    ctx.report("E0237", call.span, f"`reversed` takes a `range` or a constant tuple, not {describe(inner)}")
    return None


def _known_items(ctx: Context, meaning: Meaning | None) -> list[Meaning] | None:
    """The items of a tuple, or of a range whose bounds are constants."""
    if isinstance(meaning, TupleMeaning):
        return list(meaning.items)
    if isinstance(meaning, RangeMeaning):
        bounds = [meaning.start, meaning.stop, meaning.step]
        values = [ctx.typed.meanings.get(b) if b is not None else None for b in bounds]
        start, stop, step = (m.value if isinstance(m, Static) else None for m in values)
        if (
            isinstance(stop, int)
            and (meaning.start is None or start is not None)
            and (meaning.step is None or step is not None)
        ):
            known = range(int(start or 0), stop, int(step or 1))
            if len(known) <= _LONGEST_SEQUENCE:
                return [Static(n) for n in (reversed(known) if meaning.reverse else known)]
    return None


def _enumerate(ctx: Context, call: surface.Call) -> Meaning | None:
    args = arguments(ctx, call, ("items", "start="))
    items = _known_items(ctx, infer(ctx, args[0])) if args and args[0] else None
    first = infer(ctx, args[1]) if args and args[1] is not None else Static(0)
    if items is None or not isinstance(first, Static) or not isinstance(first.value, int):
        ctx.report(
            "E0237",
            call.span,
            "`enumerate` takes a constant tuple or a range with constant bounds",
            "count by hand: `for k in range(n)`",
        )
        return None
    return TupleMeaning(tuple(TupleMeaning((Static(first.value + k), item)) for k, item in enumerate(items)))


def _zip(ctx: Context, call: surface.Call) -> Meaning | None:
    columns = [_known_items(ctx, infer(ctx, arg)) for arg in call.args]
    if not columns or call.keywords or any(c is None for c in columns):
        ctx.report(
            "E0237",
            call.span,
            "`zip` takes constant tuples or ranges with constant bounds",
            "index by hand: `for k in range(n)`",
        )
        return None
    return TupleMeaning(
        tuple(TupleMeaning(tuple(row)) for row in zip(*(c for c in columns if c is not None), strict=False))
    )


FORMS: dict[str, Form] = {
    "builtins.range": _range,
    "builtins.reversed": _reversed,
    "builtins.enumerate": _enumerate,
    "builtins.zip": _zip,
    "transpiler.unroll": _unroll,
}
