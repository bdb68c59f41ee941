"""Data races: every conflicting pair in an interval of a block, and every conflicting pair between blocks.

In: the intervals of a `Context`. Out: `Finding`s: pairs that certainly race (with a model), or may race (the model
rests on something approximated), or could not be decided. Two accesses conflict if they touch one element of one
array, not both read, and not both are atomics of a scope that covers both threads.
Non-goals: words for users (`report`), running candidates (`confirm`).
"""

from __future__ import annotations

from dataclasses import dataclass

from transpiler.ir import device as d
from transpiler.prove.budget import PAIRS
from transpiler.prove.context import Context
from transpiler.prove.decide import Decision
from transpiler.prove.last_block import LastBlock
from transpiler.prove.record import Access, Interval
from transpiler.prove.terms import Atom, Formula, Poly

MAX_REFUTED = 4
MAX_FINDINGS = 200


@dataclass(eq=False, slots=True)
class Finding:
    """`relation` is `block` (two threads of one block) or `grid` (threads of two blocks)."""

    first: Access
    second: Access
    second_copy: Access
    relation: str
    interval: Interval
    decision: Decision
    counter: str | None = None
    """The pair would be ordered, were it known that this counter starts at 0."""

    @property
    def exact(self) -> bool:
        return self.decision.verdict == "yes" and not self.flags

    @property
    def flags(self) -> int:
        return self.decision.flags | self.first.flags | self.second.flags

    @property
    def lines(self) -> tuple[int, int]:
        return (self.first.line, self.second.line)


