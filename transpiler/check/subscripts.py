"""Types of attributes and subscripts: elements, views, shapes, items of tuples, launch variables.

In: `a[...]` or `a.b` and its `Context`. Out: its meaning; a view is an `ArrayMeaning` of its own.
Non-goals: what may be written (`statements`).
"""

from __future__ import annotations

from transpiler.check.context import Context
from transpiler.check.expressions import describe, infer, infer_index, runs_something
from transpiler.check.meaning import (
    ArrayMeaning,
    DimMeaning,
    DTypeRef,
    Meaning,
    Qualified,
    ShapeOf,
    Static,
    Text,
    TupleMeaning,
    at_run_time,
    type_of,
)
from transpiler.ir import surface
from transpiler.ir.types import BOOL, INDEX, VectorType

LAUNCH_VARIABLES = ("threadIdx", "blockIdx", "blockDim", "gridDim")


AXES = "xyz"


def attribute(ctx: Context, expr: surface.Attribute) -> Meaning | None:
    base = infer(ctx, expr.value)
    match base:
        case Qualified():
            return _qualified_attribute(ctx, expr, base)
        case ArrayMeaning():
            return _array_attribute(ctx, expr, base)
        case VectorType():
            if expr.attr in "xyzw"[: base.size] and len(expr.attr) == 1:
                return base.dtype
            ctx.report("E0234", expr.span, f"{base} has no attribute `{expr.attr}`")
        case Text():
            ctx.report(
                "E0230", expr.span, "strings have no methods in a kernel", 'print an f-string: `print(f"{x:.3f}")`'
            )
        case None:
            pass
        case _:
            ctx.report("E0234", expr.span, f"{describe(base)} has no attribute `{expr.attr}`")
    return None


def _qualified_attribute(ctx: Context, expr: surface.Attribute, base: Qualified) -> Meaning | None:
    parent = base.name.removeprefix("transpiler.cuda.")
    if parent in LAUNCH_VARIABLES:
        if expr.attr in AXES and len(expr.attr) == 1:
            ctx.typed.axes = max(ctx.typed.axes, AXES.index(expr.attr) + 1)
            return INDEX
        ctx.report("E0234", expr.span, f"`cuda.{parent}` has the attributes x, y and z")
        return None
    name = f"{base.name}.{expr.attr}"
    if name in ctx.module.names:  # of another kernel file: `import common`, then `common.EPS`
        return ctx.definition(expr, ctx.module.names[name], name)
    return ctx.qualified(name)


def _array_attribute(ctx: Context, expr: surface.Attribute, array: ArrayMeaning) -> Meaning | None:
    if array.dynamic and expr.attr in ("shape", "size"):
        ctx.report("E0204", expr.span, f"the size of `{array.name}` is what the launch gives with `smem=`")
        return None
    match expr.attr:
        case "shape":
            return ShapeOf(array)
        case "size":
            return INDEX
        case "ndim":
            return Static(array.rank)
        case "dtype":
            return DTypeRef(array.dtype)
    ctx.report(
        "E0229",
        expr.span,
        f"arrays in a kernel have no `{expr.attr}`",
        "they have shape, size, ndim, dtype and elements",
    )
    return None


def subscript(ctx: Context, expr: surface.Subscript) -> Meaning | None:
    """`a[i, j]` (an element), `a[i]`, `a[1:n]` (views), `t[0]` of a tuple, `a.shape[k]`."""
    base = infer(ctx, expr.value)
    match base:
        case ArrayMeaning():
            return _index_array(ctx, expr, base)
        case ShapeOf():
            return _constant_item(
                ctx,
                expr,
                base.array.rank,
                tuple(
                    n if isinstance(n, DimMeaning) else Static(n) if n is not None else INDEX for n in base.array.shape
                ),
            )
        case TupleMeaning():
            return _constant_item(ctx, expr, len(base.items), base.items)
        case VectorType():
            return _constant_item(ctx, expr, base.size, (base.dtype,) * base.size)
        case None:
            for item in expr.items:
                infer(ctx, item) if not isinstance(item, surface.Slice) else None
            return None
    ctx.report("E0212", expr.span, f"{describe(base)} cannot be indexed")
    return None


def _constant_item(ctx: Context, expr: surface.Subscript, count: int, items: tuple[Meaning, ...]) -> Meaning | None:
    index = infer(ctx, expr.items[0]) if len(expr.items) == 1 else None
    if not isinstance(index, Static) or isinstance(index.value, float):
        ctx.report(
            "E0212",
            expr.span,
            "the index has to be an integer known at compile time",
            "use `cuda.local.array` for a run-time index",
        )
        return None
    if not -count <= index.value < count:
        ctx.report("E0212", expr.span, f"index {index.value} of {count} items")
        return None
    item = items[index.value]
    return at_run_time(item) if runs_something(expr.value) else item


def _index_array(ctx: Context, expr: surface.Subscript, array: ArrayMeaning) -> Meaning | None:
    if len(expr.items) > array.rank:
        ctx.report("E0211", expr.span, f"{len(expr.items)} indices on {describe(array)}")
        return None
    shape: list[int | DimMeaning | None] = []
    known = True
    for item, extent in zip(expr.items, array.shape, strict=False):
        if isinstance(item, surface.Slice):
            known = _slice(ctx, item) and known
            shape.append(None)
        else:
            known = _index_item(ctx, item, extent) and known
    shape.extend(array.shape[len(expr.items) :])
    if not known:
        return None
    if not shape:
        return array.dtype
    return _view(ctx, expr, array, tuple(shape))


def _view(
    ctx: Context, expr: surface.Subscript, array: ArrayMeaning, shape: tuple[int | DimMeaning | None, ...]
) -> ArrayMeaning:
    view = ctx.views.get(expr)
    if view is None or view.owner is not array.owner:
        view = ArrayMeaning(array.name, array.dtype, shape, array.space, array.ownership, expr, array.owner)
        ctx.views[expr] = view
    return view


def _index_item(ctx: Context, item: surface.Expr, extent: int | DimMeaning | None) -> bool:
    if isinstance(item, surface.EllipsisLiteral | surface.NoneLiteral):
        ctx.report(
            "E0235", item.span, "`...` and `None` in an index are not part of the language", "write the indices out"
        )
        return False
    meaning = infer(ctx, item)
    if isinstance(meaning, ArrayMeaning) or type_of(meaning) == BOOL:
        ctx.report("E0235", item.span, "an index is an integer, not an array or a bool", "loop over the elements")
        return False
    if infer_index(ctx, item, "an index") is None:
        return False
    if isinstance(meaning, Static) and isinstance(extent, int) and not -extent <= meaning.value < extent:
        ctx.report("E0501", item.span, f"index {meaning.value} is outside the extent {extent}")
        return False
    return True


def _slice(ctx: Context, item: surface.Slice) -> bool:
    known = True
    for bound in (item.start, item.stop):
        known = (bound is None or infer_index(ctx, bound, "a bound of a slice") is not None) and known
    if item.step is None:
        return known
    step = infer(ctx, item.step)
    if step is None:
        return False
    if not isinstance(step, Static) or not isinstance(step.value, int) or step.value < 1:
        ctx.report("E0235", item.span, "the step of a slice has to be a positive constant")
        return False
    return known
