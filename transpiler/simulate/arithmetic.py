"""What the operators of the device IR mean, on whole vectors of lanes.

In: an operator, the type it is done in, operands as NumPy arrays or scalars of that type. Out: the result. What has
no result in some lanes is told to `fault(code, mask)`; those lanes go on with 0.

INDEX is exact: int64, with a fault where the exact result does not fit. Integer dtypes wrap. Floats round at each
operation; f16 and bf16 are computed in f32 and rounded once. `//` and `%` floor, as Python's do.
Non-goals: conversions (`conversion`), evaluation order (`expressions`).
"""

from __future__ import annotations

import operator
from collections.abc import Callable

import numpy as np

from transpiler.ir.types import DType, IndexType, Scalar
from transpiler.simulate.dtypes import Value, is_half, numpy_dtype

Fault = Callable[[str, Value], None]
"""Told a diagnostic code, and in which lanes it happened (a mask as long as the lanes, or one bool for all)."""

OVERFLOW, DIVISION, SHIFT, POWER = "E0502", "E0503", "E0504", "E0505"

_INT64 = np.iinfo(np.int64)


def unary(op: str, type_: Scalar, value: Value, fault: Fault) -> Value:
    if op == "not":
        return np.logical_not(value)
    if op == "~":
        return np.invert(value)
    if isinstance(type_, IndexType):
        worst = value == _INT64.min
        if np.any(worst):
            fault(OVERFLOW, worst)
    return np.negative(value) if op == "-" else np.abs(value)


def binary(op: str, type_: Scalar, left: Value, right: Value, fault: Fault) -> Value:
    if op == "min":
        return _pick(right < left, right, left)
    if op == "max":
        return _pick(right > left, right, left)
    if isinstance(type_, IndexType):
        return _index(op, left, right, fault)
    assert isinstance(type_, DType)
    if type_.is_float:
        return _float(op, type_, left, right)
    return _integer(op, type_, left, right, fault)


def _pick(cond: Value, then: Value, orelse: Value) -> Value:
    if np.ndim(cond) == 0:
        return then if cond else orelse
    return np.where(cond, then, orelse)


# --- comparison -------------------------------------------------------------------------------------------

_COMPARE = {
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
    "==": operator.eq,
    "!=": operator.ne,
}


def compare(op: str, left: Value, right: Value) -> Value:
    """By value, also between a signed and an unsigned integer."""
    if left.dtype != right.dtype and "u" in (left.dtype.kind, right.dtype.kind):
        return _compare_signs(op, left, right)
    return _COMPARE[op](left, right)


def _compare_signs(op: str, left: Value, right: Value) -> Value:
    """A negative number is below every unsigned one; others compare as u64 (or as i64 where neither is a u64)."""
    sign = (
        np.less(left, left.dtype.type(0)).astype(np.int8) * -1
        - np.less(right, right.dtype.type(0)).astype(np.int8) * -1
    )
    wide_left, wide_right = left.astype(np.uint64), right.astype(np.uint64)
    order = np.where(
        sign != 0, sign, (wide_left > wide_right).astype(np.int8) - (wide_left < wide_right).astype(np.int8)
    )
    result = _COMPARE[op](order, np.int8(0))
    return result if np.ndim(left) or np.ndim(right) else np.bool_(result)


# --- integers ---------------------------------------------------------------------------------------------


def _integer(op: str, type_: DType, left: Value, right: Value, fault: Fault) -> Value:
    match op:
        case "+":
            return np.add(left, right)
        case "-":
            return np.subtract(left, right)
        case "*":
            return np.multiply(left, right)
        case "&":
            return np.bitwise_and(left, right)
        case "|":
            return np.bitwise_or(left, right)
        case "^":
            return np.bitwise_xor(left, right)
        case "//" | "%":
            return _floor_int(op, left, right, fault)
        case "<<" | ">>":
            return _shift(op, type_.bits, left, right, fault)
        case "**":
            return _power_int(left, right, fault)
    raise AssertionError(op)


def _floor_int(op: str, left: Value, right: Value, fault: Fault) -> Value:
    """NumPy floors and gives the remainder the sign of the divisor, as Python does; by 0 it gives 0."""
    zero = right == 0
    if np.any(zero):
        fault(DIVISION, zero)
    return np.floor_divide(left, right) if op == "//" else np.remainder(left, right)


def _shift(op: str, bits: int, left: Value, right: Value, fault: Fault) -> Value:
    bad = (right < 0) | (right >= bits)
    if np.any(bad):
        fault(SHIFT, bad)
        left, right = _pick(bad, left.dtype.type(0), left), _pick(bad, right.dtype.type(0), right)
    return np.left_shift(left, right) if op == "<<" else np.right_shift(left, right)


