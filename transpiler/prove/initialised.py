"""Reads of memory that nobody has written: shared and local arrays, and `Out` parameters.

In: the accesses of a `Context`. Out: reads that certainly see unset memory, and reads for which no write was found.

A read is fine if some write before it, by any thread of the block (for local arrays: the same thread), covers the
element. Before means earlier in the program: were it unordered, it would be a race, which `races` reports. The
writing thread is found by inverting the index of the write (`buf[tx + 1] = ..` covers element `e` by thread `e - 1`)
and one question is asked for all candidate writes together: is there a reading thread whose element none of them
covers? Writes in loops cover with any iteration that comes before.

Whole arrays are tried first: if the writes before an interval cover every element, all later reads are fine.
Non-goals: values. Writes that may not happen (behind a data-dependent exit) cover nothing.
"""

from __future__ import annotations

from dataclasses import dataclass

from transpiler.ir import device as d
from transpiler.prove.budget import PAIRS
from transpiler.prove.context import Context
from transpiler.prove.decide import Decision
from transpiler.prove.record import Access
from transpiler.prove.rewrite import Rewrite
from transpiler.prove.terms import EXIT, Atom, Formula, Poly, Sharing, walk_atoms

MAX_WRITES = 48
MAX_ATTEMPTS = 4
"""At whole arrays, one array each."""


@dataclass(eq=False, slots=True)
class Unset:
    read: Access
    certain: bool
    """No write comes before it at all."""
    decision: Decision


