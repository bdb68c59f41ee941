"""Replay of a witness: does what the prover says happen.

In: a kernel and a `Witness` (or the JSON form of one). Out: `Replay`: the report of the launch that the witness
describes, and the finding that confirms it, if there is one. Memory that is not touched is never filled, so a witness
may have arrays of billions of elements.
Non-goals: finding witnesses.
"""

from __future__ import annotations

import tempfile
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from math import prod
from mmap import mmap
from typing import Any

import numpy as np

from transpiler.diagnostics.model import Diagnostic, Witness
from transpiler.ir import device as ir
from transpiler.simulate.dtypes import numpy_dtype
from transpiler.simulate.lanes import Triple, triple
from transpiler.simulate.launch import simulate
from transpiler.simulate.report import Report

ALL_BLOCKS = 1 << 20
"""Launches of up to so many threads run whole, larger ones only the blocks that the witness names."""

_IN_MEMORY = 1 << 26
"""Larger arrays (in bytes) are mapped, from a file with holes where memory does not do."""


@dataclass(frozen=True, slots=True)
class Replay:
    report: Report
    confirmed: Diagnostic | None
    """The finding between the lines of the witness."""


def simulate_witness(
    kernel: ir.Kernel, witness: Witness | Mapping[str, Any], *, kind: str | None = None, max_steps: int = 1_000_000
) -> Replay:
    """`kind`: that of the finding (`race-global`, `out-of-bounds`, ...); None is any that the lines and the array allow."""
    told = asdict(witness) if isinstance(witness, Witness) else dict(witness)
    launch, threads = told["launch"], told.get("threads") or []
    named = {_triple_index(thread["block"]) for thread in threads}
    wanted = _Wanted(
        tuple(sorted(int(t["line"]) for t in threads)), told.get("array"), kind, len(threads) == 2 and len(named) == 1
    )

    def run(blocks: set[Triple] | None) -> Replay:
        grid, block = triple(launch["grid"]), triple(launch["block"])
        report = simulate(
            kernel, arguments_of(kernel, launch), grid=grid, block=block, blocks=blocks, max_steps=max_steps
        )
        fitting = [d for d in report.diagnostics if wanted.fits(d)]
        return Replay(report, min(fitting, key=wanted.distance, default=None))

    few = prod(launch["grid"]) * prod(launch["block"]) <= ALL_BLOCKS
    replay = run(None if few or not named else named)
    if few and wanted.one_block and (replay.confirmed is None or wanted.distance(replay.confirmed)):
        alone = run(named)
        return alone if alone.confirmed is not None else replay
    return replay


@dataclass(frozen=True, slots=True)
class _Wanted:
    """What a finding has to be. Other blocks may hide a pair of one block (who touches a cell first is remembered)."""

    lines: tuple[int, ...]
    array: str | None
    kind: str | None
    one_block: bool

    def fits(self, found: Diagnostic) -> bool:
        if found.code.startswith("E08") or (self.kind is not None and found.kind != self.kind):
            return False
        if self.array is not None and found.witness is not None and found.witness.array not in (None, self.array):
            return False
        lines = tuple(sorted(found.all_lines))
        if not self.lines or lines == self.lines:
            return True
        return len(lines) != len(self.lines) and bool(set(lines) & set(self.lines))

    def distance(self, found: Diagnostic) -> int:
        """0 if the threads of the finding are of one block just if those of the witness are."""
        blocks = {thread.block for thread in found.witness.threads} if found.witness is not None else set()
        return int((len(blocks) == 1) != self.one_block)


def arguments_of(kernel: ir.Kernel, launch: Mapping[str, Any]) -> dict[str, Any]:
    """Arrays and scalars as a witness describes them: a number fills an array, a list gives leading elements, the rest is 0."""
    scalars, shapes, data = (launch.get(key) or {} for key in ("scalars", "shapes", "data"))
    arguments: dict[str, Any] = {}
    for param in kernel.params:
        if isinstance(param, ir.ScalarParam):
            default = param.default if param.default is not None else 0
            arguments[param.name] = scalars.get(param.name, default)
        elif param.name in shapes:
            arguments[param.name] = _array(param, tuple(int(e) for e in shapes[param.name]), data.get(param.name))
    return arguments


def _array(param: ir.ArrayParam, shape: tuple[int, ...], contents: Any) -> np.ndarray:
    dtype = numpy_dtype(param.dtype)
    if contents is not None and not isinstance(contents, list | tuple) and contents != 0 and param.ownership == "in":
        return np.broadcast_to(np.asarray(contents, dtype), shape)
    array = _zeros(shape, dtype)
    if isinstance(contents, list | tuple):
        array.reshape(-1)[: len(contents)] = np.asarray(contents[: array.size], dtype)
    elif contents:
        array[...] = contents
    return array


def _zeros(shape: tuple[int, ...], dtype: np.dtype) -> np.ndarray:
    """Large arrays are mapped, so that pages (small ones) come into being as they are touched."""
    size = prod(shape) * dtype.itemsize
    if size <= _IN_MEMORY:
        return np.zeros(shape, dtype)
    try:
        return np.frombuffer(mmap(-1, size), dtype).reshape(shape)
    except (OSError, MemoryError):
        with tempfile.TemporaryFile() as file:
            file.truncate(size)
            return np.memmap(file, dtype, "r+", shape=shape)


def _triple_index(index: Any) -> Triple:
    x, y, z = (*index, 0, 0, 0)[:3]
    return int(x), int(y), int(z)