class Races:
    """The pairs of one kernel."""

    def __init__(self, context: Context, only: str | None = None, cheap_only: bool = False):
        self.context = context
        self.cheap_only = cheap_only
        """Do without the solver: what that leaves open is a finding."""
        self.only = only
        """The one array that is asked about."""
        self.findings: list[Finding] = []
        self.pairs = {"syntactic": 0, "interval": 0, "solver": 0, "cache": 0, "protocol": 0}
        self.last_block = LastBlock(context)
        self._cache: dict[tuple, Decision] = {}
        self._copies: dict[tuple[int, str], Access] = {}
        self._refuted: set[tuple] = set()
        self._kept: list[Access] = []

    def run(self) -> list[Finding]:
        context = self.context
        for interval in context.record.intervals["block"]:
            self._interval(interval, "block")
        if any(b.const is None for b in context.launch.bid):
            context.axioms.between_blocks = True
            for interval in context.record.intervals["grid"]:
                self._interval(interval, "grid")
            context.axioms.between_blocks = False
        return self.findings

    def _interval(self, interval: Interval, relation: str) -> None:
        groups: dict[int, list[Access]] = {}
        for a in interval.accesses:
            if a.array.name not in self.context.record.ordered:
                groups.setdefault(id(a.array), []).append(a)
        for accesses in groups.values():
            name = accesses[0].array.name
            if name not in self.context.written or self.only not in (None, name):
                continue
            for i, a in enumerate(accesses):
                self.context.budget.spend(PAIRS * (len(accesses) - i) // 10)
                for b in accesses[i:]:
                    if self._enough():
                        return
                    if _conflict(a, b, relation):
                        self._pair(a, b, relation, interval)

    def _enough(self) -> bool:
        """A kernel that is refused needs no more reasons."""
        return len(self._refuted) >= MAX_REFUTED or len(self.findings) >= MAX_FINDINGS

    def _pair(self, a: Access, b: Access, relation: str, interval: Interval) -> None:
        if b.root.seq < a.root.seq:
            a, b = b, a
        mark = (a.array.name, a.line, b.line)
        if mark in self._refuted:
            return
        apart_in_warp = relation == "block" and _separated(a, b)
        key = (_key(a), _key(b), relation, apart_in_warp)
        known = self._cache.get(key)
        if known is not None:
            self.pairs["cache"] += 1
            if known.verdict == "no":
                return
        copy = self._copy(b, relation)
        if known is None:
            known = self._cache[key] = self.decide(a, copy, relation, apart_in_warp)
            if known.verdict == "no":
                self.pairs[known.how] += 1
                return
        finding = Finding(a, b, copy, relation, interval, known)
        if relation == "grid" and not self.cheap_only:
            if self.last_block.orders(a, b):
                self.pairs["protocol"] += 1
                return
            finding.counter = self.last_block.counter(a, b)
        self.findings.append(finding)
        if finding.exact:
            self._refuted.add(mark)

    def decide(self, a: Access, copy: Access, relation: str, apart_in_warp: bool) -> Decision:
        context = self.context
        apart: list[Formula] = []
        if relation == "grid":
            apart.append(context.distinct_blocks())
        else:
            apart.append(context.distinct_threads())
            if apart_in_warp:
                apart.append(context.distinct_warps())
        equal = self._same_element(a, copy)
        inside = self._inside(a) if context.kernel.options.checks == "dynamic" else ()
        return context.decider.decide((*a.guard, *copy.guard, *equal, *apart, *inside), self.cheap_only)

    def _inside(self, a: Access) -> list[Formula]:
        """With `checks="dynamic"` an access out of bounds does not happen (and both touch one element)."""
        t = self.context.terms
        extents = self.context.extents(a.array)
        return [f for p, n in zip(a.indices, extents, strict=True) for f in (t.ge(p), t.lt(p, n))]

    def _same_element(self, a: Access, b: Access) -> list[Formula]:
        t = self.context.terms
        equal = [t.eq(p, q) for p, q in zip(a.indices, b.indices, strict=True)]
        equal.extend(self._exclusive_or(a, b))
        # (x // c, x % c) determine x
        for p, q in zip(a.indices, b.indices, strict=True):
            for r, s in zip(a.indices, b.indices, strict=True):
                w, x, y, z = _single(p), _single(q), _single(r), _single(s)
                if w is None or x is None or y is None or z is None:
                    continue
                kinds = (w.kind, x.kind, y.kind, z.kind) == ("div", "div", "mod", "mod")
                if kinds and w.args == y.args and x.args == z.args and w.args[1] is x.args[1]:
                    equal.append(t.eq(w.args[0], x.args[0]))
        return equal

    def _exclusive_or(self, a: Access, b: Access) -> list[Formula]:
        """`(y, x ^ y)` determines `x`."""
        t = self.context.terms
        out = []
        for p, q in zip(a.indices, b.indices, strict=True):
            w, x = _single(p), _single(q)
            if w is None or x is None or (w.kind, x.kind) != ("xor", "xor"):
                continue
            for r, s in zip(a.indices, b.indices, strict=True):
                if r in w.args and s in x.args:
                    out.append(t.eq(w.args[w.args[0] is r], x.args[x.args[0] is s]))
        return out

    def _copy(self, b: Access, relation: str) -> Access:
        key = (id(b), relation)
        found = self._copies.get(key)
        if found is None:
            rewrite = self.context.other_block if relation == "grid" else self.context.same_block
            found = self._copies[key] = b.rewritten(rewrite)
            self._kept.append(b)
        return found


def _key(a: Access) -> tuple:
    return (id(a.array), tuple(p.id for p in a.indices), tuple(f.id for f in a.guard), a.mode)


def _single(p: Poly) -> Atom | None:
    if len(p.terms) == 1 and p.terms[0][1] == 1 and len(p.terms[0][0]) == 1:
        return p.pool.atoms[p.terms[0][0][0]]
    return None


def _conflict(a: Access, b: Access, relation: str) -> bool:
    if a.mode == "r" and b.mode == "r":
        return False
    if a.mode == "a" and b.mode == "a":
        covers = relation == "block" or (a.scope != "block" and b.scope != "block")
        return not covers
    return not isinstance(a.array, d.LocalArray)


def _separated(a: Access, b: Access) -> bool:
    """A warp barrier lies between them for threads of one warp."""
    before = min(a.seq, b.seq)
    later = a if a.seq > b.seq else b
    return any(before < s < later.seq for s in later.dominators)
