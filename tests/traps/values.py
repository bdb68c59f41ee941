"""Values that trip: the edges of each dtype, alone and in all pairs.

In: nothing. Out: NumPy arrays by the name of a dtype.
"""

from __future__ import annotations

import numpy as np

from tests.strategies.numbers import NUMPY, is_int, limits

_FINITE = (0.0, -0.0, 1.0, -1.0, 0.5, -0.5, 1.5, 2.5, -2.5, 3.0, -3.0, 7.0, -7.0, 0.1, -0.3, 1e-3, 100.0, -1000.0)
_LARGEST = {"f16": 65504.0, "bf16": 3.3895313892515355e38, "f32": 3.4028234663852886e38, "f64": 1.7976931348623157e308}
_SMALLEST = {"f16": 6e-8, "bf16": 9.2e-41, "f32": 1.4e-45, "f64": 5e-324}


def edges(dtype: str) -> np.ndarray:
    """Zeros, ones, small numbers of both signs and the ends of the range; of floats infinities and NaN as well."""
    if is_int(dtype):
        low, high = limits(dtype)
        near = [-8, -7, -3, -2, -1, 0, 1, 2, 3, 5, 7, 8, 100]
        numbers = {low, low + 1, high // 2, high - 1, high, *(n for n in near if low <= n <= high)}
        return np.array(sorted(numbers), NUMPY[dtype])
    ends = (_LARGEST[dtype], -_LARGEST[dtype], _SMALLEST[dtype], -_SMALLEST[dtype], np.inf, -np.inf, np.nan)
    return np.array([*_FINITE, *ends], np.float64).astype(NUMPY[dtype])


def pairs(dtype: str, other: str | None = None) -> tuple[np.ndarray, np.ndarray]:
    """Every edge with every edge."""
    a, b = edges(dtype), edges(other or dtype)
    return np.repeat(a, len(b)), np.tile(b, len(a))


def divisible(dtype: str) -> tuple[np.ndarray, np.ndarray]:
    """`pairs` without a divisor of 0."""
    a, b = pairs(dtype)
    keep = b != 0
    return a[keep], b[keep]


def spread(dtype: str, count: int = 600, seed: int = 1) -> tuple[np.ndarray, np.ndarray]:
    """Random bit patterns: floats of every size, integers of every size."""
    random = np.random.default_rng(seed)
    width = np.dtype(NUMPY[dtype]).itemsize
    raw = random.integers(0, 256, size=(2, count * width), dtype=np.uint8)
    return raw[0].view(NUMPY[dtype]), raw[1].view(NUMPY[dtype])


def halves(dtype: str) -> np.ndarray:
    """Floats between two integers, and beyond those that 32 and 64 bits hold."""
    beyond = (2147483648.0, -2147483649.0, 9.3e18, -9.3e18, 8388609.5)
    with np.errstate(over="ignore"):
        return np.array([0.5, 1.5, 2.5, -0.5, -1.5, 3.5, *beyond], np.float64).astype(NUMPY[dtype])
