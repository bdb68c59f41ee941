"""Conversions between types, explicit in the device IR.

In: a built expression and the type that its place wants. Out: the expression in that type: itself, a literal of that type, a
`Cast`. Non-goals: whether the conversion is legal, which `check` has settled.
"""

from __future__ import annotations

import math
import struct
from fractions import Fraction

from transpiler.check.promotion import float_of, rounded, settle
from transpiler.ir import device
from transpiler.ir.types import BOOL, F64, DType, IndexType, Type
from transpiler.source import Span


def constant(value: int | float | bool, target: Type, span: Span, text: str = "", name: str = "") -> device.Const:
    """A literal in the type of its place; a float is rounded to it."""
    kind = settle(target)
    assert isinstance(kind, DType | IndexType)
    if isinstance(kind, DType) and kind.is_float:
        text = text if isinstance(value, float) else ""
        nearest = literal(text, kind) if text else rounded(float_of(value), kind)
        return device.Const(nearest, text, name, type=kind, span=span)
    if kind == BOOL:
        return device.Const(bool(value), "", name, type=BOOL, span=span)
    assert not isinstance(value, float), f"a float literal for {kind}"
    return device.Const(int(value), text, name, type=kind, span=span)


def literal(text: str, kind: DType) -> float:
    """The float of `kind` nearest to a decimal text.

    Rounding the f64 nearest to the text once more could err where that lies half way; rounding to odd in between cannot.
    """
    near = float(text)
    if kind == F64 or near == 0.0:  # `1e-99999999` as a fraction would be a number of 100 million digits
        return rounded(near, kind)
    exact = Fraction(text.replace("_", ""))
    if exact == Fraction(near):
        return rounded(near, kind)
    below = near if abs(Fraction(near)) < abs(exact) else math.nextafter(near, 0.0)
    bits = struct.unpack("<q", struct.pack("<d", below))[0] | 1
    return rounded(struct.unpack("<d", struct.pack("<q", bits))[0], kind)


def convert(value: device.Expr, target: Type, *, explicit: bool = False) -> device.Expr:
    """The value in type `target`. A conversion that is not `explicit` must lose nothing where it leaves INDEX for a dtype."""
    kind = settle(target)
    assert isinstance(kind, DType | IndexType), f"conversion to {kind}"
    if value.type == kind:
        return value
    if isinstance(value, device.Const) and not explicit and _literal_fits(value, kind):
        return constant(value.value, kind, value.span, value.text, value.name)
    if explicit and isinstance(value, device.Const) and isinstance(kind, DType):
        return device.Const(cast_number(value.value, kind), "", value.name, type=kind, span=value.span)
    exact = isinstance(value.type, IndexType) and isinstance(kind, DType) and kind.is_integer and not explicit
    exact = exact or (
        isinstance(kind, IndexType)
        and isinstance(value.type, DType)
        and value.type.kind == "uint"
        and value.type.bits == 64
    )
    return device.Cast(value, exact, type=kind, span=value.span)


def _literal_fits(value: device.Const, kind: device.Scalar) -> bool:
    if isinstance(kind, IndexType):
        return isinstance(value.value, int)
    if kind.is_float:
        return isinstance(value.type, IndexType)
    return kind.is_integer and isinstance(value.value, int) and kind.min <= value.value <= kind.max


def truth(value: device.Expr) -> device.Expr:
    """The value as a condition: a bool as it is, a number compared with 0 (NaN is true)."""
    if value.type == BOOL:
        return value
    zero = constant(0, value.type, value.span)
    return device.Compare("!=", value, zero, type=BOOL, span=value.span)


def cast_number(value: int | float | bool, kind: DType) -> int | float | bool:
    """What `kind(value)` gives at run time: rounded, wrapped, or truncated and saturated."""
    if kind == BOOL:
        return bool(value)
    if kind.is_float:
        return rounded(float_of(value), kind)
    if isinstance(value, float):
        whole = (
            0 if math.isnan(value) else math.inf if value > kind.max else -math.inf if value < kind.min else int(value)
        )
        return int(min(max(whole, kind.min), kind.max))
    return (int(value) - kind.min) % (1 << kind.bits) + kind.min
