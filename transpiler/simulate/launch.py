"""A simulated launch: from a kernel and arguments to a report.

In: a kernel, arguments by name, grid and block (or what the decorator says). Out: `Report`; arrays are changed in
place. A launch that a device would refuse (arguments, grid, contract) is refused with the same codes, and nothing
runs.
Non-goals: what statements do (`machine`).
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from math import prod
from typing import Any

import numpy as np

from transpiler.ir import device as ir
from transpiler.simulate.arguments import Arguments, bind
from transpiler.simulate.contract import check_contract
from transpiler.simulate.expressions import Activation, Evaluator
from transpiler.simulate.lanes import Chunk, Lanes, Launch, Triple, linear, triple
from transpiler.simulate.machine import Machine, Settings
from transpiler.simulate.memory import Binding
from transpiler.simulate.order import Clocks
from transpiler.simulate.program import Program, analyse
from transpiler.simulate.races import Detector, Layout
from transpiler.simulate.releases import Releases
from transpiler.simulate.report import Findings, Report

Extents = int | tuple[int, ...] | list[int]

CHUNK_LANES = 1 << 15
"""Threads that run side by side: enough to hide Python's cost a statement, few enough for the cache."""

CHUNK_BYTES = 1 << 28
"""Shared and local memory, with shadow cells, of one chunk."""

MAX_THREADS, MAX_GRID_YZ, MAX_GRID_X = 1024, 65535, 2**31 - 1


