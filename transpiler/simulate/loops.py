"""Ranges on lanes: how often a `for` runs, and values that a loop keeps from round to round.

In: start, stop and step as values. Out: trip counts, exact also where `stop - start` needs more than 64 bits.
Non-goals: the loop itself (`machine`).
"""

from __future__ import annotations

import numpy as np

from transpiler.simulate.arithmetic import bounds
from transpiler.simulate.dtypes import Value
from transpiler.simulate.lanes import Lanes
from transpiler.simulate.memory import at

_SAFE = 1 << 61

__all__ = ["at", "keep", "trip_count"]


def trip_count(start: Value, stop: Value, step: Value) -> Value:
    """The length of `range(start, stop, step)`, as int64; 0 for step 0."""
    if all(abs(end) < _SAFE for value in (start, stop, step) for end in bounds(value)):
        start, stop, step = (value.astype(np.int64) for value in (start, stop, step))
        up = np.where(step > 0, stop - start, start - stop)
        size = np.abs(step)
        trips = np.where((up > 0) & (size > 0), (up + size - 1) // np.maximum(size, 1), 0)
        return trips[()]
    lists = [value.ravel().tolist() for value in np.broadcast_arrays(start, stop, step)]
    trips = [len(range(a, b, c)) if c else 0 for a, b, c in zip(*lists, strict=True)]
    return np.array(trips, np.int64).reshape(np.broadcast(start, stop, step).shape)[()]


def keep(value: Value, lanes: Lanes) -> Value:
    """A value of the members, kept beyond the statement: one entry a lane of the chunk, or one value."""
    if np.ndim(value) == 0:
        return value
    whole = np.zeros(lanes.width, value.dtype)
    whole[lanes.at] = value
    return whole
