"""Is an answer of the prover true? Launches that meet the contract of a kernel, and what the simulator finds in them.

In: a proved or refuted `KernelReport`. Out: faults that a launch shows of a kernel called proved (`unsound`), and witnesses
that the simulator does not confirm (`unconfirmed`). Launches are drawn from a seed: several grids, extents of 0, 1 and ragged
ones, at the least that the contract allows, contents random and hostile.
Non-goals: which kernels are judged (`mutate`, `test_random_kernels`).
"""

from __future__ import annotations

import random
from collections.abc import Mapping
from dataclasses import dataclass, field
from math import prod
from types import SimpleNamespace
from typing import Any

import numpy as np

from transpiler.diagnostics import Diagnostic, Severity
from transpiler.ir import device as d
from transpiler.pipeline import KernelReport
from transpiler.simulate import simulate, simulate_witness
from transpiler.simulate.dtypes import numpy_dtype
from transpiler.simulate.launch import Session, prepare

SIZES = (0, 1, 2, 3, 5, 31, 32, 33, 63, 64, 65, 96, 100, 128, 255, 256, 257, 300, 511, 512, 600)
SCALARS = (-5, -1, 0, 1, 2, 3, 4, 5, 7, 8, 16, 31, 32, 33, 64, 100, 255, 256, 257, 300, 700)
BLOCKS = (1, 2, 31, 32, 33, 64, 96, 256)
MAX_THREADS = 4096
MAX_ELEMENTS = 1 << 18
MAX_STEPS = 6_000
TRIES = 60
"""Draws of sizes for one launch, until one meets the contract."""


@dataclass(frozen=True)
class LaunchOf:
    """One launch. `grid` and `block` are None where the decorator gives them."""

    arguments: dict[str, Any]
    grid: tuple[int, int, int] | None
    block: tuple[int, int, int]

    def __str__(self) -> str:
        shown = {n: v.shape if isinstance(v, np.ndarray) else v for n, v in self.arguments.items()}
        return f"grid {self.grid} block {self.block} {shown}"


@dataclass
class Verdict:
    """What came of judging one kernel."""

    verdict: str
    launches: int = 0
    unsound: list[str] = field(default_factory=list)
    replayed: int = 0
    unconfirmed: list[str] = field(default_factory=list)


def judge(report: KernelReport, seed: int, launches: int, first: Mapping[str, Any] | None = None) -> Verdict:
    """Run a kernel that is called proved, replay the witnesses of one that is refuted. `first`: the launch of a corpus case."""
    found = Verdict(report.verdict)
    kernel = report.kernel
    if kernel is None:
        return found
    if report.verdict == "refuted":
        for x in report.diagnostics:
            if x.severity is Severity.ERROR and x.witness is not None:
                confirmed = replays(kernel, x)
                if confirmed is None:
                    continue
                found.replayed += confirmed
                if not confirmed:
                    found.unconfirmed.append(f"{x.code} {x.message} {x.witness}")
    if report.verdict == "proved" and not report.assumptions:
        rng = random.Random(seed)
        given = [first_launch(report, first)] if first is not None else []
        for launch in [*given, *(draw(report, rng) for _ in range(launches))]:
            if launch is not None:
                found.launches += 1
                faults = run(report, launch, seed)
                if faults:
                    found.unsound.append(f"{launch}: {'; '.join(f'{x.code} {x.message}' for x in faults[:3])}")
                    break
    return found


def replays(kernel: d.Kernel, told: Diagnostic) -> bool | None:
    """Whether the simulator sees what the witness tells; None where the launch is too large to run."""
    assert told.witness is not None
    launch = told.witness.launch
    if prod(launch["grid"]) * prod(launch["block"]) > 1 << 17 or any(
        prod(s) > 1 << 33 for s in launch["shapes"].values()
    ):
        return None
    return simulate_witness(kernel, told.witness, max_steps=40_000).confirmed is not None


def run(report: KernelReport, launch: LaunchOf, seed: int) -> list[Diagnostic]:
    """Faults that the simulator sees in a launch, those apart that the proof leaves to run-time checks."""
    assert report.kernel is not None
    schedule = (None, "reverse", seed)[seed % 3]
    seen = simulate(
        report.kernel, launch.arguments, grid=launch.grid, block=launch.block, schedule=schedule, max_steps=MAX_STEPS
    )
    checked = {"E0507", "E0501"} if report.runtime_checks else set()
    return [
        x
        for x in seen.diagnostics
        if x.severity is Severity.ERROR and not x.code.startswith("E08") and x.code not in checked | {"E0406"}
    ]


# --- launches ---------------------------------------------------------------------------------------------


class _Shape:
    """An array as contract lines see it."""

    def __init__(self, shape: list[int]) -> None:
        self.shape = shape

    def __len__(self) -> int:
        return self.shape[0]


