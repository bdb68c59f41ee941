"""What the text of a loop says, and what begins one of its iterations.

In: loop statements. Out: the locals that a body assigns, whether it may be left early, its invariants; `ForHead` and
`WhileHead`, which set the counter and give the condition and the number of iterations. Non-goals: execution
(`loops`).
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from transpiler.ir import device as d
from transpiler.prove.terms import Formula, Poly

if TYPE_CHECKING:
    from transpiler.prove.loops import Loops


def assigned(statements: Iterable[d.Stmt]) -> list[d.Local]:
    """Locals that these statements may assign, each once, counters of inner loops apart."""
    found: dict[d.Local, None] = {}
    for s in statements:
        match s:
            case d.Assign():
                found[s.target] = None
            case d.Atomic() if s.target is not None:
                found[s.target] = None
            case d.CallStmt():
                found.update(dict.fromkeys(s.targets))
            case d.If():
                found.update(dict.fromkeys(assigned((*s.then, *s.orelse))))
            case d.For():
                found.update(dict.fromkeys(assigned(s.body)))
            case d.While():
                found.update(dict.fromkeys(assigned((*s.pre, *s.body))))
    return list(found)


def has_break(statements: Iterable[d.Stmt]) -> bool:
    """Whether these statements may break out of the loop whose body they are."""
    return any(isinstance(s, d.Break) or (isinstance(s, d.If) and has_break((*s.then, *s.orelse))) for s in statements)


def has_return(statements: Iterable[d.Stmt]) -> bool:
    for s in statements:
        match s:
            case d.Return():
                return True
            case d.If() if has_return((*s.then, *s.orelse)):
                return True
            case d.For() | d.While() if has_return(s.body):
                return True
    return False


def invariants_of(body: tuple[d.Stmt, ...]) -> tuple[d.Invariant, ...]:
    """The invariants that open a body."""
    n = next((i for i, s in enumerate(body) if not isinstance(s, d.Invariant)), len(body))
    return body[:n]  # type: ignore[return-value]


class Head:
    """What begins an iteration."""

    name: str
    pre: tuple[d.Stmt, ...] = ()

    def set_counter(self, k: Poly) -> None:
        """Give the counter of a `for` its value in iteration `k`."""

    def counter_value(self, k: Poly) -> Poly:
        """The counter as the source has it; of a `while`, the number of the iteration."""
        return k

    def enter(self, k: Poly) -> Formula:
        """Begin iteration `k`; the condition under which it runs."""
        raise NotImplementedError

    def count(self) -> Poly | None:
        """How many iterations there are, if the head alone says it."""
        return None


class ForHead(Head):
    def __init__(self, machine: Loops, s: d.For, start: Poly, stop: Poly, step: Poly):
        self.machine, self.s, self.start, self.stop, self.step = machine, s, start, stop, step
        self.name = s.counter.name

    def counter_value(self, k: Poly) -> Poly:
        return self.start + self.machine.terms.mul(self.step, k)

    def set_counter(self, k: Poly) -> None:
        self.machine.state.env[self.s.counter] = self.counter_value(k)

    def enter(self, k: Poly) -> Formula:
        t = self.machine.terms
        value = self.counter_value(k)
        self.set_counter(k)
        lo, hi = self.step.range
        if lo is not None and lo > 0:
            return t.lt(value, self.stop)
        if hi is not None and hi < 0:
            return t.lt(self.stop, value)
        up = t.all((t.ge(self.step - 1), t.lt(value, self.stop)))
        down = t.all((t.ge(-self.step - 1), t.lt(self.stop, value)))
        return t.any((up, down))

    def count(self) -> Poly | None:
        t = self.machine.terms
        c = self.step.const
        if c is None:
            return None
        span = self.stop - self.start if c > 0 else self.start - self.stop
        return t.maximum(t.int(0), t.div(span + (abs(c) - 1), t.int(abs(c))))


class WhileHead(Head):
    def __init__(self, machine: Loops, s: d.While):
        self.machine, self.s, self.pre = machine, s, s.pre
        self.name = "iteration"

    def enter(self, k: Poly) -> Formula:
        self.machine.block(self.s.pre)
        return self.machine.holds(self.s.cond)
