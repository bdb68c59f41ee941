"""Symbolic execution of loops.

In: a loop statement and the state before it. Out: its accesses and intervals for all iterations, and the state behind
it.

* Loops with a barrier or collective and concrete bounds are unrolled, as are loops whose variables follow no known
  law.
* Other loops run once with a symbolic trip number. Variables carried from one iteration to the next are classified by
  a trial run: `v += e`, `v = 1 - v` and swaps have a closed form in the trip number, what is assigned anew is last
  iteration's value, the rest is unknown within an interval.
* The trip number is shared by the block where the loop holds a block barrier (all threads are in one iteration), by
  the warp where it holds a warp collective, and private otherwise: sharing it there would hide races.
* Intervals around a loop with barriers: what is open before meets the first iteration's first interval; the end of
  iteration `k` meets the start of `k + 1`; behind the loop the end of the last iteration is open, or, if the loop was
  empty, what was open before.

Non-goals: termination; classification of other recurrences.
"""

from __future__ import annotations

from collections.abc import Iterable

from transpiler.intrinsics.entry import Effect
from transpiler.ir import device as d
from transpiler.prove.budget import LOOP
from transpiler.prove.expressions import State, Value
from transpiler.prove.loop_text import ForHead, Head, WhileHead, assigned, has_break, has_return, invariants_of
from transpiler.prove.record import Loop
from transpiler.prove.recurrences import Recurrences, affine, is_unknown
from transpiler.prove.rewrite import substitute
from transpiler.prove.stitching import Exits
from transpiler.prove.terms import (
    EXIT,
    FLOAT,
    HAVOC,
    Atom,
    Formula,
    Poly,
    Sharing,
    conjuncts,
)

MAX_UNROLL = 64