@dataclass
class _Draw:
    """Sizes of a launch in the making."""

    block: tuple[int, int, int]
    grid: tuple[int, int, int]
    dims: dict[str, int]
    scalars: dict[str, Any]
    shapes: dict[str, list[int]]

    def names(self) -> dict[str, Any]:
        axes = [SimpleNamespace(**dict(zip("xyz", v, strict=True))) for v in (self.block, self.grid)]
        cuda = SimpleNamespace(blockDim=axes[0], gridDim=axes[1])
        arrays = {n: _Shape(s) for n, s in self.shapes.items()}
        return {"len": len, "min": min, "max": max, "cuda": cuda, **self.dims, **self.scalars, **arrays}

    def value(self, text: str) -> Any:
        return eval(text, {"__builtins__": {}}, self.names())


def draw(report: KernelReport, rng: random.Random) -> LaunchOf | None:
    """A launch that meets the contract, or None if none was found."""
    assert report.kernel is not None
    assert report.proof is not None
    for _ in range(TRIES):
        sizes = _sizes(report.kernel, rng)
        try:
            fits = _raise_extents(report, sizes, rng) and _small(sizes) and _meets(report, sizes)
        except ZeroDivisionError:
            continue
        if fits:
            return _launch(report, sizes, rng)
    return None


def first_launch(report: KernelReport, told: Mapping[str, Any]) -> LaunchOf | None:
    """The launch of a corpus case, if it meets the contract of this (mutated) kernel."""
    kernel = report.kernel
    assert kernel is not None
    assert report.proof is not None
    shapes = {n: list(s) for n, s in told["shapes"].items()}
    if set(shapes) != set(kernel.arrays_by_name):
        return None
    dims = {
        e.name: shapes[a.name][axis]
        for a in kernel.arrays_by_name.values()
        for axis, e in enumerate(a.shape)
        if isinstance(e, d.DimRef)
    }
    scalars = {
        p.name: told["scalars"].get(p.name, p.default or 0) for p in kernel.params if isinstance(p, d.ScalarParam)
    }
    sizes = _Draw(tuple(told["block"]), tuple(told["grid"]), dims, scalars, shapes)
    try:
        if not (_raise_extents(report, sizes, random.Random(0)) and _small(sizes) and _meets(report, sizes)):
            return None
    except ZeroDivisionError:
        return None
    return _launch(report, sizes, random.Random(0))


def _sizes(kernel: d.Kernel, rng: random.Random) -> _Draw:
    block = tuple(
        e if e is not None else (rng.choice(BLOCKS) if axis < kernel.axes else 1) for axis, e in enumerate(kernel.block)
    )
    if prod(block) > 1024:
        block = tuple(e if e is not None else 4 if axis < kernel.axes else 1 for axis, e in enumerate(kernel.block))
    grid = tuple(rng.choice((1, 1, 2, 2, 3, 5)) if axis < kernel.axes else 1 for axis in range(3))
    large = len(kernel.dims) <= 1 or rng.random() < 0.5
    pool = SIZES if large else SIZES[:9]
    near = rng.choice(pool)
    dims = {n: rng.choice((near, rng.choice(pool))) for n in kernel.dims}
    scalars = {p.name: _scalar(p, rng, near) for p in kernel.params if isinstance(p, d.ScalarParam)}
    shapes = {a.name: [_extent(e, dims, rng) for e in a.shape] for a in kernel.arrays_by_name.values()}
    return _Draw(block, grid, dims, scalars, shapes)  # type: ignore[arg-type]


def _extent(e: d.Expr, dims: Mapping[str, int], rng: random.Random) -> int:
    if isinstance(e, d.DimRef):
        return dims[e.name]
    if isinstance(e, d.Const):
        return int(e.value)
    return rng.choice((0, 0, 1, 1, 2, 40))


def _scalar(p: d.ScalarParam, rng: random.Random, near: int) -> Any:
    if p.dtype.kind == "bool":
        return rng.random() < 0.5
    if p.dtype.is_float:
        return rng.choice((0.0, 1.0, -2.5, 3.0))
    value = rng.choice((near, near, rng.choice(SCALARS), rng.choice(SCALARS), near - 1, near + 1, rng.randint(0, 300)))
    return max(p.dtype.min, min(p.dtype.max, value))


def _raise_extents(report: KernelReport, sizes: _Draw, rng: random.Random) -> bool:
    """Make anonymous extents as large as the inferred lines ask for, now and then a little larger."""
    kernel, proof = report.kernel, report.proof
    assert kernel is not None
    assert proof is not None
    _own_grid(kernel, sizes)
    free = {
        (f"len({a.name})" if a.rank == 1 else f"{a.name}.shape[{axis}]"): (a.name, axis)
        for a in kernel.arrays_by_name.values()
        for axis, e in enumerate(a.shape)
        if isinstance(e, d.Extent)
    }
    for _ in range(4):
        for line in proof.lines:
            if line.origin == "inferred" and " <= " in line.text:
                least, _, extent = line.text.rpartition(" <= ")
                if extent in free:
                    name, axis = free[extent]
                    sizes.shapes[name][axis] = max(sizes.shapes[name][axis], int(sizes.value(least)))
    if rng.random() < 0.2 and free:
        name, axis = free[rng.choice(sorted(free))]
        sizes.shapes[name][axis] += rng.choice((1, 7, 32))
    return True


