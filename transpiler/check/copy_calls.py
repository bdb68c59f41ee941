"""Types of the calls of asynchronous copies: `cuda.cp_async`, `cp_async_commit_group`, `cp_async_wait_group`.

In: a `surface.Call`. Out: its meaning (no value), and a `CopyCall` or `CopyGroupCall` in the table. A copy moves 4, 8 or 16 bytes
from global to shared memory, elements that lie one behind the other. All three stand in the kernel itself, where it is known
which memory an array is in.
Non-goals: bounds, alignment of indices, whether anyone waits (`prove`); which architectures have them (`target`).
"""

from __future__ import annotations

from math import prod

from transpiler.check.calls import Form, arguments, resolved
from transpiler.check.context import Context
from transpiler.check.expressions import describe, infer, infer_index
from transpiler.check.meaning import (
    ArrayMeaning,
    CopyCall,
    CopyGroupCall,
    Meaning,
    NoneMeaning,
    Static,
)
from transpiler.ir import surface
from transpiler.ir.copies import SIZES

_MOST_PENDING = 1 << 10
"""A thread with more groups under way than this waits for nothing."""


def _copy(ctx: Context, call: surface.Call) -> Meaning | None:
    args = arguments(ctx, call, ("array", "index", "source", "source_index", "count="))
    if args is None or None in args[:4] or not _in_kernel(ctx, call):
        return None
    target, at, source, start, count = args
    assert target is not None
    assert at is not None
    assert source is not None
    assert start is not None
    arrays = [_array(ctx, expr, word) for expr, word in ((target, "fills"), (source, "reads"))]
    indices = [index.items if isinstance(index, surface.TupleExpr) else (index,) for index in (at, start)]
    elements = _constant(ctx, count, "count", 1) if count is not None else 1
    if elements is None or arrays[0] is None or arrays[1] is None:
        return None
    into, out = arrays[0], arrays[1]
    if not _places(ctx, call, into, out) or not _size(ctx, call, into, out, elements):
        return None
    if not all([_index(ctx, call, array, index) for array, index in zip((into, out), indices, strict=True)]):
        return None
    resolved(ctx, call, CopyCall(target, indices[0], source, indices[1], elements))
    return NoneMeaning()


def _in_kernel(ctx: Context, call: surface.Call) -> bool:
    if ctx.function.is_kernel:
        return True
    ctx.report(
        "E0206",
        call.span,
        "asynchronous copies, their groups and waits stand in the kernel itself, not in a device function",
        "move the call into the kernel, and let the function compute the indices",
    )
    return False


def _array(ctx: Context, expr: surface.Expr, does: str) -> ArrayMeaning | None:
    array = infer(ctx, expr)
    if isinstance(array, ArrayMeaning):
        return array
    if array is not None:
        ctx.report("E0204", expr.span, f"what an asynchronous copy {does} is an array, not {describe(array)}")
    return None


def _constant(ctx: Context, expr: surface.Expr, name: str, least: int) -> int | None:
    meaning = infer(ctx, expr)
    if isinstance(meaning, Static) and type(meaning.value) is int and meaning.value >= least:
        return meaning.value
    if meaning is not None:
        ctx.report(
            "E0205",
            expr.span,
            f"`{name}` is an integer of at least {least} that is known at compile time, not {describe(meaning)}",
            "use a literal, a module constant or a `Const[int]` parameter",
        )
    return None


def _places(ctx: Context, call: surface.Call, target: ArrayMeaning, source: ArrayMeaning) -> bool:
    if source.ownership == "atomic":
        ctx.report("E0306", call.span, f"`{source.name}` is an `Atomic` parameter: only atomics touch it")
        return False
    to, of = f"`{target.name}`", f"`{source.name}`"
    if target.space != "shared":
        reason = f"an asynchronous copy fills shared memory, and {to} is not: it is {_memory(target)}"
        help = "allocate the target with `cuda.shared.array`, or store the value"
    elif source.space != "param":
        reason = f"an asynchronous copy reads global memory, and {of} is not: it is {_memory(source)}"
        help = "read an array parameter of the kernel, or store the value"
    elif target.dtype != source.dtype:
        reason = f"an asynchronous copy moves bytes as they are: {of} holds {source.dtype}, {to} {target.dtype}"
        help = "give both one dtype, or load, convert and store the value"
    else:
        return True
    ctx.report("E0206", call.span, reason, help)
    return False


