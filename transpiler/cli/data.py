"""A launch made up for a kernel: sizes and scalars that meet its contract, arrays full of numbers, grid and block.

In: a kernel of device IR, its contract, what the user fixed. Out: `MadeUp`, or `ValueError` with what could not be met.
Everything is drawn from fixed seeds: the same kernel gets the same launch on every machine.
Non-goals: running it.
"""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from transpiler.ir import device as d
from transpiler.runtime.contracts import Condition, DataCheck, check_function, conditions, from_device, value_function
from transpiler.runtime.grid import chosen_block, covering
from transpiler.runtime.slots import Slot, Slots, slots

if TYPE_CHECKING:
    import numpy as np

Dim3 = tuple[int, int, int]

SIZES = (1000, 1024, 512, 256, 200, 128, 100, 64, 48, 32, 20, 16, 8, 4, 2, 1)
ELEMENTS = 1 << 22
"""The largest array that is made up."""
WORK = 1 << 18
"""The product of all dims is kept below this where the contract allows, so that a simulated launch takes moments."""
ATTEMPTS, STEPS = 200, 60


@dataclass(frozen=True, slots=True)
class MadeUp:
    arguments: dict[str, Any]
    """By parameter, in order."""
    grid: Dim3
    block: Dim3
    numbers: dict[str, int | float | bool]
    """Dims, anonymous extents and scalars, for the record."""


def make_up(
    kernel: d.Kernel,
    contract: Sequence[str],
    *,
    fixed: Mapping[str, int | float] | None = None,
    grid: Dim3 | None = None,
    block: Dim3 | None = None,
) -> MadeUp:
    """A launch that meets `requires` and `contract`; `fixed` names dims and scalars that the user chose."""
    table = slots(kernel, ())
    wanted, data = conditions(kernel, contract, table)
    search = _Search(kernel, table, wanted, dict(fixed or {}), grid, block)
    values = search.run()
    shapes = _shapes(kernel, table, values)
    import numpy

    rng = numpy.random.default_rng(0)
    arguments = {
        p.name: _array(p, shapes[p.name], _limits(data, p.name, values), rng)
        if isinstance(p, d.ArrayParam)
        else values[table[("scalar", p.name, 0)]]
        for p in kernel.params
    }
    return MadeUp(
        arguments, search.launch(values, "gridDim"), search.launch(values, "blockDim"), search.numbers(values)
    )