class Loops(Recurrences):
    """The part of the machine that knows loops."""

    def __init__(self, *args):
        super().__init__(*args)
        self._lanes: dict[int, set[str]] = {}
        self._warps: dict[int, bool] = {}
        self._kept: list[d.Stmt] = []
        self._exits: list[Exits] = []
        self.left = 0
        self._loop_count = 0
        self._trial_end: Formula = self.terms.true

    # --- statements ---

    def _do_break(self, s: d.Break) -> None:
        self._exits[-1].breaks.append(self.state)
        self._leave(s)

    def _do_continue(self, s: d.Continue) -> None:
        self._exits[-1].continues.append(self.state)
        self._leave(s)

    def _leave(self, s: d.Stmt) -> None:
        old = self.state
        self.state = State(old.env, old.pc, old.open, old.dominators, True, old.flags)

    def _do_for(self, s: d.For) -> None:
        start, stop, step = (self.int_of(self.eval(e)) for e in (s.start, s.stop, s.step))
        if step.const == 0:
            self.oblige("step", self.terms.false, s.step)
            return
        if step.const is None:
            self.oblige("step", self.terms.ne(step), s.step)
        values = self._values(start, stop, step)
        syncs = bool(self.lanes_of(s.body)) or self._warp_syncs(s.body)
        if values is not None and len(values) <= MAX_UNROLL and (syncs or len(values) <= 1 or s.unroll == 0):
            self._unroll_for(s, values)
            return
        head = ForHead(self, s, start, stop, step)
        few = values is not None and len(values) <= MAX_UNROLL
        if not self._symbolic(head, s.body, trial_only=few):
            assert values is not None
            self._unroll_for(s, values)

    @staticmethod
    def _values(start: Poly, stop: Poly, step: Poly) -> range | None:
        if start.const is None or stop.const is None or step.const is None:
            return None
        return range(start.const, stop.const, step.const)

    def _unroll_for(self, s: d.For, values: range) -> None:
        paths: list[State] = []
        base = self.state
        left = self.left
        for v in values:
            self.state.env[s.counter] = self.terms.int(v)
            saved = self.trips
            self.trips = (*saved, (s.counter.name, self.terms.int(v)))
            self._iteration(s.body, paths)
            self.trips = saved
            if self.state.dead:
                break
        self._behind(base, paths, left)

    def _iteration(self, body: Iterable[d.Stmt], paths: list[State]) -> None:
        """One unrolled iteration; breaks go to `paths`."""
        exits = Exits()
        self._exits.append(exits)
        base = self.fork(self.state, (), set())
        left = self.left
        self.block(body)
        self._exits.pop()
        paths.extend(exits.breaks)
        if exits.continues:
            lossless = not exits.breaks and self.left == left
            self.state = self.join(base, [*exits.continues, self.state], lossless)

    def _behind(self, base: State, paths: list[State], left: int) -> None:
        if paths:
            for p in paths:
                p.dead = False
            base = State(base.env, base.pc, base.open, base.dominators, False, base.flags)
            self.state = self.join(base, [*paths, self.state], lossless=self.left == left)
            if self.left == left:
                self.state.pc = base.pc

    def _do_while(self, s: d.While) -> None:
        if self._unroll_while(s):
            return
        self._symbolic(WhileHead(self, s), s.body, trial_only=False)

    def _unroll_while(self, s: d.While) -> bool:
        """Unroll if the condition folds in every iteration and soon becomes false."""
        if s.pre:
            return False
        sizes = self.record.sizes()
        saved, starts = self.state, dict(self.interval_start)
        lengths = {lane: len(saved.open[lane]) for lane in saved.open}
        paths: list[State] = []
        left = self.left
        returns = len(self.frame.exits)
        self.state = self.fork(saved, (), set())
        for n in range(MAX_UNROLL + 1):
            cond = self.eval(s.cond)
            if cond is self.terms.false:
                self._claim(invariants_of(s.body), Head(), self.terms.int(n))
                self._behind(saved, paths, left)
                return True
            if cond is not self.terms.true or n == MAX_UNROLL:
                break
            names = self.trips
            self.trips = (*names, ("iteration", self.terms.int(n)))
            self._iteration(s.body, paths)
            self.trips = names
            if self.state.dead:
                self._behind(saved, paths, left)
                return True
        self.record.truncate(sizes)
        for lane, size in lengths.items():
            del saved.open[lane][size:]
        del self.frame.exits[returns:]
        self.left = left
        self.state, self.interval_start = saved, starts
        return False

    # --- symbolic loops ---

    def _symbolic(self, head: Head, body: tuple[d.Stmt, ...], trial_only: bool) -> bool:
        """Run a loop once for all iterations. With `trial_only`, give up (False) where a carried integer follows no law."""
        lanes = self.lanes_of(body) | self.lanes_of(head.pre)
        warp = self._warp_syncs(body)
        sharing = Sharing.COUNTER if lanes else Sharing.WARP if warp else Sharing.THREAD
        self._loop_count += 1
        trip = self.terms.atom("var", f"{head.name}#{self._loop_count}", (), "int", sharing, (0, None))
        carried = [v for v in assigned((*head.pre, *body)) if v in self.state.env]
        forms = self._classify(head, body, trip, carried, lanes)
        if trial_only and any(is_unknown(f) for f in forms.values()):
            return False
        self._execute(head, body, trip, forms, lanes, bool(lanes))
        return True

    def _enter(self, head: Head, trip: Atom, shared: bool) -> Formula:
        """Set the stage for iteration `trip`; the condition under which it runs."""
        k = self.terms.of(trip)
        value = head.counter_value(k)
        self.loops = (*self.loops, Loop(trip, shared, head.name, value))
        self.trips = (*self.trips, (head.name, value))
        return head.enter(k)

    def _execute(self, head: Head, body, trip: Atom, forms: dict, lanes: set[str], shared: bool) -> None:
        self.budget.spend(LOOP)
        t = self.terms
        base, loops, trips = self.state, self.loops, self.trips
        k = t.of(trip)
        opened = {lane: base.open[lane] for lane in base.open}
        left, returned = self.left, len(self.frame.exits)
        invariants = invariants_of(body)
        body = body[len(invariants) :]
        self._claim(invariants, head, t.int(0))
        self.state = self.fork(base, (), set())
        self.state.env.update({v: form(k) for v, form in forms.items()})
        guard = self._guard(head, trip, shared)
        first = substitute(t, {trip.id: t.int(0)})
        self.state.pc = self.state.pc + conjuncts(guard) + conjuncts(first.formula(guard))
        for claim in invariants:
            self.state.pc = self.state.pc + conjuncts(self.holds(claim.cond))
        exits = Exits()
        stay = self._stay(head, body, trip, forms, lanes) if has_break(body) or has_return(body) else t.true
        for at in (t.int(0), k - 1):
            earlier = substitute(t, {trip.id: at}).formula(stay)
            self.state.pc = self.state.pc + conjuncts(t.any((t.eq(k), earlier)))
        if not affine(t.all((guard, stay)), trip):
            self.state.flags |= EXIT
        outer = {lane: self.record.intervals[lane] for lane in lanes}
        for lane in lanes:
            self.state.open[lane] = [self._marker()]
            self.record.intervals[lane] = []
        self._exits.append(exits)
        inner = self.fork(self.state, (), set())
        start_names = dict(self.interval_start)
        for lane in lanes:
            self.interval_start[lane] = "the start of the iteration"
        self.block(body)
        if exits.continues:
            self.state = self.join(inner, [*exits.continues, self.state], not exits.breaks and self.left == left)
        self._exits.pop()
        last = self.state
        if not last.dead:
            self._claim(invariants, head, k + 1)
        loop_guard = guard
        self.loops, self.trips = loops, trips
        after = State(dict(base.env), base.pc, dict(base.open), base.dominators, False, base.flags)
        for lane in lanes:
            found = self.record.intervals[lane]
            self.record.intervals[lane] = outer[lane]
            ways_out = [*exits.breaks, *self._returns(returned)]
            after.open[lane] = self._stitch(
                lane, opened[lane], found, last, ways_out, trip, loop_guard, start_names[lane]
            )
        if self.left != left:  # some thread may have returned inside
            after.flags |= EXIT
            after.pc = (*after.pc, self._stayed(base, trip, returned))
        after.env.update(self._after(head, forms, trip, guard, exits.breaks, base))
        if not exits.breaks and isinstance(head, WhileHead):
            self.state = after
            after.pc = after.pc + tuple(f for s in invariants for f in conjuncts(self.holds(s.cond)))
        for v in assigned((*head.pre, *body)):
            if v not in forms:
                after.env.pop(v, None)
        self.state = after

    def _returns(self, since: int) -> list[State]:
        """Returns of a device function met in the loop: what is open there is open behind the call."""
        return [] if self.frame.is_kernel else [state for state, _ in self.frame.exits[since:]]

    def _claim(self, invariants: tuple[d.Invariant, ...], head: Head, k: Poly) -> None:
        """The invariants must hold here, where the loop is about to test its condition for iteration `k`."""
        if not invariants:
            return
        saved = dict(self.state.env)
        head.set_counter(k)
        for s in invariants:
            self.oblige("invariant", self.holds(s.cond), s)
        self.state.env = saved

    def _guard(self, head: Head, trip: Atom, shared: bool) -> Formula:
        """The condition of iteration `trip`. What the condition itself reads happens only if the iteration before ran."""
        lengths = {lane: len(opened) for lane, opened in self.state.open.items()}
        sizes, env = self.record.sizes(), dict(self.state.env)
        loops, trips = self.loops, self.trips
        guard = self._enter(head, trip, shared)
        if self.record.sizes() == sizes or head.pre:
            return guard
        self.record.truncate(sizes)
        for lane, n in lengths.items():
            del self.state.open[lane][n:]
        self.loops, self.trips, self.state.env = loops, trips, env
        t = self.terms
        k = t.of(trip)
        before = substitute(t, {trip.id: k - 1}).formula(guard)
        pc = self.state.pc
        self.state.pc = pc + conjuncts(t.any((t.eq(k), before)))
        guard = self._enter(head, trip, shared)
        self.state.pc = pc
        return guard

    def _stayed(self, base: State, trip: Atom, returned: int) -> Formula:
        """That no iteration returned; known to be uniform where every return in the loop is."""
        sharing = trip.sharing
        for state, _ in self.frame.exits[returned:]:
            sharing = max([sharing, *(f.sharing for f in state.pc[len(base.pc) :])])
        atom = self.terms.atom("hv", f"stayed@{self.next_seq()}", (), "bool", sharing, flags=EXIT)
        return self.terms.bool_atom(atom)

    def _after(
        self, head: Head, forms: dict, trip: Atom, guard: Formula, breaks: list[State], base: State
    ) -> dict[d.Local, Value]:
        """Values of the carried variables behind the loop: their forms at its length, unknown if it can be left early."""
        t = self.terms
        if not forms:
            return {}
        if breaks:
            return {v: self._broken(v, form(t.of(trip)), trip, guard, breaks, base) for v, form in forms.items()}
        count = head.count()
        if count is None:
            atom = t.atom("var", f"{trip.name}#n", (), "int", max(guard.sharing, trip.sharing), (0, None))
            count = t.of(atom)
            at, previous = (substitute(t, {trip.id: p}).formula(guard) for p in (count, count - 1))
            atom.facts = (t.any((t.eq(count), previous)), t.negate(at))
        values = {v: form(count) for v, form in forms.items()}
        for v in assigned(head.pre):  # the last test assigns once more
            if v in values:
                values[v] = self._broken(v, values[v], trip, guard, [], base)
        return values

    def _broken(self, v: d.Local, value: Value, trip: Atom, guard: Formula, breaks: list[State], base: State) -> Value:
        sharing = max(trip.sharing, value.sharing, guard.sharing)
        for state in breaks:
            known = state.env.get(v)
            sharing = max(
                [sharing, *(f.sharing for f in state.pc[len(base.pc) :]), known.sharing if known is not None else 0]
            )
        sort = "int" if isinstance(value, Poly) else "bool" if isinstance(value, Formula) else "float"
        flags = HAVOC | (FLOAT if sort == "float" else 0)
        return self.occurrence(v.name, sort, Sharing(sharing), flags, kind="hv")

    # --- what a piece of code may do ---

    def _warp_syncs(self, statements: Iterable[d.Stmt]) -> bool:
        for s in statements:
            match s:
                case d.Barrier(scope="warp"):
                    return True
                case d.CallStmt():
                    if isinstance(s.callee, d.Function):
                        if self._warp_syncs(s.callee.body):
                            return True
                    elif s.callee.effect is Effect.WARP:
                        return True
                case d.If():
                    if self._warp_syncs(s.then) or self._warp_syncs(s.orelse):
                        return True
                case d.For():
                    if self._warp_syncs(s.body):
                        return True
                case d.While():
                    if self._warp_syncs(s.pre) or self._warp_syncs(s.body):
                        return True
        return False
