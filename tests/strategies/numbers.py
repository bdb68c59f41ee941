"""Numbers of a dtype for CPython: what the kernel language says about arithmetic, written once more and apart from
`transpiler`.

In: Python values and the name of a dtype. Out: `Num`, which CPython's own operators, loops and conditions work on. An index
integer is a plain Python `int` (exact, takes the other side's dtype), a bare float literal a plain Python `float`, a bool a
`bool`. Integers wrap, floats round at each operation; `//` and `%` of the narrow floats are NumPy's, those of f64 Python's
own. What has no value raises: `ZeroDivisionError`, `BadShift`, `BadPower`, `Misfit` (an index integer that its dtype cannot
hold). Non-goals: functions of `math` beyond the exact ones; speed.
"""

from __future__ import annotations

import math
import operator
from collections.abc import Callable
from fractions import Fraction
from typing import Any

import ml_dtypes
import numpy as np

INTEGERS = ("i8", "i16", "i32", "i64", "u8", "u16", "u32", "u64")
FLOATS = ("f16", "bf16", "f32", "f64")
NAMES = ("bool_", *INTEGERS, *FLOATS)

NUMPY: dict[str, Any] = {
    "bool_": np.bool_, "i8": np.int8, "i16": np.int16, "i32": np.int32, "i64": np.int64,
    "u8": np.uint8, "u16": np.uint16, "u32": np.uint32, "u64": np.uint64,
    "f16": np.float16, "bf16": ml_dtypes.bfloat16, "f32": np.float32, "f64": np.float64,
}  # fmt: skip
_PRECISION = {"f16": (11, -14, 15), "bf16": (8, -126, 127), "f32": (24, -126, 127)}
"""Bits of the significand, smallest and largest exponent."""


class BadShift(Exception):
    """A shift by less than 0, or by the width or more."""


class BadPower(Exception):
    """An integer to a negative power."""


class Misfit(Exception):
    """An index integer in a dtype that cannot hold it."""


class Refused(Exception):
    """Operands that have no common type."""


def is_int(dtype: str) -> bool:
    return dtype[0] in "iu"


def bits(dtype: str) -> int:
    return int(dtype.lstrip("biuf"))


def limits(dtype: str) -> tuple[int, int]:
    width = bits(dtype)
    return (-(1 << width - 1), (1 << width - 1) - 1) if dtype[0] == "i" else (0, (1 << width) - 1)


def wrap(value: int, dtype: str) -> int:
    low, _ = limits(dtype)
    return (value - low) % (1 << bits(dtype)) + low


def round_to(value: int | float, dtype: str) -> float:
    """The number of a float dtype nearest to an exact value, ties to even."""
    if isinstance(value, float):
        if dtype == "f64" or not math.isfinite(value) or value == 0:
            return value
        if dtype in ("f32", "f16"):
            with np.errstate(all="ignore"):
                return float(NUMPY[dtype](value))
    elif value == 0:
        return 0.0
    elif dtype == "f64":
        return float(value)
    return _nearest(Fraction(value), *_PRECISION[dtype])


def _nearest(value: Fraction, precision: int, smallest: int, largest: int) -> float:
    magnitude = abs(value)
    exponent = magnitude.numerator.bit_length() - magnitude.denominator.bit_length()
    if magnitude < Fraction(2) ** exponent:
        exponent -= 1
    quantum = Fraction(2) ** (max(exponent, smallest) - precision + 1)
    rounded = round(magnitude / quantum) * quantum
    if rounded >= Fraction(2) ** (largest + 1):
        return math.copysign(math.inf, value)
    return math.copysign(float(rounded), value)


def convert(value: Any, dtype: str) -> Any:
    """A cast that the user wrote: a `Num` of the dtype, or a bool."""
    raw = value.value if isinstance(value, Num) else value
    if dtype == "bool_":
        return raw != 0
    if not is_int(dtype):
        return Num(dtype, round_to(int(raw) if isinstance(raw, bool) else raw, dtype))
    if isinstance(raw, float):
        low, high = limits(dtype)
        if math.isnan(raw):
            return Num(dtype, 0)
        return Num(dtype, (high if raw > 0 else low) if math.isinf(raw) else min(max(int(raw), low), high))
    return Num(dtype, wrap(int(raw), dtype))


def stored(value: Any, dtype: str) -> Any:
    """A value that goes where `dtype` is kept: as a cast, but an index integer has to fit."""
    if isinstance(value, int) and not isinstance(value, bool) and is_int(dtype):
        return Num(dtype, _fitting(value, dtype))
    return convert(value, dtype)


