"""What assignment targets take: names, elements, tuples of them; one type for all assignments of a local.

In: a target, the meaning and the expression of the value. Out: `typed.locals`; what must not be written is reported.
Non-goals: statements around it (`statements`); whether a name has a value where it is read (`assignment`).
"""

from __future__ import annotations

from dataclasses import replace

from transpiler.check import promotion
from transpiler.check.calls import storable
from transpiler.check.context import Context
from transpiler.check.expressions import describe, infer, infer_index
from transpiler.check.meaning import (
    AllocCall,
    ArrayMeaning,
    DeviceRef,
    DTypeRef,
    Meaning,
    NoneMeaning,
    Qualified,
    ShapeOf,
    Static,
    TupleMeaning,
    VectorRef,
    at_run_time,
    type_of,
)
from transpiler.diagnostics import Label
from transpiler.ir import surface
from transpiler.ir.types import INDEX, DType, VectorType

_ALIASES = (DTypeRef, DeviceRef, Qualified, VectorRef)


def assign(ctx: Context, target: surface.Expr, meaning: Meaning | None, value: surface.Expr) -> None:
    """Give `meaning` to a target: a name, an element, a tuple of targets."""
    match target:
        case surface.Name():
            bind(ctx, target, meaning, value)
        case surface.TupleExpr():
            _unpack(ctx, target, meaning, value)
        case surface.Subscript():
            store(ctx, target, meaning, value)
        case surface.Attribute():
            ctx.report("E0217", target.span, "attributes cannot be assigned in a kernel")
        case _:
            ctx.report("E0217", target.span, "this cannot be assigned")


def _unpack(ctx: Context, target: surface.TupleExpr, meaning: Meaning | None, value: surface.Expr) -> None:
    items: tuple[Meaning | None, ...]
    match meaning:
        case TupleMeaning():
            items = meaning.items
        case VectorType():
            items = (meaning.dtype,) * meaning.size
        case None:
            items = (None,) * len(target.items)
        case _:
            from transpiler.check.meaning import DimMeaning, ShapeOf

            if not isinstance(meaning, ShapeOf):
                ctx.report("E0217", value.span, f"{describe(meaning)} cannot be unpacked")
                return
            items = tuple(
                n if isinstance(n, DimMeaning) else INDEX if n is None else Static(n) for n in meaning.array.shape
            )
    if len(items) != len(target.items):
        ctx.report("E0217", target.span, f"{len(items)} values for {len(target.items)} targets")
        return
    parts = value.items if isinstance(value, surface.TupleExpr) else ()
    parts = parts if len(parts) == len(items) else (value,) * len(items)
    for part, item, expr in zip(target.items, items, parts, strict=True):
        assign(ctx, part, item, expr)


def bind(ctx: Context, name: surface.Name, meaning: Meaning | None, value: surface.Expr) -> None:
    """An assignment to a local: its type is the join of all of them."""
    if meaning is None:
        return
    if isinstance(ctx.scope.get(name.id), ArrayMeaning):
        ctx.report(
            "E0217",
            name.span,
            f"`{name.id}` is an array parameter: assigning the name would not copy the array",
            "assign elements, in a loop or one by each thread",
        )
        return
    fixed = ctx.fixed.get(name.id)
    if fixed is not None and isinstance(meaning, (ArrayMeaning, *_ALIASES)):
        ctx.report("E0207", value.span, f"{describe(meaning)} cannot be stored as {describe(fixed)}")
        return
    if isinstance(meaning, ArrayMeaning):
        _bind_array(ctx, name, meaning, value)
        return
    if isinstance(meaning, _ALIASES):
        _bind_once(ctx, name, meaning, "stands for something known at compile time")
        return
    if isinstance(meaning, Static) and name.id in ctx.typed.constants:
        _bind_once(ctx, name, meaning, "is a constant")
        return
    if isinstance(meaning, ShapeOf):
        meaning = at_run_time(meaning)
    if isinstance(meaning, NoneMeaning) or (type_of(meaning) is None and not isinstance(meaning, TupleMeaning)):
        ctx.report("E0204", value.span, f"{describe(meaning)} is no value that a local can hold")
        return
    if fixed is not None:
        target = type_of(fixed)
        found = type_of(meaning)
        if target is not None and found is not None:
            storable(ctx, value, found, target)
        return
    held = type_of(_join_local(ctx, name, meaning))
    if isinstance(meaning, Static) and held is not None and not promotion.fits(meaning.value, held):
        ctx.report("E0208", value.span, f"the number {meaning.value} does not fit {held}, the type of `{name.id}`")


