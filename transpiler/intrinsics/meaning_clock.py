"""NumPy meanings of clocks: the host's time in nanoseconds, the same in all threads.

In: `active`, (warps, threads). Out: that shape.
"""

from __future__ import annotations

import time
from typing import Any

import numpy as np
from numpy.typing import NDArray

Array = NDArray[Any]


def clock(active: Array) -> Array:
    return clock64(active).astype(np.int32)


def clock64(active: Array) -> Array:
    return np.full(active.shape, time.perf_counter_ns(), np.int64)


def globaltimer(active: Array) -> Array:
    return np.full(active.shape, time.time_ns(), np.uint64)


def nanosleep(active: Array, nanoseconds: Array) -> None:
    """No thread of the simulator waits."""
