"""The last block: one thread of every block draws a number, and the block that draws the highest finishes for all.

In: a `Context`. Out: whether such a protocol puts one access of a block before the access of another, `orders`.

    part[cuda.blockIdx.x] = s           # before, by the drawer or behind a block barrier that follows
    cuda.threadfence()                  # release
    t = cuda.atomic.add(done, 0, 1)     # the draw
    cuda.threadfence()                  # acquire
    if t == cuda.gridDim.x - 1:         # last: all blocks have drawn
        total[0] = sum_of(part)         # after, by the drawer or behind a block barrier that precedes

**Draw.** An `add` of 1 (or an `inc` that does not come round too early) on a global integer counter whose contract
says that it starts at 0, of device scope, on one element, outside loops, by at most one thread of a block. Whatever
else touches the counter does so in the last block behind the draw, where all have drawn; atomic loads change nothing.
So `t >= blocks - 1` holds in one block, and there all blocks have drawn: the numbers are `start + 0, start + 1, ...`
with `start <= 0`, and none comes round before one is that high.

**Told.** Threads that did not draw know that theirs is the last block by one of two hints: `syncthreads_or(t == ...)`,
or a flag in shared memory that one statement writes. That the flag is set when it is read, and that nobody races for
it, is proved elsewhere.

**Order.** Release fence, draw, ..., draw, acquire fence synchronize (PTX ISA, Memory Consistency Model, release and
acquire patterns); block barriers carry it to the other threads on both sides. The fence has to be the drawer's: that
of another thread is part of no pattern.

Non-goals: chains of hints, counters that are drawn from twice, other locks.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass

from transpiler.ir import device as d
from transpiler.prove.context import Context
from transpiler.prove.record import Access, Fence, Guard, Sync
from transpiler.prove.rewrite import Copy, Rewrite
from transpiler.prove.terms import Atom, Formula, Poly, Sharing, walk_atoms

WIDE = ("device", "system")


@dataclass(eq=False, slots=True)
class Draw:
    """One protocol: the atomic, its result, and where the drawer's accesses are released and acquired."""

    access: Access
    ticket: Poly
    released: int
    """Place in the execution: what the drawer did before is released."""
    acquired: int
    starts: bool
    """The contract says where the counter starts."""


