"""NumPy meanings of the warp intrinsics.

In: `active` and arguments shaped (warps, threads), at most 32 threads; lanes beyond are inactive. Out: arrays of that
shape. What the device leaves undefined (the value of a lane that does not take part) is 0 here; `shuffle_source`
tells which lane is read, for those who report it.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from transpiler.intrinsics.meaning_floats import quietly
from transpiler.intrinsics.meaning_lanes import LANES, WARP, padded, reduce_lanes, scan_lanes, shift_lanes, wide

Array = NDArray[Any]


def warps(active: Array, *args: Array) -> tuple[Array, ...]:
    return tuple(padded(a, WARP) for a in (active, *args))


def shaped(result: Array, active: Array) -> Array:
    return np.ascontiguousarray(np.broadcast_to(result, (active.shape[0], WARP))[:, : active.shape[1]])


# --- shuffles ---------------------------------------------------------------------------------------------


def shuffle_source(name: str, operand: Array, width: Array) -> Array:
    """The lane that each lane reads, shaped as `operand` (warps, 32): its own where the exchange would leave the group.

    PTX defines it (`shfl.sync`): `operand` counts modulo 32, `first` and `last` are the ends of the group of `width` lanes.
    """
    operand, first = operand.astype(np.int64) & 31, LANES & ~(width.astype(np.int64) - 1)
    last = first + width.astype(np.int64) - 1
    if name == "shfl_sync":
        return first + (operand & (width - 1))
    if name == "shfl_up_sync":
        source = LANES - operand
        return np.where(source >= first, source, LANES)
    source = LANES + operand if name == "shfl_down_sync" else LANES ^ operand
    return np.where(source <= last, source, LANES)


def shuffle(name: str, active: Array, mask: Array, value: Array, operand: Array, width: Array) -> Array:
    running, mask, value, operand, width = warps(active, mask, value, operand, width)
    source = shuffle_source(name, operand, np.where(running, width, WARP))
    received = np.take_along_axis(value, source, axis=1)
    present = np.take_along_axis(running, source, axis=1)
    return shaped(np.where(present, received, np.zeros((), value.dtype)), active)


def shfl_sync(active: Array, mask: Array, value: Array, lane: Array, width: Array) -> Array:
    return shuffle("shfl_sync", active, mask, value, lane, width)


def shfl_up_sync(active: Array, mask: Array, value: Array, delta: Array, width: Array) -> Array:
    return shuffle("shfl_up_sync", active, mask, value, delta, width)


def shfl_down_sync(active: Array, mask: Array, value: Array, delta: Array, width: Array) -> Array:
    return shuffle("shfl_down_sync", active, mask, value, delta, width)


def shfl_xor_sync(active: Array, mask: Array, value: Array, lane_mask: Array, width: Array) -> Array:
    return shuffle("shfl_xor_sync", active, mask, value, lane_mask, width)


# --- votes and matches ------------------------------------------------------------------------------------


def ballot(bits: Array) -> Array:
    """Rows of 32 bools as words, lane 0 lowest."""
    words = np.packbits(bits, axis=-1, bitorder="little")
    return words.view("<u4").astype(np.uint32)


def ballot_sync(active: Array, mask: Array, predicate: Array) -> Array:
    running, mask, predicate = warps(active, mask, predicate)
    return shaped(ballot(running & predicate) & mask, active)


def any_sync(active: Array, mask: Array, predicate: Array) -> Array:
    return ballot_sync(active, mask, predicate) != 0


def all_sync(active: Array, mask: Array, predicate: Array) -> Array:
    return ballot_sync(active, mask, ~predicate) == 0


def activemask(active: Array) -> Array:
    (running,) = warps(active)
    return shaped(ballot(running), active)


def match_any_sync(active: Array, mask: Array, value: Array) -> Array:
    """Bits are compared, not numbers: NaN matches NaN, -0.0 does not match 0.0."""
    running, mask, value = warps(active, mask, np.ascontiguousarray(value).view(f"u{value.dtype.itemsize}"))
    equal = (value[:, :, None] == value[:, None, :]) & running[:, None, :]
    return shaped(ballot(equal)[:, :, 0] & mask, active)


def match_all_sync(active: Array, mask: Array, value: Array) -> tuple[Array, Array]:
    everyone = ballot_sync(active, mask, np.ones(active.shape, bool))
    all_equal = match_any_sync(active, mask, value) == everyone
    return np.where(all_equal, mask, np.uint32(0)), all_equal


# --- reductions and scans ---------------------------------------------------------------------------------


@quietly
def reduce(name: str, active: Array, value: Array) -> Array:
    running, value = warps(active, value)
    return shaped(reduce_lanes(name, running, wide(value)).astype(value.dtype), active)


@quietly
def scan(name: str, active: Array, value: Array) -> Array:
    running, value = warps(active, value)
    result = scan_lanes(running, wide(value))
    if name == "exclusive_scan":
        result = shift_lanes(result)
    return shaped(result.astype(value.dtype), active)