class _Search:
    """Finds numbers that meet all conditions: a guess, then repairs of whatever condition fails, from many guesses."""

    def __init__(
        self,
        kernel: d.Kernel,
        table: Slots,
        wanted: list[Condition],
        fixed: dict[str, int | float],
        grid: Dim3 | None,
        block: Dim3 | None,
    ) -> None:
        self.kernel, self.table, self.wanted, self.grid = kernel, table, wanted, grid
        self.block = block or chosen_block(kernel)
        self.random = random.Random(0)
        self.first_failing = check_function(wanted)
        self.free = [slot for slot in _unknowns(kernel, table) if slot[1] not in fixed]
        unknown = [
            name
            for name in fixed
            if not any(slot[1] == name and slot[0] != "extent" for slot in _unknowns(kernel, table))
        ]
        if unknown:
            raise ValueError(f"`{kernel.name}` has no dim or scalar {', '.join(map(repr, unknown))}")
        self.fixed = {slot: fixed[slot[1]] for slot in _unknowns(kernel, table) if slot[1] in fixed}
        self.scalar_types = {p.name: p.dtype.kind for p in kernel.params if isinstance(p, d.ScalarParam)}
        self.launch_terms = [from_device(e, table) for e in kernel.grid or kernel.domain or ()]
        self.launch_function = value_function(self.launch_terms)
        if grid is None and not self.launch_terms:
            self.free += [("gridDim", "", axis) for axis in range(kernel.axes)]

    def run(self) -> list[Any]:
        failing: Condition | None = None
        for attempt in range(ATTEMPTS):
            values = self._guess(attempt)
            for _ in range(STEPS):
                self._settle(values)
                number = self.first_failing(values)
                if number < 0 and self._small(values):
                    return values
                failing = self.wanted[number] if number >= 0 else failing
                repairable = [s for s in self.free if number < 0 or s in self._uses(self.wanted[number])]
                if not repairable:
                    break
                slot = self.random.choice(repairable)
                values[self.table[slot]] = self._draw(slot)
        reason = f"`{failing.text}`" if failing else "a size that can be simulated"
        raise ValueError(
            f"found no launch of `{self.kernel.name}` that meets {reason}; choose numbers with --set NAME=VALUE"
        )

    def launch(self, values: list[Any], name: str) -> Dim3:
        x, y, z = (values[self.table[(name, "", axis)]] for axis in range(3))
        return x, y, z

    def numbers(self, values: list[Any]) -> dict[str, int | float | bool]:
        names = {("extent", a, k): f"{a}.shape[{k}]" for kind, a, k in (*self.free, *self.fixed) if kind == "extent"}
        shown = [slot for slot in _unknowns(self.kernel, self.table)]
        return {names.get(slot, slot[1]): values[self.table[slot]] for slot in shown}

    def _guess(self, attempt: int) -> list[Any]:
        dims = max(1, sum(slot[0] in ("dim", "extent") for slot in self.free))
        sizes = [size for size in SIZES if size ** min(dims, 3) <= WORK] or [1]
        size = sizes[attempt % len(sizes)]
        values: list[Any] = [0] * len(self.table)
        for slot in self.free:
            values[self.table[slot]] = self._first(slot, size)
        for slot, value in self.fixed.items():
            values[self.table[slot]] = value
        return values

    def _first(self, slot: Slot, size: int) -> int | float | bool:
        if slot[0] == "gridDim":
            return 4 if self.kernel.axes == 1 else 2
        return {"float": 2.0, "bool": True}.get(self._kind(slot), size)

    def _kind(self, slot: Slot) -> str:
        return self.scalar_types[slot[1]] if slot[0] == "scalar" else "int"

    def _draw(self, slot: Slot) -> int | float | bool:
        if slot[0] == "gridDim":
            return self.random.choice((1, 2, 3, 4, 8, 16, 64))
        if self._kind(slot) == "bool":
            return self.random.random() < 0.5
        if self._kind(slot) == "float":
            return self.random.choice((0.0, 0.5, 1.0, 2.0, -1.0))
        return self.random.choice(SIZES) * self.random.choice((1, 1, 1, 16, 32, 64)) + self.random.choice(
            (0, 0, 0, 1, -1)
        )

    def _settle(self, values: list[Any]) -> None:
        """Block and grid, and the extents that follow from dims."""
        for axis, extent in enumerate(self.block):
            values[self.table[("blockDim", "", axis)]] = extent
        for axis, extent in enumerate(self.grid or self._grid(values)):
            values[self.table[("gridDim", "", axis)]] = extent
        for name, shape in _shapes(self.kernel, self.table, values).items():
            for axis, extent in enumerate(shape):
                values[self.table[("extent", name, axis)]] = extent

    def _grid(self, values: list[Any]) -> Dim3:
        if not self.launch_terms:
            x, y, z = (max(1, values[self.table[("gridDim", "", axis)]]) for axis in range(3))
            return x, y, z
        extents = self.launch_function(values)
        return covering(extents, self.block) if self.kernel.grid is None else covering(extents, (1, 1, 1))

    def _small(self, values: list[Any]) -> bool:
        return all(_count(shape) <= ELEMENTS for shape in _shapes(self.kernel, self.table, values).values())

    def _uses(self, condition: Condition) -> set[Slot]:
        """The slots that a condition names, and what those follow from."""
        uses = set(condition.term.uses)
        if any(kind == "gridDim" for kind, _, _ in uses):
            uses.update(*(term.uses for term in self.launch_terms))
        for kind, name, axis in list(uses):
            if kind == "extent":
                uses |= from_device(self.kernel.arrays_by_name[name].shape[axis], self.table).uses
        return uses


def _unknowns(kernel: d.Kernel, table: Slots) -> list[Slot]:
    """What a launch is free to choose: dims, extents that no dim names, scalars."""
    own = {
        (p.name, axis)
        for p in kernel.params
        if isinstance(p, d.ArrayParam)
        for axis, e in enumerate(p.shape)
        if isinstance(e, d.Extent)
    }
    return [s for s in table.index if s[0] in ("dim", "scalar") or (s[0] == "extent" and (s[1], s[2]) in own)]


def _shapes(kernel: d.Kernel, table: Slots, values: list[Any]) -> dict[str, tuple[int, ...]]:
    return {
        p.name: value_function([from_device(e, table) for e in p.shape])(values)
        for p in kernel.params
        if isinstance(p, d.ArrayParam)
    }


def _count(shape: Sequence[int]) -> int:
    count = 1
    for extent in shape:
        count *= max(extent, 0)
    return count


# --- contents ---------------------------------------------------------------------------------------------


def _limits(data: Sequence[DataCheck], array: str, values: list[Any]) -> list[tuple[str, tuple[int, ...]]]:
    return [(check.predicate, value_function(check.args)(values)) for check in data if check.array == array]


def _array(
    param: d.ArrayParam, shape: tuple[int, ...], limits: list[tuple[str, tuple[int, ...]]], rng: np.random.Generator
) -> np.ndarray:
    """Contents that meet the data contracts of the parameter: uniform in [0, 1), or small integers, where there are none."""
    from transpiler.simulate.dtypes import numpy_dtype

    dtype = numpy_dtype(param.dtype)
    count = _count(shape)
    if param.dtype.is_float:
        flat = rng.random(count)
    elif param.dtype.kind == "bool":
        flat = rng.random(count) < 0.5
    else:
        flat = rng.integers(0, 100, count)
    for predicate, bounds in limits:
        if predicate in ("permutation", "injective"):
            flat = rng.permutation(count)
        elif predicate == "in_range":
            flat = rng.integers(bounds[0], max(bounds[1], bounds[0] + 1), count)
    if any(predicate == "nondecreasing" for predicate, _ in limits):
        flat.sort()
    array = flat.astype(dtype).reshape(shape)
    return array.copy(order="F") if param.order == "F" else array