def _bind_array(ctx: Context, name: surface.Name, array: ArrayMeaning, value: surface.Expr) -> None:
    """The first name of an allocation is the array's own, others are aliases."""
    call = ctx.typed.calls.get(value) if isinstance(value, surface.Call) else None
    if isinstance(value, surface.Call) and isinstance(call, AllocCall) and array.name == array.space:
        array = replace(array, name=name.id)
        ctx.views[array.origin] = array
        ctx.typed.calls[value] = AllocCall(array, call.shape, call.fill, call.values)
        ctx.typed.meanings[value] = array
    _bind_once(ctx, name, array, "names an array")


def _bind_once(ctx: Context, name: surface.Name, meaning: Meaning, why: str) -> None:
    first = ctx.assignments[name.id][0]
    if name.span != first:
        ctx.report(
            "E0222",
            name.span,
            f"`{name.id}` {why}, so it can be assigned only once",
            "use two names",
            (Label(first, "assigned here"),),
        )
    elif ctx.typed.locals.get(name.id) != meaning:
        ctx.typed.locals[name.id] = meaning
        ctx.changed = True


def _join_local(ctx: Context, name: surface.Name, meaning: Meaning) -> Meaning | None:
    """The type of the local with this assignment; None after a report."""
    meaning = at_run_time(meaning)
    known = ctx.typed.locals.get(name.id)
    if known is None:
        ctx.first_assignment[name.id] = (meaning, name.span)
    joined = meaning if known is None else _join(known, meaning)
    if isinstance(joined, promotion.Refusal):
        first, span = ctx.first_assignment.get(name.id, (known, name.span))
        ctx.report(
            "E0203",
            name.span,
            f"`{name.id}` has no one type: {joined.reason}",
            joined.help,
            (Label(span, f"`{name.id}` is {describe(first)} here"),),
        )
        return None
    if joined != known:
        ctx.typed.locals[name.id] = joined
        ctx.changed = True
    return joined


def _join(a: Meaning, b: Meaning) -> Meaning | promotion.Refusal:
    if isinstance(a, TupleMeaning) and isinstance(b, TupleMeaning) and len(a.items) == len(b.items):
        items = [_join(x, y) for x, y in zip(a.items, b.items, strict=True)]
        refusal = next((i for i in items if isinstance(i, promotion.Refusal)), None)
        return refusal or TupleMeaning(tuple(i for i in items if not isinstance(i, promotion.Refusal)))
    x, y = type_of(a), type_of(b)
    if x is None or y is None or isinstance(a, TupleMeaning) != isinstance(b, TupleMeaning):
        return promotion.Refusal(f"one is {describe(a)}, the other is {describe(b)}")
    if x == y:
        return a
    if isinstance(x, VectorType) or isinstance(y, VectorType):
        return promotion.Refusal(f"one is {x}, the other is {y}")
    return promotion.join(x, y)


def store(ctx: Context, target: surface.Subscript, meaning: Meaning | None, value: surface.Expr) -> None:
    """`a[i] = value`."""
    base = infer(ctx, target.value)
    element = element_type(ctx, target, base)
    if element is None or meaning is None:
        return
    found = type_of(meaning)
    if found is None or not promotion.is_number(found):
        ctx.report("E0204", value.span, f"an element holds a number, not {describe(meaning)}")
        return
    if storable(ctx, value, found, element):
        ctx.typed.meanings[target] = element


def element_type(ctx: Context, target: surface.Subscript, base: Meaning | None) -> DType | None:
    """The dtype of an element that is written, with its indices typed; reports what must not be written."""
    if base is None:
        return None
    if not isinstance(base, ArrayMeaning):
        ctx.report(
            "E0217",
            target.span,
            f"items of {describe(base)} cannot be assigned",
            "tuples and vectors are values: make a new one",
        )
        return None
    if not _may_write(ctx, target, base):
        return None
    if len(target.items) != base.rank or any(isinstance(i, surface.Slice) for i in target.items):
        if len(target.items) > base.rank:
            ctx.report("E0211", target.span, f"{len(target.items)} indices on {describe(base)}")
        else:
            ctx.report(
                "E0235",
                target.span,
                "a whole row or slice cannot be assigned by one thread",
                "loop over the elements, or give each thread one",
            )
        return None
    known = [infer_index(ctx, item, "an index") is not None for item in target.items]
    return base.dtype if all(known) else None


def _may_write(ctx: Context, target: surface.Subscript, array: ArrayMeaning) -> bool:
    if array.ownership == "in":
        ctx.report(
            "E0304",
            target.span,
            f"`{array.name}` is an `In` parameter: it is lent for reading only",
            f"annotate it `Out[{array.dtype}, ...]` or `InOut[{array.dtype}, ...]`",
        )
        return False
    if array.ownership == "atomic":
        ctx.report(
            "E0306",
            target.span,
            f"`{array.name}` is an `Atomic` parameter: only atomics touch it",
            "use `cuda.atomic.store` or `cuda.atomic.exch`",
        )
        return False
    if array.space == "const":
        ctx.report("E0304", target.span, f"`{array.name}` is constant")
        return False
    return True
