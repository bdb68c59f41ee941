"""What symbolic execution leaves behind: accesses, barriers, obligations, intervals.

In: filled in by `machine`. Out: plain records over terms, read by the checks. A guard is a tuple of conjuncts: all
conditions on the way from the start of the kernel. It holds whenever the access happens.
Non-goals: no decisions.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Any

from transpiler.ir.device import Array, Node
from transpiler.ir.types import DType
from transpiler.prove.rewrite import Rewrite
from transpiler.prove.terms import Atom, Formula, Poly
from transpiler.source import Source, Span

Guard = tuple[Formula, ...]


@dataclass(eq=False, slots=True)
class Loop:
    """A loop that is executed symbolically once: `trip` counts its iterations from 0."""

    trip: Atom
    shared: bool
    """All threads of the block are in the same iteration."""
    counter: str
    value: Poly
    """The counter as the source has it."""
    step: int | None = None


@dataclass(eq=False, slots=True)
class Access:
    """One textual access in one unrolled iteration. `mode` is `r`, `w` or `a` (atomic)."""

    array: Array
    indices: tuple[Poly, ...]
    guard: Guard
    mode: str
    span: Span
    source: Source
    seq: int
    flags: int = 0
    """Approximations in the way it is reached (those of index and guard are in their terms)."""
    scope: str = "system"
    op: str = ""
    operand: Any = None
    """What is stored: a value, of an atomic the tuple of its operands."""
    dominators: tuple[int, ...] = ()
    """Sequence numbers of the warp barriers passed since the last block barrier on every way here."""
    loops: tuple[Loop, ...] = ()
    node: Node | None = None
    origin: Access | None = None
    """The access that this one is another iteration of."""
    trips: tuple[tuple[str, Poly], ...] = ()
    """Counters of the loops around it, unrolled ones included, for messages."""

    @property
    def line(self) -> int:
        return self.source.line(self.span.start)

    @property
    def root(self) -> Access:
        return self.origin or self

    def rewritten(self, rewrite: Rewrite, extra: Guard = ()) -> Access:
        return replace(
            self,
            indices=rewrite.polys(self.indices),
            guard=rewrite.formulas(self.guard) + extra,
            trips=tuple((n, rewrite.poly(p)) for n, p in self.trips),
            origin=self.root,
        )

    def guarded(self, extra: Guard) -> Access:
        return replace(self, guard=self.guard + extra, origin=self.root) if extra else self

    @property
    def all_flags(self) -> int:
        flags = self.flags
        for p in self.indices:
            flags |= p.flags
        for f in self.guard:
            flags |= f.flags
        return flags


@dataclass(eq=False, slots=True)
class Sync:
    """A barrier or warp collective. `scope`: `block`, `warp`, `grid`; `mask` where one is given."""

    scope: str
    guard: Guard
    span: Span
    source: Source
    seq: int
    mask: Poly | None = None
    collective: bool = False
    loops: tuple[Loop, ...] = ()
    flags: int = 0
    leaving: bool = False
    """Not a barrier: a way out of a loop that holds one, which all threads must take together."""
    predicate: Formula | None = None
    """What `syncthreads_or` asks of each thread."""

    @property
    def line(self) -> int:
        return self.source.line(self.span.start)


@dataclass(eq=False, slots=True)
class Fence:
    """A memory fence. `scope`: `block`, `device`, `system`."""

    scope: str
    guard: Guard
    seq: int
    loops: tuple[Loop, ...] = ()
    flags: int = 0


@dataclass(eq=False, slots=True)
class Obligation:
    """`claim` must hold wherever `guard` does. `kind`: `fits divisor shift assert invariant`."""

    kind: str
    claim: Formula
    guard: Guard
    span: Span
    source: Source
    flags: int = 0
    dtype: DType | None = None
    text: str = ""
    loops: tuple[Loop, ...] = ()
    node: Node | None = None
    """The expression or statement that it comes from."""

    @property
    def line(self) -> int:
        return self.source.line(self.span.start)


@dataclass(eq=False, slots=True)
class Interval:
    """Accesses that no barrier of this lane separates; `start` and `end` say between what they stand."""

    accesses: list[Access]
    start: str
    end: str


@dataclass(eq=False, slots=True)
class Trusted:
    text: str
    span: Span
    source: Source


@dataclass(eq=False, slots=True)
class Record:
    """Everything one symbolic execution leaves."""

    accesses: list[Access] = field(default_factory=list)
    syncs: list[Sync] = field(default_factory=list)
    obligations: list[Obligation] = field(default_factory=list)
    intervals: dict[str, list[Interval]] = field(default_factory=lambda: {"block": [], "grid": []})
    trusted: list[Trusted] = field(default_factory=list)
    ordered: set[str] = field(default_factory=set)
    """Arrays whose accesses are trusted not to race."""
    fences: list[Fence] = field(default_factory=list)

    @property
    def _lists(self) -> tuple[list, ...]:
        lanes = self.intervals
        return (
            self.accesses,
            self.syncs,
            self.obligations,
            lanes["block"],
            lanes["grid"],
            self.trusted,
            self.fences,
        )

    def sizes(self) -> tuple[int, ...]:
        return tuple(len(items) for items in self._lists)

    def truncate(self, sizes: tuple[int, ...]) -> None:
        """Forget what was recorded since `sizes` was taken: a trial run."""
        for items, n in zip(self._lists, sizes, strict=True):
            del items[n:]
