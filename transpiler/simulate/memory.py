"""Arrays as threads see them: memory, and bindings that map the indices of an array or of a view of it to cells.

In: NumPy arrays of a launch, declarations of shared, local and constant arrays. Out: `Memory` (cells by number) and
`Binding` (indices to cells, extents, what is out of bounds). A shared array has its cells once a block of the chunk,
a local one once a lane.
Non-goals: who may touch a cell when (`races`).
"""

from __future__ import annotations

from dataclasses import dataclass, field
from itertools import count
from math import prod

import numpy as np

from transpiler.ir import device as ir
from transpiler.simulate.arithmetic import bounds
from transpiler.simulate.dtypes import Value, numpy_dtype
from transpiler.simulate.lanes import Chunk, Lanes
from transpiler.simulate.shadow import Shadow


@dataclass(slots=True, eq=False)
class Memory:
    """`space`: `global`, `shared`, `local`, `const`. `shape` is what one thread sees; cells are numbered in C order."""

    array: ir.Array
    space: str
    data: np.ndarray
    shape: tuple[int, ...]
    copies: int = 1
    """How many such arrays lie one behind the other in `data`: one a block or a lane of the chunk."""
    shadow: Shadow | None = None
    born: np.ndarray | None = None
    """For local memory: which cells were written."""
    blank: bool = False
    """Starts with contents that no one may read: its shadow tells what was written."""
    size: int = field(init=False)
    serial: int = field(default_factory=count().__next__)
    """Tells memories apart that live one after the other."""
    _flat: np.ndarray | None = field(init=False)

    def __post_init__(self) -> None:
        self.size = prod(self.shape)
        self._flat = self.data.reshape(-1) if self.data.flags.c_contiguous else None

    def cells(self, within: Value, chunk: Chunk, lanes: Lanes) -> Value:
        """Cells of the whole memory from element numbers within what the lanes see."""
        if self.space == "shared" and self.copies > 1:
            return chunk.block_of(lanes) * self.size + within
        if self.space == "local":
            return lanes.ids * self.size + within
        return within

    def read(self, cells: Value) -> Value:
        if self._flat is not None:
            return self._flat[cells]
        return self.data[np.unravel_index(cells, self.shape)]

    def write(self, cells: np.ndarray, values: Value) -> None:
        """Of equal cells the last one wins."""
        if self._flat is not None:
            self._flat[cells] = values
        else:
            self.data[np.unravel_index(cells, self.shape)] = values

    def index(self, cell: int) -> tuple[int, ...]:
        """The index of a cell in the array."""
        return tuple(int(i) for i in np.unravel_index(cell % self.size, self.shape)) if self.shape else ()


def shared_memory(array: ir.SharedArray, shape: tuple[int, ...], chunk: Chunk, watched: bool) -> Memory:
    """Shared memory starts with arbitrary bits on the device; here with zeros that no one may rely on."""
    data = np.zeros((chunk.blocks, prod(shape)), numpy_dtype(array.dtype))
    return Memory(array, "shared", data, shape, chunk.blocks, Shadow(data.size) if watched else None, blank=True)


def local_memory(array: ir.LocalArray, shape: tuple[int, ...], chunk: Chunk, watched: bool) -> Memory:
    data = np.zeros((chunk.width, prod(shape)), numpy_dtype(array.dtype))
    return Memory(array, "local", data, shape, chunk.width, born=np.zeros(data.size, bool) if watched else None)


def constant_memory(array: ir.ConstArray, shape: tuple[int, ...]) -> Memory:
    return Memory(array, "const", np.array(array.values, numpy_dtype(array.dtype)).reshape(shape), shape)


@dataclass(frozen=True, slots=True)
class Axis:
    """One axis of a memory as an array or view has it: fixed at `start` (`length` is None), or elements `start + k*step`.

    `start` and `length` are one value, or one value a lane of the chunk.
    """

    start: Value
    length: Value | None
    step: int = 1


@dataclass(frozen=True, slots=True)
class OutOfBounds:
    """`mask`: in which of the lanes. The rest tells of the first of them."""

    mask: np.ndarray
    axis: int
    position: int
    index: int
    extent: int


@dataclass(frozen=True, slots=True, eq=False)
class Binding:
    """What the name of an array stands for in one activation of a function."""

    memory: Memory
    axes: tuple[Axis, ...]
    whole: bool = False
    """All axes start at 0, with step 1 and the extent of the memory."""

    @staticmethod
    def of(memory: Memory) -> Binding:
        return Binding(memory, tuple(Axis(np.int64(0), np.int64(extent)) for extent in memory.shape), whole=True)

    @property
    def ranges(self) -> list[Axis]:
        """The axes that are indexed."""
        return [axis for axis in self.axes if axis.length is not None]

    def extent(self, axis: int, lanes: Lanes) -> Value:
        length = self.ranges[axis].length
        assert length is not None
        return at(length, lanes)

    def locate(self, indices: list[Value], lanes: Lanes) -> tuple[Value, OutOfBounds | None]:
        """Element numbers in the memory; a lane that is out of bounds gets 0."""
        if self.whole:
            outside = _first_outside(indices, list(self.memory.shape), lanes)
            base = indices
        else:
            ranges = self.ranges
            outside = _first_outside(indices, [at(r.length, lanes) for r in ranges], lanes)
            inner = iter(zip(indices, ranges, strict=True))
            base = [at(axis.start, lanes) if axis.length is None else _along(*next(inner), lanes) for axis in self.axes]
            outside = outside or _first_outside(base, list(self.memory.shape), lanes)
        if outside is not None:
            base = [np.where(outside.mask, 0, index) for index in base]
        number: Value = base[0] if base else np.int64(0)
        for index, extent in zip(base[1:], self.memory.shape[1:], strict=True):
            number = number * np.int64(extent) + index
        return number, outside


def at(value: Value, lanes: Lanes) -> Value:
    """The members' share of a value that is one, or one a lane of the chunk."""
    return value if np.ndim(value) == 0 else value[lanes.at]


def _along(index: Value, axis: Axis, lanes: Lanes) -> Value:
    return at(axis.start, lanes) + index * np.int64(axis.step)


def _first_outside(indices: list[Value], extents: list[Value | int], lanes: Lanes) -> OutOfBounds | None:
    """All lanes that are outside on some axis; the details are those of the first lane on the first such axis."""
    found: OutOfBounds | None = None
    for axis, (index, extent) in enumerate(zip(indices, extents, strict=True)):
        low, high = bounds(index)
        if low >= 0 and high < (extent if isinstance(extent, int) else bounds(extent)[0]):
            continue
        mask = np.broadcast_to((index < 0) | (index >= extent), (lanes.count,))
        if not mask.any():
            continue
        if found is None:
            position = int(np.argmax(mask))
            found = OutOfBounds(mask, axis, position, item(index, position), item(extent, position))
        else:
            found = OutOfBounds(found.mask | mask, found.axis, found.position, found.index, found.extent)
    return found


def item(value: Value, position: int) -> int:
    return int(value) if np.ndim(value) == 0 else int(value[position])
