"""A plan: everything about a launch that depends on the shapes of its arguments alone, worked out once.

In: a compiled unit, the arguments of the first launch of a shape class, the launch configuration. Out: `Plan`, with what is left
for each launch as small data: which scalars to check, which pointers to compare, which conditions name a scalar.
Non-goals: launching (`runtime.launch`); compiling.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Any

from transpiler.ir import device as d
from transpiler.ir.copies import alignments
from transpiler.ir.types import DType
from transpiler.ir.walk import statements
from transpiler.runtime import grid as grids
from transpiler.runtime import scalars
from transpiler.runtime.aliasing import Region
from transpiler.runtime.arguments import ArrayArg
from transpiler.runtime.contracts import (
    Condition,
    DataCheck,
    Term,
    Values,
    check_function,
    conditions,
    explain,
    from_device,
    value_function,
)
from transpiler.runtime.driver import Driver, Function, Limits
from transpiler.runtime.failures import FailureBuffer
from transpiler.runtime.packing import Packer
from transpiler.runtime.refusal import refusal
from transpiler.runtime.shapes import check_arrays, unify_dims
from transpiler.runtime.shared import dynamic_bytes, extent_terms
from transpiler.runtime.slots import Slots, slots
from transpiler.runtime.unit import CompiledUnit

Dim3 = tuple[int, int, int]


ScalarStep = tuple[int, type, int | float, int | float, Callable[[Any], Any]]
"""Position, type and bounds of a scalar: a value of the type and within passes as it is, others go through the converter."""


Pair = tuple[int, int, int, int, int, int]
"""Two array parameters of which one is written: of each its position and the bounds of what it touches, from its pointer."""


@dataclass(slots=True)
class Loaded:
    """A compiled unit on a device, shared by all its plans."""

    unit: CompiledUnit
    function: Function
    slots: Slots
    conditions: list[Condition]
    data_checks: list[DataCheck]
    limits: Limits
    failure: FailureBuffer | None


@dataclass(slots=True)
class Plan:
    """What a launch of one shape class does. `tail` holds the slots behind those of the arguments."""

    loaded: Loaded
    keep: tuple[int, ...] | None
    """Positions of the arguments that are parameters of the kernel; None where all are."""
    arrays: dict[str, ArrayArg]
    """The arrays of the first launch, for their shapes: without their owners, so that a plan keeps no memory alive."""
    scalar_steps: tuple[ScalarStep, ...]
    aligned: tuple[tuple[int, int], ...]
    """(position, mask): pointer bits that must be 0."""
    pairs: tuple[Pair, ...]
    reads: tuple[tuple[int, int, int], ...]
    writes: tuple[tuple[int, int, int], ...]
    """(position, low, high) of what is read, and of what is written, as in `Pair`."""
    tail: list[Any]
    grid: Dim3
    grid_of: Callable[[Values], tuple[int, ...]] | None
    """Computes the grid (or the domain, when `covers`) where it depends on scalars."""
    covers: bool
    block: Dim3
    check: Callable[[Values], int] | None
    checked: list[Condition]
    shared: int
    shared_of: Callable[[Values], int] | None
    """Computes the dynamic shared memory where it depends on scalars."""
    rounded: tuple[tuple[int, DType], ...]
    """Scalars whose value in the kernel may differ from what is packed: floats narrower than Python's."""
    by_value: bool
    """Whether the grid, a condition or the shared memory depends on scalars."""
    cooperative: bool
    packer: Packer
    handle: int
    bytes: int

    @property
    def unit(self) -> CompiledUnit:
        return self.loaded.unit


@dataclass(frozen=True, slots=True)
class Configuration:
    """What the caller wrote: `k[grid, block](..., smem=)`, or nothing."""

    grid: Dim3 | None = None
    block: Dim3 | None = None
    smem: int = 0


def load(unit: CompiledUnit, function: Function, limits: Limits, driver: Driver) -> Loaded:
    """A unit whose cubin has just been loaded."""
    table = slots(unit.kernel, unit.abi)
    found, data = conditions(unit.kernel, unit.contract, table)
    failure = FailureBuffer(unit, driver) if any(p.kind == "failure" for p in unit.abi) else None
    return Loaded(unit, function, table, found, data, limits, failure)


