"""The launch as terms: thread and block indices, grid, extents, dims, scalars, with what is known of each.

In: a `device.Kernel` and the block it is verified for. Out: `Launch`, one term a launch variable, named as Python
spells it. The block is concrete where the decorator (or the caller) gives it, the grid is symbolic unless `grid=` or
`domain=` fixes it.
Non-goals: evaluating expressions (`expressions`); the facts of `requires`, which `prove` adds.
"""

from __future__ import annotations

from math import prod

from transpiler.ir import device as d
from transpiler.prove.fold import Terms
from transpiler.prove.terms import Poly, Sharing

AXES = "xyz"
GRID_LIMIT = (2**31 - 1, 65535, 65535)
BLOCK_LIMIT = (1024, 1024, 64)
EXTENT_LIMIT = 2**62


class Launch:
    """Terms of one launch. `grid`, `block`, `bid`, `tid` have three axes; an axis of extent 1 has the constant index 0."""

    def __init__(self, terms: Terms, kernel: d.Kernel, block: tuple[int | None, ...]):
        self.terms = terms
        self.kernel = kernel
        self.facts: list = []
        t = terms
        self.block: list[Poly] = []
        self.tid: list[Poly] = []
        for axis in range(3):
            size = block[axis]
            if size is None and axis >= kernel.axes:
                size = 1
            extent = (
                t.var(f"cuda.blockDim.{AXES[axis]}", Sharing.LAUNCH, (1, BLOCK_LIMIT[axis]))
                if size is None
                else t.int(size)
            )
            self.block.append(extent)
            self.tid.append(self._index(f"cuda.threadIdx.{AXES[axis]}", Sharing.THREAD, extent))
        free = [b for b in self.block if b.const is None]
        if len(free) > 1:
            total = t.mul(t.mul(*self.block[:2]), self.block[2])
            self.facts.append(t.ge(t.int(1024) - total))
        self.grid: list[Poly] = [t.int(1)] * 3
        self.bid: list[Poly] = [t.int(0)] * 3
        for axis in range(kernel.axes):
            threads = self.block[axis].const
            limit = GRID_LIMIT[axis] if threads is None else min(GRID_LIMIT[axis], (2**31 - 1) // threads)
            self.set_grid(axis, t.var(f"cuda.gridDim.{AXES[axis]}", Sharing.LAUNCH, (1, limit)))

    def set_grid(self, axis: int, extent: Poly) -> None:
        self.grid[axis] = extent
        self.bid[axis] = self._index(f"cuda.blockIdx.{AXES[axis]}", Sharing.BLOCK, extent)

    def _index(self, name: str, sharing: Sharing, extent: Poly) -> Poly:
        if extent.const == 1:
            return self.terms.int(0)
        top = extent.range[1]
        index = self.terms.var(name, sharing, (0, None if top is None else top - 1))
        atom = self.terms.atoms[index.terms[0][0][0]]
        atom.range = (0, None if top is None else top - 1)  # `grid=` says more than the first guess did
        atom.facts = () if extent.const is not None else (self.terms.lt(index, extent),)
        return index

    @property
    def linear_tid(self) -> Poly:
        t = self.terms
        return self.tid[0] + t.mul(self.block[0], self.tid[1]) + t.mul(t.mul(self.block[0], self.block[1]), self.tid[2])

    @property
    def threads(self) -> int | None:
        sizes = [b.const for b in self.block]
        return None if None in sizes else prod(n for n in sizes if n is not None)

    def variable(self, name: str, axis: int) -> Poly:
        t = self.terms
        match name:
            case "threadIdx":
                return self.tid[axis]
            case "blockIdx":
                return self.bid[axis]
            case "blockDim":
                return self.block[axis]
            case "gridDim":
                return self.grid[axis]
            case "grid":
                return t.mul(self.bid[axis], self.block[axis]) + self.tid[axis]
            case "gridsize":
                return t.mul(self.grid[axis], self.block[axis])
            case "laneid":
                return t.mod(self.linear_tid, t.int(32))
        assert name == "warpsize", name
        return t.int(32)

    def extent(self, array: str, axis: int) -> Poly:
        param = self.kernel.arrays_by_name[array]
        name = f"len({array})" if param.rank == 1 else f"{array}.shape[{axis}]"
        return self.terms.var(name, Sharing.LAUNCH, (0, EXTENT_LIMIT))

    def dim(self, name: str) -> Poly:
        return self.terms.var(name, Sharing.LAUNCH, (0, EXTENT_LIMIT))

    def scalar(self, param: d.ScalarParam):
        """A `Poly`, a `Formula` or a float atom."""
        t = self.terms
        if param.dtype.kind == "bool":
            return t.bool_atom(t.atom("var", param.name, (), "bool", Sharing.LAUNCH))
        if param.dtype.is_float:
            return t.atom("var", param.name, (), "float", Sharing.LAUNCH)
        return t.var(param.name, Sharing.LAUNCH, (param.dtype.min, param.dtype.max))

    def warp(self, linear: Poly) -> Poly:
        return self.terms.div(linear, self.terms.int(32))
