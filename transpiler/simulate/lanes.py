"""Lanes: the threads of several whole blocks that run side by side, and sets of them.

In: a launch (grid, block) and a list of blocks. Out: `Launch`, `Chunk` (what `threadIdx` and its kin hold in each
lane) and `Lanes`, the set of lanes that execute a statement. A lane is a position `ordinal of the block in the chunk
* threads in a block + linear thread index`.
Non-goals: values and memory.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from transpiler.simulate.dtypes import Value

WARP = 32

Triple = tuple[int, int, int]


def triple(extents: int | tuple[int, ...] | list[int]) -> Triple:
    """x, y, z extents from what a launch accepts: an integer or up to three."""
    items = (extents,) if isinstance(extents, int) else tuple(int(e) for e in extents)
    if not 1 <= len(items) <= 3:
        raise ValueError(f"a grid or block has one to three extents, not {len(items)}")
    x, y, z = (*items, 1, 1)[:3]
    return int(x), int(y), int(z)


def linear(index: Triple, extents: Triple) -> int:
    return index[0] + extents[0] * (index[1] + extents[1] * index[2])


def unlinear(position: int, extents: Triple) -> Triple:
    x, y, _ = extents
    return position % x, position // x % y, position // (x * y)


@dataclass(frozen=True)
class Launch:
    """`blocks` lists the linear indices of the blocks that are simulated; None is all of them."""

    grid: Triple
    block: Triple
    blocks: tuple[int, ...] | None = None

    @property
    def threads_per_block(self) -> int:
        return self.block[0] * self.block[1] * self.block[2]

    @property
    def block_count(self) -> int:
        return len(self.blocks) if self.blocks is not None else self.grid[0] * self.grid[1] * self.grid[2]

    @property
    def inner_bits(self) -> int:
        """Bits of a thread number that tell threads of a block apart; at least those of a warp."""
        return max(5, (self.threads_per_block - 1).bit_length())

    def block_at(self, ordinal: int) -> Triple:
        """The index of the block that is simulated at this place in the order."""
        return unlinear(self.blocks[ordinal] if self.blocks is not None else ordinal, self.grid)

    def thread_at(self, number: int) -> tuple[Triple, Triple]:
        """Block and thread index of a launch-wide thread number: the block's ordinal, then the thread in `inner_bits`."""
        inner = number & ((1 << self.inner_bits) - 1)
        return self.block_at(number >> self.inner_bits), unlinear(inner, self.block)


class Lanes:
    """A set of lanes in ascending order; all lanes of the chunk are a slice, so that taking their values copies nothing."""

    __slots__ = ("_ids", "at", "count", "width")

    def __init__(self, ids: np.ndarray | None, width: int) -> None:
        full = ids is None or len(ids) == width
        self.width = width
        self.count = width if full else len(ids)  # type: ignore[arg-type]
        self.at: np.ndarray | slice = slice(None) if full else ids  # type: ignore[assignment]
        self._ids = None if full else ids

    @property
    def ids(self) -> np.ndarray:
        if self._ids is None:
            self._ids = np.arange(self.width)
        return self._ids

    @property
    def full(self) -> bool:
        return self.count == self.width

    def where(self, mask: np.ndarray) -> Lanes:
        """The members for which `mask` (one entry a member) holds."""
        return Lanes(self.ids[mask], self.width)

    def split(self, mask: Value) -> tuple[Lanes, Lanes]:
        """Members for which `mask` holds, and the others; a mask that is one value sends all one way."""
        none = Lanes(self.ids[:0], self.width)
        if np.ndim(mask) == 0:
            return (self, none) if mask else (none, self)
        held = int(np.count_nonzero(mask))
        if held == self.count:
            return self, none
        if held == 0:
            return none, self
        return self.where(mask), self.where(~mask)

    def without(self, flags: np.ndarray) -> Lanes:
        """The members whose flag (one entry a lane of the chunk) is off."""
        return self.where(~flags[self.at])

    def flags(self) -> np.ndarray:
        """One bool a lane of the chunk: is it a member."""
        flags = np.zeros(self.width, bool)
        flags[self.at] = True
        return flags


@dataclass
class Chunk:
    """Blocks `first <= ordinal < first + blocks` of a launch, run in lock step."""

    launch: Launch
    first: int
    blocks: int
    _cache: dict[tuple[str, int], np.ndarray] = field(default_factory=dict)

    @property
    def width(self) -> int:
        return self.blocks * self.launch.threads_per_block

    @property
    def all(self) -> Lanes:
        return Lanes(None, self.width)

    def number(self, lane: int) -> int:
        """Launch-wide number of a lane's thread."""
        ordinal, inner = divmod(lane, self.launch.threads_per_block)
        return (self.first + ordinal) << self.launch.inner_bits | inner

    def numbers(self) -> np.ndarray:
        """Of all lanes."""
        blocks = np.arange(self.first, self.first + self.blocks) << self.launch.inner_bits
        return (blocks[:, None] + np.arange(self.launch.threads_per_block)).ravel()

    def block_of(self, lanes: Lanes) -> np.ndarray:
        """Ordinal in the chunk of each lane's block."""
        return self._lanewise("ordinal", 0)[lanes.at]

    def variable(self, name: str, axis: int, lanes: Lanes) -> Value:
        """What a launch variable holds; `grid` and `gridsize` are products of the others."""
        if name == "blockDim":
            return np.int64(self.launch.block[axis])
        if name == "gridDim":
            return np.int64(self.launch.grid[axis])
        if name == "gridsize":
            return np.int64(self.launch.grid[axis] * self.launch.block[axis])
        if name == "warpsize":
            return np.int64(WARP)
        return self._lanewise(name, axis)[lanes.at]

    def _lanewise(self, name: str, axis: int) -> np.ndarray:
        key = (name, axis)
        if key not in self._cache:
            self._cache[key] = self._compute(name, axis)
        return self._cache[key]

    def _compute(self, name: str, axis: int) -> np.ndarray:
        threads = self.launch.threads_per_block
        if name == "ordinal":
            return np.repeat(np.arange(self.blocks), threads)
        if name == "laneid":
            return np.tile(np.arange(threads) % WARP, self.blocks)
        if name == "threadIdx":
            x, y, _ = self.launch.block
            divisor = (1, x, x * y)[axis]
            return np.tile(np.arange(threads) // divisor % self.launch.block[axis], self.blocks)
        if name == "blockIdx":
            if self.launch.blocks is None:
                index = np.arange(self.first, self.first + self.blocks)
            else:
                index = np.asarray(self.launch.blocks[self.first : self.first + self.blocks], np.int64)
            x, y, _ = self.launch.grid
            divisor = (1, x, x * y)[axis]
            return np.repeat(index // divisor % self.launch.grid[axis], threads)
        assert name == "grid", name
        return self._lanewise("blockIdx", axis) * self.launch.block[axis] + self._lanewise("threadIdx", axis)