@dataclass(slots=True, eq=False)
class Session:
    """A launch that is ready to run, chunk by chunk."""

    program: Program
    arguments: Arguments
    launch: Launch
    detect: bool
    settings: Settings
    findings: Findings
    releases: Releases | None
    layout: Layout
    printed: list[str] = field(default_factory=list)

    def machine(self, first: int, blocks: int) -> Machine:
        chunk = Chunk(self.launch, first, blocks)
        clocks = Clocks(chunk)
        if self.releases is not None:
            self.releases.attach(chunk, clocks)
        detector = (
            Detector(self.program, self.findings, chunk, clocks, self.releases, self.layout) if self.detect else None
        )
        evaluator = Evaluator(self.program, chunk, self.arguments.dims, self.findings, detector)
        env = names_of(self.arguments)
        return Machine(
            self.program,
            chunk,
            evaluator,
            clocks,
            detector,
            self.releases,
            self.findings,
            self.settings,
            self.printed,
            env,
        )

    @property
    def runs_whole(self) -> bool:
        """Do blocks wait for each other: then all of them are there at once."""
        return self.program.has_grid_barrier or bool(self.program.waits)

    def machine_of(self, ordinal: int) -> Machine:
        """One that runs this block alone, or all blocks if they wait for each other."""
        return self.machine(0, self.launch.block_count) if self.runs_whole else self.machine(ordinal, 1)

    def chunks(self) -> list[tuple[int, int]]:
        """First block and number of blocks of each chunk, in the order in which they run."""
        count = self.launch.block_count
        per_chunk = (
            count
            if self.runs_whole
            else max(1, min(CHUNK_LANES // self.launch.threads_per_block, CHUNK_BYTES // self._block_bytes()))
        )
        chunks = [(first, min(per_chunk, count - first)) for first in range(0, count, max(1, per_chunk))]
        order = self.settings.order(len(chunks))
        return chunks if order is None else [chunks[i] for i in order.tolist()]

    def _block_bytes(self) -> int:
        """About what a block's shared and local memory takes; extents that the launch gives count as 1024."""
        total = 1
        kernel = self.program.kernel
        for array in (*kernel.arrays, *(a for f in kernel.functions for a in f.arrays)):
            cells = prod(int(e.value) if isinstance(e, ir.Const) else 1024 for e in array.shape)
            copies = self.launch.threads_per_block if isinstance(array, ir.LocalArray) else 1
            total += cells * copies * (array.dtype.itemsize + (24 if self.detect else 0))
        return total


def simulate(
    kernel: ir.Kernel,
    arguments: Mapping[str, Any],
    *,
    grid: Extents | None = None,
    block: Extents | None = None,
    schedule: str | int | None = None,
    detect: bool = True,
    max_steps: int = 1_000_000,
    smem: int = 0,
    blocks: Iterable[Triple] | None = None,
) -> Report:
    """Run a kernel on NumPy arrays.

    `schedule`: None (threads act in ascending order where an order shows), `"reverse"`, or a seed for a random order.
    `detect=False` leaves out races and uninitialised reads. `max_steps` bounds the statements of one chunk of blocks.
    `blocks` runs these blocks alone.
    """
    started = time.perf_counter()
    session = prepare(
        kernel,
        arguments,
        grid=grid,
        block=block,
        schedule=schedule,
        detect=detect,
        max_steps=max_steps,
        smem=smem,
        blocks=blocks,
    )
    if isinstance(session, Report):
        return session
    statements = steps = 0
    with np.errstate(all="ignore"):
        for first, count in session.chunks():
            machine = session.machine(first, count)
            statements += machine.run()
            steps += machine.scheduler.steps
    return Report(
        diagnostics=session.findings.diagnostics,
        occurrences=session.findings.occurrences,
        printed="".join(session.printed),
        statements=statements,
        steps=steps,
        blocks=session.launch.block_count,
        threads=session.launch.block_count * session.launch.threads_per_block,
        seconds=time.perf_counter() - started,
    )


def prepare(
    kernel: ir.Kernel,
    arguments: Mapping[str, Any],
    *,
    grid: Extents | None,
    block: Extents | None,
    schedule: str | int | None,
    detect: bool,
    max_steps: int,
    smem: int,
    blocks: Iterable[Triple] | None,
) -> Session | Report:
    """A session, or the report that refuses the launch."""
    program = analyse(kernel)
    bound = bind(program, arguments, detect)
    if not bound.diagnostics:
        launch = _launch(bound, program, grid, block)
        if launch is not None:
            findings = Findings(launch, {"grid": list(launch.grid), "block": list(launch.block), **bound.describe()})
            with np.errstate(all="ignore"):
                check_contract(bound, host_evaluator(bound, program, launch, findings), findings)
            if not findings.diagnostics:
                return _session(
                    program, bound, launch, findings, Settings(acting_order(schedule), max_steps, smem), detect, blocks
                )
            return Report(findings.diagnostics, findings.occurrences)
    return Report(bound.diagnostics, [1] * len(bound.diagnostics))


def _session(
    program: Program,
    bound: Arguments,
    launch: Launch,
    findings: Findings,
    settings: Settings,
    detect: bool,
    blocks: Iterable[Triple] | None,
) -> Session:
    if blocks is not None and not program.has_grid_barrier:
        launch = Launch(launch.grid, launch.block, tuple(sorted({linear(index, launch.grid) for index in blocks})))
        findings.launch = launch
    releases = Releases() if program.has_fence and detect else None
    layout = Layout.of(launch, len(program.sites))
    return Session(program, bound, launch, detect, settings, findings, releases, layout)


def acting_order(schedule: str | int | None) -> Callable[[int], np.ndarray | None]:
    if schedule is None:
        return lambda n: None
    if schedule == "reverse":
        return lambda n: np.arange(n - 1, -1, -1)
    if isinstance(schedule, str):
        raise ValueError(f'schedule is None, "reverse" or a seed, not {schedule!r}')
    random = np.random.default_rng(schedule)
    return random.permutation


def names_of(arguments: Arguments) -> Activation:
    env = Activation(arguments.kernel.source)
    for param, value in arguments.scalars.items():
        env.scalars[param] = value
    for param, memory in arguments.memories.items():
        env.bind(param, Binding.of(memory))
    return env


def host_evaluator(
    arguments: Arguments, program: Program, launch: Launch, findings: Findings
) -> Callable[[ir.Expr], Any]:
    """Values of expressions over scalars, dims, extents and launch dimensions."""
    chunk = Chunk(launch, 0, 1)
    evaluator = Evaluator(program, chunk, arguments.dims, findings, None)
    env = names_of(arguments)
    one = Lanes(np.array([0]), chunk.width)
    return lambda expr: np.reshape(evaluator.value(expr, one, env), -1)[0]


# --- grid and block ---------------------------------------------------------------------------------------


def _launch(arguments: Arguments, program: Program, grid: Extents | None, block: Extents | None) -> Launch | None:
    kernel = arguments.kernel
    threads = triple(block) if block is not None else default_block(kernel)
    findings = Findings(Launch((1, 1, 1), threads), {})
    with np.errstate(all="ignore"):
        blocks = (
            triple(grid)
            if grid is not None
            else _own_grid(kernel, threads, host_evaluator(arguments, program, Launch((1, 1, 1), threads), findings))
        )
    if findings.diagnostics:
        arguments.diagnostics.extend(findings.diagnostics)
        return None
    if blocks is None:
        arguments.refuse(
            "E0815", f"`{kernel.name}` names neither `grid=` nor `domain=`: the launch has to", help="give `grid=`"
        )
        return None
    wrong = _impossible(blocks, threads)
    if wrong is not None:
        arguments.refuse("E0814", wrong)
        return None
    return Launch(blocks, threads)


def default_block(kernel: ir.Kernel) -> Triple:
    """The block of the decorator; on free axes a usual one."""
    usual = {1: (256, 1, 1), 2: (32, 8, 1), 3: (16, 4, 4)}[max(1, min(3, kernel.axes))]
    x, y, z = (extent if extent is not None else usual[axis] for axis, extent in enumerate(kernel.block))
    return x, y, z


def _own_grid(kernel: ir.Kernel, block: Triple, evaluate: Callable[[ir.Expr], Any]) -> Triple | None:
    if kernel.grid is not None:
        return triple([int(evaluate(extent)) for extent in kernel.grid])
    if kernel.domain is not None:
        return triple([-(-int(evaluate(extent)) // block[axis]) for axis, extent in enumerate(kernel.domain)])
    return None


def _impossible(grid: Triple, block: Triple) -> str | None:
    """Why no device runs this; a grid with an extent of 0 starts no thread, and is fine."""
    if min(block) < 1 or min(grid) < 0:
        return f"a grid of {grid} blocks of {block} threads"
    if prod(block) > MAX_THREADS or block[2] > 64:
        return f"a block of {block} threads: at most {MAX_THREADS} in all, and 64 in z"
    if grid[0] > MAX_GRID_X or max(grid[1:]) > MAX_GRID_YZ:
        return f"a grid of {grid} blocks: at most {MAX_GRID_X} in x, {MAX_GRID_YZ} in y and z"
    return None
