"""Atomic operations by many lanes: as if one lane after the other had done its own.

In: cells (maybe equal ones), operands, in the order in which the lanes are to act. Out: the old value that each lane
sees; memory holds the end. Distinct cells are served as whole vectors, lanes that share a cell round by round, and a
cell that very many lanes share by one scan.
Non-goals: conflicts with other accesses (`races`).
"""

from __future__ import annotations

import numpy as np

from transpiler.simulate.memory import Memory

_SCANS = {"add": np.add, "sub": np.subtract, "and": np.bitwise_and, "or": np.bitwise_or, "xor": np.bitwise_xor}
_MANY = 64
"""More lanes than this on one cell are worth a scan of their own."""


def apply(memory: Memory, op: str, cells: np.ndarray, operands: list[np.ndarray]) -> np.ndarray:
    """Old values, lane by lane."""
    if op == "load":
        return memory.read(cells)
    order = np.argsort(cells, kind="stable")
    ordered = cells[order]
    starts = np.flatnonzero(np.concatenate([[True], ordered[1:] != ordered[:-1]]))
    counts = np.diff(np.append(starts, len(cells)))
    if len(starts) == len(cells):
        return _round(memory, op, cells, operands)
    old = np.empty(len(cells), memory.data.dtype)
    many = counts > _MANY
    for start, count in zip(starts[many].tolist(), counts[many].tolist(), strict=True):
        lanes = order[start : start + count]
        _in_turn(memory, op, int(cells[lanes[0]]), lanes, operands, old)
    few_starts, few_counts = starts[~many], counts[~many]
    for turn in range(int(few_counts.max()) if len(few_counts) else 0):
        lanes = order[few_starts[few_counts > turn] + turn]
        old[lanes] = _round(memory, op, cells[lanes], [operand[lanes] for operand in operands])
    return old


def _round(memory: Memory, op: str, cells: np.ndarray, operands: list[np.ndarray]) -> np.ndarray:
    """No two lanes have the same cell."""
    old = memory.read(cells)
    memory.write(cells, after(op, old, operands))
    return old


def after(op: str, old: np.ndarray, operands: list[np.ndarray]) -> np.ndarray:
    """What an operation leaves in a cell that held `old`."""
    value = operands[0]
    match op:
        case "add" | "sub" | "and" | "or" | "xor":
            return _SCANS[op](old, value)
        case "min":
            return np.where(value < old, value, old)
        case "max":
            return np.where(value > old, value, old)
        case "exch" | "store":
            return value
        case "inc":
            return np.where(old >= value, old.dtype.type(0), old + old.dtype.type(1))
        case "dec":
            return np.where((old == 0) | (old > value), value, old - old.dtype.type(1))
        case "cas":
            return np.where(_bits(old) == _bits(value), operands[1], old)
    raise AssertionError(op)


def _in_turn(
    memory: Memory, op: str, cell: int, lanes: np.ndarray, operands: list[np.ndarray], old: np.ndarray
) -> None:
    """All lanes have this one cell."""
    here = np.array([cell])
    first = memory.read(here)
    mine = [operand[lanes] for operand in operands]
    if op in _SCANS:
        steps = _SCANS[op].accumulate(np.concatenate([first, mine[0]]), dtype=first.dtype)
        old[lanes], last = steps[:-1], steps[-1:]
    elif op in ("exch", "store"):
        old[lanes], last = np.concatenate([first, mine[0][:-1]]), mine[0][-1:]
    elif op == "cas":
        last = _compare_in_turn(first, mine, lanes, old)
    else:
        last = first
        for i, lane in enumerate(lanes.tolist()):
            old[lane] = last[0]
            last = after(op, last, [operand[i : i + 1] for operand in mine])
    memory.write(here, last)


def _compare_in_turn(held: np.ndarray, operands: list[np.ndarray], lanes: np.ndarray, old: np.ndarray) -> np.ndarray:
    """Lanes up to the next one that finds what it expects see one value: as many steps as exchanges happen."""
    expected, desired = operands
    start = 0
    while start < len(lanes):
        hits = np.flatnonzero(_bits(expected[start:]) == _bits(held))
        if not len(hits):
            old[lanes[start:]] = held[0]
            break
        stop = start + int(hits[0])
        old[lanes[start : stop + 1]] = held[0]
        held = desired[stop : stop + 1]
        start = stop + 1
    return held


def _bits(values: np.ndarray) -> np.ndarray:
    """Compare-and-swap compares representations: a NaN equals itself, 0.0 and -0.0 differ."""
    return np.ascontiguousarray(values).view(f"u{values.dtype.itemsize}")
