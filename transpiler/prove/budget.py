"""What one proof may cost, counted in steps and never in time: every run on every machine gives the same answer.

In: what the parts of the prover spend. Out: for the solver, whether it may be asked again; for our own work,
`Exhausted` once it is too much, which ends the proof with what it has found so far.
Non-goals: measuring time (`bench/prover.py` does).
"""

from __future__ import annotations

from dataclasses import dataclass

QUERY_STEPS = 1_000_000
"""Of the solver, in one question."""
SOLVER_STEPS = 4_000_000
"""Of the solver, in all questions of one kernel: about two seconds."""
WITNESS_STEPS = 1_000_000
"""Of the solver, to make the witnesses of one kernel small: questions leave these alone, so that what they find can be shown."""
WORK = 120_000
"""Of our own, in one kernel: a unit is about twenty microseconds."""

STATEMENT = 6
"""Work for one statement of symbolic execution, each time it is executed."""

LOOP = 40
"""Work for one pass over a loop whose iterations are not unrolled, its body apart."""
DECISION = 30
"""Work for one question, before any solver is asked."""
LINEAR = 12
"""So many rows of a linear system looked at make one unit of work."""

PAIRS = 3
"""Work for ten pairs of accesses, most of which no question is asked about."""

BOUND = 2
"""Work for one step towards the greatest value of an index."""


class Exhausted(Exception):
    """The prover has done as much as it may for this kernel."""


@dataclass(slots=True)
class Budget:
    """What is left for one kernel."""

    solver: int = SOLVER_STEPS
    witness: int = WITNESS_STEPS
    work: int = WORK

    def spend(self, work: int) -> None:
        self.work -= work
        if self.work < 0:
            raise Exhausted
