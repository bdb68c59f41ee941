"""Floating-point operations in C++.

In: operations of the device IR on floats, already converted to one dtype. Out: the plain operators, and helpers where
Python differs from C (`//`, `%`, `min`, `max`, powers). f16 and bf16 use the operators of their CUDA types, which
round each result to the type; what has no such operator goes through `float`, whose result rounded once more is the
same for `+ - * /` and `sqrt`.
Non-goals: contraction into fused multiply-adds, which the build decides (`fma="off"` is an option of NVRTC).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from transpiler.emit import literals, text
from transpiler.emit.cpp_types import cpp_type, is_half
from transpiler.emit.text import Text
from transpiler.ir import device as d
from transpiler.ir.types import DType

if TYPE_CHECKING:
    from transpiler.emit.expressions import Printer

FROM_FLOAT = {"f16": "__float2half", "bf16": "__float2bfloat16"}


def literal(const: d.Const) -> Text:
    dtype = const.type
    assert isinstance(dtype, DType)
    value = float(const.value)
    if is_half(dtype):
        source = literals.half_source(value, dtype.name, const.text)
        return text.call(FROM_FLOAT[dtype.name], [source], cpp_type(dtype))
    spelled = literals.floating(value, dtype.bits, const.text)
    precedence = text.UNARY if spelled.startswith("-") else text.POSTFIX
    return Text(spelled, precedence, cpp_type(dtype))


def to_half(operand: Text, dtype: DType) -> Text:
    """A `float` rounded to a half type."""
    return text.call(FROM_FLOAT[dtype.name], [operand.text], cpp_type(dtype))


def unary(p: Printer, e: d.Unary) -> Text:
    operand, ctype = p.expr(e.operand), cpp_type_of(e)
    if e.op == "-":
        return text.unary("-", operand, ctype)
    name = {"float": "fabsf", "double": "fabs"}.get(ctype, "__habs")
    return text.call(name, [operand.text], ctype)


def binary(p: Printer, e: d.Binary) -> Text:
    ctype = cpp_type_of(e)
    left, right = p.expr(e.left), p.expr(e.right)
    match e.op:
        case "+" | "-" | "*" | "/":
            return text.binary(e.op, left, right, ctype)
        case "min" | "max":
            p.helpers.use("python_min_max.cuh")
            return text.call(f"python_{e.op}", [left.text, right.text], ctype)
    if is_half(e.type):
        left, right = text.cast(left, "float"), text.cast(right, "float")
    work = "float" if is_half(e.type) else ctype
    if e.op == "**":
        out = _power(p, e, left, right, work)
    else:
        name = "floor_div" if e.op == "//" else "floor_mod"
        p.helpers.use(f"float_{name}.cuh")
        out = text.call(name, [left.text, right.text], work)
    assert isinstance(e.type, DType)
    return to_half(out, e.type) if is_half(e.type) else out


def _power(p: Printer, e: d.Binary, left: Text, right: Text, work: str) -> Text:
    """Small whole powers are multiplications, all others `pow`."""
    exponent = e.right.value if isinstance(e.right, d.Const) else None
    if exponent == 2 and left.precedence == text.PRIMARY:
        return text.binary("*", left, left, work)
    if exponent in (2, 3):
        p.helpers.use("small_powers.cuh")
        return text.call("squared" if exponent == 2 else "cubed", [left.text], work)
    return text.call("powf" if work == "float" else "pow", [left.text, right.text], work)


def cpp_type_of(e: d.Expr) -> str:
    assert isinstance(e.type, DType)
    return cpp_type(e.type)
