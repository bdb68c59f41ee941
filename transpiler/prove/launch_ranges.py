"""What every launch guarantees of the launch variables.

In: a kernel's block and number of axes. Out: intervals of `threadIdx`, `blockIdx`, ... and of the two products that a
launch bounds: `gridDim * blockDim` is below 2**31 on each axis (checked by the host), so are the hand-written `grid`
and `gridsize`.
Non-goals: anything that depends on the arguments.
"""

from __future__ import annotations

from collections.abc import Callable

from transpiler.ir import device as d
from transpiler.prove.intervals import ANY, Interval
from transpiler.records import record

THREADS = 2**31 - 1
"""The threads of an axis number at most this."""

_MAX_BLOCK = (1024, 1024, 64)
_MAX_GRID = (2**31 - 1, 65535, 65535)


@record
class LaunchRanges:
    block: tuple[int | None, int | None, int | None]
    axes: int
    asserts: bool

    @staticmethod
    def of(kernel: d.Kernel) -> LaunchRanges:
        return LaunchRanges(kernel.block, kernel.axes, kernel.options.asserts != "off")

    def of_variable(self, name: str, axis: int) -> Interval:
        extent = self.block[axis]
        block = (extent, extent) if extent else (1, _MAX_BLOCK[axis])
        blocks = 1 if axis >= self.axes else min(_MAX_GRID[axis], THREADS // block[0])
        threads = min(THREADS, blocks * block[1])
        return {
            "threadIdx": (0, block[1] - 1),
            "blockIdx": (0, blocks - 1),
            "blockDim": block,
            "gridDim": (1, blocks),
            "grid": (0, threads - 1),
            "gridsize": (1, threads),
            "laneid": (0, 31),
            "warpsize": (32, 32),
        }.get(name, ANY)

    def of_pattern(self, expr: d.Binary, resolve: Callable[[d.Expr], d.Expr]) -> Interval:
        """`blockIdx.a * blockDim.a`, that plus `threadIdx.a`, and `gridDim.a * blockDim.a`, in any order of operands."""
        sides = (resolve(expr.left), resolve(expr.right))
        for one, other in (sides, sides[::-1]):
            if expr.op == "*" and isinstance(one, d.LaunchVar) and self._is_block(other, one.axis):
                if one.name == "gridDim":
                    return self.of_variable("gridsize", one.axis)
                if one.name == "blockIdx":
                    return (0, THREADS - 1)
            if expr.op == "+" and isinstance(one, d.LaunchVar) and one.name == "threadIdx":
                start = isinstance(other, d.Binary) and self._is_block_start(other, one.axis, resolve)
                if start:
                    return self.of_variable("grid", one.axis)
        return ANY

    def _is_block(self, expr: d.Expr, axis: int) -> bool:
        if isinstance(expr, d.Const):
            return self.block[axis] == expr.value
        return isinstance(expr, d.LaunchVar) and expr.name == "blockDim" and expr.axis == axis

    def _is_block_start(self, expr: d.Binary, axis: int, resolve: Callable[[d.Expr], d.Expr]) -> bool:
        sides = (resolve(expr.left), resolve(expr.right))
        return expr.op == "*" and any(
            isinstance(one, d.LaunchVar) and one.name == "blockIdx" and one.axis == axis and self._is_block(other, axis)
            for one, other in (sides, sides[::-1])
        )
