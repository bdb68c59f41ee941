"""Who runs next: strands of lanes that take turns, wait for each other, and are told when someone never comes.

In: one chunk's first body, and a machine that executes single statements. Out: the run of all strands to their end;
findings about barriers and collectives that not all reach, loops that nothing will end, and runs that are too long.
Non-goals: what statements do (`machine`), who belongs to a barrier or collective (`collectives`).
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterator

import numpy as np

from transpiler.diagnostics.model import Label
from transpiler.ir import device as ir
from transpiler.simulate.collectives import Collectives
from transpiler.simulate.expressions import Activation
from transpiler.simulate.lanes import Chunk, Lanes
from transpiler.simulate.program import Program
from transpiler.simulate.report import Actor, Findings
from transpiler.simulate.strands import Arrival, Body, Frame, Loop, Strand, WhileLoop
from transpiler.source import Source, Span

IDLE_TURNS = 300
"""So often every strand may spin before we say that nothing will end it."""

PATIENCE = 4
"""Rounds after which a loop gives way again, once it has been seen to spin."""

Stop = tuple[ir.Stmt, Lanes, Activation]
"""What is executed next, by whom, with which names."""


class Scheduler:
    def __init__(
        self, program: Program, chunk: Chunk, findings: Findings, collectives: Collectives, max_steps: int
    ) -> None:
        self.program = program
        self.chunk = chunk
        self.findings = findings
        self.collectives = collectives
        self.max_steps = max_steps
        self.steps = 0
        self.statements = 0
        self.execute: Callable[[ir.Stmt, Strand, Lanes, Activation], None] | None = None
        self.resume: Callable[[Strand, Frame], None] | None = None
        """Set by the machine: one statement; what is next in a construct whose body is done."""
        self._strands: deque[Strand] = deque()
        self._waiting: list[Strand] = []
        self._returns: dict[int, ir.Return] = {}
        self._returned_at = np.zeros(chunk.width, np.int64)

    # --- the run -------------------------------------------------------------------------------------------

    def walk(self, env: Activation) -> Iterator[Stop]:
        """Run the kernel, and stop before each statement."""
        self._strands.append(Strand([Body(self.chunk.all, env, self.program.kernel.body)]))
        idle = 0
        while self._strands or self._wake():
            strand = self._strands.popleft()
            yield from self.turn(strand)
            if self.steps > self.max_steps:
                self._endless(strand)
                return
            if strand.waiting is not None:
                self._waiting.append(strand)
                self._wake_complete()
            elif strand.frames:
                self._strands.append(strand)
                idle = idle + 1 if strand.spins else 0
                if idle > IDLE_TURNS * len(self._strands):
                    self._deadlock(strand)
                    return
            else:
                idle = 0

    def turn(self, strand: Strand) -> Iterator[Stop]:
        """Until the strand ends, waits, or gives way."""
        assert self.execute is not None
        assert self.resume is not None
        frames, strand.spins = strand.frames, False
        while frames and strand.waiting is None and not strand.spins and self.steps <= self.max_steps:
            frame = frames[-1]
            if isinstance(frame, Body):
                if frame.next == len(frame.stmts) or frame.lanes.count == 0:
                    frames.pop()
                    continue
                stmt = frame.stmts[frame.next]
                frame.next += 1
                self.steps += 1
                self.statements += frame.lanes.count
                yield stmt, frame.lanes, frame.env
                self.execute(stmt, strand, frame.lanes, frame.env)
            else:
                self.resume(strand, frame)

    # --- meeting others ------------------------------------------------------------------------------------

    def all_here(self, arrival: Arrival, strand: Strand, env: Activation) -> bool:
        """Go on at this barrier or collective, or wait for lanes of other strands; who will never come is reported."""
        if strand.excused is arrival.stmt:
            strand.excused = None
            return True
        short = _short(arrival)
        if not short.any():
            return True
        position = int(np.argmax(short))
        present = arrival.lanes.ids[arrival.keys == arrival.keys[position]]
        absent = np.setdiff1d(self.collectives.expected(arrival, position), present)
        others = [
            s for s in (*self._strands, *self._waiting) if s is not strand and len(np.intersect1d(s.lanes.ids, absent))
        ]
        if not others:
            lane = int(absent[0])
            self.collectives.report_missing(
                arrival, position, lane, env.source, lambda lane: self._whereabouts(lane, strand)
            )
            return True
        self._wait(arrival, short, strand)
        return False

    def _wait(self, arrival: Arrival, short: np.ndarray, strand: Strand) -> None:
        """The statement is executed again: by those for whom all have come at once, by the others when they are woken."""
        frame = strand.frames[-1]
        assert isinstance(frame, Body)
        frame.next -= 1
        if short.all():
            strand.waiting = arrival
            return
        waiting = strand.fork(arrival.lanes.where(short))
        waiting.waiting = Arrival(arrival.stmt, arrival.lanes.where(short), arrival.keys[short], arrival.needs[short])
        self._waiting.append(waiting)

    def _wake_complete(self) -> None:
        """Wake strands that wait at one statement and are together all that it needs."""
        by_stmt: dict[ir.Stmt, list[Strand]] = {}
        for strand in self._waiting:
            assert strand.waiting is not None
            by_stmt.setdefault(strand.waiting.stmt, []).append(strand)
        for strands in by_stmt.values():
            keys = np.concatenate([s.waiting.keys for s in strands if s.waiting])
            needs = np.concatenate([s.waiting.needs for s in strands if s.waiting])
            distinct, inverse, counts = np.unique(keys, return_inverse=True, return_counts=True)
            missing = set(distinct[np.unique(inverse[counts[inverse] < needs])].tolist())
            self._release(
                [s for s in strands if s.waiting and not missing.intersection(s.waiting.keys.tolist())], excuse=False
            )

    def _wake(self) -> bool:
        """No strand can run: of those that wait, some wait in vain. Say so, and let all go on."""
        self._wake_complete()
        if self._strands or not self._waiting:
            return bool(self._strands)
        strand = self._waiting[0]
        arrival = strand.waiting
        assert arrival is not None
        present = arrival.lanes.ids[arrival.keys == arrival.keys[0]]
        absent = np.setdiff1d(self.collectives.expected(arrival, 0), present)
        source = strand.frames[-1].env.source
        self.collectives.report_missing(
            arrival, 0, int(absent[0]), source, lambda lane: self._whereabouts(lane, strand)
        )
        self._release(list(self._waiting), excuse=True)
        return True

    def _release(self, strands: list[Strand], excuse: bool) -> None:
        """Wake strands, as one where they stand in one place; those that do not become one pass without being asked again."""
        woken: list[Strand] = []
        for strand in strands:
            self._waiting.remove(strand)
            stmt = strand.waiting.stmt if strand.waiting else None
            strand.waiting = None
            twin = next((w for w in woken if w.stands_with(strand)), None)
            if twin is not None:
                twin.join(strand)
                continue
            strand.excused = stmt
            woken.append(strand)
        if len(woken) == 1 and not excuse:
            woken[0].excused = None
        self._strands.extend(woken)

    def give_way(self, strand: Strand, loop: WhileLoop) -> None:
        """Lanes spin: let those go on that have left the loop, or have yet to come to it, and other strands."""
        flags = loop.lanes.flags()
        others = strand.lanes.without(flags)
        if others.count:
            self._strands.appendleft(strand.fork(others))
        loop.stuck, loop.patience = 0, PATIENCE
        strand.spins = True

    def note_return(self, stmt: ir.Return, lanes: Lanes) -> None:
        """Where lanes have left the kernel."""
        self._returns[id(stmt)] = stmt
        self._returned_at[lanes.at] = id(stmt)

    # --- telling -------------------------------------------------------------------------------------------

    def _thread(self, lanes: Lanes, position: int) -> int:
        return self.chunk.number(int(lanes.ids[position]))

    def _whereabouts(self, lane: int, strand: Strand) -> tuple[Source, Span, str]:
        kernel = self.program.kernel
        for other in (strand, *self._strands, *self._waiting):
            if not other.frames or lane not in other.lanes.ids:
                continue
            stmt = other.where_is(lane)
            if stmt is None:
                break
            words = "it waits here" if other is not strand and other.waiting else "it takes another way here"
            return self.program.source_of(stmt), stmt.span, words
        stmt = self._returns.get(int(self._returned_at[lane]))
        if stmt is not None:
            return kernel.source, stmt.span, "it has returned here"
        return kernel.source, kernel.span, "it has come to the end of the kernel"

    def _deadlock(self, strand: Strand) -> None:
        loop = next(f for f in reversed(strand.frames) if isinstance(f, WhileLoop))
        thread = self._thread(loop.lanes, 0)
        waiting = self._waiting[0] if self._waiting else None
        actors = [Actor(thread, loop.env.source, loop.stmt.span, "read")]
        labels: tuple[Label, ...] = ()
        if waiting is not None and waiting.waiting is not None:
            other = self._thread(waiting.waiting.lanes, 0)
            source, span = waiting.frames[-1].env.source, waiting.waiting.stmt.span
            actors.append(Actor(other, source, span, "barrier"))
            labels = (Label(span, f"{self.findings.name(other)} waits here"),) if source is loop.env.source else ()
        self.findings.add(
            "E0405",
            f"{self.findings.name(thread)} waits in this loop for something that no thread does any more",
            actors,
            labels=labels,
        )

    def _endless(self, strand: Strand) -> None:
        frame = next((f for f in reversed(strand.frames) if isinstance(f, Loop)), None)
        source = frame.env.source if frame is not None else self.program.kernel.source
        span = frame.stmt.span if frame is not None else self.program.kernel.span
        lanes = frame.lanes if frame is not None and frame.lanes.count else self.chunk.all
        thread = self._thread(lanes, 0)
        self.findings.add(
            "E0406",
            f"{self.findings.name(thread)} is still here after {self.max_steps} steps",
            (Actor(thread, source, span, "read"),),
            help="raise `max_steps` if the kernel is just long",
        )


def _short(arrival: Arrival) -> np.ndarray:
    """Which lanes still miss others of their group."""
    if (
        arrival.lanes.full
        and not isinstance(arrival.stmt, ir.CallStmt)
        and getattr(arrival.stmt, "scope", "") != "warp"
    ):
        return np.zeros(1, bool)
    _, inverse, counts = np.unique(arrival.keys, return_inverse=True, return_counts=True)
    return counts[inverse] < arrival.needs