class LastBlock:
    """The protocols of one kernel. Only what is asked is looked at, and each question once."""

    def __init__(self, context: Context):
        self.context = context
        self.record = context.record
        self.other = Copy(context.terms, Sharing.BLOCK)
        """Another thread of the block at any time: unlike in one barrier interval, loop counters are its own."""
        self._draws: list[Draw] | None = None
        self._known: dict[tuple, tuple[Access, bool]] = {}

    def orders(self, a: Access, b: Access) -> bool:
        """Whether `a` of one block comes before `b` of another, or `b` before `a`, or both are of one block only."""
        return any(w.starts for w in self._protocols(a, b))

    def counter(self, a: Access, b: Access) -> str | None:
        """The counter of which one would have to know that it starts at 0."""
        return next((w.access.array.name for w in self._protocols(a, b) if not w.starts), None)

    def _protocols(self, a: Access, b: Access) -> Iterable[Draw]:
        if self._draws is None:
            self._draws = list(self._find())
        return (w for w in self._draws if self._ordered(w, a, b))

    def _ordered(self, w: Draw, a: Access, b: Access) -> bool:
        for first, second in ((a, b), (b, a)):
            if first.root is w.access and self._behind(w, second, w.access.seq):
                return True
            if self._before(w, first) and self._behind(w, second, w.acquired):
                return True
        return self._last(w, a) and self._last(w, b)

    # --- draws ---

    def _find(self) -> Iterable[Draw]:
        for a in self.record.accesses:
            if a.mode == "a" and a.op in ("add", "inc") and self._drawn_once(a):
                w = self._draw(a)
                if w is not None and self._alone(w):
                    yield w

    def _drawn_once(self, a: Access) -> bool:
        """At most once a block, from one cell."""
        c = self.context
        once = not (a.loops or a.flags) and all(i.sharing is Sharing.LAUNCH for i in a.indices)
        if not once or not isinstance(a.array, d.ArrayParam) or not a.array.dtype.is_integer or a.scope not in WIDE:
            return False
        return self._never((*a.guard, *self.other.formulas(a.guard), c.distinct_threads()))

    def _draw(self, a: Access) -> Draw | None:
        """The protocol of a draw, if it has both fences and counts to the number of blocks."""
        assert isinstance(a.node, d.Atomic)
        found = self.context.machine.tickets.get(a)
        step = a.operand[0] if isinstance(a.operand, tuple) and a.operand else None
        if found is None or not isinstance(step, Poly):
            return None
        w = Draw(a, found, -1, -1, self._starts(a.array.name, 0 if a.op == "inc" else None))
        if a.op == "add":
            counts = step.const == 1
        else:
            counts = step.sharing is Sharing.LAUNCH and self._never((*a.guard, self.context.terms.lt(step, self._top)))
        if not counts:
            return None
        order = a.node.order
        last = (*a.guard, self._is_highest(w, None))
        before = [f.seq for f in self.record.fences if f.seq < a.seq and self._passed(f, a.guard)]
        behind = [f.seq for f in self.record.fences if f.seq > a.seq and self._passed(f, last)]
        w.released = a.seq if order in ("release", "acq_rel", "seq_cst") else max(before, default=-1)
        w.acquired = a.seq if order in ("acquire", "acq_rel", "seq_cst") else min(behind, default=-1)
        return w if min(w.released, w.acquired) >= 0 else None

    def _passed(self, f: Fence, guard: Guard) -> bool:
        """Whoever comes by under `guard` goes through this fence."""
        return f.scope in WIDE and not (f.loops or f.flags) and self._implies(guard, self.context.terms.all(f.guard))

    def _starts(self, counter: str, least: int | None) -> bool:
        """The contract has the counter start at no more than 0 (and at no less than `least`)."""
        t, machine = self.context.terms, self.context.machine
        for r in self.context.kernel.requires:
            if r.predicate == "in_range" and r.array == counter:
                low, high = (machine.int_of(machine.eval(e)) for e in r.args)
                least_met = least is None or self._never((t.lt(low, t.int(least)),))
                if least_met and self._never((t.lt(t.int(1), high),)):
                    return True
        return False

    def _alone(self, w: Draw) -> bool:
        """Nothing else touches the counter, but atomic loads, and what the last block does behind its draw."""
        others = [a for a in self.record.accesses if a.array is w.access.array and a is not w.access]
        return all(a.op == "load" or (a.seq > w.access.seq and self._last(w, a)) for a in others)

    # --- before and behind ---

    def _before(self, w: Draw, a: Access) -> bool:
        """The draw of the block of `a` releases it."""
        return self._memo("before", w, a, lambda: self._released(w, a))

    def _released(self, w: Draw, a: Access) -> bool:
        if a.seq >= w.released:
            return False
        if self._by_drawer(w, a):
            return True
        within = [s for s in self.record.syncs if a.seq < s.seq < w.released]
        return any(self._waits(s, w.access.guard) for s in within)

    def _behind(self, w: Draw, a: Access, seq: int) -> bool:
        """`a` is of the last block, and follows on what its drawer did at `seq`."""
        if a.seq <= seq or not self._last(w, a):
            return False
        return self._memo(f"behind {seq}", w, a, lambda: self._follows(w, a, seq))

    def _follows(self, w: Draw, a: Access, seq: int) -> bool:
        if self._by_drawer(w, a):
            return True
        return any(self._waits(s, a.guard) for s in self.record.syncs if seq < s.seq < a.seq)

    def _by_drawer(self, w: Draw, a: Access) -> bool:
        c = self.context
        return self._never((*a.guard, *self.other.formulas(w.access.guard), c.distinct_threads()))

    def _waits(self, s: Sync, guard: Guard) -> bool:
        """The block waits here if some thread of it comes by under `guard`: that barriers do not diverge is proved elsewhere."""
        plain = s.scope in ("block", "grid") and not (s.leaving or s.loops or s.flags)
        return plain and self._implies(guard, self.context.terms.all(s.guard))

    # --- the last block ---

    def _last(self, w: Draw, a: Access) -> bool:
        """`a` happens in the block alone that drew the highest number."""
        return self._memo("last", w, a, lambda: self._knows(w, a.guard))

    def _knows(self, w: Draw, guard: Guard) -> bool:
        return self._drew_highest(w, guard, None) or self._told(w, guard)

    def _drew_highest(self, w: Draw, guard: Guard, copy: Rewrite | None) -> bool:
        drew = self.context.terms.all(w.access.guard)
        drew = copy.formula(drew) if copy else drew
        return self._implies(guard, drew) and self._implies(guard, self._is_highest(w, copy))

    def _told(self, w: Draw, guard: Guard) -> bool:
        for atom in walk_atoms(guard):
            if atom.kind == "hv" and isinstance(atom.data, Sync):
                if self._voted(w, guard, atom, atom.data):
                    return True
            elif atom.kind == "load" and self._read_flag(w, guard, atom):
                return True
        return False

    def _voted(self, w: Draw, guard: Guard, atom: Atom, s: Sync) -> bool:
        """`syncthreads_or` was true: its predicate holds in some thread."""
        assert s.predicate is not None
        result = self.context.terms.bool_atom(atom)
        return self._implies(guard, result) and self._drew_highest(w, (*s.guard, s.predicate), None)

    def _read_flag(self, w: Draw, guard: Guard, atom: Atom) -> bool:
        """The guard read from shared memory what one statement wrote."""
        c = self.context
        name = atom.data[0]
        writes = [a for a in self.record.accesses if a.array.name == name and a.mode != "r"]
        if len(writes) != 1 or name in self.record.ordered:
            return False
        write = writes[0]
        if not isinstance(write.array, d.SharedArray) or write.mode != "w" or write.loops or write.flags:
            return False
        copy = self.other
        at = atom.args[: write.array.rank]
        same = [c.terms.eq(i, j) for i, j in zip(at, copy.polys(write.indices), strict=True)]
        value = self._equal(atom, copy.any(write.operand))
        return value is not None and self._drew_highest(w, (*guard, *copy.formulas(write.guard), *same, value), copy)

    def _equal(self, atom: Atom, written: object) -> Formula | None:
        t = self.context.terms
        if atom.sort == "bool" and isinstance(written, Formula):
            return t.ite_formula(written, t.bool_atom(atom), t.negate(t.bool_atom(atom)))
        if atom.sort == "int" and isinstance(written, Formula | Poly):
            return t.eq(t.of(atom), self.context.machine.int_of(written))
        return None

    # --- questions ---

    @property
    def _top(self) -> Poly:
        t, grid = self.context.terms, self.context.launch.grid
        return t.mul(t.mul(grid[0], grid[1]), grid[2]) - 1

    def _is_highest(self, w: Draw, copy: Rewrite | None) -> Formula:
        return self.context.terms.le(self._top, copy.poly(w.ticket) if copy else w.ticket)

    def _implies(self, guard: Guard, claim: Formula) -> bool:
        return self.context.decider.implied(guard, claim).verdict == "no"

    def _never(self, formulas: Iterable[Formula]) -> bool:
        return self.context.decider.decide(formulas).verdict == "no"

    def _memo(self, question: str, w: Draw, a: Access, answer: Callable[[], bool]) -> bool:
        key = (question, id(w), id(a))
        found = self._known.get(key)
        if found is None:
            found = self._known[key] = (a, answer())
        return found[1]
