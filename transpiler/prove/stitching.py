"""Barrier intervals around a loop that holds barriers.

In: the intervals of one symbolic iteration, what was open before the loop, the ways out of it. Out: the intervals of
the whole loop and what is open behind it. What is open before meets the first iteration; the end of iteration `k`
meets the start of `k + 1`; behind the loop the end of the last iteration is open, or, if the loop was empty, what was
open before. A body that may pass without a barrier lets every iteration meet every other. Non-goals: running the body
(`loops`).
"""

from __future__ import annotations

from dataclasses import dataclass, field

from transpiler.prove.expressions import Expressions, State
from transpiler.prove.record import Access, Interval
from transpiler.prove.rewrite import Rewrite, substitute
from transpiler.prove.terms import EXIT, Atom, Formula, Poly, Sharing, conjuncts


@dataclass(eq=False, slots=True)
class Exits:
    """Ways out of the body of the innermost loop."""

    breaks: list[State] = field(default_factory=list)
    continues: list[State] = field(default_factory=list)


class Marker(Access):
    """Stands for whatever was open before the iteration began."""


class Stitching(Expressions):
    """The part of the machine that joins the intervals of iterations."""

    interval_start: dict[str, str]

    def _marker(self) -> Marker:
        s = self.state
        return Marker(None, (), s.pc, "m", self.kernel.span, self.frame.source, 0)  # type: ignore[arg-type]

    def _stitch(
        self,
        lane: str,
        before: list[Access],
        found: list[Interval],
        last: State,
        ways_out: list[State],
        trip: Atom,
        guard: Formula,
        start: str,
    ) -> list[Access]:
        """Join the intervals of one iteration into those of the loop; what is open behind it."""
        t = self.terms
        k = t.of(trip)
        record = self.record.intervals[lane]
        post = [] if last.dead else [_reached(a, last) for a in last.open[lane]]
        first = substitute(t, {trip.id: t.int(0)})
        following = substitute(t, {trip.id: k + 1})
        earlier = substitute(t, {trip.id: k - 1})
        heads = [i for i in found if any(isinstance(a, Marker) for a in i.accesses)]
        for i in found:
            if i not in heads:
                record.append(i)
        if any(isinstance(a, Marker) for a in post):
            everything = self._stitch_skipping(before, heads, post, ways_out, lane, trip, record, start)
            for b in ways_out:
                b.open[lane] = everything
            return everything
        for h in heads:
            accesses = [a for a in h.accesses if not isinstance(a, Marker)]
            record.append(Interval([*before, *(a.rewritten(first) for a in accesses)], start, h.end))
            record.append(
                Interval(
                    [*post, *(a.rewritten(following, (guard,)) for a in accesses)],
                    "the end of an iteration",
                    "the start of the next",
                )
            )
        runs_on = following.formula(guard)
        empty = t.negate(first.formula(guard))
        opened = [a.guarded(conjuncts(t.negate(runs_on))) for a in post]
        if empty is not t.false:
            opened = [*(a.guarded(conjuncts(empty)) for a in before), *opened]
        for b in ways_out:
            inside = b.open[lane]
            left: list[Access] = []
            if any(isinstance(a, Marker) for a in inside):
                left.extend(before)
                left.extend(a.rewritten(earlier) for a in post)
            left.extend(_reached(a, b) for a in inside if not isinstance(a, Marker))
            b.open[lane] = left
            known = {id(a) for a in opened}
            opened.extend(a for a in left if id(a) not in known)
        self.interval_start[lane] = (
            self.interval_start[lane] if self.interval_start[lane] != "the start of the iteration" else start
        )
        return opened

    def _stitch_skipping(
        self,
        before: list[Access],
        heads: list[Interval],
        post: list[Access],
        ways_out: list[State],
        lane: str,
        trip: Atom,
        record: list,
        start: str,
    ) -> list[Access]:
        """The body may pass without a barrier, so iterations far apart may meet: every iteration against every other."""
        accesses: dict[int, Access] = {}
        for group in (*(h.accesses for h in heads), post, *(b.open[lane] for b in ways_out)):
            for a in group:
                if not isinstance(a, Marker):
                    accesses[id(a)] = a
        private = _Privatise(self.terms, trip)
        free = []
        for a in accesses.values():
            b = a.rewritten(private)
            b.flags |= EXIT
            free.append(b)
        everything = [*before, *free]
        record.append(Interval(everything, start, "the end of the loop"))
        return everything


class _Privatise(Rewrite):
    """Each thread its own iteration: shared loop counters become private ones."""

    def __init__(self, terms, trip: Atom):
        super().__init__(terms, self._leaf)

    def _leaf(self, a: Atom) -> Poly | None:
        if a.kind == "var" and a.sharing is Sharing.COUNTER:
            new = self.terms.atom("var", f"{a.name}*", (), "int", Sharing.THREAD, a.range)
            self._atoms[a.id] = self.terms.of(new)
            if a.facts and not new.facts:
                new.facts = self.formulas(a.facts)
            return self.terms.of(new)
        return None


def _reached(a: Access, state: State) -> Access:
    """An open access as seen from a way on: what the block as a whole decided since then is known of it."""
    known = {f.id for f in a.guard}
    return a.guarded(tuple(f for f in state.pc if f.id not in known and f.sharing <= Sharing.COUNTER))