def _own_grid(kernel: d.Kernel, sizes: _Draw) -> None:
    """`grid=` and `domain=` fix the grid; how many blocks that is, the simulator says."""
    own = kernel.grid if kernel.grid is not None else kernel.domain
    if own is None:
        return
    session = prepare(
        kernel, _arguments(kernel, sizes, random.Random(0), {}), grid=None, block=sizes.block, schedule=None, detect=False,
        max_steps=1, smem=0, blocks=None,
    )  # fmt: skip
    if isinstance(session, Session):
        sizes.grid = session.launch.grid


def _small(sizes: _Draw) -> bool:
    return prod(sizes.grid) * prod(sizes.block) <= MAX_THREADS and all(
        prod(s) <= MAX_ELEMENTS for s in sizes.shapes.values()
    )


def _meets(report: KernelReport, sizes: _Draw) -> bool:
    assert report.proof is not None
    lines = [line for line in report.proof.lines if line.origin != "data"]
    return min(sizes.grid) >= 1 and all(bool(sizes.value(line.text)) for line in lines)


def _launch(report: KernelReport, sizes: _Draw, rng: random.Random) -> LaunchOf:
    kernel, proof = report.kernel, report.proof
    assert kernel is not None
    assert proof is not None
    data = {line.array: (line.predicate, line.text) for line in proof.lines if line.origin == "data"}
    own = kernel.grid is not None or kernel.domain is not None
    return LaunchOf(_arguments(kernel, sizes, rng, data), None if own else sizes.grid, sizes.block)


# --- contents ---------------------------------------------------------------------------------------------


def _arguments(
    kernel: d.Kernel, sizes: _Draw, rng: random.Random, data: Mapping[str, tuple[str, str]]
) -> dict[str, Any]:
    out: dict[str, Any] = dict(sizes.scalars)
    top = max(
        [2, *(max(s, default=1) for s in sizes.shapes.values()), *(v for v in sizes.scalars.values() if type(v) is int)]
    )
    numbers = np.random.default_rng(rng.randrange(1 << 30))
    for a in kernel.arrays_by_name.values():
        shape = tuple(sizes.shapes[a.name])
        if a.name in data:
            out[a.name] = _kept(data[a.name], sizes, prod(shape), numbers).astype(numpy_dtype(a.dtype)).reshape(shape)
        else:
            out[a.name] = _contents(a, shape, top, rng, numbers)
    return out


def _contents(
    a: d.ArrayParam, shape: tuple[int, ...], top: int, rng: random.Random, numbers: np.random.Generator
) -> np.ndarray:
    dtype = numpy_dtype(a.dtype)
    if a.ownership == "atomic" and rng.random() < 0.7:
        return np.zeros(shape, dtype)
    if a.dtype.kind == "bool":
        return numbers.random(shape) < 0.5
    if a.dtype.is_float:
        values = np.round(numbers.normal(0, 4, shape))
        if rng.random() < 0.3:
            values = np.where(
                numbers.random(shape) < 0.2, numbers.choice([np.nan, np.inf, -np.inf, 1e30], shape), values
            )
        with np.errstate(over="ignore"):
            return values.astype(dtype)
    low, high = a.dtype.min, a.dtype.max
    match rng.randrange(7):
        case 0:
            values = np.zeros(shape, object)
        case 1:
            values = np.full(shape, rng.choice([1, 2, 31, top - 1, top, -1, low, high]), object)
        case 2:
            values = np.arange(prod(shape)).reshape(shape).astype(object)
        case 3:
            values = numbers.permutation(prod(shape)).reshape(shape).astype(object)
        case 4:
            values = numbers.integers(-2, 4, shape).astype(object)
        case 5:
            values = numbers.integers(-3, top + 3, shape).astype(object)
        case _:
            values = numbers.choice(np.array([low, high, 0, 1, -1, 31, 32, top], object), shape)
    return np.clip(values, low, high).astype(dtype)


def _kept(contract: tuple[str, str], sizes: _Draw, n: int, numbers: np.random.Generator) -> np.ndarray:
    """Contents that meet a data contract."""
    predicate, text = contract
    if predicate == "permutation":
        return numbers.permutation(n)
    if predicate == "injective":
        return numbers.permutation(2 * n + 3)[:n]
    if predicate == "nondecreasing":
        return np.sort(numbers.integers(-3, max(4, n + 3), n))
    _, low, high = (part.strip() for part in text.partition("(")[2].rpartition(")")[0].split(",", 2))
    lo, hi = int(sizes.value(low)), int(sizes.value(high))
    return numbers.integers(lo, max(hi, lo + 1), n)
