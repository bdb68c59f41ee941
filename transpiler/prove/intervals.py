"""Arithmetic on intervals of integers.

In: intervals `(low, high)`, both ends inclusive, ints or `-inf` and `inf`. Out: intervals that hold every result of
the operation on exact integers, as Python means it. Non-goals: wrapping (`ranges` decides whether a result fits),
floats, relations.
"""

from __future__ import annotations

import math
from collections.abc import Callable

Interval = tuple[float, float]
"""Ends are an `int` of magnitude at most `_LIMIT`, or a float infinity, to which a much longer `int` would not add."""

ANY: Interval = (-math.inf, math.inf)
BOOL: Interval = (0, 1)
_BITS = 256
"""Numbers past so many bits are beyond any use, and count as unbounded."""

_LIMIT = 2**_BITS


def _written(low: float, high: float) -> Interval:
    """The interval, its ends kept to `_LIMIT`."""
    return (
        -math.inf if low < -_LIMIT else min(low, _LIMIT),
        math.inf if high > _LIMIT else max(high, -_LIMIT),
    )


def join(a: Interval, b: Interval) -> Interval:
    return (min(a[0], b[0]), max(a[1], b[1]))


def meet(a: Interval, b: Interval) -> Interval | None:
    """The common part, None when it is empty."""
    low, high = max(a[0], b[0]), min(a[1], b[1])
    return (low, high) if low <= high else None


def _corners(operation: Callable[[float, float], float], a: Interval, b: Interval) -> Interval:
    values = [operation(x, y) for x in a for y in b]
    return (min(values), max(values))


def _times(x: float, y: float) -> float:
    return 0 if x == 0 or y == 0 else x * y


def _floor_quotient(x: float, y: float) -> float:
    if math.isinf(y):
        return 0 if x == 0 or (x > 0) == (y > 0) else -1
    if math.isinf(x):
        return x if y > 0 else -x
    return x // y


def add(a: Interval, b: Interval) -> Interval:
    return _written(a[0] + b[0], a[1] + b[1])


def negate(a: Interval) -> Interval:
    return (-a[1], -a[0])


def subtract(a: Interval, b: Interval) -> Interval:
    return add(a, negate(b))


def multiply(a: Interval, b: Interval) -> Interval:
    return _written(*_corners(_times, a, b))


def floor_divide(a: Interval, b: Interval) -> Interval:
    """By any divisor but 0: that none is 0 is an obligation of its own."""
    parts = [part for part in (meet(b, (1, math.inf)), meet(b, (-math.inf, -1))) if part]
    if not parts:
        return ANY
    results = [_corners(_floor_quotient, a, part) for part in parts]
    return results[0] if len(results) == 1 else join(*results)


def floor_modulo(a: Interval, b: Interval) -> Interval:
    if b[0] > 0:
        if a[0] >= 0 and a[1] < b[0]:
            return a
        return (0, min(b[1] - 1, a[1]) if a[0] >= 0 else b[1] - 1)
    if b[1] < 0:
        return (b[0] + 1, 0)
    return (min(0, b[0] + 1), max(0, b[1] - 1))


def power(a: Interval, b: Interval) -> Interval:
    if a[0] < 0 or b[0] < 0:
        return ANY
    low = _power(a[0], b[0]) if a[0] >= 1 else (1 if b[1] == 0 else 0)
    high = _power(a[1], b[1]) if a[1] >= 1 else (1 if b[0] == 0 else 0)
    return _written(1 if low == math.inf else low, high)


def _power(base: float, exponent: float) -> float:
    """For a base of at least 1."""
    if base == 1 or exponent == 0:
        return 1
    return math.inf if math.isinf(base) or exponent > _BITS or base > 2**64 else base**exponent


def shift_left(a: Interval, b: Interval) -> Interval:
    if b[0] < 0 or b[1] > _BITS:
        return (0, math.inf) if a[0] >= 0 else ANY
    return multiply(a, (2 ** b[0], 2 ** b[1]))


def shift_right(a: Interval, b: Interval) -> Interval:
    if b[0] < 0:
        return ANY
    high = 2 ** b[1] if b[1] <= _BITS else math.inf
    return floor_divide(a, (2 ** min(b[0], _BITS), high))


def bit_and(a: Interval, b: Interval) -> Interval:
    tops = [x[1] for x in (a, b) if x[0] >= 0]
    if tops:
        return (0, min(tops))
    return (-_mask(a, b) - 1, max(a[1], b[1], 0))


def bit_or(a: Interval, b: Interval) -> Interval:
    if a[0] >= 0 and b[0] >= 0:
        return (max(a[0], b[0]), _mask(a, b))
    return (-_mask(a, b) - 1, _mask(a, b))


def bit_xor(a: Interval, b: Interval) -> Interval:
    if a[0] >= 0 and b[0] >= 0:
        return (0, _mask(a, b))
    return (-_mask(a, b) - 1, _mask(a, b))


def _mask(a: Interval, b: Interval) -> float:
    """The all-ones number that covers the bits of every value of both."""
    magnitude = max(a[1], b[1], -a[0] - 1, -b[0] - 1, 0)
    return math.inf if magnitude >= _LIMIT else (1 << int(magnitude).bit_length()) - 1


def minimum(a: Interval, b: Interval) -> Interval:
    return (min(a[0], b[0]), min(a[1], b[1]))


def maximum(a: Interval, b: Interval) -> Interval:
    return (max(a[0], b[0]), max(a[1], b[1]))


def absolute(a: Interval) -> Interval:
    if a[0] >= 0:
        return a
    return negate(a) if a[1] <= 0 else (0, max(-a[0], a[1]))


def invert(a: Interval) -> Interval:
    return _written(-a[1] - 1, -a[0] - 1)


OPERATIONS: dict[str, Callable[[Interval, Interval], Interval]] = {
    "+": add,
    "-": subtract,
    "*": multiply,
    "//": floor_divide,
    "%": floor_modulo,
    "**": power,
    "<<": shift_left,
    ">>": shift_right,
    "&": bit_and,
    "|": bit_or,
    "^": bit_xor,
    "min": minimum,
    "max": maximum,
}
