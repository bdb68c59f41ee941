"""Where threads meet: barriers of warp, block and grid, and intrinsics that exchange values between threads.

In: lanes at such a statement. Out: who waits for whom (`Arrival`), findings where someone will not come, results of
exchanges. By our rule a barrier or collective is for all threads of its group (of its mask): one that has returned is
missing as well.
Non-goals: scheduling of those who wait (`machine`).
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from transpiler.diagnostics.model import Label
from transpiler.intrinsics.entry import Effect, Intrinsic
from transpiler.ir import device as ir
from transpiler.simulate.dtypes import Value
from transpiler.simulate.expressions import Activation, Evaluator, spread
from transpiler.simulate.lanes import WARP, Chunk, Lanes
from transpiler.simulate.report import Actor
from transpiler.simulate.strands import Arrival
from transpiler.source import Source, Span

FULL_MASK = 0xFFFFFFFF

Whereabouts = Callable[[int], tuple[Source, Span, str]]
"""Of a lane: where in the source it is, and in words why it does not come."""


class Collectives:
    def __init__(self, evaluator: Evaluator, chunk: Chunk) -> None:
        self.evaluator = evaluator
        self.chunk = chunk
        threads = chunk.launch.threads_per_block
        self._warps_per_block = -(-threads // WARP)
        self._present = np.full(self._warps_per_block, FULL_MASK, np.int64)
        """Which threads each warp of a block has, as bits."""
        if threads % WARP:
            self._present[-1] = (1 << threads % WARP) - 1

    # --- who must come -------------------------------------------------------------------------------------

    def at_block(self, stmt: ir.Stmt, lanes: Lanes) -> Arrival:
        return Arrival(
            stmt, lanes, self.chunk.block_of(lanes), np.full(lanes.count, self.chunk.launch.threads_per_block)
        )

    def at_grid(self, stmt: ir.Stmt, lanes: Lanes) -> Arrival:
        return Arrival(stmt, lanes, np.zeros(lanes.count, np.int64), np.full(lanes.count, self.chunk.width))

    def at_warp(self, stmt: ir.Stmt, lanes: Lanes, masks: np.ndarray, source: Source) -> Arrival:
        """One group for each warp and mask; a bit for a thread that the block does not have asks for no one."""
        warps = self.warp_of(lanes)
        laneid = self.chunk.variable("laneid", 0, lanes)
        named = (masks >> laneid) & 1 != 0
        if not named.all():
            self._not_named(stmt, lanes, named, source)
        asked = (masks & self._present[warps % self._warps_per_block]) | (1 << laneid)
        return Arrival(stmt, lanes, warps << 32 | masks, _bit_count(asked))

    def masks(self, mask: ir.Expr | None, lanes: Lanes, env: Activation) -> np.ndarray:
        if mask is None:
            return np.full(lanes.count, FULL_MASK, np.int64)
        return spread(self.evaluator.value(mask, lanes, env), lanes).astype(np.int64)

    def warp_of(self, lanes: Lanes) -> np.ndarray:
        """Number of each lane's warp in the chunk."""
        inner = lanes.ids - self.chunk.block_of(lanes) * self.chunk.launch.threads_per_block
        return self.chunk.block_of(lanes) * self._warps_per_block + inner // WARP

    def threads_in(self, warps: np.ndarray) -> np.ndarray:
        """How many threads the block has in each of these warps."""
        return _bit_count(self._present[warps % self._warps_per_block])

    def expected(self, arrival: Arrival, position: int) -> np.ndarray:
        """The lanes that the member at `position` waits for."""
        threads = self.chunk.launch.threads_per_block
        lane = int(arrival.lanes.ids[position])
        first = lane // threads * threads
        if _scope(arrival.stmt) == "grid":
            return np.arange(self.chunk.width)
        if _scope(arrival.stmt) == "block":
            return np.arange(first, first + threads)
        mask = int(arrival.keys[position]) & FULL_MASK
        start = first + (lane - first) // WARP * WARP
        return np.array(
            [start + bit for bit in range(WARP) if mask >> bit & 1 and start + bit < first + threads], np.int64
        )

    # --- who did not come ----------------------------------------------------------------------------------

    def report_missing(
        self, arrival: Arrival, position: int, absent: int, source: Source, whereabouts: Whereabouts
    ) -> None:
        findings = self.evaluator.findings
        here = self.chunk.number(int(arrival.lanes.ids[position]))
        there = self.chunk.number(absent)
        other_source, other_span, words = whereabouts(absent)
        scope = _scope(arrival.stmt)
        what = "collective" if isinstance(arrival.stmt, ir.CallStmt) else "barrier"
        code = "E0402" if scope == "warp" else "E0401"
        name, other_name = findings.name(here), findings.name(there)
        findings.add(
            code,
            f"{name} is at this {what} of its {scope}, {other_name} is not: {words}",
            (
                Actor(
                    here,
                    source,
                    arrival.stmt.span,
                    "collective" if scope == "warp" or what == "collective" else "barrier",
                ),
                Actor(there, other_source, other_span, "barrier" if words.startswith("it waits") else "read"),
            ),
            labels=(Label(other_span, f"{other_name}: {words}"),) if other_source is source else (),
            both_lines=False,
            help=f"move the {what} to where all threads of the {scope} pass"
            if scope != "warp"
            else "let the mask name just the threads that come here, or move the collective out of the branch",
        )

    def _not_named(self, stmt: ir.Stmt, lanes: Lanes, named: np.ndarray, source: Source) -> None:
        position = int(np.argmin(named))
        thread = self.evaluator.thread(lanes, position)
        self.evaluator.findings.add(
            "E0402",
            f"{self.evaluator.findings.name(thread)} is at this collective of its warp, but its mask does not name it",
            (Actor(thread, source, stmt.span, "collective"),),
            help="a thread has to be in the mask that it gives",
            times=int(np.count_nonzero(~named)),
        )

    # --- exchange ------------------------------------------------------------------------------------------

    def exchange(self, stmt: ir.CallStmt, lanes: Lanes, env: Activation) -> list[Value]:
        """The results of a collective intrinsic, one array a result, one entry a member."""
        callee = stmt.callee
        assert isinstance(callee, Intrinsic)
        given = [spread(self.evaluator.value(arg, lanes, env), lanes) for arg in stmt.args if isinstance(arg, ir.Expr)]
        slots, shape = self._block_slots(lanes) if callee.effect is Effect.BLOCK else self._warp_slots(lanes)
        active = np.zeros(shape, bool)
        active.reshape(-1)[slots] = True
        padded = []
        for value in given:
            full = np.zeros(shape, value.dtype)
            full.reshape(-1)[slots] = value
            padded.append(full)
        result = callee.numpy(active, *padded)
        if not stmt.targets:
            return []
        results = result if isinstance(result, tuple) else (result,)
        return [np.broadcast_to(r, shape).reshape(-1)[slots] for r in results]

    def _warp_slots(self, lanes: Lanes) -> tuple[np.ndarray, tuple[int, int]]:
        warps = self.warp_of(lanes)
        inner = self.chunk.variable("laneid", 0, lanes)
        distinct, row = np.unique(warps, return_inverse=True)
        return row * WARP + inner, (len(distinct), WARP)

    def _block_slots(self, lanes: Lanes) -> tuple[np.ndarray, tuple[int, int]]:
        threads = self.chunk.launch.threads_per_block
        blocks = self.chunk.block_of(lanes)
        distinct, row = np.unique(blocks, return_inverse=True)
        return row * threads + (lanes.ids - blocks * threads), (len(distinct), threads)


def _bit_count(words: np.ndarray) -> np.ndarray:
    """How many of the lower 32 bits are set."""
    return np.unpackbits(words.astype("<u4").view(np.uint8)).reshape(-1, WARP).sum(axis=1, dtype=np.int64)


def _scope(stmt: ir.Stmt) -> str:
    if isinstance(stmt, ir.Barrier):
        return stmt.scope
    assert isinstance(stmt, ir.CallStmt)
    assert isinstance(stmt.callee, Intrinsic)
    return "block" if stmt.callee.effect is Effect.BLOCK else "warp"