def _power_int(base: Value, exponent: Value, fault: Fault) -> Value:
    """By squaring: each product wraps, so the result is the exact power modulo 2**width."""
    negative = exponent < 0
    if np.any(negative):
        fault(POWER, negative)
    one = base.dtype.type(1)
    result = np.ones(np.broadcast(base, exponent).shape, base.dtype)[()]
    rest = _pick(negative, exponent.dtype.type(0), exponent)
    while np.any(rest > 0):
        result = result * _pick((rest & one) == one, base, one)
        base = base * base
        rest = rest >> one
    return _pick(negative, base.dtype.type(0), result)


# --- index integers: exact --------------------------------------------------------------------------------


def bounds(value: Value) -> tuple[int, int]:
    if np.ndim(value) == 0:
        return int(value), int(value)
    return int(value.min()), int(value.max())


def _index(op: str, left: Value, right: Value, fault: Fault) -> Value:
    match op:
        case "&" | "|" | "^":
            return _integer(op, _I64, left, right, fault)
        case "//" | "%":
            result = _floor_int(op, left, right, fault)
            if op == "//" and bounds(left)[0] == _INT64.min:
                _check_exact(operator.floordiv, left, _pick(right == 0, np.int64(1), right), fault)
            return result
        case "**":
            result = _power_int(left, right, fault)
            if _power_may_overflow(left, right):
                _check_exact(pow, left, np.maximum(right, 0), fault)
            return result
        case "<<" | ">>":
            result = _shift(op, 64, left, right, fault)
            if op == "<<" and not _fits(_corners(operator.lshift, left, np.clip(right, 0, 63))):
                _check_exact(operator.lshift, left, np.clip(right, 0, 63), fault)
            return result
    exact = {"+": operator.add, "-": operator.sub, "*": operator.mul}[op]
    if not _fits(_corners(exact, left, right)):
        _check_exact(exact, left, right, fault)
    return exact(left, right)


_I64 = DType("i64", "int", 64)


def _corners(exact: Callable[[int, int], int], left: Value, right: Value) -> list[int]:
    """The results at the ends of both ranges: `+ - * <<` take their extremes there."""
    return [exact(a, b) for a in bounds(left) for b in bounds(right)]


def _fits(results: list[int]) -> bool:
    return _INT64.min <= min(results) and max(results) <= _INT64.max


def _power_may_overflow(base: Value, exponent: Value) -> bool:
    largest = max(abs(b) for b in bounds(base))
    return largest > 1 and max(0, bounds(exponent)[1]) * largest.bit_length() > 63


def _check_exact(exact: Callable[[int, int], int], left: Value, right: Value, fault: Fault) -> None:
    """Lane by lane in Python's integers: only where a range says that some lane may overflow."""
    left, right = np.broadcast_arrays(left, right)
    flat = [
        not _INT64.min <= exact(a, b) <= _INT64.max
        for a, b in zip(left.ravel().tolist(), right.ravel().tolist(), strict=True)
    ]
    over = np.array(flat, bool).reshape(left.shape)
    if over.any():
        fault(OVERFLOW, over[()])


# --- floats -----------------------------------------------------------------------------------------------


def _float(op: str, type_: DType, left: Value, right: Value) -> Value:
    if is_half(type_):
        wide = _float_op(op, left.astype(np.float32), right.astype(np.float32))
        return wide.astype(numpy_dtype(type_))
    return _float_op(op, left, right)


def _float_op(op: str, left: Value, right: Value) -> Value:
    match op:
        case "+":
            return np.add(left, right)
        case "-":
            return np.subtract(left, right)
        case "*":
            return np.multiply(left, right)
        case "/":
            return np.divide(left, right)
        case "%":
            return _float_divmod(left, right)[1]
        case "//":
            return _float_divmod(left, right)[0]
        case "**":
            return _float_power(left, right)
    raise AssertionError(op)


def _float_power(left: Value, right: Value) -> Value:
    """C's `pow`. NumPy takes the square root for an exponent of 0.5, which differs for -0.0 and -inf."""
    half, zero = right.dtype.type(0.5), left.dtype.type(0)
    special = (right == half) & ((left == zero) | (left == -np.inf))
    return np.where(special, np.abs(left), np.power(left, right))[()]


def _float_divmod(left: Value, right: Value) -> tuple[Value, Value]:
    """Python's pair: the remainder is exact with the sign of the divisor, the quotient is that of what the remainder leaves.

    Python raises for a divisor of 0; IEEE then gives a quotient of infinity or NaN and a remainder of NaN.
    """
    zero, one, half = (right.dtype.type(v) for v in (0, 1, 0.5))
    rest = np.fmod(left, right)
    quotient = np.divide(np.subtract(left, rest), right)
    other_sign = (rest != 0) & ((right < 0) != (rest < 0))
    rest = np.where(other_sign, rest + right, rest)
    quotient = np.where(other_sign, quotient - one, quotient)
    rest = np.where(rest == 0, np.copysign(zero, right), rest)
    floor = np.floor(quotient)
    floor = np.where(quotient - floor > half, floor + one, floor)
    floor = np.where(quotient == 0, np.copysign(zero, np.divide(left, right)), floor)
    floor = np.where(right == 0, np.divide(left, right), floor)
    return floor[()], rest[()]
