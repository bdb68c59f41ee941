"""Declarations of the arrays of a function: shared, local, constant.

In: the arrays, the layout of the shared ones. Out: lines of C++ and, for the printer, how each array is reached.
Non-goals: parameters (`abi`).
"""

from __future__ import annotations

from transpiler.emit import text
from transpiler.emit.cpp_types import LONG, cpp_type, is_half
from transpiler.emit.expressions import Printer, literal
from transpiler.emit.memory import Place
from transpiler.emit.names import Names
from transpiler.ir import device as d
from transpiler.ir.shared import ALIGNMENT, SharedLayout, is_constant
from transpiler.ir.types import INDEX
from transpiler.source import Span

BLOCK = "shared_memory"


def declare(p: Printer, arrays: tuple[d.Array, ...], layout: SharedLayout | None, names: Names) -> str:
    """The declarations, one a line; the printer learns the places."""
    dynamic = () if layout is None else (*layout.dynamic, *((layout.leftover,) if layout.leftover else ()))
    for array in arrays:
        flat = array in dynamic and not (is_constant(array) and array.rank > 1)
        p.arrays[array] = Place(names.claim(array.name), flat)
    wide = {} if layout is None else layout.wide
    lines = [_declaration(p, array, wide.get(array)) for array in arrays if array not in dynamic]
    if layout is not None and dynamic:
        lines += _carve(p, layout)
    return "".join(f"{line}\n" for line in lines)


def _declaration(p: Printer, array: d.Array, alignment: int | None) -> str:
    name, ctype = p.arrays[array].name, cpp_type(array.dtype)
    subscripts = _subscripts(p, array.shape)
    if isinstance(array, d.ConstArray):
        values = [_element(array, value) for value in array.values]
        return f"{'const' if is_half(array.dtype) else 'constexpr'} {ctype} {name}{subscripts} = {_nested(values, array.shape)};"
    if not is_constant(array):
        raise NotImplementedError(f"{array.name}: an array of a device function has a constant shape")
    aligned = "" if alignment is None else f"__align__({alignment}) "
    return f"{'__shared__ ' if isinstance(array, d.SharedArray) else ''}{aligned}{ctype} {name}{subscripts};"


def _subscripts(p: Printer, shape: tuple[d.Expr, ...]) -> str:
    return "".join(f"[{p.text(extent)}]" for extent in shape) or "[1]"


def _element(array: d.Array, value: float) -> str:
    return literal(d.Const(value, span=array.span, type=array.dtype)).text


def _nested(values: list[str], shape: tuple[d.Expr, ...]) -> str:
    """An initialiser in the shape of the array."""
    extents = [int(e.value) for e in shape if isinstance(e, d.Const)]
    for extent in reversed(extents[1:]):
        values = [f"{{{', '.join(values[k : k + extent])}}}" for k in range(0, len(values), extent)]
    return f"{{{', '.join(values)}}}"


def _carve(p: Printer, layout: SharedLayout) -> list[str]:
    """Pointers into the dynamic block, each starting where the one before ends."""
    lines = [f"extern __shared__ __align__({ALIGNMENT}) unsigned char {BLOCK}[];"]
    end = BLOCK
    for array in layout.dynamic:
        name, ctype = p.arrays[array].name, cpp_type(array.dtype)
        if p.arrays[array].flat:
            lines.append(f"{ctype}* const {name} = reinterpret_cast<{ctype}*>({end});")
            end = f"{name} + {_count(p, array).at(text.BINARY['+'] + 1)}"
        else:
            row = _subscripts(p, array.shape[1:])
            lines.append(f"{ctype} (*const {name}){row} = reinterpret_cast<{ctype} (*){row}>({end});")
            end = f"{name} + {p.text(array.shape[0])}"
    if layout.leftover is not None:
        name, ctype = p.arrays[layout.leftover].name, cpp_type(layout.leftover.dtype)
        lines.append(f"{ctype}* const {name} = reinterpret_cast<{ctype}*>({_after(p, layout)});")
    return lines


def _count(p: Printer, array: d.Array) -> text.Text:
    product: d.Expr | None = None
    for extent in array.shape:
        product = extent if product is None else d.Binary("*", product, extent, span=extent.span, type=INDEX)
    return p.expr(product) if product is not None else text.primary("1", "int")


def _after(p: Printer, layout: SharedLayout) -> str:
    """Where the sized arrays end, rounded up."""
    if not layout.dynamic:
        return BLOCK
    total: d.Expr | None = None
    for array in layout.dynamic:
        size: d.Expr = _constant(array.dtype.itemsize)
        for extent in array.shape:
            size = d.Binary("*", size, extent, span=extent.span, type=INDEX)
        total = size if total is None else d.Binary("+", total, size, span=array.span, type=INDEX)
    assert total is not None
    padded = text.binary("+", p.expr(total), text.primary(str(ALIGNMENT - 1), "int"), LONG)
    return f"{BLOCK} + {padded.at(text.BINARY['*'])} / {ALIGNMENT} * {ALIGNMENT}"


def _constant(value: int) -> d.Const:
    return d.Const(value, span=Span(0, 0), type=INDEX)
