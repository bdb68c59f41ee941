"""Which type an operation is done in: the promotion rules of LANGUAGE section 8.

In: types of operands, weak literals included. Out: a type, or a `Refusal` with the reason; warnings as codes.
The same functions serve `check` (to type) and `lower` (to convert operands), so the two cannot disagree.
Non-goals: values; whether a literal fits is asked with `fits`.
"""

from __future__ import annotations

import math
import struct

from transpiler.ir.types import (
    BF16,
    BOOL,
    DTYPES,
    F16,
    F32,
    F64,
    I32,
    INDEX,
    WEAK_FLOAT,
    WEAK_INT,
    DType,
    IndexType,
    Type,
    WeakType,
)
from transpiler.records import record

COMPARISONS = frozenset(("<", "<=", ">", ">=", "==", "!="))
BITWISE = frozenset(("&", "|", "^"))
SHIFTS = frozenset(("<<", ">>"))


@record
class Refusal:
    reason: str
    help: str | None = None


@record
class Promoted:
    """`operand` is the type that both operands are converted to, `result` what the operation gives; `warnings` are codes."""

    operand: Type
    result: Type
    warnings: tuple[str, ...] = ()


def is_int(t: Type) -> bool:
    return isinstance(t, IndexType) or t == WEAK_INT or (isinstance(t, DType) and t.is_integer)


def is_float(t: Type) -> bool:
    return t == WEAK_FLOAT or (isinstance(t, DType) and t.is_float)


def is_number(t: Type) -> bool:
    return is_int(t) or is_float(t) or t == BOOL


def settle(t: Type) -> Type:
    """The type of a local whose assignments were all literals."""
    if t == WEAK_INT:
        return INDEX
    return F32 if t == WEAK_FLOAT else t


def fits(value: int | float | bool, t: Type) -> bool:
    """Whether a literal is in the range of a type; a float must not overflow to infinity."""
    if isinstance(t, IndexType):
        return isinstance(value, int) and -(1 << 63) <= value < (1 << 63)
    if not isinstance(t, DType):
        return True
    if t == BOOL:
        return isinstance(value, bool)
    if t.is_integer:
        return isinstance(value, int) and t.min <= value <= t.max
    return not math.isfinite(float_of(value)) or math.isfinite(rounded(float_of(value), t))


def float_of(value: int | float | bool) -> float:
    try:
        return float(value)
    except OverflowError:
        return math.inf if value > 0 else -math.inf


def rounded(value: float, dtype: DType) -> float:
    """The value rounded to a float dtype, infinite where it overflows."""
    if dtype == F64 or not math.isfinite(value):
        return value
    if dtype == BF16:
        bits = _to_odd(value)
        bits = (bits + 0x7FFF + ((bits >> 16) & 1)) & 0xFFFF0000
        return struct.unpack("<f", struct.pack("<I", bits))[0]
    try:
        code = "<e" if dtype == F16 else "<f"
        return struct.unpack(code, struct.pack(code, value))[0]
    except OverflowError:
        return math.copysign(math.inf, value)


def _to_odd(value: float) -> int:
    """The bits of the f32 next to the value towards zero, the last one set where it is not exact: safe to round again."""
    near = rounded(value, F32)
    bits: int = struct.unpack("<I", struct.pack("<f", near))[0]
    if near == value or not math.isfinite(near):
        return bits
    return (bits - (abs(near) > abs(value))) | 1


def join(a: Type, b: Type) -> Type | Refusal:
    """The one type that holds both: of the assignments of a local, of the arms of a conditional expression."""
    if a == b:
        return a
    if not (is_number(a) and is_number(b)):
        return Refusal(f"one is {a}, the other is {b}")
    if BOOL in (a, b):
        return Refusal(
            f"one is a bool, the other is {b if a == BOOL else a}",
            "write the comparison `!= 0`, or cast with `i32(...)`",
        )
    for x, y in ((a, b), (b, a)):
        if x == WEAK_INT and is_number(y):
            return y
        if x == WEAK_FLOAT and isinstance(y, DType) and y.is_float:
            return y
        if is_float(x) and is_int(y) and y != WEAK_INT:
            return Refusal(f"one is {x}, the other is {y}", "cast one of them, so that the reader sees what happens")
    numeric = arithmetic_type(a, b)
    return numeric.operand if isinstance(numeric, Promoted) else numeric


def arithmetic_type(a: Type, b: Type) -> Promoted | Refusal:
    """The common type of two numbers for `+ - *`."""
    a, b = (I32 if t == BOOL else t for t in (a, b))
    if a == b:
        return Promoted(a, a)
    if is_int(a) and is_int(b):
        return _integers(a, b)
    if is_float(a) and is_float(b):
        return _floats(a, b)
    number, floating = (a, b) if is_int(a) else (b, a)
    target = F32 if floating == WEAK_FLOAT else floating
    if number == WEAK_INT:
        return Promoted(floating, floating)
    return Promoted(target, target, ("W0202",))


