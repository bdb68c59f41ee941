"""Accesses in bounds, and the contract that makes them so.

In: the accesses of a `Context`. Out: `BoundsResult`: conditions on anonymous extents that were inferred, accesses
that are out of bounds or could not be shown to be inside, and how each access was shown.

The lower bound is proved outright. The upper bound is proved for extents that are constants or named dims; for the
extent of an `int` axis the greatest value of the index is sought in launch terms (scalars, dims, launch dimensions)
and `greatest < extent` becomes a condition. What bounds an index are the guards, the ranges of thread and block
indices, and the digits of flat indices: `y*cols + x` with `y < rows` and `x < cols` is at most `rows*cols - 1`.
Guards of the source win over ranges of the launch.

Non-goals: conditions on the grid, scalars, named dims or data: never inferred.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from transpiler.ir import device as d
from transpiler.prove.budget import BOUND
from transpiler.prove.context import Context
from transpiler.prove.decide import Decision
from transpiler.prove.fold import Terms
from transpiler.prove.record import Access, Guard
from transpiler.prove.rewrite import substitute
from transpiler.prove.terms import Atom, Formula, Mono, Poly, Sharing, conjuncts, show_poly, walk_atoms
from transpiler.records import record

MAX_DEPTH = 6
MAX_CANDIDATES = 12
MAX_CASES = 32
SMALL_DATA = 1 << 16
"""Contents of memory bound an index only where their dtype is narrow."""
WORD = 2**31 - 1
"""What a value may be because of its dtype alone is no bound that an array is meant to meet."""


@dataclass(eq=False, slots=True)
class Fault:
    """`decision` has a model of a thread whose index is outside; `low` tells the side."""

    access: Access
    axis: int
    low: bool
    decision: Decision
    extent: Poly

    @property
    def exact(self) -> bool:
        return self.decision.verdict == "yes" and not self.decision.flags | self.access.flags


@dataclass(eq=False, slots=True)
class Condition:
    """`least <= extent`, by contract."""

    extent: Poly
    least: Poly
    grid_dependent: bool
    access: Access
    alternatives: tuple[Poly, ...] = ()

    @property
    def text(self) -> str:
        options = [show_poly(p) for p in (self.least, *self.alternatives)]
        left = options[0] if len(options) == 1 else f"min({', '.join(options)})"
        return f"{left} <= {show_poly(self.extent)}"


@dataclass(eq=False, slots=True)
class BoundsResult:
    conditions: list[Condition] = field(default_factory=list)
    faults: list[Fault] = field(default_factory=list)
    how: dict[Access, str] = field(default_factory=dict)
    carried_by: dict[Access, list[Condition]] = field(default_factory=dict)

    def assume(self, terms: Terms) -> None:
        """What every launch checks is known of the extents from here on: faults of other kinds must happen under it."""
        for c in self.conditions:
            atom = terms.atoms[c.extent.terms[0][0][0]]
            atom.facts = (*atom.facts, terms.any(terms.le(p, c.extent) for p in (c.least, *c.alternatives)))


@record
class _Row:
    """`poly >= 0`; `rank` 0 is a guard of the source, 1 a range of a thread, 2 of a block."""

    poly: Poly
    rank: int


class Bounds:
    def __init__(self, context: Context, result: BoundsResult):
        self.context = context
        self.terms = context.terms
        self.result = result
        self._cache: dict[tuple, tuple] = {}

    def run(self) -> None:
        for a in self.context.record.accesses:
            extents = self.context.extents(a.array)
            how = "syntactic"
            for axis, (index, extent) in enumerate(zip(a.indices, extents, strict=True)):
                for guard, case in self._cases(a.guard, index):
                    how = max(
                        how,
                        self._axis(a, axis, guard, case, extent),
                        key=("syntactic", "interval", "solver", "open").index,
                    )
            self.result.how[a] = how
        self._prune()

    def _cases(self, guard: Guard, index: Poly) -> list[tuple[Guard, Poly]]:
        """One case for each arm of the selections in an index, outer ones first, as long as that is not too many."""
        t = self.terms
        done: list[tuple[Guard, Poly]] = []
        left = [(guard, index)]
        while left:
            guard, index = left.pop()
            choice = next((a for a in map(t.atoms.__getitem__, sorted(index.atom_ids())) if a.kind == "ite"), None)
            if choice is None or len(done) + len(left) >= MAX_CASES:
                done.append((guard, index))
                continue
            cond, x, y = choice.args
            for c, value in ((t.negate(cond), y), (cond, x)):
                left.append(((*guard, *conjuncts(c)), substitute(t, {choice.id: value}).poly(index)))
        return done

    def _axis(self, a: Access, axis: int, guard: Guard, index: Poly, extent: Poly) -> str:
        key = (index.id, extent.id, tuple(f.id for f in guard))
        known = self._cache.get(key)
        if known is None:
            known = self._cache[key] = self._decide(a, axis, guard, index, extent)
        how, conditions, faults = known
        for c in conditions:
            self.result.carried_by.setdefault(a, []).append(c)
        for low, decision in faults:
            self.result.faults.append(Fault(a, axis, low, decision, extent))
        return how if not faults else "open"

    def _decide(self, a: Access, axis: int, guard: Guard, index: Poly, extent: Poly) -> tuple:
        t = self.terms
        faults: list[tuple[bool, Decision]] = []
        conditions: list[Condition] = []
        how = "syntactic"
        below = self.context.decider.implied(guard, t.ge(index))
        if below.verdict != "no" and not self._from_the_end(a, guard, index, conditions):
            faults.append((True, below))
        how = max(how, below.how, key=("syntactic", "interval", "solver").index)
        upper = t.lt(index, extent)
        if upper is t.true:
            return how, conditions, faults
        if self.context.anonymous(extent):
            above = self._free(a, guard, index, extent, upper, conditions)
        elif not index.linear and self._below(guard, index, extent):
            above = Decision("no", "interval")
        else:
            above = self.context.decider.implied(guard, upper)
        if above.verdict != "no":
            faults.append((False, above))
        how = max(how, above.how, key=("syntactic", "interval", "solver").index)
        return how, conditions, faults

    def _below(self, guard: Guard, index: Poly, extent: Poly) -> bool:
        """The greatest value of a flat index against an extent that the contract speaks of."""
        t = self.terms
        for p, _, _ in self._greatest(index, guard):
            if self.context.decider.implied(guard, t.lt(p, extent)).verdict == "no":
                return True
        return False

    # --- anonymous extents ---

    def _from_the_end(self, a: Access, guard: Guard, index: Poly, conditions: list[Condition]) -> bool:
        """`x[len(x) - c]` is at least 0 if `c <= len(x)`: also a lower bound on an extent."""
        t = self.terms
        for m, c in index.terms:
            extent = t.poly({m: 1})
            if c == 1 and self.context.anonymous(extent):
                for p, rank, _ in self._greatest(extent - index, guard):
                    if not p.atom_ids() & extent.atom_ids():
                        conditions.append(Condition(extent, p, rank == 2 and self._grid(p), a))
                        self.result.conditions.append(conditions[-1])
                        return True
        return False

    def _free(
        self, a: Access, guard: Guard, index: Poly, extent: Poly, upper: Formula, conditions: list[Condition]
    ) -> Decision:
        decider = self.context.decider
        mentioned = self._mentions(guard, extent)
        if mentioned:
            decision = decider.implied(guard, upper)
            if decision.verdict == "no":
                return decision
        candidates = self._greatest(index, guard)
        for rank in (0, 1, 2):
            steps = min((n for _, r, n in candidates if r == rank), default=0)
            own = extent.atom_ids()
            least = self._weakest(
                [self._whole(p + 1) for p, r, n in candidates if r == rank and n == steps and not p.atom_ids() & own]
            )
            if not least:
                continue
            condition = Condition(extent, least[0], rank == 2 and self._grid(least[0]), a, tuple(least[1:]))
            if mentioned and self._vacuous(guard, condition):
                continue
            conditions.append(condition)
            self.result.conditions.append(condition)
            return Decision("no", "interval")
        return decider.implied(guard, upper)

    def _whole(self, p: Poly) -> Poly:
        """`n - 1 <= len(x)` is asked for as `n <= len(x)`: contracts speak of parameters, not of what is left of them."""
        t = self.terms
        if len(p.terms) == 2 and p.constant_part < 0 and p.terms[1][1] == 1 and len(p.terms[1][0]) == 1:
            atom = t.atoms[p.terms[1][0][0]]
            if atom.kind == "var" and not atom.name.startswith("cuda."):
                return t.of(atom)
        return p

    def _mentions(self, guard: Guard, extent: Poly) -> bool:
        wanted = extent.terms[0][0][0]
        return any(b.id == wanted for b in walk_atoms([*guard, *self.context.decider.facts]))

    def _vacuous(self, guard: Guard, condition: Condition) -> bool:
        """The condition would make the access unreachable and so prove anything."""
        t = self.terms
        return self.context.decider.decide((*guard, t.le(condition.least, condition.extent))).verdict == "no"

    def _grid(self, p: Poly) -> bool:
        grids = {a for g in self.context.launch.grid for a in g.atom_ids()}
        return any(a.id in grids for a in walk_atoms([p]))

    def _weakest(self, polys: list[Poly]) -> list[Poly]:
        """Without those that another one is never above."""
        kept: list[Poly] = []
        for p in dict.fromkeys(polys):
            if any(_never_below(p, q) for q in kept):
                continue
            kept = [q for q in kept if not _never_below(q, p)]
            kept.append(p)
        return kept[:3]

    # --- the greatest value of an index ---

    def _greatest(self, index: Poly, guard: Guard, depth: int = MAX_DEPTH) -> list[tuple[Poly, int, int]]:
        """(bound, rank, inequalities used)."""
        rows = self._rows(index, guard)
        found: dict[tuple[int, int], tuple[Poly, int, int]] = {}
        self._raise(index, rows, 0, depth, found, guard, set())
        return list(found.values())

    def _rows(self, index: Poly, guard: Guard) -> list[_Row]:
        t = self.terms
        rows: list[_Row] = []
        for f in (*guard, *self.context.decider.facts):
            if f.op == "ge":
                rows.append(_Row(f.args[0], 0))
            elif f.op == "eq":
                rows.append(_Row(f.args[0], 0))
                rows.append(_Row(-f.args[0], 0))
        grids = {a for b in self.context.launch.bid for a in b.atom_ids()}
        for atom in walk_atoms([index, *guard], facts=True):
            rank = 2 if atom.id in grids else 1
            for f in atom.facts:
                for c in conjuncts(f):
                    if c.op == "ge":
                        rows.append(_Row(c.args[0], rank))
            if atom.kind in ("load", "ticket") and (atom.range[1] is None or atom.range[1] > SMALL_DATA):
                continue
            if atom.sort == "int" and atom.range[1] is not None and atom.sharing is not Sharing.LAUNCH:
                if (rank == 2 and atom.facts) or atom.range[1] >= WORD:
                    continue
                rows.append(_Row(t.int(atom.range[1]) - t.of(atom), 1))
        return rows

    def _raise(
        self, p: Poly, rows: list[_Row], rank: int, depth: int, found: dict, guard: Guard, seen: set[int]
    ) -> None:
        """Replace what varies from thread to thread by something at least as great, until nothing does."""
        if len(found) >= MAX_CANDIDATES:
            return
        self.context.budget.spend(BOUND)
        worst = self._varying(p)
        if worst is None:
            key = (p.id, rank)
            steps = MAX_DEPTH - depth
            if key not in found or steps < found[key][2]:
                found[key] = (p, rank, steps)
            return
        if depth == 0 or p.id in seen:
            return
        seen.add(p.id)
        for mono, c in worst:
            options = self._options(p, mono, c, rows, guard, depth)
            for q, r in options:
                self._raise(q, rows, max(rank, r), depth - 1, found, guard, seen)
            if options:
                return

    def _varying(self, p: Poly) -> list[tuple[Mono, int]] | None:
        t = self.terms
        out = [(m, c) for m, c in p.terms if any(t.atoms[a].sharing is not Sharing.LAUNCH for a in m)]
        return out or None

    def _options(
        self, p: Poly, mono: Mono, c: int, rows: list[_Row], guard: Guard, depth: int
    ) -> list[tuple[Poly, int]]:
        t = self.terms
        varying = tuple(a for a in mono if t.atoms[a].sharing is not Sharing.LAUNCH)
        factor = tuple(a for a in mono if t.atoms[a].sharing is Sharing.LAUNCH)
        scale = t.poly({factor: 1})
        if factor and not self._nonneg(scale, guard):
            return []
        out: list[tuple[Poly, int]] = []
        atom = t.atoms[varying[0]] if len(varying) == 1 else None
        if c < 0:
            r = t.poly({varying: 1}).range
            if r[0] is not None:
                out.append((p - t.poly({mono: c}) + scale.scale(c * r[0]), 0))
        for row in rows:
            k = dict(row.poly.terms).get(varying, 0)
            if k and (k < 0) == (c > 0) and c % k == 0:
                out.append((p + t.mul(scale.scale(-(c // k)), row.poly), row.rank))
        if atom is not None and c > 0:
            out.extend(self._through(p, mono, c, scale, atom, guard, depth))
        return out

    def _through(
        self, p: Poly, mono: Mono, c: int, scale: Poly, atom: Atom, guard: Guard, depth: int
    ) -> list[tuple[Poly, int]]:
        """Monotone atoms: `min` is at most either operand, `x // c` grows with `x`."""
        t = self.terms
        rest = p - t.poly({mono: c})
        if atom.kind == "min":
            return [(rest + t.mul(scale.scale(c), x), 0) for x in atom.args]
        if atom.kind == "div" and (atom.args[1].range[0] or 0) >= 1 and atom.args[1].sharing is Sharing.LAUNCH:
            inner = self._greatest(atom.args[0], guard, depth - 1)
            return [(rest + t.mul(scale.scale(c), t.div(q, atom.args[1])), r) for q, r, _ in inner]
        return []

    def _nonneg(self, p: Poly, guard: Guard) -> bool:
        lo = p.range[0]
        if lo is not None and lo >= 0:
            return True
        parts = [self.terms.poly({(a,): 1}) for a in p.terms[0][0]]
        return all(self.context.decider.implied(guard, self.terms.ge(x)).verdict == "no" for x in parts)

    # --- redundancy ---

    def _prune(self) -> None:
        """Drop conditions that others (and what the user requires) imply."""
        t = self.terms
        kept: list[Condition] = []
        unique: dict[str, Condition] = {}
        for c in self.result.conditions:
            unique.setdefault(c.text, c)
        for c in unique.values():
            if c.alternatives:
                kept.append(c)
                continue
            rivals = [k for k in unique.values() if k is not c and k.extent is c.extent and not k.alternatives]
            if not any(self._stronger(k, c) and not (self._stronger(c, k) and c.text < k.text) for k in rivals):
                kept.append(c)
        final: list[Condition] = []
        for c in kept:
            rivals = [k for k in kept if k is not c and k.extent is c.extent and not k.alternatives]
            others = [t.le(k.least, k.extent) for k in rivals]
            claim = t.negate(t.le(c.least, c.extent))
            if (
                not c.alternatives
                and others
                and self.context.decider.decide((*others, claim), cheap_only=True).verdict == "no"
            ):
                kept = [k for k in kept if k is not c]
                continue
            final.append(c)
        self.result.conditions = final

    @staticmethod
    def _stronger(a: Condition, b: Condition) -> bool:
        lo = (a.least - b.least).range[0]
        return lo is not None and lo >= 0


def _never_below(p: Poly, q: Poly) -> bool:
    low = (p - q).range[0]
    return low is not None and low >= 0


def constant_shape(array: d.Array) -> bool:
    return all(isinstance(e, d.Const) for e in array.shape)