def _fitting(value: int, dtype: str) -> int:
    low, high = limits(dtype)
    if not low <= value <= high:
        raise Misfit(f"{value} as {dtype}")
    return value


# --- promotion --------------------------------------------------------------------------------------------


def common_dtype(a: str, b: str) -> str:
    """The dtype that an operation on two dtypes is done in."""
    if a == b:
        return a
    if is_int(a) != is_int(b):
        return b if is_int(a) else a
    if not is_int(a):
        if {a, b} == {"f16", "bf16"}:
            raise Refused("f16 with bf16")
        return max(a, b, key=bits)
    if a[0] == b[0]:
        return max(a, b, key=bits)
    signed, unsigned = (a, b) if a[0] == "i" else (b, a)
    width = max(bits(signed), 2 * bits(unsigned))
    if width > 64:
        raise Refused(f"{a} with {b}")
    return f"i{width}"


def dtype_of(value: Any) -> str | None:
    """None for a plain int or float, which takes the dtype of the other side."""
    if isinstance(value, bool):
        return "i32"
    return value.dtype if isinstance(value, Num) else None


def common(*values: Any) -> tuple[str, list[Any]]:
    """The dtype for all of the values, and the values in it; one of them at least is a `Num`."""
    known = [d for d in map(dtype_of, values) if d is not None]
    target = known[0]
    for dtype in known[1:]:
        target = common_dtype(target, dtype)
    if is_int(target) and any(isinstance(v, float) for v in values):
        target = "f32"
    return target, [_operand(v, target) for v in values]


def _operand(value: Any, dtype: str) -> Any:
    raw = value.value if isinstance(value, Num) else value
    if is_int(dtype):
        return _fitting(raw, dtype) if type(value) is int else wrap(int(raw), dtype)
    return round_to(int(raw) if isinstance(raw, bool) else raw, dtype)


# --- the numbers ------------------------------------------------------------------------------------------


class Num:
    """A value of a dtype: an `int` in its range, or a `float` that it can hold."""

    __slots__ = ("dtype", "value")
    __hash__ = None  # type: ignore[assignment]

    def __init__(self, dtype: str, value: int | float) -> None:
        self.dtype, self.value = dtype, value

    def __repr__(self) -> str:
        return f"{self.dtype}({self.value!r})"

    def __str__(self) -> str:
        return str(self.value) if is_int(self.dtype) or self.dtype == "f64" else str(NUMPY[self.dtype](self.value))

    def __format__(self, spec: str) -> str:
        return format(self.value, spec) if spec else str(self)

    def __bool__(self) -> bool:
        return self.value != 0

    def __index__(self) -> int:
        assert is_int(self.dtype), f"{self.dtype} as an index"
        return int(self.value)

    def __neg__(self) -> Num:
        return Num(self.dtype, wrap(-self.value, self.dtype) if is_int(self.dtype) else -self.value)  # type: ignore[arg-type]

    def __pos__(self) -> Num:
        return self

    def __abs__(self) -> Num:
        return Num(self.dtype, wrap(abs(self.value), self.dtype) if is_int(self.dtype) else abs(self.value))  # type: ignore[arg-type]

    def __invert__(self) -> Num:
        return Num(self.dtype, wrap(~int(self.value), self.dtype))

    def __round__(self) -> Num:
        return whole(self, round)

    def __divmod__(self, other: Any) -> tuple[Any, Any]:
        return self // other, self % other

    def __rdivmod__(self, other: Any) -> tuple[Any, Any]:
        return other // self, other % self

    def __truediv__(self, other: Any) -> Num:
        return _true_division(self, other)

    def __rtruediv__(self, other: Any) -> Num:
        return _true_division(other, self)


def _true_division(left: Any, right: Any) -> Num:
    target, (a, b) = common(left, right)
    if is_int(target):
        target = "f64" if bits(target) == 64 else "f32"
        a, b = round_to(a, target), round_to(b, target)
    return Num(target, round_to(_quotient(a, b), target))


def _quotient(a: float, b: float) -> float:
    return a / b if b != 0 else float(np.divide(np.float64(a), np.float64(b)))


def _arithmetic(op: str) -> Callable[[Any, Any], Num]:
    function = {"+": operator.add, "-": operator.sub, "*": operator.mul}[op]

    def apply(left: Any, right: Any) -> Num:
        target, (a, b) = common(left, right)
        result = function(a, b)
        return Num(target, wrap(result, target) if is_int(target) else round_to(result, target))

    return apply