class Initialised:
    def __init__(self, context: Context):
        self.context = context
        self.terms = context.terms
        self._covered: dict[int, list[int]] = {}
        self._count = 0
        self._results: dict[tuple, Decision] = {}
        self._instances: dict[tuple[int, bool], tuple[_Fresh, tuple[Poly, ...], tuple[Formula, ...]]] = {}

    def run(self) -> list[Unset]:
        found: list[Unset] = []
        reported: set[tuple] = set()
        by_array: dict[int, list[Access]] = {}
        for a in self.context.record.accesses:
            if self._tracked(a.array):
                by_array.setdefault(id(a.array), []).append(a)
        for accesses in by_array.values():
            writes = [a for a in accesses if a.mode in ("w", "a")]
            for read in accesses:
                if read.mode != "r" or (read.line, read.array.name) in reported:
                    continue
                unset = self._check(read, writes)
                if unset is not None:
                    reported.add((read.line, read.array.name))
                    found.append(unset)
        return found

    def _tracked(self, array: d.Array) -> bool:
        if isinstance(array, d.ArrayParam):
            return array.ownership == "out" and not array.inferred
        return isinstance(array, (d.SharedArray, d.LocalArray))

    def _check(self, read: Access, writes: list[Access]) -> Unset | None:
        self.context.budget.spend(PAIRS * len(writes) // 10)
        before = [w for w in writes if self._comes_before(w, read)]
        if not before:
            decision = self.context.decider.decide(read.guard)
            return None if decision.verdict == "no" else Unset(read, True, decision)
        private = isinstance(read.array, d.LocalArray)
        if not private and self._whole_array(read, before):
            return None
        usable = [w for w in before if not w.flags & EXIT or _same_exit(w, read)][-MAX_WRITES:]
        decision = self._uncovered(read.array, read.indices, read.guard, usable, read, private)
        if decision.verdict == "no":
            return None
        return Unset(read, False, decision)

    @staticmethod
    def _comes_before(write: Access, read: Access) -> bool:
        common = [loop for loop in write.loops if loop in read.loops]
        return write.seq < read.seq or bool(common)

    # --- whole arrays ---

    def _whole_array(self, read: Access, before: list[Access]) -> bool:
        """Some prefix of the writes covers every element, under conditions that hold wherever the read happens."""
        name = id(read.array)
        early = [w for w in before if w.seq < read.seq and not w.flags & EXIT]
        for known in self._covered.get(name, ()):
            if any(w.seq == known for w in early):
                return True
        sizes = [n.const for n in self.context.extents(read.array)]
        if None in sizes or not early:
            return False
        key = (name, tuple(id(w) for w in early[:MAX_WRITES]))
        tried = sum(k[0] == name for k in self._results)
        if key in self._results or tried >= MAX_ATTEMPTS:
            return False
        t = self.terms
        element = tuple(
            t.var(f"element.{axis}", Sharing.BLOCK, (0, n - 1)) for axis, n in enumerate(sizes) if n is not None
        )
        decision = self._results[key] = self._uncovered(
            read.array, element, (), early[:MAX_WRITES], None, False, cheap_only=True
        )
        if decision.verdict == "no":
            self._covered.setdefault(name, []).append(max(w.seq for w in early[:MAX_WRITES]))
            return True
        return False

    # --- one question ---

    def _uncovered(
        self,
        array: d.Array,
        element: tuple[Poly, ...],
        guard: tuple[Formula, ...],
        writes: list[Access],
        read: Access | None,
        private: bool,
        cheap_only: bool = False,
    ) -> Decision:
        t = self.terms
        claims: list[Formula] = []
        for w in writes:
            for covers in self._covers(w, element, read, private):
                if covers is t.true:
                    return Decision("no", "syntactic")
                if covers is not t.false:
                    claims.append(covers)
        return self.context.decider.decide((*guard, *(t.negate(c) for c in claims)), cheap_only)

    def _covers(self, w: Access, element: tuple[Poly, ...], read: Access | None, private: bool) -> list[Formula]:
        """Conditions under which some instance of `w` (maybe one of several chosen ones) writes `element` before the read."""
        own = self._instance(w, element, read, True)
        if private:
            return [own] if own is not None else []
        other = self._instance(w, element, read, False)
        return [f for f in (own if read is not None else None, other) if f is not None]

    def _instance(self, w: Access, element: tuple[Poly, ...], read: Access | None, own: bool) -> Formula | None:
        """Solve the index of the write for its thread and iteration; what must hold of the solution."""
        t = self.terms
        fresh, index, guard = self._fresh(w, own)
        unknown = fresh.unknown
        if any(_apart(p, e) for p, e in zip(index, element, strict=True)):
            return None
        solution = _solve(t, [*zip(index, element, strict=True)], unknown, guard)
        rewrite = _Solved(self.terms, solution)
        parts: list[Formula] = [*(rewrite.formula(f) for f in guard)]
        parts.extend(t.eq(rewrite.poly(p), e) for p, e in zip(index, element, strict=True))
        for a in unknown.values():
            value = solution.get(a.id)
            if value is None:
                return None
            lo, hi = a.range
            if lo is not None:
                parts.append(t.ge(value - lo))
            if hi is not None:
                parts.append(t.ge(t.int(hi) - value))
            parts.extend(rewrite.formula(f) for f in a.facts)
        if read is not None:
            parts.extend(self._order(w, read, rewrite, fresh))
        return t.all(parts)

    def _fresh(self, w: Access, own: bool) -> tuple[_Fresh, tuple[Poly, ...], tuple[Formula, ...]]:
        key = (id(w), own)
        found = self._instances.get(key)
        if found is None:
            fresh = _Fresh(self.context, w, own)
            found = self._instances[key] = (fresh, fresh.polys(w.indices), fresh.formulas(w.guard))
        return found

    def _order(self, w: Access, read: Access, rewrite: Rewrite, fresh: _Fresh) -> list[Formula]:
        """In a loop around both, the writing iteration is not after the reading one."""
        t = self.terms
        out: list[Formula] = []
        common = [loop for loop in w.loops if loop in read.loops]
        for loop in common:
            mine = rewrite.poly(fresh.poly(t.of(loop.trip)))
            theirs = t.of(loop.trip)
            last = loop is common[-1]
            strict = last and w.seq > read.seq
            out.append(t.ge(theirs - mine - (1 if strict else 0)))
        return out


class _Fresh(Rewrite):
    """The write as some other thread (or the reading thread itself) makes it in some iteration; unknowns are to be solved for."""

    def __init__(self, context: Context, w: Access, own: bool):
        super().__init__(context.terms, self._leaf)
        self.own = own
        self.unknown: dict[int, Atom] = {}
        self.threads = {a for p in context.launch.tid for a in p.atom_ids()}
        self.loops = {loop.trip.id for loop in w.loops}
        self.tag = "~own" if own else "~"

    def _leaf(self, a: Atom) -> Poly | None:
        if a.kind == "var" and a.id in self.threads:
            return None if self.own else self._new(a)
        return self._new(a) if a.id in self.loops else None

    def _new(self, a: Atom) -> Poly:
        t = self.terms
        new = t.atom("var", a.name + self.tag, (), "int", Sharing.THREAD, a.range)
        self._atoms[a.id] = t.of(new)
        self.unknown[a.id] = new
        if a.facts and not new.facts:
            new.facts = self.formulas(a.facts)
        return t.of(new)

    def _atom(self, a: Atom):
        found = super()._atom(a)
        if (
            not self.own
            and a.id not in self.unknown
            and a.kind in ("load", "hv", "ticket", "var")
            and a.own > Sharing.COUNTER
        ):
            return self.terms.as_value(self.rebuilt(a, a.name + self.tag, tuple(self.any(x) for x in a.args)))
        return found


class _Solved(Rewrite):
    def __init__(self, terms, solution: dict[int, Poly]):
        super().__init__(terms, lambda a: solution.get(a.id))


def _solve(
    t, equations: list[tuple[Poly, Poly]], unknown: dict[int, Atom], guard: tuple[Formula, ...]
) -> dict[int, Poly]:
    """Values for the unknowns that make the equations hold, where they can be read off; 0 for those that do not matter."""
    ids = {a.id for a in unknown.values()}
    solution: dict[int, Poly] = {}
    pending = [(p, e) for p, e in equations]
    pending += [(f.args[0], t.int(0)) for f in guard if f.op == "eq"]
    pending = _joined(t, equations) + pending
    progress = True
    while pending and progress:
        progress = False
        for item in list(pending):
            p, e = item
            p = _Solved(t, solution).poly(p)
            found = _read_off(t, p, e, ids)
            if found is not None:
                pending.remove(item)
                for a, v in found.items():
                    solution[a] = v
                solution = {a: _Solved(t, found).poly(v) for a, v in solution.items()}
                progress = True
    for a in ids:
        solution.setdefault(a, t.int(0))
    return solution


def _joined(t, equations: list[tuple[Poly, Poly]]) -> list[tuple[Poly, Poly]]:
    """`x // c == p` and `x % c == q` together are `x == c*p + q`."""
    out: list[tuple[Poly, Poly]] = []
    for p, e in equations:
        for q, r in equations:
            high, low = _only_atom(p), _only_atom(q)
            if high is None or low is None or (high.kind, low.kind) != ("div", "mod"):
                continue
            if high.args[0] is low.args[0] and high.args[1] is low.args[1]:
                out.append((high.args[0], t.mul(e, high.args[1]) + r))
    return out


def _apart(p: Poly, e: Poly) -> bool:
    """Whether intervals alone keep two indices from being equal."""
    low, high = (p - e).range
    return (low is not None and low > 0) or (high is not None and high < 0)


def _only_atom(p: Poly) -> Atom | None:
    if len(p.terms) == 1 and p.terms[0][1] == 1 and len(p.terms[0][0]) == 1:
        return p.pool.atoms[p.terms[0][0][0]]
    return None


def _read_off(t, p: Poly, e: Poly, ids: set[int]) -> dict[int, Poly] | None:
    """Solve `p == e` for the unknowns in `p`: one with a unit coefficient, or digits."""
    own = [(m, c) for m, c in p.terms if any(a in ids for a in m)]
    if not own:
        inner = [a for a in walk_atoms([p]) if a.id in ids]
        return _invert(t, p, e, ids) if inner else {}
    rest = e - t.poly({m: c for m, c in p.terms if not any(a in ids for a in m)})
    if any(len(m) != 1 for m, _ in own):
        return None
    if len(own) == 1:
        (m, c) = own[0]
        return {m[0]: rest.scale(c) if abs(c) == 1 else t.div(rest, t.int(c))}
    digits = sorted(((abs(c), c, m[0]) for m, c in own), reverse=True)
    out: dict[int, Poly] = {}
    for size, c, a in digits[:-1]:
        out[a] = t.div(rest, t.int(c))
        rest = t.mod(rest, t.int(size)) if c > 0 else rest - out[a].scale(c)
    size, c, a = digits[-1]
    out[a] = rest.scale(c) if size == 1 else t.div(rest, t.int(c))
    return out


def _invert(t, p: Poly, e: Poly, ids: set[int]) -> dict[int, Poly] | None:
    """`x // c == e` at `x = c*e`; `x % c == e` at `x = e`; `x ^ y == e` at `x = e ^ y`."""
    atom = _only_atom(p)
    if atom is None:
        return None
    if atom.kind == "div" and atom.args[1].const:
        return _read_off(t, atom.args[0], e.scale(atom.args[1].const), ids)
    if atom.kind == "mod":
        return _read_off(t, atom.args[0], e, ids)
    if atom.kind == "xor":
        for x, y in (atom.args, atom.args[::-1]):
            if not any(a.id in ids for a in walk_atoms([y])):
                return _read_off(t, x, t.bit_xor(e, y), ids)
    return None


def _same_exit(w: Access, read: Access) -> bool:
    """A write in a loop with early exits still comes before a read behind it in the same iteration of that loop."""
    return bool(w.loops) and w.loops == read.loops[: len(w.loops)] and w.seq < read.seq
