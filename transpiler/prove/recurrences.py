"""Variables that a loop carries from one iteration to the next, as functions of the trip number.

In: a loop and the values before it. Out: for each carried variable its value in iteration `k`. A trial run of the
body with probes in place of the variables shows the law: unchanged, `v += e`, `v = e - v`, two that change places,
assigned anew; what follows none is an unknown function of `k`, within an interval that another trial run confirms,
and within a cone where it only drifts. What all threads share is assumed shared, and given up where the trial shows
otherwise. Non-goals: running the loop (`loops`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable

from transpiler.ir import device as d
from transpiler.prove.budget import LOOP
from transpiler.prove.expressions import State, Value
from transpiler.prove.loop_text import Head
from transpiler.prove.rewrite import substitute
from transpiler.prove.stitching import Stitching
from transpiler.prove.terms import (
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


class Recurrences(Stitching):
    """The part of the machine that classifies carried variables."""

    left: int
    _trial_end: Formula

    def _enter(self, head: Head, trip: Atom, shared: bool) -> Formula:
        raise NotImplementedError

    def _iteration(self, body: Iterable[d.Stmt], paths: list[State]) -> None:
        raise NotImplementedError

    def _classify(
        self, head: Head, body: tuple[d.Stmt, ...], trip: Atom, carried: list[d.Local], lanes: set[str]
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
        self, head: Head, body: tuple[d.Stmt, ...], trip: Atom, probes: dict, lanes: set[str]
    ) -> dict[d.Local, Value]:
        """Run the body once with the carried variables unknown; nothing that it records stays."""
        self.budget.spend(LOOP)
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

    def _stay(self, head: Head, body: tuple[d.Stmt, ...], trip: Atom, forms: dict, lanes: set[str]) -> Formula:
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
                    if varies(rest, trip, mark):
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


def varies(p: Poly, trip: Atom, mark: int) -> bool:
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


def affine(guard: Formula, trip: Atom) -> bool:
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


def is_unknown(form: Callable) -> bool:
    return getattr(form, "unknown", None) == "int"
