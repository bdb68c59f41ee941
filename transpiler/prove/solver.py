"""The solver behind the proofs: linear integer arithmetic, deterministic. The only place that imports z3.

In: assertions as SMT-LIB text. Out: `sat` with a model, `unsat` or `unknown`. Each kernel has a context of its own, a
fixed seed and a budget of steps (`budget`), so that answers and models are the same on every run.

Non-goals: building terms (`smt`), meaning of the answers.
"""

from __future__ import annotations

import re
import time
from functools import cached_property
from typing import Any

from transpiler.prove.budget import QUERY_STEPS, Budget
from transpiler.records import record

DEFINITION = re.compile(r"\(define-fun (\w+) \(\) (Int|Bool)\s+(\d+|\(- \d+\)|true|false)\)")
"""A constant in the text of a model."""


@record
class Answer:
    """`verdict` is `sat`, `unsat` or `unknown`; `model` maps constants to ints and bools where it is `sat`."""

    verdict: str
    model: dict[str, int | bool]


class Solver:
    """Declarations last; assertions of a query do not."""

    def __init__(self, budget: Budget | None = None) -> None:
        self.budget = budget or Budget()
        self._counted = 0
        self.queries = 0
        self.load_seconds = 0.0
        """What importing the solver took, which is no part of a proof."""

    @cached_property
    def _z3(self) -> Any:
        started = time.perf_counter()
        import z3

        self.load_seconds = time.perf_counter() - started
        return z3

    @cached_property
    def _context(self) -> Any:
        return self._z3.Context()

    @cached_property
    def _solver(self) -> Any:
        """Made for the first question: most kernels ask none."""
        solver = self._z3.SimpleSolver(ctx=self._context)
        solver.set("random_seed", 0)
        solver.set("rlimit", QUERY_STEPS)
        return solver

    def declare(self, text: str) -> None:
        if text:
            self._solver.from_string(text)

    def check(self, assertions: list[str], want_model: bool = True) -> Answer:
        """Are these assertions satisfiable together, given what was declared?"""
        if self.budget.solver < 0:
            return Answer("unknown", {})
        solver = self._solver
        solver.push()
        solver.from_string("".join(f"(assert {a})" for a in assertions))
        verdict, spent = self._check()
        self.budget.solver -= spent
        model = self._model() if verdict == "sat" and want_model else {}
        solver.pop()
        return Answer(verdict, model)

    def _check(self) -> tuple[str, int]:
        """The verdict on what is asserted, and the steps that it took."""
        self.queries += 1
        verdict = str(self._solver.check())
        before, self._counted = self._counted, self._steps()
        return verdict, self._counted - before

    def smallest(self, assertions: list[str], order: list[tuple[str, tuple[int | None, int | None]]]) -> Answer:
        """A model in which the named constants are as small as can be, the first ones first, as far as the budget goes."""
        solver = self._solver
        solver.push()
        solver.from_string("".join(f"(assert {a})" for a in assertions))
        model = self._witness()
        if model is not None:
            for name, (low, _) in order:
                model = self._lower(name, low if low is not None else -(2**31), model)
        solver.pop()
        return Answer("unknown", {}) if model is None else Answer("sat", model)

    def _witness(self) -> dict[str, int | bool] | None:
        """A model of what is asserted, if there is one and the budget lasts."""
        if self.budget.witness < 0:
            return None
        verdict, spent = self._check()
        self.budget.witness -= spent
        return self._model() if verdict == "sat" else None

    def _lower(self, name: str, low: int, model: dict[str, int | bool]) -> dict[str, int | bool]:
        """Pin one constant to its least value (not below zero if it need not be negative)."""
        high = model.get(name)
        if high is None or isinstance(high, bool):
            return model
        if high < 0:
            better = self._within(name, 0, None)
            if better is None:
                self._solver.from_string(f"(assert (= {name} {_text(high)}))")
                return model
            model, high = better, better[name]
        low = max(low, 0)
        middle = low
        while low < high:
            better = self._within(name, low, middle)
            if better is not None:
                model, high = better, better[name]
            else:
                low = middle + 1
            middle = (low + high) // 2
        self._solver.from_string(f"(assert (= {name} {_text(high)}))")
        return model

    def _within(self, name: str, low: int, high: int | None) -> dict[str, int | bool] | None:
        """A model with this constant in a range."""
        solver = self._solver
        solver.push()
        upper = "" if high is None else f"(assert (<= {name} {_text(high)}))"
        solver.from_string(f"(assert (<= {_text(low)} {name})){upper}")
        model = self._witness()
        solver.pop()
        return model

    def _model(self) -> dict[str, int | bool]:
        """Values of constants, from the text of the model: objects of the Python interface cost ten times as much."""
        found = DEFINITION.findall(self._solver.model().sexpr())
        return {name: value == "true" if sort == "Bool" else _number(value) for name, sort, value in found}

    def _steps(self) -> int:
        """What the solver has done since it was made. (`Statistics` as a mapping reads all its keys: this is on every way.)"""
        z3, context, found = self._z3, self._context.ref(), self._solver.statistics()
        for i in reversed(range(len(found))):
            if z3.Z3_stats_get_key(context, found.stats, i) == "rlimit count":
                return z3.Z3_stats_get_uint_value(context, found.stats, i)
        return 0


def _number(text: str) -> int:
    return int(text) if text.isdigit() else -int(text.strip("(-) "))


def _text(value: int) -> str:
    return str(value) if value >= 0 else f"(- {-value})"