def _integers(a: Type, b: Type) -> Promoted | Refusal:
    for weaker in (WEAK_INT, IndexType()):
        if weaker in (a, b):
            other = b if a == weaker else a
            return Promoted(other, other)
    assert isinstance(a, DType)
    assert isinstance(b, DType)
    if a.kind == b.kind:
        wide = max(a, b, key=lambda t: t.bits)
        return Promoted(wide, wide)
    signed, unsigned = (a, b) if a.kind == "int" else (b, a)
    bits = max(signed.bits, 2 * unsigned.bits)
    if bits > 64:
        return Refusal(f"no integer type holds both {a} and {b}", "cast one of them to the type that you mean")
    wide = DTYPES[f"i{bits}"]
    return Promoted(wide, wide)


def _floats(a: Type, b: Type) -> Promoted | Refusal:
    if isinstance(a, WeakType):
        return Promoted(b, b)
    if isinstance(b, WeakType):
        return Promoted(a, a)
    assert isinstance(a, DType)
    assert isinstance(b, DType)
    if {a, b} == {F16, BF16}:
        return Refusal("f16 and bf16 have no common type of 16 bits", "cast both to f32")
    wide = max(a, b, key=lambda t: t.bits)
    return Promoted(wide, wide, ("W0203",) if {a, b} == {F32, F64} else ())


def binary(op: str, a: Type, b: Type) -> Promoted | Refusal:
    """The typing of `a op b` for every arithmetic and bit operator."""
    if not (is_number(a) and is_number(b)):
        return Refusal(f"`{op}` needs numbers, not {a} and {b}")
    if op in BITWISE:
        if a == b == BOOL:
            return Promoted(BOOL, BOOL)
        if is_float(a) or is_float(b):
            return Refusal(f"`{op}` works on integers, not on floats")
        return arithmetic_type(a, b)
    if op in SHIFTS:
        if is_float(a) or is_float(b):
            return Refusal(f"`{op}` works on integers, not on floats")
        return arithmetic_type(a, b)
    common = arithmetic_type(a, b)
    if op == "/" and isinstance(common, Promoted) and is_int(common.operand):
        return _true_division(common.operand)
    return common


def _true_division(common: Type) -> Promoted:
    if common == WEAK_INT:
        return Promoted(WEAK_FLOAT, WEAK_FLOAT)
    wide = isinstance(common, DType) and common.bits == 64
    target = F64 if wide else F32
    return Promoted(target, target, ("W0201",))


def comparison(op: str, a: Type, b: Type) -> Promoted | Refusal:
    """The typing of a comparison; `operand` is INDEX where two integer types are compared by value in 64 bits."""
    if not (is_number(a) and is_number(b)):
        return Refusal(f"`{op}` compares numbers, not {a} with {b}")
    if a == b == BOOL:
        return Promoted(BOOL, BOOL)
    a, b = (I32 if t == BOOL else t for t in (a, b))
    if is_int(a) and is_int(b):
        return Promoted(_comparable(a, b), BOOL)
    common = arithmetic_type(a, b)
    return common if isinstance(common, Refusal) else Promoted(common.operand, BOOL, common.warnings)


def _comparable(a: Type, b: Type) -> Type:
    """The type in which two integers compare by value; None of them may change. A u64 with a signed one stays mixed (u64)."""
    u64 = DTYPES["u64"]
    if a == b:
        return settle(a)
    if u64 in (a, b):
        return u64
    for x, y in ((a, b), (b, a)):
        if x == WEAK_INT:
            return y
        if isinstance(x, IndexType):
            return INDEX
    common = _integers(a, b)
    return common.operand if isinstance(common, Promoted) else INDEX


@record
class Conversion:
    """Storing a value into `dtype` is legal; `exact` when the value must be proved to fit; `warning` is a code."""

    exact: bool = False
    warning: str = ""


def conversion(source: Type, target: Type) -> Conversion | Refusal:
    """Whether a value of `source` may be stored into a place of type `target` without the user writing a cast."""
    if source == target:
        return Conversion()
    if not is_number(source) or not is_number(target):
        return Refusal(f"{source} cannot be stored as {target}")
    if isinstance(source, WeakType):
        if source == WEAK_FLOAT and not is_float(target):
            return Refusal(f"a float cannot be stored as {target}", f"write `{target}(...)` if truncation is meant")
        return (
            Refusal("an int cannot be stored as bool", "write `True`, `False` or a comparison")
            if target == BOOL
            else Conversion()
        )
    if target == BOOL:
        return Refusal(f"{source} cannot be stored as bool", "write the comparison `!= 0`")
    if source == BOOL:
        return Conversion()
    if is_float(source) and is_int(target):
        return Refusal(f"{source} cannot be stored as {target}", f"write `{target}(...)` if truncation is meant")
    if isinstance(source, IndexType):
        return Conversion(exact=is_int(target))
    if isinstance(target, IndexType):
        return Conversion(exact=source == DTYPES["u64"])
    assert isinstance(source, DType)
    assert isinstance(target, DType)
    loses = source.kind == target.kind and source.bits > target.bits and target.bits >= 32
    return Conversion(
        warning="W0204" if loses or (source.is_integer and target.is_integer and source.bits > target.bits) else ""
    )