def make_plan(
    loaded: Loaded, arrays: Mapping[str, ArrayArg], positions: Mapping[str, int], count: int, config: Configuration
) -> Plan:
    """Check all that the shapes decide, and prepare the rest. `positions` are those of the `count` arguments."""
    kernel = loaded.unit.kernel
    check_arrays(kernel, arrays)
    dims = unify_dims(kernel, arrays, lambda expr, known: _extent_value(expr, known, loaded.slots))
    block = config.block or grids.chosen_block(kernel)
    grids.check_block(kernel, block, loaded.limits, loaded.function)
    values: Values = [None] * len(loaded.slots)
    _fill_sizes(values, loaded, arrays, dims, block)
    grid, grid_of, covers = _grid(loaded, values, config, block)
    static = [c for c in loaded.conditions if not _is_dynamic(c.term, grid_of is not None)]
    dynamic = [c for c in loaded.conditions if _is_dynamic(c.term, grid_of is not None)]
    if grid_of is None:
        _set_grid(values, loaded.slots, grid)
        grids.check_grid(kernel, grid, block, loaded.limits)
    refuse_failed(loaded, static, check_function(static)(values) if static else -1, values)
    by_scalars = any(_is_dynamic(term, grid_of is not None) for term in extent_terms(kernel, loaded.slots))
    names = [param.name for param in kernel.params]
    keep = tuple(positions[name] for name in names)
    plan = Plan(
        loaded=loaded,
        keep=None if keep == tuple(range(count)) else keep,
        arrays={name: replace(array, owner=None) for name, array in arrays.items()},
        scalar_steps=_scalar_steps(kernel),
        aligned=_aligned(kernel),
        pairs=_pairs(kernel, arrays),
        reads=_ranges(kernel, arrays, written=False),
        writes=_ranges(kernel, arrays, written=True),
        tail=values[len(names) :],
        grid=grid,
        grid_of=grid_of,
        covers=covers,
        block=block,
        check=check_function(dynamic) if dynamic else None,
        checked=dynamic,
        shared=0 if by_scalars else dynamic_bytes(kernel, values, loaded.slots, config.smem),
        shared_of=(lambda now: dynamic_bytes(kernel, now, loaded.slots, config.smem)) if by_scalars else None,
        rounded=_rounded(kernel, dynamic, every=by_scalars or grid_of is not None),
        by_value=by_scalars or bool(dynamic) or grid_of is not None,
        cooperative=_is_cooperative(kernel),
        packer=Packer(loaded.unit.abi, values[len(names) : loaded.slots.packed]),
        handle=loaded.function.handle,
        bytes=sum(array.size * array.itemsize for array in arrays.values()),
    )
    return plan


def _aligned(kernel: d.Kernel) -> tuple[tuple[int, int], ...]:
    """(position, mask) of the arrays whose address must be a multiple of something."""
    wide = alignments(kernel)
    sizes = [(i, wide.get(p, p.dtype.itemsize)) for i, p in _arrays(kernel)]
    return tuple((i, size - 1) for i, size in sizes if size > 1)


def _extent_value(expr: d.Expr, dims: Mapping[str, int], table: Slots) -> int:
    """An extent such as `N // 2`, once the dims are known."""
    values: Values = [None] * len(table)
    for name, value in dims.items():
        values[table["dim", name, 0]] = value
    (result,) = value_function([from_device(expr, table)])(values)
    return result


def _fill_sizes(
    values: Values, loaded: Loaded, arrays: Mapping[str, ArrayArg], dims: Mapping[str, int], block: Dim3
) -> None:
    for (kind, name, axis), slot in loaded.slots.index.items():
        if kind == "dim":
            values[slot] = dims.get(name, 0)
        elif kind == "extent":
            values[slot] = arrays[name].shape[axis]
        elif kind == "stride":
            values[slot] = arrays[name].byte_strides[axis] // arrays[name].itemsize
        elif kind == "blockDim":
            values[slot] = block[axis]
        elif kind == "failure":
            assert loaded.failure is not None
            values[slot] = loaded.failure.address


def _set_grid(values: Values, table: Slots, grid: Dim3) -> None:
    for axis in range(3):
        values[table["gridDim", "", axis]] = grid[axis]


def _is_dynamic(term: Term, grid_is_dynamic: bool) -> bool:
    kinds = {kind for kind, _, _ in term.uses}
    return "scalar" in kinds or (grid_is_dynamic and "gridDim" in kinds)


def _grid(
    loaded: Loaded, values: Values, config: Configuration, block: Dim3
) -> tuple[Dim3, Callable[[Values], tuple[int, ...]] | None, bool]:
    """The grid, or how to compute it at each launch; whether what is computed is a domain to cover."""
    kernel = loaded.unit.kernel
    if config.grid is not None:
        return config.grid, None, False
    said = kernel.grid if kernel.grid is not None else kernel.domain
    if said is None:
        raise refusal(
            kernel,
            "E0815",
            "it has neither `grid=` nor `domain=`, so that the number of blocks is not known",
            help=f"write `{kernel.name}[grid, block](...)`, or give the decorator `domain=` or `grid=`",
        )
    covers = kernel.grid is None
    terms = [from_device(expr, loaded.slots) for expr in said]
    compute = value_function(terms)
    if any(_is_dynamic(term, False) for term in terms):
        return (0, 0, 0), compute, covers
    return computed_grid(kernel, compute, values, covers, block), None, covers


