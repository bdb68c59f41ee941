"""The solver behind the proofs: linear integer arithmetic, deterministic. The only place that imports z3.

In: assertions as SMT-LIB text. Out: `sat` with a model, `unsat` or `unknown`. Each kernel has a context of its own, a
fixed seed and a budget of solver steps (never of time), so that answers and models are the same on every run.

Non-goals: building terms (`smt`), meaning of the answers.
"""

from __future__ import annotations

import time

from transpiler.records import record

QUERY_STEPS = 3_000_000
KERNEL_STEPS = 10_000_000


@record
class Answer:
    """`verdict` is `sat`, `unsat` or `unknown`; `model` maps constants to ints and bools where it is `sat`."""

    verdict: str
    model: dict[str, int | bool]


class Solver:
    """Declarations last; assertions of a query do not."""

    def __init__(self) -> None:
        self._solver = None
        self._z3 = None
        self.queries = 0
        self.steps = 0
        self.load_seconds = 0.0
        """What importing the solver took, which is no part of a proof."""

    def _start(self) -> None:
        started = time.perf_counter()
        import z3

        self.load_seconds = time.perf_counter() - started
        self._z3 = z3
        self._context = z3.Context()
        self._solver = z3.SimpleSolver(ctx=self._context)
        self._solver.set("random_seed", 0)
        self._solver.set("rlimit", QUERY_STEPS)

    def declare(self, text: str) -> None:
        if self._solver is None:
            self._start()
        if text:
            self._solver.from_string(text)

    def check(self, assertions: list[str], want_model: bool = True) -> Answer:
        """Are these assertions satisfiable together, given what was declared?"""
        if self._solver is None:
            self._start()
        if self.steps > KERNEL_STEPS:
            return Answer("unknown", {})
        self.queries += 1
        solver = self._solver
        solver.push()
        solver.from_string("".join(f"(assert {a})" for a in assertions))
        verdict = str(solver.check())
        self.steps += self._used()
        model = self._model() if verdict == "sat" and want_model else {}
        solver.pop()
        return Answer(verdict, model)

    def smallest(self, assertions: list[str], order: list[tuple[str, tuple[int | None, int | None]]]) -> Answer:
        """A model in which the named constants are as small as can be, the first ones first."""
        if self._solver is None:
            self._start()
        solver = self._solver
        solver.push()
        solver.from_string("".join(f"(assert {a})" for a in assertions))
        self.queries += 1
        verdict = str(solver.check())
        model = self._model() if verdict == "sat" else {}
        for name, (low, _) in order if verdict == "sat" else ():
            model = self._lower(name, low if low is not None else -(2**31), model)
        solver.pop()
        return Answer(verdict, model)

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
        self.queries += 1
        solver.push()
        upper = "" if high is None else f"(assert (<= {name} {_text(high)}))"
        solver.from_string(f"(assert (<= {_text(low)} {name})){upper}")
        model = self._model() if str(solver.check()) == "sat" else None
        solver.pop()
        return model

    def _model(self) -> dict[str, int | bool]:
        model: dict[str, int | bool] = {}
        found = self._solver.model()
        for d in found.decls():
            value = found[d]
            if self._z3.is_int_value(value):
                model[d.name()] = value.as_long()
            elif self._z3.is_true(value) or self._z3.is_false(value):
                model[d.name()] = self._z3.is_true(value)
        return model

    def _used(self) -> int:
        statistics = self._solver.statistics()
        for i in range(len(statistics)):
            key, value = statistics[i]
            if key == "rlimit count":
                spent = value - getattr(self, "_last", 0)
                self._last = value
                return spent
        return 0


def _text(value: int) -> str:
    return str(value) if value >= 0 else f"(- {-value})"
