"""NumPy meanings of the block intrinsics.

In: `active` and arguments shaped (blocks, threads), threads in linear order. Out: arrays of that shape. Floats are
combined in the order of the device code: within warps, then over the warps.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from transpiler.intrinsics.meaning_floats import quietly
from transpiler.intrinsics.meaning_lanes import WARP, padded, reduce_lanes, scan_lanes, shift_lanes, wide

Array = NDArray[Any]


def rows(array: Array) -> Array:
    """(blocks, threads) as (blocks * warps, 32)."""
    threads = -(-array.shape[1] // WARP) * WARP
    return padded(array, threads).reshape(-1, WARP)


def per_block(column: Array, blocks: int) -> Array:
    """One value a warp as (blocks, 32): the lanes of warp 0."""
    return padded(column.reshape(blocks, -1), WARP)


def spread(result: Array, active: Array) -> Array:
    return np.ascontiguousarray(np.broadcast_to(result, active.shape))


def syncthreads_count(active: Array, predicate: Array) -> Array:
    return spread(np.sum(active & predicate, axis=1, keepdims=True).astype(np.int32), active)


def syncthreads_and(active: Array, predicate: Array) -> Array:
    return spread(np.all(~active | predicate, axis=1, keepdims=True), active)


def syncthreads_or(active: Array, predicate: Array) -> Array:
    return spread(np.any(active & predicate, axis=1, keepdims=True), active)


@quietly
def reduce(name: str, active: Array, value: Array) -> Array:
    blocks, valid = active.shape[0], rows(active)
    partial = per_block(reduce_lanes(name, valid, rows(wide(value))), blocks)
    total = reduce_lanes(name, per_block(np.any(valid, axis=1, keepdims=True), blocks), partial)
    return spread(total.astype(value.dtype), active)


@quietly
def scan(name: str, active: Array, value: Array) -> Array:
    blocks, valid = active.shape[0], rows(active)
    inclusive = scan_lanes(valid, rows(wide(value)))
    last = np.maximum(WARP - 1 - np.argmax(valid[:, ::-1], axis=1), 0)
    totals = per_block(np.take_along_axis(inclusive, last[:, None], axis=1), blocks)
    before = shift_lanes(scan_lanes(np.ones(totals.shape, bool), totals))[:, : len(inclusive) // blocks]
    within = shift_lanes(inclusive) if name == "exclusive_scan" else inclusive
    result = before.reshape(-1, 1) + within
    return np.ascontiguousarray(result.reshape(blocks, -1)[:, : active.shape[1]].astype(value.dtype))
