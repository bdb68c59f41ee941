"""Arrays and views of them: which array an expression stands for, with an index or a range for each axis.

In: a surface expression that names an array, a row, a slice or an element. Out: a `Binding`, or the array and index tuple of an
element. Non-goals: allocation (`statements`).
"""

from __future__ import annotations

from collections.abc import Callable

from transpiler.check.meaning import (
    Static,
)
from transpiler.ir import device, surface
from transpiler.ir.types import BOOL, INDEX
from transpiler.lower.context import Binding, Lowering, arith, index
from transpiler.lower.expressions import value


def size(low: Lowering, expr: surface.Attribute) -> device.Expr:
    bound = binding(low, expr.value)
    total: device.Expr = index(1, expr.span)
    for axis in range(len(bound.axes)):
        total = arith("*", total, bound.extent(axis))
    return total


def whole(array: device.Array) -> Binding:
    return Binding(array, tuple(device.Range(index(0, n.span), n, span=n.span) for n in array.shape))


def binding(low: Lowering, expr: surface.Expr) -> Binding:
    """The array or view that an expression stands for."""
    if isinstance(expr, surface.Name):
        place = low.places[expr.id]
        assert isinstance(place, Binding)
        return place
    assert isinstance(expr, surface.Subscript)
    return indexed(low, binding(low, expr.value), expr)


def lies_together(low: Lowering, expr: surface.Expr) -> bool:
    """Whether the elements of an array or view lie one behind the other in C order, so that a pointer and extents say it all."""
    axes = _kept(low, expr)
    if axes is None:
        return False
    kept = axes.lstrip("i")
    return kept[1:] == "f" * len(kept[1:]) and kept[:1] in ("", "f", "c")


def _kept(low: Lowering, expr: surface.Expr) -> str | None:
    """A letter an axis of the array: `i` indexed, `f` full, `c` cut, `s` cut with a step; None for an array of another order."""
    if isinstance(expr, surface.Name):
        bound = low.places[expr.id]
        assert isinstance(bound, Binding)
        if isinstance(bound.array, device.ArrayParam) and bound.array.order != "C":
            return None
        return "".join(_letter(item, axis in bound.sliced) for axis, item in enumerate(bound.items))
    assert isinstance(expr, surface.Subscript)
    base = _kept(low, expr.value)
    if base is None:
        return None
    axes = list(base)
    left = [axis for axis, letter in enumerate(axes) if letter != "i"]
    for axis, item in zip(left, expr.items, strict=False):
        if not isinstance(item, surface.Slice):
            axes[axis] = "i"
            continue
        step = low.meaning(item.step) if item.step is not None else None
        if isinstance(step, Static) and step.value != 1:
            axes[axis] = "s"
        elif axes[axis] == "f" and (item.start is not None or item.stop is not None):
            axes[axis] = "c"
    return "".join(axes)


def _letter(item: device.Expr | device.Range, cut: bool) -> str:
    if not isinstance(item, device.Range):
        return "i"
    return "s" if item.step != 1 else "c" if cut else "f"


def indexed(low: Lowering, base: Binding, expr: surface.Subscript) -> Binding:
    """`base[items]`: indices are put in place of the ranges that are left."""
    axes = base.axes[: len(expr.items)]
    builders = [_item_builder(low, base, axis, item) for axis, item in zip(range(len(axes)), expr.items, strict=True)]
    scalars = low.operands([b for b in builders if b is not None], "index")
    result = list(base.items)
    sliced = set(base.sliced)
    position = 0
    for axis, item, builder in zip(axes, expr.items, builders, strict=True):
        current = base.items[axis]
        assert isinstance(current, device.Range)
        if builder is None:
            assert isinstance(item, surface.Slice)
            result[axis] = _cut(low, current, item)
            if item.start is not None or item.stop is not None or item.step is not None:
                sliced.add(axis)
            continue
        at = scalars[position]
        position += 1
        if axis in base.sliced:
            _within(low, at, current.length)
        result[axis] = arith("+", current.start, arith("*", at, index(current.step, at.span)))
    return Binding(base.array, tuple(result), frozenset(sliced))


def _item_builder(low: Lowering, base: Binding, axis: int, item: surface.Expr) -> Callable[[], device.Expr] | None:
    if isinstance(item, surface.Slice):
        return None
    meaning = low.meaning(item)
    if isinstance(meaning, Static) and meaning.value < 0:
        extent = base.extent(axis)
        from_end = index(int(meaning.value), item.span)
        return lambda: arith("+", extent, from_end)
    return lambda: value(low, item, INDEX)


def _within(low: Lowering, at: device.Expr, length: device.Expr) -> None:
    """An index into a slice has to stay in the slice, not just in the array that it is cut from."""
    known = isinstance(at, device.Const)
    if known and isinstance(length, device.Const) and 0 <= at.value < length.value:
        return
    inside: device.Expr = device.Compare("<", at, length, type=BOOL, span=at.span)
    if not known or at.value < 0:
        above = device.Compare("<=", index(0, at.span), at, type=BOOL, span=at.span)
        inside = device.Logic("and", above, inside, type=BOOL, span=at.span)
    low.emit(device.Assert(inside, "index outside the slice", span=at.span))


def _cut(low: Lowering, current: device.Range, item: surface.Slice) -> device.Range:
    """`[start:stop:step]` of a range, clipped to it as Python does."""
    if item.start is None and item.stop is None and item.step is None:
        return current
    length = current.length
    start = _bound(low, item.start, length, index(0, item.span))
    stop = _bound(low, item.stop, length, length)
    step = low.meaning(item.step) if item.step is not None else Static(1)
    assert isinstance(step, Static)
    stride = int(step.value)
    count = arith("//", arith("+", arith("-", stop, start), index(stride - 1, item.span)), index(stride, item.span))
    left = count if item.start is None and item.step is None else arith("max", index(0, item.span), count)
    first = arith("+", current.start, arith("*", start, index(current.step, item.span)))
    return device.Range(first, low.once(left, "length"), current.step * stride, span=item.span)


def _bound(low: Lowering, expr: surface.Expr | None, length: device.Expr, default: device.Expr) -> device.Expr:
    """A bound of a slice: counted from the end where it is negative, then clipped to the length."""
    if expr is None:
        return default
    zero = index(0, expr.span)
    at = low.once(value(low, expr, INDEX), "bound")
    from_end = arith("max", zero, arith("+", length, at))
    within = at if isinstance(at, device.Const) and at.value == 0 else arith("min", at, length)
    if isinstance(at, device.Const):
        return low.once(from_end if at.value < 0 else within, "bound")
    negative = device.Compare("<", at, zero, type=BOOL, span=expr.span)
    return low.once(device.Select(negative, from_end, within, type=INDEX, span=expr.span), "bound")


def element(low: Lowering, expr: surface.Subscript) -> tuple[device.Array, tuple[device.Expr, ...]]:
    """The array and the full index tuple of an element."""
    bound = indexed(low, binding(low, expr.value), expr)
    indices = tuple(item for item in bound.items if isinstance(item, device.Expr))
    assert len(indices) == bound.array.rank, "not an element"
    return bound.array, indices
