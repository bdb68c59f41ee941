"""Conversions in C++.

In: `Cast` nodes. Out: nothing where the value stays and C++ converts by itself, a C cast where the value is kept or
wraps, an intrinsic or a helper where a float becomes an integer: those saturate, and NaN gives 0.
Non-goals: conversions that operations need for their own sake (`integers.unify`).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from transpiler.emit import floats, text
from transpiler.emit.cpp_types import INT, LONG, PROMOTED, UINT, ULONG, cpp_type, is_half, within
from transpiler.emit.text import Text
from transpiler.ir import device as d
from transpiler.ir.types import BOOL, DType, IndexType

if TYPE_CHECKING:
    from transpiler.emit.expressions import Printer

_ROUNDING = {INT: "__float2int_rz", UINT: "__float2uint_rz"}
"""Instructions that saturate and make 0 of NaN; those for doubles make it the smallest integer, and so do those for 64 bits."""

_TO_BF16 = {INT: "__int2bfloat16_rn", UINT: "__uint2bfloat16_rn", LONG: "__ll2bfloat16_rn", ULONG: "__ull2bfloat16_rn"}
"""One rounding where `float` on the way would be another. f16 needs none: integers that `float` rounds are beyond it."""

_EXACT_IN_FLOAT = (-(1 << 24), 1 << 24)

_RANK = {INT: 1, UINT: 2, LONG: 3, ULONG: 4}


def convert(p: Printer, e: d.Cast) -> Text:
    operand = p.expr(e.operand)
    source, target = e.operand.type, e.type
    from_float = isinstance(source, DType) and source.is_float
    if isinstance(target, DType) and target.is_float:
        return _to_float(p, e, operand, target)
    if target == BOOL:
        return _to_bool(operand, source)
    if from_float:
        assert isinstance(target, DType)
        return _float_to_integer(p, operand, source, target)
    return _integer_to_integer(p, e, operand)


def _to_float(p: Printer, e: d.Cast, operand: Text, target: DType) -> Text:
    ctype, source = cpp_type(target), e.operand.type
    if source == target:
        return operand
    if not is_half(target):
        return text.cast(operand, ctype)
    if isinstance(source, DType) and source.name == "f64":  # one rounding, not two
        name = "__double2half" if target.name == "f16" else "__double2bfloat16"
        return text.call(name, [operand.text], ctype)
    if target.name == "bf16" and operand.ctype in _TO_BF16 and not within(p.range_of(e.operand), _EXACT_IN_FLOAT):
        return text.call(_TO_BF16[operand.ctype], [operand.text], ctype)
    return floats.to_half(operand if operand.ctype == "float" else text.cast(operand, "float"), target)


def _to_bool(operand: Text, source: d.Scalar) -> Text:
    if source == BOOL:
        return operand
    if not isinstance(source, DType) or not source.is_float:
        return text.binary("!=", operand, text.primary("0", INT), "bool")
    if is_half(source):
        operand = text.cast(operand, "float")
    zero = "0.0" if source.name == "f64" else "0.0f"
    return text.binary("!=", operand, text.primary(zero, operand.ctype), "bool")


def _float_to_integer(p: Printer, operand: Text, source: d.Scalar, target: DType) -> Text:
    if is_half(source):
        operand = text.cast(operand, "float")
    ctype = cpp_type(target)
    if operand.ctype == "float" and ctype in _ROUNDING:
        return text.call(_ROUNDING[ctype], [operand.text], ctype)
    p.helpers.use("float_to_int.cuh")
    return text.call(f"float_to_int<{ctype}>", [operand.text], ctype)


def _integer_to_integer(p: Printer, e: d.Cast, operand: Text) -> Text:
    """No cast where the value fits and C++ need not narrow it."""
    values = p.range_of(e.operand)
    if isinstance(e.type, IndexType):
        return text.cast(operand, LONG) if operand.ctype == ULONG else operand
    ctype = cpp_type(e.type)
    if within(values, (e.type.min, e.type.max)):
        work = INT if ctype in PROMOTED else ctype
        present = INT if operand.ctype in PROMOTED else operand.ctype
        if _RANK[present] <= _RANK[work]:
            return operand
    if isinstance(e.operand, d.Const) and not e.operand.name:
        from transpiler.emit.expressions import literal

        if within(values, (e.type.min, e.type.max)):
            return literal(e.operand, ctype)
    return operand if operand.ctype == ctype else text.cast(operand, ctype)
