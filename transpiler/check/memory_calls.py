"""Types of calls that make or change memory: `shared.array`, `local.array`, `const.array_like`, `atomic.*`.

In: a `surface.Call`. Out: its meaning and `AllocCall` or `AtomicCall` in the table.
Non-goals: where an allocation may stand (`statements` binds it to a name), bounds.
"""

from __future__ import annotations

from transpiler.check import promotion
from transpiler.check.calls import Form, arguments, resolved, storable
from transpiler.check.context import Context, dtype_of_name
from transpiler.check.expressions import describe, infer, infer_index, infer_number
from transpiler.check.meaning import (
    AllocCall,
    ArrayMeaning,
    AtomicCall,
    DimMeaning,
    DTypeRef,
    FunctionCall,
    IntrinsicCall,
    Meaning,
    NoneMeaning,
    Qualified,
    Static,
    Text,
    TupleMeaning,
    type_of,
)
from transpiler.ir import surface
from transpiler.ir.types import BOOL, DType
from transpiler.ir.walk import surface_walk

ORDERS = ("relaxed", "acquire", "release", "acq_rel", "seq_cst")
SCOPES = {"block": "block", "device": "device", "gpu": "device", "system": "system"}
_OF_THREADS = (Qualified("transpiler.cuda.threadIdx"), Qualified("transpiler.cuda.blockIdx"))
_LARGEST_LOCAL = 1 << 16
"""Elements of a local array: beyond this it is a mistake, not a kernel (local memory is 512 KB a thread)."""


def dtype_argument(ctx: Context, expr: surface.Expr) -> DType | None:
    """A dtype given as a value: `f32`, `np.float32`, `"float32"`, `a.dtype`, `float`."""
    from transpiler.check.context import BUILTIN_DTYPES

    meaning = infer(ctx, expr)
    if isinstance(meaning, DTypeRef):
        return meaning.dtype
    found = dtype_of_name(meaning.value) if isinstance(meaning, Text) else None
    if isinstance(meaning, Qualified):
        found = BUILTIN_DTYPES.get(meaning.name)
    if found is None and meaning is not None:
        ctx.report(
            "E0205",
            expr.span,
            f"{describe(meaning)} is not a dtype",
            "dtypes are bool_, i8 to i64, u8 to u64, f16, bf16, f32, f64",
        )
    return found


def _alloc(space: str) -> Form:
    def form(ctx: Context, call: surface.Call) -> Meaning | None:
        args = arguments(ctx, call, ("shape", "dtype", "fill="))
        if args is None or args[0] is None or args[1] is None:
            return None
        dtype = dtype_argument(ctx, args[1])
        shape = args[0].items if isinstance(args[0], surface.TupleExpr) else (args[0],)
        extents = _extents(ctx, args[0], shape, space)
        if dtype is None or extents is None:
            return None
        if args[2] is not None:
            value = infer_number(ctx, args[2], "`fill`")
            if value is None or not storable(ctx, args[2], value, dtype):
                return None
        array = _allocated(ctx, call, space, dtype, extents)
        exprs = shape if len(shape) == len(extents) else tuple(args[0] for _ in extents)
        resolved(ctx, call, AllocCall(array, exprs, args[2]))
        return array

    return form


def _allocated(
    ctx: Context, call: surface.Call, space: str, dtype: DType, extents: tuple[int | DimMeaning | None, ...]
) -> ArrayMeaning:
    array = ctx.views.get(call)
    if array is None:
        dynamic = space == "shared" and extents == (0,)
        shape = (None,) if dynamic else extents
        array = ArrayMeaning(space, dtype, shape, space, "inout", call, dynamic=dynamic)
        ctx.views[call] = array
    return array