def computed_grid(
    kernel: d.Kernel, compute: Callable[[Values], tuple[int, ...]], values: Values, covers: bool, block: Dim3
) -> Dim3:
    """The grid that the decorator's expressions give for these values."""
    try:
        extents = compute(values)
    except ZeroDivisionError:
        raise refusal(kernel, "E0814", "computing the grid divides by zero") from None
    if covers:
        return grids.covering(extents, block)
    x, y, z = (*extents, 1, 1)[:3]
    return x, y, z


def refuse_failed(loaded: Loaded, checked: list[Condition], failed: int, values: Values) -> None:
    """Raise for condition number `failed`, if there is one."""
    if failed < 0:
        return
    condition = checked[failed]
    kernel = loaded.unit.kernel
    said = next((r for r in kernel.requires if r.text == condition.text), None)
    numbers = explain(condition, loaded.slots, values)
    origin = "`requires`" if said is not None else "the proof"
    raise refusal(
        kernel,
        "E0806",
        f"{origin} needs `{condition.text}`, but {numbers}" if numbers else f"{origin} needs `{condition.text}`",
        span=said.span if said is not None else None,
        help="pass arguments, or choose a grid, for which it holds",
    )


def _rounded(kernel: d.Kernel, dynamic: list[Condition], every: bool) -> tuple[tuple[int, DType], ...]:
    """The narrow floats that a condition names, or that the grid may depend on."""
    named = {slot for condition in dynamic for slot in condition.term.uses}
    return tuple(
        (i, p.dtype)
        for i, p in enumerate(kernel.params)
        if isinstance(p, d.ScalarParam)
        and p.dtype.is_float
        and p.dtype.name != "f64"
        and (every or ("scalar", p.name, 0) in named)
    )


def _arrays(kernel: d.Kernel) -> list[tuple[int, d.ArrayParam]]:
    return [(i, p) for i, p in enumerate(kernel.params) if isinstance(p, d.ArrayParam)]


@lru_cache(maxsize=1024)
def _scalar_steps(kernel: d.Kernel) -> tuple[ScalarStep, ...]:
    steps: list[ScalarStep] = []
    for position, param in enumerate(kernel.params):
        if isinstance(param, d.ArrayParam):
            continue
        dtype = param.dtype
        if dtype.is_integer:
            low, high, kind = dtype.min, dtype.max, int
        elif dtype.kind == "bool":
            low, high, kind = False, True, bool
        else:
            most = scalars.MAX_FLOAT[dtype.name]
            low, high, kind = -most, most, float
        if dtype.name == "bf16":
            low, high = 1.0, -1.0  # always converted
        steps.append((position, kind, low, high, scalars.converter(dtype)))
    return tuple(steps)


def region(array: ArrayArg, pointer: int) -> Region:
    return Region(pointer, array.shape, array.byte_strides, array.itemsize)


def _pairs(kernel: d.Kernel, arrays: Mapping[str, ArrayArg]) -> tuple[Pair, ...]:
    """Each written array with each other one; arrays with no elements touch nothing."""
    pairs: list[Pair] = []
    listed = [(i, p) for i, p in _arrays(kernel) if arrays[p.name].size]
    for n, (i, first) in enumerate(listed):
        for j, second in listed[n + 1 :]:
            if first.ownership != "in" or second.ownership != "in":
                low, high = region(arrays[first.name], 0).bounds()
                other_low, other_high = region(arrays[second.name], 0).bounds()
                pairs.append((i, low, high, j, other_low, other_high))
    return tuple(pairs)


def _ranges(kernel: d.Kernel, arrays: Mapping[str, ArrayArg], written: bool) -> tuple[tuple[int, int, int], ...]:
    return tuple(
        (i, *region(arrays[p.name], 0).bounds())
        for i, p in _arrays(kernel)
        if (p.ownership != "in") == written and arrays[p.name].size
    )


@lru_cache(maxsize=1024)
def _is_cooperative(kernel: d.Kernel) -> bool:
    """Whether all blocks must be on the device at once: the kernel or a device function waits for the grid."""
    bodies = (kernel.body, *(function.body for function in kernel.functions))
    return any(isinstance(s, d.Barrier) and s.scope == "grid" for body in bodies for s in statements(body))
