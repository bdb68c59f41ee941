"""Where shared arrays lie: what the compiler places, and what one dynamic block of memory is cut into.

In: a kernel. Out: a `SharedLayout`: the one truth for the text, which computes the pointers, and the launch, which
asks for the bytes. Static arrays that together exceed what a block gets without asking (48 KB) go into the dynamic
block, whose limit a launch may raise. Within it arrays lie by falling alignment, of which each size is a multiple, so each
starts aligned; what `smem=` leaves comes last, aligned to 16 bytes.
Non-goals: the limits of a device (`runtime`).
"""

from __future__ import annotations

from collections.abc import Callable
from math import prod

from transpiler.ir import device as d
from transpiler.ir.copies import alignments
from transpiler.records import record

STATIC_LIMIT = 48 * 1024
ALIGNMENT = 16


@record
class SharedLayout:
    static: tuple[d.SharedArray, ...]
    dynamic: tuple[d.SharedArray, ...]
    """In the order in which they lie in memory."""
    leftover: d.SharedArray | None
    wide: dict[d.Array, int]
    """Alignments beyond those of the elements, in bytes."""

    @property
    def static_bytes(self) -> int:
        """Alignment between static arrays is the compiler's and not counted."""
        return sum(constant_bytes(array) for array in self.static)

    def dynamic_bytes(self, value: Callable[[d.Expr], int]) -> int:
        """The bytes of the dynamic block, `smem=` left out; `value` evaluates an extent."""
        total = sum(prod(value(extent) for extent in array.shape) * array.dtype.itemsize for array in self.dynamic)
        return -(-total // ALIGNMENT) * ALIGNMENT if self.leftover else total


def shared_layout(kernel: d.Kernel) -> SharedLayout:
    arrays = [array for array in kernel.arrays if isinstance(array, d.SharedArray)]
    leftover = next((array for array in arrays if is_leftover(array)), None)
    sized = [array for array in arrays if array is not leftover]
    static = [array for array in sized if is_constant(array)]
    in_functions = sum(
        constant_bytes(array) for f in kernel.functions for array in f.arrays if isinstance(array, d.SharedArray)
    )
    if sum(map(constant_bytes, static)) + in_functions > STATIC_LIMIT:
        static = []
    wide = alignments(kernel)
    dynamic = sorted((a for a in sized if a not in static), key=lambda array: -wide.get(array, array.dtype.itemsize))
    return SharedLayout(tuple(static), tuple(dynamic), leftover, wide)


def is_constant(array: d.Array) -> bool:
    return all(isinstance(extent, d.Const) for extent in array.shape)


def is_leftover(array: d.SharedArray) -> bool:
    """`shared.array(0, t)`: all that the launch gives beyond the sized arrays."""
    return array.rank == 1 and isinstance(array.shape[0], d.Const) and array.shape[0].value == 0


def constant_bytes(array: d.Array) -> int:
    if not is_constant(array):
        return 0
    return prod(int(extent.value) for extent in array.shape if isinstance(extent, d.Const)) * array.dtype.itemsize
