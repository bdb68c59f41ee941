"""Every part of a proof is counted, and one that is cut off is never called a proof."""

from __future__ import annotations

import pytest

from tests.prove.support import kernel
from transpiler import confirm
from transpiler.ir import device
from transpiler.prove import budget, prove
from transpiler.prove.budget import Budget, Exhausted
from transpiler.prove.context import Context
from transpiler.prove.solver import Solver

PARAMS = "x: In[f32, N], y: Out[f32, N]"
BODY = """
i = cuda.grid(1)
for k in range(i, N, 1024):
    y[k] = x[k]
"""


def test_a_budget_ends() -> None:
    left = Budget(work=10)
    left.spend(10)
    with pytest.raises(Exhausted):
        left.spend(1)


@pytest.mark.parametrize("work", [0, 20, 50, 100, 150])
def test_a_proof_that_is_cut_off_is_none(monkeypatch: pytest.MonkeyPatch, work: int) -> None:
    monkeypatch.setattr(Budget.__init__, "__defaults__", (budget.SOLVER_STEPS, budget.WITNESS_STEPS, work))
    proof = prove(kernel(BODY, PARAMS, "kernel(block=256, grid=4)"))
    assert proof.verdict == "unknown"
    assert [d.code for d in proof.diagnostics] == ["E0312"]


def test_the_whole_budget_is_enough_for_it() -> None:
    assert prove(kernel(BODY, PARAMS, "kernel(block=256, grid=4)")).verdict == "proved"


def test_a_solver_without_steps_answers_unknown() -> None:
    solver = Solver(Budget(solver=-1, witness=-1))
    solver.declare("(declare-const x Int)")
    assert solver.check(["(= x 1)"]).verdict == "unknown"
    assert solver.smallest(["(= x 1)"], [("x", (0, None))]).verdict == "unknown"
    assert solver.queries == 0


def test_witnesses_and_questions_are_counted_apart() -> None:
    left = Budget()
    solver = Solver(left)
    solver.declare("(declare-const x Int)")
    assert solver.smallest(["(< 3 x)"], [("x", (0, None))]).model == {"x": 4}
    assert left.witness < budget.WITNESS_STEPS
    assert left.solver == budget.SOLVER_STEPS
    assert solver.check(["(< 3 x)", "(< x 3)"]).verdict == "unsat"
    assert left.solver < budget.SOLVER_STEPS


def test_a_long_kernel_spends_more() -> None:
    def spent(lines: int) -> int:
        body = "i = cuda.grid(1)\nif i < N:\n    y[i] = x[i]\n" + "    y[i] = y[i] + 1.0\n" * lines
        context = Context(kernel(body, PARAMS.replace("Out", "InOut")), (256, 1, 1), False)
        return budget.WORK - context.budget.work

    assert spent(40) > 2 * spent(10) > 0


def test_candidates_take_a_bounded_number_of_steps(monkeypatch: pytest.MonkeyPatch) -> None:
    """Contents that the kernel writes are approximated, so each pair is tried in the simulator, in vain."""
    body = """
    i = cuda.grid(1)
    if i < N:
        p[i] = i
        q[p[i]] = 1.0
        q[p[i]] = 2.0
        q[p[i]] = 3.0
    """
    made: device.Kernel = kernel(body, "p: InOut[i32, N], q: InOut[f32, N]")
    monkeypatch.setattr(confirm, "KERNEL_STEPS", 100)
    few = confirm.Confirm(made)
    prove(made, confirm=few)
    assert -100 - 2 * confirm.MAX_STEPS < few.left < 100