def _floored(op: str) -> Callable[[Any, Any], Num]:
    function = {"//": operator.floordiv, "%": operator.mod}[op]

    def apply(left: Any, right: Any) -> Num:
        target, (a, b) = common(left, right)
        if is_int(target):
            return Num(target, wrap(function(a, b), target))
        if target == "f64":
            return Num(target, function(a, b) if b != 0 else _quotient(a, b) if op == "//" else math.nan)
        with np.errstate(all="ignore"):
            return Num(target, round_to(float(function(np.float32(a), np.float32(b))), target))

    return apply


def _bitwise(op: str) -> Callable[[Any, Any], Num]:
    function = {"&": operator.and_, "|": operator.or_, "^": operator.xor}[op]

    def apply(left: Any, right: Any) -> Num:
        target, (a, b) = common(left, right)
        return Num(target, wrap(function(a, b), target))

    return apply


def _shift(op: str) -> Callable[[Any, Any], Num]:
    def apply(left: Any, right: Any) -> Num:
        target, (a, b) = common(left, right)
        if not 0 <= b < bits(target):
            raise BadShift(f"{a} {op} {b}")
        return Num(target, wrap(a << b, target) if op == "<<" else a >> b)

    return apply


def _power(left: Any, right: Any) -> Num:
    """Small whole powers of floats are products; others come from `math.pow`, which a device meets within its ulp bound."""
    target, (a, b) = common(left, right)
    if is_int(target):
        if b < 0:
            raise BadPower(f"{a} ** {b}")
        return Num(target, wrap(pow(a, b, 1 << bits(target)), target))
    if b in (2, 3, 4) and isinstance(right, int | float):
        result = a
        for _ in range(int(b) - 1):
            result = round_to(result * a, target)
        return Num(target, result)
    try:
        return Num(target, round_to(math.pow(a, b), target))
    except (ValueError, OverflowError):
        with np.errstate(all="ignore"):
            return Num(target, round_to(float(np.power(np.float64(a), np.float64(b))), target))


def _compared(op: Callable[[Any, Any], bool]) -> Callable[[Any, Any], bool]:
    def apply(left: Any, right: Any) -> bool:
        a, b = comparable(left, right)
        return op(a, b)

    return apply


def comparable(*values: Any) -> list[Any]:
    """Integers compare by value as they are; beside a float all are converted to its dtype."""
    raw = [v.value if isinstance(v, Num) else int(v) if isinstance(v, bool) else v for v in values]
    return raw if all(isinstance(v, int) for v in raw) else common(*values)[1]


def _install() -> None:
    operations = {
        "add": _arithmetic("+"), "sub": _arithmetic("-"), "mul": _arithmetic("*"), "floordiv": _floored("//"),
        "mod": _floored("%"), "and": _bitwise("&"), "or": _bitwise("|"), "xor": _bitwise("^"),
        "lshift": _shift("<<"), "rshift": _shift(">>"), "pow": _power,
    }  # fmt: skip
    for name, function in operations.items():
        setattr(Num, f"__{name}__", lambda self, other, f=function: f(self, other))
        setattr(Num, f"__r{name}__", lambda self, other, f=function: f(other, self))
    for name in ("lt", "le", "gt", "ge", "eq", "ne"):
        setattr(Num, f"__{name}__", _compared(getattr(operator, name)))


_install()


def whole(value: Any, function: Callable[[float], int]) -> Any:
    """A float as an integer in the direction of `function`: i32 (i64 of an f64), saturating, 0 for NaN."""
    if not isinstance(value, Num):
        return function(value)
    if is_int(value.dtype):
        return value
    target = "i64" if value.dtype == "f64" else "i32"
    low, high = limits(target)
    if not math.isfinite(value.value):
        return Num(target, 0 if math.isnan(value.value) else high if value.value > 0 else low)
    return Num(target, min(max(function(value.value), low), high))


def smallest(*values: Any) -> Any:
    return _extremum(min, values)


def largest(*values: Any) -> Any:
    return _extremum(max, values)


def _extremum(function: Callable[..., Any], values: tuple[Any, ...]) -> Any:
    """Python's own `min` and `max` on values of one dtype: the first of equals, and NaN where it stands first."""
    if all(isinstance(v, bool) for v in values) or not any(isinstance(v, Num) for v in values):
        return function(values)
    target, converted = common(*values)
    return Num(target, function(converted))
