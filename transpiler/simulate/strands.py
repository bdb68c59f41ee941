"""Control flow of lanes: a stack of frames whose lanes split and come together again.

In: bodies, loops and calls that the machine enters. Out: `Strand`, a stack of frames as a warp's reconvergence stack
has it: the frame on top runs, a frame below waits for its lanes to come back. `break`, `continue` and `return` take
lanes out of frames. Lanes that wait for each other across frames are put on strands of their own (`fork`) and joined
again where they meet (`join`).
Non-goals: what statements do (`machine`).
"""

from __future__ import annotations

from collections.abc import Callable
from copy import copy
from dataclasses import dataclass, field

import numpy as np

from transpiler.ir import device as ir
from transpiler.simulate.dtypes import Value
from transpiler.simulate.expressions import Activation
from transpiler.simulate.lanes import Lanes


@dataclass(slots=True, eq=False)
class Frame:
    """Lanes that are in a construct, with the names they see."""

    lanes: Lanes
    env: Activation


@dataclass(slots=True, eq=False)
class Body(Frame):
    """Statements, and which comes next."""

    stmts: tuple[ir.Stmt, ...]
    next: int = 0

    @property
    def current(self) -> ir.Stmt | None:
        return self.stmts[self.next - 1] if self.next else None


@dataclass(slots=True, eq=False)
class ForLoop(Frame):
    """`trips` is one number or one a lane of the chunk; so are `start` and `step`."""

    stmt: ir.For
    start: Value
    step: Value
    trips: Value
    round: int = 0


@dataclass(slots=True, eq=False)
class WhileLoop(Frame):
    stmt: ir.While
    tested: bool = True
    """The next thing is `pre` (if any), not the test."""
    stuck: int = 0
    """Rounds in which no lane left."""
    patience: int = 64


@dataclass(slots=True, eq=False)
class CallFrame(Frame):
    """A device function: `env` is the caller's, `inner` its own."""

    function: ir.Function
    inner: Activation
    targets: tuple[ir.Local, ...]
    results: list[Value]


Loop = ForLoop | WhileLoop


@dataclass(slots=True, eq=False)
class Arrival:
    """Lanes at a barrier or collective: each waits for `needs` lanes with its `keys`."""

    stmt: ir.Stmt
    lanes: Lanes
    keys: np.ndarray
    needs: np.ndarray


@dataclass(slots=True, eq=False)
class Strand:
    frames: list[Frame] = field(default_factory=list)
    waiting: Arrival | None = None
    excused: ir.Stmt | None = None
    """Passes here once without asking whether all have come."""
    spins: bool = False
    """Gives way to other strands."""

    @property
    def lanes(self) -> Lanes:
        return self.frames[0].lanes

    def leave_body(self, lanes: Lanes) -> None:
        """`continue`: the lanes are out of everything inside the innermost loop."""
        self._remove(lanes, lambda frame: isinstance(frame, ForLoop | WhileLoop), inclusive=False)

    def leave_loop(self, lanes: Lanes) -> None:
        self._remove(lanes, lambda frame: isinstance(frame, ForLoop | WhileLoop), inclusive=True)

    def leave_function(self, lanes: Lanes) -> None:
        self._remove(lanes, lambda frame: isinstance(frame, CallFrame), inclusive=False)

    def _remove(self, lanes: Lanes, ends: Callable[[Frame], bool], inclusive: bool) -> None:
        flags = lanes.flags()
        for frame in reversed(self.frames):
            last = ends(frame)
            if last and not inclusive:
                return
            frame.lanes = frame.lanes.without(flags)
            if last:
                return

    def fork(self, lanes: Lanes) -> Strand:
        """Take the lanes out into a strand of their own, which stands where this one stands."""
        flags = lanes.flags()
        other = Strand(spins=False)
        for frame in self.frames:
            twin = copy(frame)
            twin.lanes = frame.lanes.where(flags[frame.lanes.at])
            frame.lanes = frame.lanes.without(flags)
            other.frames.append(twin)
        return other

    def stands_with(self, other: Strand) -> bool:
        """May the two be one strand again: same frames, same places."""
        return len(self.frames) == len(other.frames) and all(map(_same_place, self.frames, other.frames))

    def join(self, other: Strand) -> None:
        for frame, twin in zip(self.frames, other.frames, strict=True):
            frame.lanes = Lanes(np.union1d(frame.lanes.ids, twin.lanes.ids), frame.lanes.width)

    def where_is(self, lane: int) -> ir.Stmt | None:
        """The statement that a lane of this strand is at: the innermost one that holds it."""
        for frame in reversed(self.frames):
            if isinstance(frame, CallFrame) or lane not in frame.lanes.ids:
                continue
            return frame.current if isinstance(frame, Body) else frame.stmt  # type: ignore[attr-defined]
        return None


def _same_place(a: Frame, b: Frame) -> bool:
    if type(a) is not type(b) or a.env is not b.env:
        return False
    if isinstance(a, Body):
        return a.stmts is b.stmts and a.next == b.next  # type: ignore[attr-defined]
    if isinstance(a, ForLoop):
        return a.stmt is b.stmt and a.round == b.round  # type: ignore[attr-defined]
    if isinstance(a, WhileLoop):
        return a.stmt is b.stmt and a.tested == b.tested  # type: ignore[attr-defined]
    return a.inner is b.inner  # type: ignore[attr-defined]
