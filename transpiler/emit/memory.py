"""Elements of arrays, and arrays as arguments, in C++.

In: arrays with index expressions or views. Out: `x[i * N + j]` for memory behind a pointer, `tile[i][j]` for arrays
that the C++ declares, `&x[...]` for the first element of a view. An access that is checked at run time is guarded by
`in_bounds`, which records.
Non-goals: whether an access needs a check.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from transpiler.emit import text
from transpiler.emit.abi import starts_at_zero
from transpiler.emit.cpp_types import INT, LONG, cpp_type
from transpiler.emit.text import Text
from transpiler.ir import device as d
from transpiler.ir.abi import AbiParam
from transpiler.ir.types import INDEX, DType
from transpiler.records import record

if TYPE_CHECKING:
    from transpiler.emit.expressions import FunctionName, Printer


@record
class Place:
    """How the C++ knows an array: by a pointer to its first element (`flat`), or as an array of its shape."""

    name: str
    flat: bool


def load(p: Printer, e: d.Load) -> Text:
    value = element(p, e.array, e.indices)
    guard = bounds_guard(p, e, e.array, e.indices)
    if guard is None:
        return value
    return text.conditional(guard, value, zero(e.array.dtype), value.ctype)


def zero(dtype: DType) -> Text:
    """What a skipped load gives."""
    from transpiler.emit.expressions import literal
    from transpiler.source import Span

    return literal(d.Const(0.0 if dtype.is_float else 0, span=Span(0, 0), type=dtype))


def bounds_guard(
    p: Printer, access: d.Load | d.Store | d.Atomic, array: d.Array, indices: tuple[d.Expr, ...]
) -> Text | None:
    """The condition under which a checked access takes place, None for one that is proved."""
    guard: Text | None = None
    for axis, index in enumerate(indices):
        site = p.failing(access, axis)
        if site is None:
            continue
        p.helpers.use("failure.cuh")
        args = ["failure", str(site), p.text(index), p.text(array.shape[axis])]
        check = text.call("in_bounds", args, "bool")
        guard = check if guard is None else text.binary("&&", guard, check, "bool")
    return guard


def element(p: Printer, array: d.Array, indices: tuple[d.Expr, ...]) -> Text:
    place = p.arrays[array]
    if place.flat:
        subscripts = f"[{offset(p, array, indices).text}]"
    else:
        subscripts = "".join(f"[{p.text(index)}]" for index in indices) or "[0]"
    return Text(f"{place.name}{subscripts}", text.POSTFIX, cpp_type(array.dtype))


def offset(p: Printer, array: d.Array, indices: tuple[d.Expr, ...]) -> Text:
    """The offset of an element, in elements."""
    if isinstance(array, d.ArrayParam) and array.order == "strided":
        return _strided_offset(p, array, indices)
    axes = list(zip(indices, array.shape, strict=True))
    if isinstance(array, d.ArrayParam) and array.order == "F":
        axes.reverse()
    total: d.Expr | None = None
    for index, extent in axes:
        if total is None or _is_zero(total):
            total = index
            continue
        row = d.Binary("*", total, extent, span=index.span, type=INDEX)
        total = row if _is_zero(index) else _plus(row, index)
    return text.primary("0", INT) if total is None else p.expr(total)


def _plus(row: d.Expr, index: d.Expr) -> d.Expr:
    """`row + (a + b)` as `row + a + b`: the same number, read more easily."""
    if isinstance(index, d.Binary) and index.op in ("+", "-"):
        return d.Binary(index.op, _plus(row, index.left), index.right, span=index.span, type=INDEX)
    return d.Binary("+", row, index, span=index.span, type=INDEX)


def _strided_offset(p: Printer, array: d.ArrayParam, indices: tuple[d.Expr, ...]) -> Text:
    total: Text | None = None
    for axis, index in enumerate(indices):
        if _is_zero(index):
            continue
        stride = text.primary(p.sizes["stride", array.name, axis], LONG)
        term = text.binary("*", p.expr(index), stride, LONG)
        total = term if total is None else text.binary("+", total, term, LONG)
    return total or text.primary("0", INT)


def _is_zero(e: d.Expr) -> bool:
    return isinstance(e, d.Const) and not e.name and e.value == 0


# --- arguments of device functions ------------------------------------------------------------------------


def arguments(p: Printer, function: FunctionName, args: tuple[d.Expr | d.View, ...]) -> list[str]:
    """The C++ arguments of a call of a device function, in the order of its C++ parameters."""
    params = function.function.params
    given = {param.name: arg for param, arg in zip(params, args, strict=True)}
    return [_argument(p, param, given) for param in function.parameters]


def _argument(p: Printer, param: AbiParam, given: dict[str, d.Expr | d.View]) -> str:
    if param.kind == "failure":
        return "failure"
    value = given[param.name]
    if isinstance(value, d.View):
        if param.kind == "pointer":
            return pointer(p, value)
        assert param.axis is not None
        axis, kept = [(k, item) for k, item in enumerate(value.items) if isinstance(item, d.Range)][param.axis]
        return p.text(kept.length) if param.kind == "extent" else _stride(p, value.array, axis, kept.step)
    return p.text(value)


def pointer(p: Printer, view: d.View) -> str:
    """The address of the first element of a view."""
    place = p.arrays[view.array]
    starts = tuple(item.start if isinstance(item, d.Range) else item for item in view.items)
    if starts_at_zero(view) and (place.flat or view.array.rank == 1):
        return place.name
    return f"&{element(p, view.array, starts).text}"


def _stride(p: Printer, array: d.Array, axis: int, step: int) -> str:
    """The distance of neighbours along an axis of a view, in elements."""
    if isinstance(array, d.ArrayParam) and array.order == "strided":
        total = text.primary(p.sizes["stride", array.name, axis], LONG)
        if step == 1:
            return total.text
        return text.binary("*", total, Text(str(step), text.UNARY, INT), LONG).text
    column_major = isinstance(array, d.ArrayParam) and array.order == "F"
    inner = array.shape[:axis] if column_major else array.shape[axis + 1 :]
    product: d.Expr | None = None
    for extent in inner:
        product = extent if product is None else d.Binary("*", product, extent, span=extent.span, type=INDEX)
    if product is None:
        return str(step)
    if step != 1:
        product = d.Binary("*", product, d.Const(step, span=product.span, type=INDEX), span=product.span, type=INDEX)
    return p.text(product)
