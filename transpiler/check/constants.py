"""Arithmetic at compile time: what Python itself gives for literals and module constants.

In: operators and Python numbers. Out: the folded number, or a sentence that says why there is none.
Non-goals: rounding to a dtype, which happens where the constant meets one.
"""

from __future__ import annotations

import math
import operator
from collections.abc import Callable

Number = int | float | bool
_MAX_BITS = 4096
"""Larger integers are refused rather than computed: `1 << 10**9` must not hang the compiler."""

_BINARY: dict[str, Callable[[Number, Number], Number]] = {
    "+": operator.add,
    "-": operator.sub,
    "*": operator.mul,
    "/": operator.truediv,
    "//": operator.floordiv,
    "%": operator.mod,
}
_BITWISE: dict[str, Callable[[int, int], int]] = {"&": operator.and_, "|": operator.or_, "^": operator.xor}
_COMPARE: dict[str, Callable[[Number, Number], bool]] = {
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
    "==": operator.eq,
    "!=": operator.ne,
}
MATH_CONSTANTS = {name: getattr(math, name) for name in ("pi", "e", "tau", "inf", "nan")}


def fold_unary(op: str, a: Number) -> Number | str:
    if op == "not":
        return not a
    if op == "~":
        if isinstance(a, bool):
            return "`~True` is -2 in Python"
        return ~a if isinstance(a, int) else "`~` works on integers"
    return -a if op == "-" else +a


def fold_binary(op: str, a: Number, b: Number) -> Number | str:
    """The value of `a op b`, or a sentence why it has none."""
    try:
        if op in ("<<", ">>"):
            return _shift(op, a, b)
        if op == "**":
            return _power(a, b)
        if op in _BITWISE and isinstance(a, int) and isinstance(b, int):
            return _BITWISE[op](a, b)
        if op in _BITWISE:
            return f"`{op}` works on integers, not on floats"
        if op in _BINARY:
            return _bounded(_BINARY[op](a, b))
        return f"`{op}` is not an operation on numbers"
    except ZeroDivisionError:
        return "division by zero"
    except TypeError:
        return f"`{op}` works on integers, not on floats"
    except OverflowError:
        return "the result is too large for a float"


def _bounded(value: Number) -> Number | str:
    if isinstance(value, int) and value.bit_length() > _MAX_BITS:
        return "the result is too large"
    return value


def _shift(op: str, a: Number, b: Number) -> Number | str:
    if isinstance(a, float) or isinstance(b, float):
        return f"`{op}` works on integers, not on floats"
    if b < 0:
        return "a negative shift count"
    if op == ">>":
        return a >> min(b, _MAX_BITS)
    return _bounded(a << b) if b <= _MAX_BITS or a == 0 else "the result is too large"


def _power(a: Number, b: Number) -> Number | str:
    if isinstance(a, int) and isinstance(b, int) and b > 0 and a.bit_length() * b > _MAX_BITS:
        return "the result is too large"
    value = a**b
    return "the result is a complex number" if isinstance(value, complex) else value


def fold_compare(op: str, a: Number, b: Number) -> bool | None:
    return _COMPARE[op](a, b) if op in _COMPARE else None
