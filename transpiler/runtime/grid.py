"""Grid and block of a launch.

In: what the decorator says (`block=`, `grid=`, `domain=`) evaluated for this launch, or what the caller wrote
in `k[grid, block]`.
Out: x, y, z extents that the device can run, or a `LaunchError` that names the limit.
Non-goals: proving anything about them (`pipeline` proves `k[grid, block]` once more for the caller's block).
"""

from __future__ import annotations

from collections.abc import Sequence
from operator import index
from typing import Any

from transpiler.ir import device as d
from transpiler.runtime.driver import Function, Limits
from transpiler.runtime.refusal import Named, refusal

Dim3 = tuple[int, int, int]

DEFAULT_BLOCKS: dict[int, Dim3] = {1: (256, 1, 1), 2: (32, 8, 1), 3: (32, 4, 2)}
"""Blocks that we choose where the decorator leaves them free, by the number of launch axes."""


def dim3(kernel: Named, value: Any, what: str) -> Dim3:
    """`256`, `(32, 8)` or `(4, 4, 4)` in x, y, z order; what is left out is 1."""
    items: Sequence[Any] = value if isinstance(value, (tuple, list)) else (value,)
    extents: list[int] = []
    for item in items:
        try:
            extents.append(index(item))
        except TypeError:
            raise refusal(kernel, "E0814", f"the {what} {value!r} is not one to three integers") from None
    if not 1 <= len(extents) <= 3:
        raise refusal(kernel, "E0814", f"the {what} {value!r} is not one to three integers")
    extents += [1] * (3 - len(extents))
    return extents[0], extents[1], extents[2]


def chosen_block(kernel: d.Kernel) -> Dim3:
    """The kernel's block; axes that it leaves free are ours to choose."""
    free = DEFAULT_BLOCKS[kernel.axes] if all(extent is None for extent in kernel.block) else (1, 1, 1)
    x, y, z = (given if given is not None else ours for given, ours in zip(kernel.block, free, strict=True))
    return x, y, z


def covering(domain: Sequence[int], block: Dim3) -> Dim3:
    """Blocks that cover a domain, axis by axis."""
    counts = [-(-extent // threads) for extent, threads in zip(domain, block, strict=False)]
    counts += [1] * (3 - len(counts))
    return counts[0], counts[1], counts[2]


def check_block(kernel: Named, block: Dim3, limits: Limits, function: Function | None = None) -> None:
    """A block that the device (and the registers of the loaded function) can run."""
    if any(extent < 1 for extent in block):
        raise refusal(kernel, "E0814", f"the block {block} has an extent below 1")
    for axis, (extent, most) in enumerate(zip(block, limits.block, strict=True)):
        if extent > most:
            raise refusal(
                kernel, "E0814", f"the block {block} exceeds the device's limit of {most} on axis {'xyz'[axis]}"
            )
    threads = block[0] * block[1] * block[2]
    if threads > limits.threads_per_block:
        text = f"the block {block} has {threads} threads, the device runs at most {limits.threads_per_block}"
        raise refusal(kernel, "E0814", text, help="choose a smaller block")
    if function is not None and threads > function.max_threads:
        text = f"the block {block} has {threads} threads; with {function.registers} registers a thread {function.max_threads} fit"
        raise refusal(kernel, "E0814", text, help="choose a smaller block, or `@kernel(max_registers=...)`")


def check_grid(kernel: Named, grid: Dim3, block: Dim3, limits: Limits) -> None:
    """A grid that the device can start; an extent of 0 is legal and starts nothing."""
    for axis, (extent, most) in enumerate(zip(grid, limits.grid, strict=True)):
        if extent < 0:
            raise refusal(kernel, "E0814", f"the grid {grid} has a negative extent")
        if extent > most:
            fix = "put the larger extent on axis x" if axis else "let each thread do more: a grid-stride loop"
            text = f"the grid {grid} exceeds the device's limit of {most} on axis {'xyz'[axis]}"
            raise refusal(kernel, "E0814", text, help=fix)
        if extent * block[axis] >= 2**31:
            text = f"grid {grid} times block {block} has 2**31 or more threads on axis {'xyz'[axis]}"
            raise refusal(kernel, "E0814", text, help="let each thread do more: a grid-stride loop")


def check_shared(kernel: Named, static: int, dynamic: int, limits: Limits) -> bool:
    """Whether the shared memory of a block needs the opt-in above 48 KB; refused where the device has less."""
    total = static + dynamic
    if total > limits.shared_per_block_optin:
        text = f"a block needs {total} bytes of shared memory, the device has {limits.shared_per_block_optin}"
        raise refusal(kernel, "E0814", text, help="use smaller shared arrays")
    return dynamic > 0 and total > limits.shared_per_block


def check_residency(kernel: Named, grid: Dim3, resident: int, limits: Limits) -> None:
    """A grid barrier needs all blocks on the device at once."""
    blocks = grid[0] * grid[1] * grid[2]
    most = resident * limits.multiprocessors
    if blocks > most:
        text = f"a grid barrier needs all {blocks} blocks on the device at once, {most} fit"
        raise refusal(kernel, "E0814", text, help="use a smaller grid and a grid-stride loop")
