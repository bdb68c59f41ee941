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

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field

from transpiler.intrinsics.entry import Effect
from transpiler.ir import device as d
from transpiler.prove.expressions import State, Value
from transpiler.prove.record import Access, Interval, Loop
from transpiler.prove.rewrite import Rewrite, substitute
from transpiler.prove.terms import (
    EXIT,
    FLOAT,
    HAVOC,
    Atom,
    Formula,
    Poly,
    Range,
    Sharing,
    conjuncts,
    range_join,
    walk_atoms,
)

MAX_UNROLL = 64


@dataclass(eq=False, slots=True)
class Exits:
    """Ways out of the body of the innermost loop."""

    breaks: list[State] = field(default_factory=list)
    continues: list[State] = field(default_factory=list)


class Marker(Access):
    """Stands for whatever was open before the iteration began."""


class Loops:
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
        head = _ForHead(self, s, start, stop, step)
        trial = self._symbolic(head, s.body, trial_only=values is not None and len(values) <= MAX_UNROLL)
        if not trial:
            self._unroll_for(s, values)

    @staticmethod
    def _values(start: Poly, stop: Poly, step: Poly) -> range | None:
        if None in (start.const, stop.const, step.const):
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
        self._symbolic(_WhileHead(self, s), s.body, trial_only=False)

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

    def _symbolic(self, head: _Head, body: tuple[d.Stmt, ...], trial_only: bool) -> bool:
        """Run a loop once for all iterations. With `trial_only`, give up (False) where a carried integer follows no law."""
        lanes = self.lanes_of(body) | self.lanes_of(head.pre)
        warp = self._warp_syncs(body)
        sharing = Sharing.COUNTER if lanes else Sharing.WARP if warp else Sharing.THREAD
        self._loop_count += 1
        trip = self.terms.atom("var", f"{head.name}#{self._loop_count}", (), "int", sharing, (0, None))
        carried = [v for v in _assigned((*head.pre, *body)) if v in self.state.env]
        forms = self._classify(head, body, trip, carried, lanes)
        if trial_only and any(_is_unknown(f) for f in forms.values()):
            return False
        self._execute(head, body, trip, forms, lanes, bool(lanes))
        return True

    def _enter(self, head: _Head, trip: Atom, shared: bool) -> Formula:
        """Set the stage for iteration `trip`; the condition under which it runs."""
        k = self.terms.of(trip)
        value = head.counter_value(k)
        self.loops = (*self.loops, Loop(trip, shared, head.name, value))
        self.trips = (*self.trips, (head.name, value))
        return head.enter(k)

    def _classify(
        self, head: _Head, body: tuple[d.Stmt, ...], trip: Atom, carried: list[d.Local], lanes: set[str]
    ) -> dict[d.Local, Callable[[Poly], Value]]:
        """For each carried variable its value in iteration `k`."""
        if not carried:
            return {}
        before = {v: self.state.env[v] for v in carried}
        bounds: dict[d.Local, list[Range]] = {v: _hypotheses(before[v]) for v in carried}
        classes = {v: max(before[v].sharing, trip.sharing) for v in carried}
        while True:
            probes = {v: self._probe(v, before[v], bounds[v][0], classes[v]) for v in carried}
            mark = len(self.terms.atoms)
            after = self._trial(head, body, trip, probes, lanes)
            again = False
            for v in carried:
                new = after.get(v, probes[v])
                limit = max(classes[v], trip.sharing)
                if new.sharing > limit:
                    classes[v], again = Sharing.THREAD, True
                if isinstance(new, Poly):
                    law = self._law(v, probes, after, trip, mark)
                    reach = _reach(law, before, v, new)
                    if not _within(reach, bounds[v][0]):
                        bounds[v] = [reach, (None, None)] if law is not None else bounds[v][1:]
                        again = True
            if not again:
                break
        forms: dict[d.Local, Callable[[Poly], Value]] = {}
        for v in carried:
            law = self._law(v, probes, after, trip, mark)
            forms[v] = self._form(v, law, before, after, trip, bounds[v][0], classes[v], probes)
        return forms

    def _probe(self, v: d.Local, before: Value, r: Range, sharing: Sharing) -> Value:
        sort = "int" if isinstance(before, Poly) else "bool" if isinstance(before, Formula) else "float"
        flags = FLOAT if sort == "float" else 0
        name = f"{v.name}~{self.next_seq()}"
        return self.terms.as_value(
            self.terms.atom("probe", name, (), sort, sharing, r if sort == "int" else (None, None), flags)
        )

    def _trial(
        self, head: _Head, body: tuple[d.Stmt, ...], trip: Atom, probes: dict, lanes: set[str]
    ) -> dict[d.Local, Value]:
        """Run the body once with the carried variables unknown; nothing that it records stays."""
        sizes = self.record.sizes()
        saved, loops, trips, starts = self.state, self.loops, self.trips, dict(self.interval_start)
        left, returns = self.left, len(self.frame.exits)
        self.state = self.fork(saved, (), {"block", "grid"})
        self.state.env.update(probes)
        guard = self._enter(head, trip, bool(lanes))
        self.state.pc = self.state.pc + conjuncts(guard)
        known = len(self.state.pc)
        self._iteration(body, [])
        after = self.state.env
        self._trial_end = self.terms.false if self.state.dead else self.terms.all(self.state.pc[known:])
        self.record.truncate(sizes)
        del self.frame.exits[returns:]
        self.state, self.loops, self.trips, self.interval_start, self.left = saved, loops, trips, starts, left
        return dict(after)

    def _stay(self, head: _Head, body: tuple[d.Stmt, ...], trip: Atom, forms: dict, lanes: set[str]) -> Formula:
        """The condition under which an iteration neither breaks nor returns."""
        t = self.terms
        values = {v: form(t.of(trip)) for v, form in forms.items()}
        self._trial(head, body, trip, values, lanes)
        return self._trial_end

    def _law(self, v: d.Local, probes: dict, after: dict, trip: Atom, mark: int) -> tuple | None:
        """(kind, data) of the recurrence of `v`: `same`, `anew`, `linear` (increment), `mirror` (sum), `swap` (with), or None."""
        new, old = after.get(v, probes[v]), probes[v]
        if new is old:
            return ("same",)
        own = _atom_of(old)
        names = {_atom_of(p).id: u for u, p in probes.items()}
        used = {a.id for a in walk_atoms([new]) if a.id in names}
        if not used:
            return ("anew",)
        if isinstance(new, Poly):
            for sign, kind in ((1, "linear"), (-1, "mirror")):
                rest = new - old.scale(sign)
                if not any(a.id in names for a in walk_atoms([rest])):
                    if _varies(rest, trip, mark):
                        return None
                    return (kind, rest)
        if len(used) == 1 and own.id not in used:
            other = names[next(iter(used))]
            if new is probes[other] and after.get(other) is old:
                return ("swap", other)
        return None

    def _form(self, v, law, before, after, trip: Atom, r: Range, sharing: Sharing, probes) -> Callable[[Poly], Value]:
        t = self.terms
        start = before[v]
        match law:
            case ("same",):
                return lambda k: start
            case ("linear", step):
                return lambda k: start + t.mul(step, k)
            case ("mirror", total):
                return lambda k: t.ite(self._even(k), start, total - start)
            case ("swap", other):
                return lambda k: self.choose(self._even(k), start, before[other])
            case ("anew",):
                last = after[v]
                return lambda k: self.choose(t.ge(k - 1), substitute(t, {trip.id: k - 1}).any(last), start)
        sort = "int" if isinstance(start, Poly) else "bool" if isinstance(start, Formula) else "float"
        flags = HAVOC | (FLOAT if sort == "float" else 0)
        label = f"{v.name}~{self.next_seq()}"
        drift = _drift(after.get(v, start), probes[v], probes) if sort == "int" else (None, None)

        def unknown(k: Poly) -> Value:
            atom = t.atom("hv", label, (k,), sort, sharing, r if sort == "int" else (None, None), flags)
            value = t.as_value(atom)
            if isinstance(value, Poly) and isinstance(start, Poly) and not atom.facts:
                low, high = drift
                below = () if low is None else (t.ge(value - start - k.scale(low)),)
                above = () if high is None else (t.ge(start + k.scale(high) - value),)
                atom.facts = (*below, *above)
            return value

        unknown.unknown = sort  # type: ignore[attr-defined]
        return unknown

    def _even(self, k: Poly) -> Formula:
        t = self.terms
        return t.eq(t.mod(k, t.int(2)))

    def _execute(self, head: _Head, body, trip: Atom, forms: dict, lanes: set[str], shared: bool) -> None:
        t = self.terms
        base, loops, trips = self.state, self.loops, self.trips
        k = t.of(trip)
        opened = {lane: base.open[lane] for lane in base.open}
        left, returned = self.left, len(self.frame.exits)
        invariants = _invariants(body)
        body = body[len(invariants) :]
        self._claim(invariants, head, t.int(0))
        self.state = self.fork(base, (), set())
        self.state.env.update({v: form(k) for v, form in forms.items()})
        guard = self._guard(head, trip, shared)
        first = substitute(t, {trip.id: t.int(0)})
        self.state.pc = self.state.pc + conjuncts(guard) + conjuncts(first.formula(guard))
        for claim in invariants:
            self.state.pc = self.state.pc + conjuncts(self.eval(claim.cond))
        exits = Exits()
        stay = self._stay(head, body, trip, forms, lanes) if _has_break(body) or _has_return(body) else t.true
        for at in (t.int(0), k - 1):
            earlier = substitute(t, {trip.id: at}).formula(stay)
            self.state.pc = self.state.pc + conjuncts(t.any((t.eq(k), earlier)))
        if not _affine(t.all((guard, stay)), trip):
            self.state.flags |= EXIT
        if lanes:
            for lane in lanes:
                self.state.open[lane] = [self._marker()]
            outer = {lane: self.record.intervals[lane] for lane in lanes}
            for lane in lanes:
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
            after.open[lane] = self._stitch(lane, opened[lane], found, last, exits, trip, loop_guard, start_names[lane])
        if self.left != left:  # some thread may have returned inside
            after.flags |= EXIT
            after.pc = (*after.pc, self._stayed(base, trip, returned))
        after.env.update(self._after(head, forms, trip, guard, exits.breaks, base))
        if not exits.breaks and isinstance(head, _WhileHead):
            self.state = after
            after.pc = after.pc + tuple(f for s in invariants for f in conjuncts(self.eval(s.cond)))
        for v in _assigned((*head.pre, *body)):
            if v not in forms:
                after.env.pop(v, None)
        self.state = after

    def _claim(self, invariants: tuple[d.Invariant, ...], head: _Head, k: Poly) -> None:
        """The invariants must hold here, where the loop is about to test its condition for iteration `k`."""
        if not invariants:
            return
        saved = dict(self.state.env)
        head.set_counter(k)
        for s in invariants:
            self.oblige("invariant", self.eval(s.cond), s)
        self.state.env = saved

    def _marker(self) -> Marker:
        s = self.state
        return Marker(None, (), s.pc, "m", self.kernel.span, self.frame.source, 0)  # type: ignore[arg-type]

    def _stitch(
        self,
        lane: str,
        before: list[Access],
        found: list[Interval],
        last: State,
        exits: Exits,
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
            return self._stitch_skipping(before, heads, post, exits, lane, trip, record, start)
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
        for b in exits.breaks:
            inside = b.open[lane]
            if any(isinstance(a, Marker) for a in inside):
                opened.extend(a for a in before if a not in opened)
                opened.extend(a.rewritten(earlier) for a in post)
            opened.extend(_reached(a, b) for a in inside if not isinstance(a, Marker))
        self.interval_start[lane] = (
            self.interval_start[lane] if self.interval_start[lane] != "the start of the iteration" else start
        )
        return opened

    def _stitch_skipping(
        self,
        before: list[Access],
        heads: list[Interval],
        post: list[Access],
        exits: Exits,
        lane: str,
        trip: Atom,
        record: list,
        start: str,
    ) -> list[Access]:
        """The body may pass without a barrier, so iterations far apart may meet: every iteration against every other."""
        accesses: dict[int, Access] = {}
        for group in (*(h.accesses for h in heads), post, *(b.open[lane] for b in exits.breaks)):
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

    def _guard(self, head: _Head, trip: Atom, shared: bool) -> Formula:
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
        self, head: _Head, forms: dict, trip: Atom, guard: Formula, breaks: list[State], base: State
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
        return {v: form(count) for v, form in forms.items()}

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


class _Head:
    """What begins an iteration."""

    name: str
    pre: tuple[d.Stmt, ...] = ()

    def set_counter(self, k: Poly) -> None:
        """Give the counter of a `for` its value in iteration `k`."""


class _ForHead(_Head):
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


class _WhileHead(_Head):
    def __init__(self, machine: Loops, s: d.While):
        self.machine, self.s, self.pre = machine, s, s.pre
        self.name = "iteration"

    def counter_value(self, k: Poly) -> Poly:
        return k

    def enter(self, k: Poly) -> Formula:
        m = self.machine
        m.block(self.s.pre)
        return m.eval(self.s.cond)

    def count(self) -> Poly | None:
        return None


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


def _assigned(statements: Iterable[d.Stmt]) -> list[d.Local]:
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
                found.update(dict.fromkeys(_assigned((*s.then, *s.orelse))))
            case d.For():
                found.update(dict.fromkeys(_assigned(s.body)))
            case d.While():
                found.update(dict.fromkeys(_assigned((*s.pre, *s.body))))
    return list(found)


def _reached(a: Access, state: State) -> Access:
    """An open access as seen from a way on: what the block as a whole decided since then is known of it."""
    known = {f.id for f in a.guard}
    return a.guarded(tuple(f for f in state.pc if f.id not in known and f.sharing <= Sharing.COUNTER))


def _invariants(body: tuple[d.Stmt, ...]) -> tuple[d.Invariant, ...]:
    """The invariants that open a body."""
    n = next((i for i, s in enumerate(body) if not isinstance(s, d.Invariant)), len(body))
    return body[:n]  # type: ignore[return-value]


def _has_break(statements: Iterable[d.Stmt]) -> bool:
    """Whether these statements may break out of the loop whose body they are."""
    return any(isinstance(s, d.Break) or (isinstance(s, d.If) and _has_break((*s.then, *s.orelse))) for s in statements)


def _has_return(statements: Iterable[d.Stmt]) -> bool:
    for s in statements:
        match s:
            case d.Return():
                return True
            case d.If() if _has_return((*s.then, *s.orelse)):
                return True
            case d.For() | d.While() if _has_return(s.body):
                return True
    return False


def _varies(p: Poly, trip: Atom, mark: int) -> bool:
    """Whether a term may differ from one iteration to the next; atoms from `mark` on were made in the trial run."""
    for a in walk_atoms([p]):
        if a.id == trip.id or (a.id >= mark and (a.kind in ("hv", "ticket") or (a.kind == "load" and "@" in a.name))):
            return True
    return False


def _drift(new: Value, old: Value, probes: dict) -> Range:
    """By how much one iteration may change a variable, if it only adds to it (on some ways)."""
    if new is old:
        return (0, 0)
    if not isinstance(new, Poly) or not isinstance(old, Poly):
        return (None, None)
    atom = _atom_of(new) if len(new.terms) == 1 and new.terms[0][1] == 1 and len(new.terms[0][0]) == 1 else None
    if atom is not None and atom.kind == "ite":
        return range_join(_drift(atom.args[1], old, probes), _drift(atom.args[2], old, probes))
    names = {_atom_of(p).id for p in probes.values()}
    rest = new - old
    return (None, None) if any(a.id in names for a in walk_atoms([rest])) else rest.range


def _reach(law: tuple | None, before: dict, v: d.Local, new: Poly) -> Range:
    """The values that a variable with this law takes in all iterations."""
    start = before[v].range
    match law:
        case ("same",):
            return start
        case ("linear", step):
            lo, hi = step.range
            up, down = lo is not None and lo >= 0, hi is not None and hi <= 0
            return (start[0] if up else None, start[1] if down else None)
        case ("mirror", total):
            return range_join(start, (total - before[v]).range)
        case ("swap", other):
            return range_join(start, before[other].range)
    return range_join(start, new.range)


def _affine(guard: Formula, trip: Atom) -> bool:
    """Whether a condition that holds in the first iteration and in this one holds in all between."""
    for f in conjuncts(guard):
        mentioned = any(a.id == trip.id for a in walk_atoms([f]))
        if not mentioned:
            continue
        if f.op != "ge":
            return False
        p = f.args[0]
        if sum(m.count(trip.id) for m, _ in p.terms) != sum(trip.id in m for m, _ in p.terms):
            return False
        if any(trip.id != a.id and trip.id in {b.id for b in walk_atoms([a])} for a in walk_atoms([p])):
            return False
    return True


def _hypotheses(before: Value) -> list[Range]:
    if not isinstance(before, Poly):
        return [(None, None)]
    lo, hi = before.range
    ranges: list[Range] = [(lo, hi)]
    if lo is not None and lo >= 0 and hi is not None and hi <= 1:
        ranges.append((0, 1))
    if lo is not None and lo >= 0:
        ranges.append((0, hi))
        ranges.append((lo, None))
        ranges.append((0, None))
    ranges.append((None, hi))
    ranges.append((None, None))
    return list(dict.fromkeys(ranges))


def _within(r: Range, bound: Range) -> bool:
    low = bound[0] is None or (r[0] is not None and r[0] >= bound[0])
    high = bound[1] is None or (r[1] is not None and r[1] <= bound[1])
    return low and high


def _atom_of(value: Value) -> Atom:
    if isinstance(value, Poly):
        return value.pool.atoms[value.terms[0][0][0]]
    return value.args[0] if isinstance(value, Formula) else value


def _is_unknown(form: Callable) -> bool:
    return getattr(form, "unknown", None) == "int"
