"""Dynamic shared memory of a launch.

In: a kernel and the numbers of a launch. Out: the bytes to ask for: the layout is the one that the C++ computes its pointers by.
Non-goals: static shared memory, which the cubin states; limits (`runtime.grid`).
"""

from __future__ import annotations

from functools import lru_cache

from transpiler.ir import device as d
from transpiler.ir.shared import SharedLayout, shared_layout
from transpiler.runtime.contracts import Term, Values, from_device, value_function
from transpiler.runtime.slots import Slots


def extent_terms(kernel: d.Kernel, table: Slots) -> list[Term]:
    """What the sizes depend on."""
    return [from_device(extent, table) for array in _layout(kernel).dynamic for extent in array.shape]


def dynamic_bytes(kernel: d.Kernel, values: Values, table: Slots, extra: int) -> int:
    """Bytes of dynamic shared memory, `extra` of them the caller's (`smem=`)."""

    def value(expr: d.Expr) -> int:
        return max(value_function([from_device(expr, table)])(values)[0], 0)

    return _layout(kernel).dynamic_bytes(value) + extra


@lru_cache(maxsize=1024)
def _layout(kernel: d.Kernel) -> SharedLayout:
    return shared_layout(kernel)
