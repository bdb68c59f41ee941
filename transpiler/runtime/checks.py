"""The checks of each single launch, where one of them is not plainly met.

In: a plan and the values of a launch. Out: the converted value, or the refusal. The hot path tests inline and comes here only
when a test does not pass at once.
Non-goals: what the shapes decide (`runtime.plan`).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from transpiler.ir import device as d
from transpiler.runtime import grid as grids
from transpiler.runtime.aliasing import overlap
from transpiler.runtime.plan import Plan, ScalarStep, computed_grid, region
from transpiler.runtime.refusal import refusal
from transpiler.runtime.scalars import Misfit, packed

Dim3 = tuple[int, int, int]
Range = tuple[int, int]


def converted(plan: Plan, step: ScalarStep, value: Any) -> Any:
    """A scalar as it is packed."""
    position, _, _, _, convert = step
    param = plan.unit.kernel.params[position]
    assert isinstance(param, d.ScalarParam)
    result = convert(value)
    if isinstance(result, Misfit):
        fix = result.help.format(name=param.name) if result.help else None
        text = f"`{param.name}` is a scalar ({param.dtype}): {result.reason}"
        raise refusal(plan.unit.kernel, "E0813", text, span=param.span, help=fix)
    return packed(param.dtype, result)


def refuse_alignment(plan: Plan, position: int, mask: int) -> None:
    """Raise, unless the array has no elements."""
    param = plan.unit.kernel.params[position]
    if plan.arrays[param.name].size:
        wide = mask >= param.dtype.itemsize
        why = "the bytes that its asynchronous copies move at once" if wide else f"the size of {param.dtype}"
        raise refusal(
            plan.unit.kernel,
            "E0811",
            f"`{param.name}` starts at an address that is no multiple of {mask + 1}, {why}",
            span=param.span,
            help=f"pass a copy: `{param.name}.copy()`",
        )


def refuse_overlap(plan: Plan, first: int, second: int, head: list[Any]) -> None:
    """Raise, if an element of one is an element of the other: so far only their ranges meet."""
    kernel = plan.unit.kernel
    a, b = kernel.params[first], kernel.params[second]
    if not overlap(region(plan.arrays[a.name], head[first]), region(plan.arrays[b.name], head[second])):
        return
    written = a if isinstance(a, d.ArrayParam) and a.ownership != "in" else b
    raise refusal(
        kernel,
        "E0808",
        f"`{a.name}` and `{b.name}` overlap in memory, and the kernel writes `{written.name}`",
        span=written.span,
        help=f"pass a copy: `{a.name}.copy()`, or an output of its own",
    )


def grid_now(plan: Plan, values: list[Any]) -> Dim3:
    """The grid of a kernel whose grid depends on scalars; it is put into the values too."""
    assert plan.grid_of is not None
    kernel = plan.unit.kernel
    grid = computed_grid(kernel, plan.grid_of, values, plan.covers, plan.block)
    grids.check_grid(kernel, grid, plan.block, plan.loaded.limits)
    for axis in range(3):
        values[plan.loaded.slots["gridDim", "", axis]] = grid[axis]
    return grid


def touched(plan: Plan, arguments: Sequence[Any]) -> tuple[list[Range], list[Range]]:
    """Address ranges that this launch reads, and writes."""
    reads = [(arguments[i] + low, arguments[i] + high) for i, low, high in plan.reads]
    writes = [(arguments[i] + low, arguments[i] + high) for i, low, high in plan.writes]
    return reads, writes


def raise_failure(plan: Plan) -> None:
    """Raise what an earlier launch recorded."""
    error = plan.loaded.failure.take() if plan.loaded.failure is not None else None
    if error is not None:
        raise error


def device_error(plan: Plan, error: Exception, certain: bool = False) -> str:
    """The text for an error of CUDA; `certain` when it can only be this launch's."""
    name = plan.unit.kernel.name
    if certain:
        return f"`{name}` failed on the device: {error}"
    return f"CUDA refused the launch of `{name}`: {error}; if an earlier kernel is at fault, TRANSPILER_SYNC=1 names it"