def _memory(array: ArrayMeaning) -> str:
    spaces = {"param": "global memory", "shared": "shared memory", "local": "memory of one thread"}
    return spaces.get(array.space, "constant memory")


def _size(ctx: Context, call: surface.Call, target: ArrayMeaning, source: ArrayMeaning, count: int) -> bool:
    size = target.dtype.itemsize
    total = count * size
    if total not in SIZES:
        fitting = [str(n // size) for n in SIZES if n >= size and n % size == 0]
        ctx.report(
            "E0205",
            call.span,
            f"an asynchronous copy moves 4, 8 or 16 bytes, and {count} of {target.dtype} are {total}",
            f"copy {' or '.join(fitting)} elements of {target.dtype} at once: `count={fitting[-1]}`",
        )
        return False
    if count == 1:
        return True
    return all(_contiguous(ctx, call, array) for array in (target, source)) and _aligned(ctx, call, target, total)


def _contiguous(ctx: Context, call: surface.Call, array: ArrayMeaning) -> bool:
    """Whether neighbours on the last axis are neighbours in memory, and all of them are the array's."""
    param = next((p.device for p in ctx.typed.params if p.meaning is array.owner), None)
    order = getattr(param, "order", "C")
    if order == "C" and _last_axis(ctx, array):
        return True
    kind = {"F": "column-major", "strided": "strided"}.get(order, "cut from an array on its last axis")
    name = ctx.source.slice(array.origin.span) if array.root else array.name
    ctx.report(
        "E0206",
        call.span,
        f"`{name}` is {kind}: elements with neighbouring indices need not lie one behind the other",
        "copy one element at a time, or from and to a whole row of a C-contiguous array",
    )
    return False


def _last_axis(ctx: Context, array: ArrayMeaning) -> bool:
    """Whether the last axis of a view is the whole last axis of the array that it is cut from."""
    view = array.origin
    if array.root is None or not isinstance(view, surface.Subscript):
        return True
    base = ctx.typed.meanings.get(view.value)
    if not isinstance(base, ArrayMeaning) or not _last_axis(ctx, base):
        return False
    last = view.items[-1]
    whole = isinstance(last, surface.Slice) and last.start is None and last.stop is None and last.step is None
    return len(view.items) < base.rank or whole


def _aligned(ctx: Context, call: surface.Call, target: ArrayMeaning, total: int) -> bool:
    """The array can be placed at a multiple of the size, and so can what lies behind it."""
    shape = target.owner.shape
    if target.owner.dynamic:
        return True
    extents = [extent for extent in shape if isinstance(extent, int)]
    if len(extents) < len(shape):
        ctx.report(
            "E0206",
            call.span,
            f"`{target.name}` is sized by the launch, and copies of {total} bytes need it at a multiple of {total}",
            "give it a constant shape, or copy one element at a time",
        )
        return False
    if prod(extents) * target.dtype.itemsize % total:
        ctx.report(
            "E0206",
            call.span,
            f"`{target.name}` has {prod(extents) * target.dtype.itemsize} bytes, which copies of {total} bytes do not divide",
            f"pad its shape to a multiple of {total // target.dtype.itemsize} elements",
        )
        return False
    return True


def _index(ctx: Context, call: surface.Call, array: ArrayMeaning, index: tuple[surface.Expr, ...]) -> bool:
    if len(index) != array.rank:
        ctx.report("E0211", call.span, f"{len(index)} indices on {describe(array)}")
        return False
    return all([infer_index(ctx, item, "an index") is not None for item in index])


def _commit(ctx: Context, call: surface.Call) -> Meaning | None:
    if arguments(ctx, call, ()) is None or not _in_kernel(ctx, call):
        return None
    resolved(ctx, call, CopyGroupCall(None))
    return NoneMeaning()


def _wait(ctx: Context, call: surface.Call) -> Meaning | None:
    args = arguments(ctx, call, ("pending",))
    if args is None or args[0] is None or not _in_kernel(ctx, call):
        return None
    pending = _constant(ctx, args[0], "pending", 0)
    if pending is None:
        return None
    resolved(ctx, call, CopyGroupCall(min(pending, _MOST_PENDING)))
    return NoneMeaning()


FORMS: dict[str, Form] = {
    "transpiler.cuda.cp_async": _copy,
    "transpiler.cuda.cp_async_commit_group": _commit,
    "transpiler.cuda.cp_async_wait_group": _wait,
}