def _extents(
    ctx: Context, whole: surface.Expr, shape: tuple[surface.Expr, ...], space: str
) -> tuple[int | DimMeaning | None, ...] | None:
    extents: list[int | DimMeaning | None] = []
    meaning = infer(ctx, whole)
    if isinstance(meaning, TupleMeaning) and not isinstance(whole, surface.TupleExpr):
        meanings: list[Meaning | None] = list(meaning.items)
    else:
        meanings = [infer(ctx, item) for item in shape]
    for item in meanings:
        if item is None:
            return None
        if isinstance(item, Static) and isinstance(item.value, int) and not isinstance(item.value, bool):
            smallest = 0 if space == "shared" else 1
            if item.value < smallest:
                ctx.report("E0205", whole.span, f"an extent of {item.value} in a {space} array")
                return None
            extents.append(item.value)
        elif space == "shared" and not isinstance(item, Static | ArrayMeaning | TupleMeaning):
            if not promotion.is_int(type_of(item) or BOOL):
                ctx.report("E0204", whole.span, f"an extent has to be an integer, not {describe(item)}")
                return None
            extents.append(item if isinstance(item, DimMeaning) else None)
        else:
            ctx.report(
                "E0205",
                whole.span,
                f"the shape of a {space} array has to be integers known at compile time, not {describe(item)}",
                "use a literal, a module constant or a `Const[int]` parameter",
            )
            return None
    return _sane(ctx, whole, tuple(extents), space)


def _sane(
    ctx: Context, whole: surface.Expr, extents: tuple[int | DimMeaning | None, ...], space: str
) -> tuple[int | DimMeaning | None, ...] | None:
    elements = 1
    for extent in extents:
        elements *= extent if isinstance(extent, int) else 1
    if space == "local" and elements > _LARGEST_LOCAL:
        ctx.report(
            "E0205",
            whole.span,
            f"a local array of {elements} elements a thread",
            "a thread has 512 KB of local memory at most: use a global array",
        )
        return None
    if any(not isinstance(extent, int) for extent in extents) and not _launch_sized(ctx, whole):
        return None
    return extents


def _launch_sized(ctx: Context, whole: surface.Expr) -> bool:
    """Whether the host can compute the extents: in the kernel itself, from dims, scalars, extents and `blockDim`."""
    if not ctx.function.is_kernel:
        ctx.report(
            "E0205",
            whole.span,
            "a shared array sized by the launch stands in the kernel itself, not in a device function",
            "allocate it in the kernel and pass it to the function",
        )
        return False
    for node in surface_walk(whole):
        thread = isinstance(node, surface.Attribute) and ctx.typed.meanings.get(node.value) in _OF_THREADS
        element = isinstance(node, surface.Subscript) and isinstance(ctx.typed.meanings.get(node.value), ArrayMeaning)
        known = isinstance(node, surface.Expr) and isinstance(ctx.typed.meanings.get(node), Static)
        local = isinstance(node, surface.Name) and node.id in ctx.assignments and not known
        call = ctx.typed.calls.get(node) if isinstance(node, surface.Call) else None
        computed = isinstance(call, IntrinsicCall | FunctionCall | AtomicCall) or isinstance(node, surface.Walrus)
        if thread or element or local or computed:
            ctx.report(
                "E0205",
                node.span,
                "the host sizes a shared array before the launch: from constants, dims, scalars, extents and `blockDim`",
                "allocate the largest size, or pass the size as a scalar parameter",
            )
            return False
    return True


def _const_like(ctx: Context, call: surface.Call) -> Meaning | None:
    args = arguments(ctx, call, ("values", "dtype="))
    if args is None or args[0] is None:
        return None
    values = infer(ctx, args[0])
    flat = _flatten(values)
    if flat is None:
        if values is not None:
            ctx.report(
                "E0205",
                args[0].span,
                f"`const.array_like` takes a tuple of numbers (of equal tuples for two axes), not {describe(values)}",
            )
        return None
    shape, numbers = flat
    dtype = dtype_argument(ctx, args[1]) if args[1] is not None else _common_dtype(numbers)
    if dtype is None:
        return None
    misfit = next((n for n in numbers if not promotion.fits(n, dtype)), None)
    if misfit is not None:
        ctx.report("E0208", call.span, f"the number {misfit} does not fit {dtype}")
        return None
    array = _allocated(ctx, call, "const", dtype, shape)
    resolved(ctx, call, AllocCall(array, (), None, numbers))
    return array


def _common_dtype(numbers: tuple[int | float | bool, ...]) -> DType:
    from transpiler.ir.types import F32, I32, I64

    if any(isinstance(n, float) for n in numbers):
        return F32
    return I32 if all(promotion.fits(n, I32) for n in numbers) else I64


