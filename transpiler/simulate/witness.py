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

_IN_MEMORY = 1 << 30
"""Larger arrays (in bytes) lie in a file with holes."""


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
    grid, block = triple(launch["grid"]), triple(launch["block"])
    arguments = arguments_of(kernel, launch)
    few = prod(grid) * prod(block) <= ALL_BLOCKS
    blocks = None if few or not threads else [_triple_index(thread["block"]) for thread in threads]
    report = simulate(kernel, arguments, grid=grid, block=block, blocks=blocks, max_steps=max_steps)
    lines = tuple(sorted(int(thread["line"]) for thread in threads))
    return Replay(report, next((d for d in report.diagnostics if _confirms(d, lines, told.get("array"), kind)), None))


def _confirms(found: Diagnostic, lines: tuple[int, ...], array: str | None, kind: str | None) -> bool:
    if found.code.startswith("E08") or (kind is not None and found.kind != kind):
        return False
    if array is not None and found.witness is not None and found.witness.array not in (None, array):
        return False
    found_lines = tuple(sorted(found.all_lines))
    return not lines or found_lines == lines or (len(found_lines) != len(lines) and bool(set(found_lines) & set(lines)))


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
    """Pages come into being as they are touched."""
    if prod(shape) * dtype.itemsize <= _IN_MEMORY:
        return np.zeros(shape, dtype)
    with tempfile.TemporaryFile() as file:
        file.truncate(prod(shape) * dtype.itemsize)
        return np.memmap(file, dtype, "r+", shape=shape)


def _triple_index(index: Any) -> Triple:
    x, y, z = (*index, 0, 0, 0)[:3]
    return int(x), int(y), int(z)
