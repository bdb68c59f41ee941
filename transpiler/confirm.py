"""Candidates of the prover, run in the simulator: does the race happen?

In: a kernel, and a witness whose model rests on something that the prover approximates (contents that the kernel
writes, floats, values carried by loops). Out: a witness of a launch in which these lines did conflict, or None. The
launch and contents of the model are tried first, then at most `TRIALS` random contents, always the same ones.
Counters (`Atomic` parameters) start at 0. All launches of one kernel together take a bounded number of steps, never a
bounded time: answers are the same on every run.

The only module that imports both the prover's data and the simulator. Non-goals: showing that nothing happens.
"""

from __future__ import annotations

import random
from dataclasses import replace
from math import prod
from typing import Any

from transpiler.diagnostics.model import Diagnostic, Witness
from transpiler.ir import device as d

TRIALS = 32
MAX_THREADS = 1 << 14
MAX_ELEMENTS = 1 << 16
MAX_STEPS = 2_000
"""Of one launch."""
KERNEL_STEPS = 12_000
"""Of all launches for one kernel: about a second."""
LAUNCH_STEPS = 20
"""What it costs to set up a launch."""
STEP_LANES = 3_000
"""So many more threads make a step cost as much as one more."""


class Confirm:
    """Runs the candidates of one kernel, as long as its steps last."""

    def __init__(self, kernel: d.Kernel):
        self.kernel = kernel
        self.left = KERNEL_STEPS

    def __call__(self, witness: Witness) -> Witness | None:
        """A launch in which the accesses of the witness race, with the threads that the simulator saw."""
        launch = witness.launch
        if prod(launch["grid"]) * prod(launch["block"]) > MAX_THREADS:
            return None
        if any(prod(shape) > MAX_ELEMENTS for shape in launch["shapes"].values()):
            return None
        rng = random.Random(0)
        for trial in range(TRIALS + 1):
            if self.left < 0:
                return None
            attempt = launch if trial == 0 else _larger(self.kernel, launch, rng, trial)
            found, ends = self._run(replace(witness, launch=attempt))
            if found is not None or not ends:
                return found
        return None

    def _run(self, witness: Witness) -> tuple[Witness | None, bool]:
        """What was confirmed, and whether the launch came to its end."""
        from transpiler.simulate import simulate_witness

        replay = simulate_witness(self.kernel, witness, max_steps=MAX_STEPS)
        report = replay.report
        self.left -= LAUNCH_STEPS + report.steps + report.statements // STEP_LANES
        return _confirmed(witness, replay.confirmed), "E0406" not in report.codes()


def _confirmed(witness: Witness, seen: Diagnostic | None) -> Witness | None:
    if seen is None or seen.witness is None or not _same_kind(witness, seen):
        return None
    threads = seen.witness.threads
    if not seen.kind.startswith("race"):
        return replace(witness, threads=tuple(threads), index=seen.witness.index)
    if len(threads) != 2 or sorted(t.line for t in threads) != sorted(t.line for t in witness.threads):
        return None
    first = witness.threads[0].line
    ordered = threads if threads[0].line == first else threads[::-1]
    one_block = witness.threads[0].block == witness.threads[1].block
    if one_block != (ordered[0].block == ordered[1].block):
        return None
    return replace(witness, threads=tuple(ordered), index=seen.witness.index)


def _larger(kernel: d.Kernel, launch: dict[str, Any], rng: random.Random, trial: int) -> dict[str, Any]:
    """The launch with random contents; every other time with larger scalars and anonymous extents too."""
    attempt = dict(launch)
    if trial % 2 == 0:
        attempt["scalars"] = {n: _grown(v, rng) for n, v in launch["scalars"].items()}
        attempt["shapes"] = {
            a.name: tuple(
                max(n, 512) if isinstance(e, d.Extent) and a.rank == 1 else n
                for n, e in zip(launch["shapes"][a.name], a.shape, strict=True)
            )
            for a in kernel.arrays_by_name.values()
        }
    attempt["data"] = _contents(kernel, attempt, rng, trial)
    return attempt


def _grown(value: Any, rng: random.Random) -> Any:
    return value if type(value) is not int else rng.choice((value, value + 1, 2 * value + 1, value + 16))


def _same_kind(witness: Witness, seen: Diagnostic) -> bool:
    """The simulator found a fault of the kind that the witness tells of."""
    if witness.threads[0].access in ("barrier", "collective"):
        return seen.kind == "divergence"
    return seen.kind.startswith("race") if len(witness.threads) == 2 else seen.kind == "out-of-bounds"


def _contents(kernel: d.Kernel, launch: dict[str, Any], rng: random.Random, trial: int) -> dict[str, list]:
    """Small numbers, often equal, often valid indices of some array of the launch."""
    top = max(
        [
            2,
            *(max(s) for s in launch["shapes"].values() if s),
            *(v for v in launch["scalars"].values() if type(v) is int),
        ]
    )
    top = min(top, 512) if trial % 2 else 3
    out: dict[str, list] = {}
    for a in kernel.arrays_by_name.values():
        size = prod(launch["shapes"].get(a.name, (0,)))
        if a.ownership == "atomic" or not size:
            continue
        if a.dtype.kind == "bool":
            out[a.name] = [rng.random() < 0.5 for _ in range(size)]
        elif a.dtype.is_float:
            out[a.name] = [float(rng.randint(-4, 4)) for _ in range(size)]
        else:
            low = -1 if a.dtype.kind == "int" and trial % 3 == 0 else 0
            out[a.name] = [rng.randint(low, top) for _ in range(size)]
    return out