def _flatten(meaning: Meaning | None) -> tuple[tuple[int, ...], tuple[int | float | bool, ...]] | None:
    if not isinstance(meaning, TupleMeaning) or not meaning.items:
        return None
    if all(isinstance(item, Static) for item in meaning.items):
        return (len(meaning.items),), tuple(item.value for item in meaning.items if isinstance(item, Static))
    rows = [_flatten(item) for item in meaning.items]
    if None in rows or len({row[0] for row in rows if row}) != 1:
        return None
    known = [row for row in rows if row]
    return (len(known), *known[0][0]), tuple(n for row in known for n in row[1])


# --- atomics ----------------------------------------------------------------------------------------------

_OPERANDS = {"cas": ("old", "value"), "load": ()}
_INTEGER_ONLY = ("and", "or", "xor", "inc", "dec")


def _atomic(op: str) -> Form:
    operands = _OPERANDS.get(op, ("value",))

    def form(ctx: Context, call: surface.Call) -> Meaning | None:
        args = arguments(ctx, call, ("array", "index", *operands, "order=", "scope="))
        if args is None or args[0] is None or args[1] is None:
            return None
        array = infer(ctx, args[0])
        if not isinstance(array, ArrayMeaning):
            if array is not None:
                ctx.report(
                    "E0204", args[0].span, f"an atomic works on an element of an array, not on {describe(array)}"
                )
            return None
        index = args[1].items if isinstance(args[1], surface.TupleExpr) else (args[1],)
        if not _element(ctx, call, array, index) or not _supported(ctx, call, op, array.dtype):
            return None
        values = tuple(a for a in args[2 : 2 + len(operands)] if a is not None)
        for value in values:
            found = infer_number(ctx, value, "the value of an atomic")
            if found is None or not storable(ctx, value, found, array.dtype):
                return None
        order = _word(ctx, args[-2], "order", ORDERS, "relaxed")
        scope = _word(ctx, args[-1], "scope", tuple(SCOPES), "device")
        if order is None or scope is None or not _writable(ctx, call, op, array):
            return None
        resolved(ctx, call, AtomicCall(op, args[0], index, values, order, SCOPES[scope]))
        return NoneMeaning() if op == "store" else array.dtype

    return form


def _element(ctx: Context, call: surface.Call, array: ArrayMeaning, index: tuple[surface.Expr, ...]) -> bool:
    if len(index) != array.rank:
        ctx.report("E0211", call.span, f"{len(index)} indices on {describe(array)}")
        return False
    return all([infer_index(ctx, item, "an index") is not None for item in index])


def _supported(ctx: Context, call: surface.Call, op: str, dtype: DType) -> bool:
    reason = ""
    if dtype == BOOL:
        reason = "there is no atomic on bool"
    elif op in _INTEGER_ONLY and not dtype.is_integer:
        reason = f"`atomic.{op}` works on integers, not on {dtype}"
    elif op in ("inc", "dec") and dtype.name not in ("u32", "u64", "i32"):
        reason = f"`atomic.{op}` works on u32, not on {dtype}"
    if reason:
        ctx.report("E0206", call.span, reason, "use i32 or u32" if dtype == BOOL else None)
    return not reason


def _word(ctx: Context, expr: surface.Expr | None, name: str, words: tuple[str, ...], default: str) -> str | None:
    if expr is None:
        return default
    if isinstance(expr, surface.Str) and expr.value in words:
        return expr.value
    ctx.report("E0205", expr.span, f"`{name}` is one of {', '.join(map(repr, words))}")
    return None


def _writable(ctx: Context, call: surface.Call, op: str, array: ArrayMeaning) -> bool:
    if array.ownership == "in" and op != "load":
        ctx.report(
            "E0304",
            call.span,
            f"`{array.name}` is an `In` parameter: it is lent for reading only",
            f"annotate it `Atomic[{array.dtype}, ...]`",
        )
        return False
    if array.space == "const":
        ctx.report("E0304", call.span, f"`{array.name}` is constant")
        return False
    return True


FORMS: dict[str, Form] = {
    "transpiler.cuda.shared.array": _alloc("shared"),
    "transpiler.cuda.local.array": _alloc("local"),
    "transpiler.cuda.const.array_like": _const_like,
    **{
        f"transpiler.cuda.atomic.{name}": _atomic(name.rstrip("_"))
        for name in ("add", "sub", "min", "max", "and_", "or_", "xor", "exch", "inc", "dec", "cas", "load", "store")
    },
}
