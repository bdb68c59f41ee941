"""Shared memory whose size a launch decides.

In: a kernel and the numbers of a launch. Out: the bytes to ask for: arrays of run-time extents, one behind the other as the
C++ lays them out, then what `smem=` adds.
Non-goals: static shared memory, which the cubin states.
"""

from __future__ import annotations

from transpiler.ir import device as d
from transpiler.runtime.contracts import Values, from_device, value_function
from transpiler.runtime.slots import Slots

ALIGNMENT = 16


def dynamic_bytes(kernel: d.Kernel, values: Values, table: Slots, extra: int) -> int:
    """Bytes of dynamic shared memory."""
    total = 0
    for array in kernel.arrays:
        if not isinstance(array, d.SharedArray) or all(isinstance(extent, d.Const) for extent in array.shape):
            continue
        count = 1
        for extent in value_function([from_device(e, table) for e in array.shape])(values):
            count *= max(extent, 0)
        total = -(-total // ALIGNMENT) * ALIGNMENT + count * array.dtype.itemsize
    return total + extra
