"""One thread, step by step, with its variables.

In: a kernel, arguments, a launch, a block and a thread of it. Out: a `Step` before each statement that the thread
executes, as a debugger stops. Its block runs along (barriers and exchanges are real); other blocks only where they
wait for each other.
Non-goals: a user interface.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from transpiler.ir import device as ir
from transpiler.simulate.expressions import Activation
from transpiler.simulate.lanes import Triple, linear
from transpiler.simulate.launch import Extents, Session, prepare
from transpiler.simulate.report import Report
from transpiler.simulate.scheduler import Stop
from transpiler.source import Source


@dataclass(frozen=True, slots=True)
class Step:
    """`variables`: scalars that the thread can see and has assigned, by name, before the statement."""

    source: Source
    line: int
    text: str
    variables: dict[str, Any]
    active: int
    """How many threads execute the statement together."""


def trace(
    kernel: ir.Kernel,
    arguments: Mapping[str, Any],
    *,
    grid: Extents | None = None,
    block: Extents | None = None,
    at_block: Extents = 0,
    at_thread: Extents = 0,
    max_steps: int = 1_000_000,
    smem: int = 0,
) -> Iterator[Step] | Report:
    """Steps of one thread, or the report that refuses the launch."""
    session = prepare(
        kernel,
        arguments,
        grid=grid,
        block=block,
        schedule=None,
        detect=True,
        max_steps=max_steps,
        smem=smem,
        blocks=None,
    )
    if isinstance(session, Report):
        return session
    ordinal, thread = linear(_index(at_block), session.launch.grid), linear(_index(at_thread), session.launch.block)
    if not (0 <= ordinal < session.launch.block_count and 0 <= thread < session.launch.threads_per_block):
        raise ValueError(
            f"block {at_block} and thread {at_thread} are not in a grid of {session.launch.grid} blocks of {session.launch.block}"
        )
    return _steps(session, ordinal, thread)


def _steps(session: Session, ordinal: int, thread: int) -> Iterator[Step]:
    machine = session.machine_of(ordinal)
    lane = (ordinal - machine.chunk.first) * session.launch.threads_per_block + thread
    assigned: dict[Activation, set[ir.Local]] = {}
    inner: list[Step] = []

    def step(stop: Stop) -> list[Step]:
        stmt, lanes, env = stop
        if lane not in lanes.ids:
            return []
        seen = assigned.setdefault(env, set())
        line = env.source.line(stmt.span.start)
        told = Step(env.source, line, env.source.line_text(line).strip(), _variables(env, seen, lane), lanes.count)
        seen.update(_targets(stmt))
        return [told]

    machine.watch = lambda stop: inner.extend(step(stop))
    with np.errstate(all="ignore"):
        for stop in machine.walk():
            yield from inner
            inner.clear()
            yield from step(stop)
        yield from inner


def _variables(env: Activation, assigned: set[ir.Local], lane: int) -> dict[str, Any]:
    shown: dict[str, Any] = {}
    for variable, value in env.scalars.items():
        if isinstance(variable, ir.ScalarParam) or (variable in assigned and not variable.is_temp):
            mine = value if np.ndim(value) == 0 else value[lane]
            shown[variable.name] = mine.item() if mine.dtype.kind in "biuf" else float(mine)
    return shown


def _targets(stmt: ir.Stmt) -> tuple[ir.Local, ...]:
    match stmt:
        case ir.Assign(target=target):
            return (target,)
        case ir.For(counter=counter):
            return (counter,)
        case ir.Atomic(target=ir.Local() as target):
            return (target,)
        case ir.CallStmt(targets=targets):
            return targets
    return ()


def _index(extents: Extents) -> Triple:
    """An index in x, y, z order; what is not given is 0."""
    if isinstance(extents, int):
        return extents, 0, 0
    x, y, z = (*extents, 0, 0)[:3]
    return x, y, z
