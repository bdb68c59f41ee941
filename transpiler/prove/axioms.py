"""What holds of loads and tickets by contract.

In: the atoms of a query. Out: formulas: data contracts (`injective`, `permutation`, `in_range`, `nondecreasing`)
instantiated on the loads at hand, and the ticket lemma: results of `atomic.add` on one counter differ.

**Tickets.** Results differ if the cell is an integer, every other access to it is an `atomic.add` of a constant that
is not negative, the drawing thread adds at least 1, and all additions together stay below 2**width, so that the
counter does not come round. Between blocks the counter must be global and the scope the device. Plain stores may set
a shared counter before the first draw.
Non-goals: other atomics (`sub`, `exch`, `cas` recycle tickets).
"""

from __future__ import annotations

import itertools
from math import prod
from typing import TYPE_CHECKING

from transpiler.ir import device as d
from transpiler.prove.fold import Terms
from transpiler.prove.record import Access, Loop
from transpiler.prove.terms import Atom, Formula, Poly

if TYPE_CHECKING:
    from transpiler.prove.decide import Decider
    from transpiler.prove.machine import Machine


class Axioms:
    """Called with the atoms of a query."""

    def __init__(self, kernel: d.Kernel, terms: Terms, machine: Machine):
        self.kernel = kernel
        self.terms = terms
        self.machine = machine
        self.between_blocks = False
        self.decider: Decider | None = None
        self._unique: dict[str, bool] = {}
        self._contracts: dict[str, list[d.Requirement]] = {}
        self.used: set[str] = set()
        for r in kernel.requires:
            if r.predicate and r.array not in machine.written:
                self._contracts.setdefault(r.array, []).append(r)

    def __call__(self, atoms: list[Atom]) -> list[Formula]:
        loads: dict[str, list[Atom]] = {}
        tickets: dict[str, list[Atom]] = {}
        for a in atoms:
            if a.kind == "load" and a.sort == "int" and a.data[1] and a.data[0] in self._contracts:
                loads.setdefault(a.data[0], []).append(a)
            elif a.kind == "ticket" and a.sort == "int":
                tickets.setdefault(a.data.array.name, []).append(a)
        found: list[Formula] = []
        for name, group in loads.items():
            for r in self._contracts[name]:
                found.extend(self._instances(r, group))
        for name, group in tickets.items():
            if len(group) > 1 and self._draws_differ(name, group[0].data.array):
                found.extend(self._different(group))
        return found

    # --- data contracts ---

    def _instances(self, r: d.Requirement, loads: list[Atom]) -> list[Formula]:
        t = self.terms
        out: list[Formula] = []
        if r.predicate in ("permutation", "in_range"):
            if r.predicate == "in_range":
                lo, hi = (self.machine.int_of(self.machine.eval(e)) for e in r.args)
            else:
                lo, hi = t.int(0), self.machine.extents(self.kernel.arrays_by_name[r.array])[0]
            for a in loads:
                v = t.of(a)
                out.extend((t.le(lo, v), t.lt(v, hi)))
        for a, b in itertools.combinations(loads, 2):
            x, y = t.of(a), t.of(b)
            if r.predicate in ("injective", "permutation"):
                same = [t.eq(i, j) for i, j in zip(a.args, b.args, strict=True)]
                out.append(t.any((t.all(same), t.ne(x, y))))
            elif r.predicate == "nondecreasing":
                i, j = a.args[0], b.args[0]
                out.append(t.any((t.lt(j, i), t.le(x, y))))
                out.append(t.any((t.lt(i, j), t.le(y, x))))
        return out

    # --- tickets ---

    def _different(self, tickets: list[Atom]) -> list[Formula]:
        t = self.terms
        out = []
        for a, b in itertools.combinations(tickets, 2):
            rank = a.data.array.rank
            if not self._draws(a.data) or not self._draws(b.data):
                continue
            apart = [t.ne(i, j) for i, j in zip(a.args[:rank], b.args[:rank], strict=True)]
            out.append(t.any((*apart, t.ne(t.of(a), t.of(b)))))
        return out

    def _draws(self, a: Access) -> bool:
        step = a.operand[0]
        scope = a.scope != "block" or not self.between_blocks
        return a.op == "add" and isinstance(step, Poly) and step.const is not None and step.const >= 1 and scope

    def _draws_differ(self, name: str, array: d.Array) -> bool:
        if self.between_blocks and not isinstance(array, d.ArrayParam):
            return False
        found = self._unique.get(name)
        if found is None:
            self._unique[name] = False  # while the question is open
            found = self._unique[name] = self._check_counter(name, array)
        return found

    def _check_counter(self, name: str, array: d.Array) -> bool:
        if not array.dtype.is_integer:
            return False
        accesses = [a for a in self.machine.record.accesses if a.array.name == name]
        first = min((a.seq for a in accesses if a.mode == "a"), default=0)
        total = 0
        for a in accesses:
            if a.mode != "a":
                if isinstance(array, d.SharedArray) and a.mode == "w" and a.seq < first and not a.loops:
                    continue
                return False
            step = a.operand[0] if a.op == "add" and isinstance(a.operand[0], Poly) else None
            times = self._times(a, array)
            if step is None or step.const is None or step.const < 0 or times is None:
                return False
            total += step.const * times
        return total < 1 << array.dtype.bits

    def _times(self, a: Access, array: d.Array) -> int | None:
        """At most how often all threads together make this access."""
        threads = self._threads(array)
        if not a.loops:
            return threads
        return self._distinct_values(a, a.loops[0]) if len(a.loops) == 1 else None

    def _threads(self, array: d.Array) -> int:
        """At most so many threads reach this array: the contract bounds them on each axis that the kernel uses."""
        block = [b.range[1] or 1024 for b in self.machine.launch.block]
        if isinstance(array, d.SharedArray):
            return self.machine.launch.threads or 1024
        return prod(2**31 - 1 if axis < self.kernel.axes else block[axis] for axis in range(3))

    def _distinct_values(self, a: Access, loop: Loop) -> int | None:
        """A loop whose counter never takes one value twice (grid-stride) makes at most as many rounds as there are values."""
        from transpiler.prove.rewrite import Copy
        from transpiler.prove.terms import Sharing

        if self.decider is None:
            return None
        t = self.terms
        launch = self.machine.launch
        value = loop.value
        lo, hi = value.range
        for f in a.guard:
            if f.op == "ge":
                rest = (f.args[0] + value).range[1]
                if rest is not None and not (f.args[0] + value).sharing:
                    hi = rest if hi is None else min(hi, rest)
        if lo is None or hi is None:
            return None
        for shared, indices in ((Sharing.COUNTER, launch.tid), (Sharing.LAUNCH, launch.bid)):
            copy = Copy(t, shared)
            apart = t.any(t.ne(p, copy.poly(p)) for p in indices)
            same = t.eq(value, copy.poly(value))
            if self.decider.decide((*a.guard, *copy.formulas(a.guard), same, apart)).verdict != "no":
                return None
        return hi - lo + 1
