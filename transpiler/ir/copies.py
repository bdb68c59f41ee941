"""Asynchronous copies of a kernel: how the arrays that they touch have to lie in memory.

In: a kernel. Out: the bytes that the address of an array must be a multiple of, because a copy moves so many at once: what the
text declares, the launch checks and the layout of shared memory keeps. Non-goals: indices, which the prover looks at.
"""

from __future__ import annotations

from transpiler.ir import device as d
from transpiler.ir.walk import statements

SIZES = (4, 8, 16)
"""Bytes that one copy can move."""


def copies(kernel: d.Kernel) -> list[d.AsyncCopy]:
    return [stmt for stmt in statements(kernel.body) if isinstance(stmt, d.AsyncCopy)]


def alignments(kernel: d.Kernel) -> dict[d.Array, int]:
    """For each array that a copy wider than its elements reads or fills."""
    found: dict[d.Array, int] = {}
    for copy in copies(kernel):
        for array in (copy.array, copy.source.array):
            if copy.bytes > array.dtype.itemsize:
                found[array] = max(copy.bytes, found.get(array, 0))
    return found
