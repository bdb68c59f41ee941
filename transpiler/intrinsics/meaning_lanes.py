"""Reductions and scans over the lanes of warps, in the order in which the device combines them: floats agree to the bit.

In: `valid` and values shaped (warps, 32). Out: arrays of that shape. The warp and the block meanings are made of
these.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from transpiler.intrinsics.meaning_floats import F32, fmax, fmin, is_half

Array = NDArray[Any]
Operation = Callable[[Array, Array], Array]
WARP = 32
LANES = np.arange(WARP)


def operation(name: str, dtype: np.dtype[Any]) -> Operation:
    floats = {"max": fmax, "min": fmin}
    others: dict[str, Operation] = {
        "sum": np.add,
        "prod": np.multiply,
        "max": np.maximum,
        "min": np.minimum,
        "and_": np.bitwise_and,
        "or_": np.bitwise_or,
        "xor": np.bitwise_xor,
    }
    return floats[name] if dtype.kind not in "iub" and name in floats else others[name]


def padded(array: Array, columns: int) -> Array:
    """Lanes that do not exist are zero (and False: not valid)."""
    missing = columns - array.shape[1]
    return array if missing == 0 else np.pad(array, ((0, 0), (0, missing)))


def wide(value: Array) -> Array:
    """Half precision is combined in f32."""
    return value.astype(F32) if is_half(value.dtype) and value.dtype.kind not in "iu" else value


def reduce_lanes(name: str, valid: Array, value: Array) -> Array:
    """One result a row, shaped (warps, 1): what lane 0 gathers by butterfly exchanges with the valid lanes."""
    combine = operation(name, value.dtype)
    for step in (16, 8, 4, 2, 1):
        partner, present = value[:, LANES ^ step], valid[:, LANES ^ step]
        value = np.where(present, np.where(valid, combine(value, partner), partner), value)
        valid = valid | present
    return value[:, :1]


def scan_lanes(valid: Array, value: Array) -> Array:
    """Inclusive prefix sums; lanes that are not valid count as 0."""
    value = np.where(valid, value, np.zeros((), value.dtype))
    for step in (1, 2, 4, 8, 16):
        below = np.zeros_like(value)
        below[:, step:] = value[:, :-step]
        value = np.where(step <= LANES, value + below, value)
    return value


def shift_lanes(value: Array) -> Array:
    """The value of the lane below, 0 in lane 0."""
    result = np.zeros_like(value)
    result[:, 1:] = value[:, :-1]
    return result
