"""The race detector: conflicts, not outcomes.

In: each batch of accesses (cells, lanes, site) in the order in which the simulator happens to do them. Out: findings
for every pair of accesses to one cell by two threads that nothing orders, of which one writes and not both are
atomic, whatever that order was.

A *stamp* is 63 bits: the time of the access on its thread's clock, the thread's launch-wide number plus 1, and the
site. Shadow cells hold stamps; a batch is compared with them by whole vectors, and only pairs that two cheap tests
leave over are looked at in full.
Non-goals: bounds, initialisation.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from transpiler.diagnostics.model import Label
from transpiler.simulate.lanes import WARP, Chunk, Lanes, Launch
from transpiler.simulate.memory import Memory
from transpiler.simulate.order import Clocks
from transpiler.simulate.program import Program, Site
from transpiler.simulate.releases import Releases
from transpiler.simulate.report import Actor, Findings, shown
from transpiler.simulate.shadow import Shadow

_DOES = {"read": "reads", "write": "writes", "atomic": "updates atomically"}


@dataclass(frozen=True, slots=True)
class Layout:
    """How a stamp is packed, for one launch: time, block, thread in the block, site."""

    site_bits: int
    inner_bits: int
    thread_bits: int

    @staticmethod
    def of(launch: Launch, sites: int) -> Layout:
        return Layout(
            max(1, sites.bit_length()), launch.inner_bits, launch.inner_bits + (launch.block_count + 1).bit_length()
        )

    @property
    def time_shift(self) -> int:
        return self.site_bits + self.thread_bits

    @property
    def thread_mask(self) -> int:
        return ((1 << self.thread_bits) - 1) << self.site_bits

    @property
    def warp_mask(self) -> int:
        return self.thread_mask & -(WARP << self.site_bits)

    @property
    def block_mask(self) -> int:
        return self.thread_mask & -(1 << (self.site_bits + self.inner_bits))

    def pack(self, time: np.ndarray, threads: np.ndarray) -> np.ndarray:
        """Blocks count from 1 in a stamp, so that none is 0."""
        return (time << self.time_shift) | ((threads + (1 << self.inner_bits)) << self.site_bits)

    def thread(self, stamps: np.ndarray) -> np.ndarray:
        return ((stamps & self.thread_mask) >> self.site_bits) - (1 << self.inner_bits)

    def time(self, stamps: np.ndarray) -> np.ndarray:
        return stamps >> self.time_shift

    def site(self, stamps: np.ndarray) -> np.ndarray:
        return stamps & ((1 << self.site_bits) - 1)

    def before(self, time: np.ndarray | int) -> np.ndarray | int:
        """Stamps of an earlier time are below this, and so is that of nobody."""
        return (time << self.time_shift) | 1


@dataclass(frozen=True, slots=True, eq=False)
class Batch:
    """Accesses of one statement: `rows` in the shadow, `stamps`, and per access the lane, the cell and (if known) the value."""

    memory: Memory
    shadow: Shadow
    rows: np.ndarray
    cells: np.ndarray
    stamps: np.ndarray
    lanes: Lanes
    site: int
    values: np.ndarray | np.generic | None


class Detector:
    def __init__(
        self,
        program: Program,
        findings: Findings,
        chunk: Chunk,
        clocks: Clocks,
        releases: Releases | None,
        layout: Layout,
    ) -> None:
        self.program = program
        self.findings = findings
        self.chunk = chunk
        self.clocks = clocks
        self.releases = releases
        self.layout = layout
        self._threads = chunk.numbers()
        self._scoped = any(site.scope == "block" for site in program.sites)
        self.tick()

    def tick(self) -> None:
        """Clocks have moved on."""
        clocks, layout = self.clocks, self.layout
        self._stamps = layout.pack(clocks.time, self._threads)
        self._block_floor = layout.before(clocks.block_floor)
        self._grid_floor = layout.before(clocks.grid_floor)

    def batch(
        self, memory: Memory, cells: np.ndarray, lanes: Lanes, site: int, values: np.ndarray | np.generic | None
    ) -> Batch:
        assert memory.shadow is not None
        stamps = self._stamps[lanes.at] | site
        return Batch(memory, memory.shadow, memory.shadow.rows(cells), cells, stamps, lanes, site, values)

    # --- the three kinds of access -------------------------------------------------------------------------

    def read(self, batch: Batch) -> None:
        self._against(batch, batch.shadow.writer)
        for column in batch.shadow.atomics:
            self._against(batch, column)
        self._remember(batch, batch.shadow.readers)

    def atomic(self, batch: Batch) -> None:
        self._against(batch, batch.shadow.writer)
        for column in batch.shadow.readers:
            self._against(batch, column)
        self._against_scopes(batch)
        self._remember(batch, batch.shadow.atomics)
        self._against_scopes(batch)

    def _against_scopes(self, batch: Batch) -> None:
        """Two atomics conflict if one of them is for its block alone and the other is of another block."""
        if self._scoped:
            for column in batch.shadow.atomics:
                self._against(batch, column, only_across_scope=True)

    def write(self, batch: Batch) -> None:
        """A write that conflicts with nothing comes after all that was known of its cell: it alone is kept."""
        shadow, rows = batch.shadow, batch.rows
        writer = shadow.written()
        self._against(batch, writer)
        for column in (*shadow.readers, *shadow.atomics):
            if column is not None:
                self._against(batch, column)
                column[rows] = 0
        writer[rows] = batch.stamps
        self._against(batch, writer)

    # --- comparing -----------------------------------------------------------------------------------------

    def _against(self, batch: Batch, column: np.ndarray | None, only_across_scope: bool = False) -> None:
        """Report what conflicts with the records that a column holds."""
        if column is None:
            return
        records = column[batch.rows]
        ordered = self._ordered(records, batch)
        if ordered.all():
            return
        where = np.flatnonzero(~ordered)
        if only_across_scope:
            where = where[self._beyond_scope(batch, records[where], where)]
        if self.releases is not None:
            where = where[~self._released(records[where], batch.lanes.ids[where])]
        if len(where):
            self._report(batch, records[where], where)

    def _ordered(self, records: np.ndarray, batch: Batch) -> np.ndarray:
        """Which records are nobody's, the own thread's, or of accesses that a barrier puts before the batch's."""
        layout, at = self.layout, batch.lanes.at
        shared = batch.memory.space == "shared"
        ordered = records < (self._block_floor[at] if shared else self._grid_floor)  # type: ignore[index]
        if ordered.all():
            return ordered
        differ = records ^ batch.stamps
        ordered |= (differ & layout.thread_mask) == 0
        if (shared and not self.clocks.warps_met) or ordered.all():
            return ordered
        where = np.flatnonzero(~ordered)
        lanes = batch.lanes.ids[where]
        ordered[where] = self._ordered_within(records[where], differ[where], lanes)
        return ordered

    def _ordered_within(self, records: np.ndarray, differ: np.ndarray, lanes: np.ndarray) -> np.ndarray:
        """By the barriers of the block or warp that both threads belong to."""
        layout, clocks = self.layout, self.clocks
        same_block = (differ & layout.block_mask) == 0
        ordered = same_block & (records < self._block_floor[lanes])  # type: ignore[index]
        if clocks.warps_met:
            same_warp = (differ & layout.warp_mask) == 0
            floor = clocks.warp_floor[lanes]
            if clocks.mates is not None:
                floor = np.maximum(floor, clocks.mates[lanes, layout.thread(records) % WARP])
            ordered |= same_warp & (layout.time(records) < floor)
        return ordered

    def _released(self, records: np.ndarray, lanes: np.ndarray) -> np.ndarray:
        """Which records fences and atomics put before what the lanes do."""
        assert self.releases is not None
        threads, times = self.layout.thread(records).tolist(), self.layout.time(records).tolist()
        asked = zip(threads, times, lanes.tolist(), strict=True)
        return np.array([self.releases.ordered(thread, time, lane) for thread, time, lane in asked], bool)

    def _beyond_scope(self, batch: Batch, records: np.ndarray, where: np.ndarray) -> np.ndarray:
        """Two atomics of two blocks, one of which orders its own block only."""
        sites = self.program.sites
        narrow = np.array([site.scope == "block" for site in sites])
        other_block = ((records ^ batch.stamps[where]) & self.layout.block_mask) != 0
        return other_block & (narrow[self.layout.site(records)] | narrow[batch.site])

    # --- remembering readers and atomics -------------------------------------------------------------------

    def _remember(self, batch: Batch, columns: list[np.ndarray | None]) -> None:
        """Keep the access in the first column, or in the second where the first holds one that it does not come after."""
        rows, stamps = batch.rows, batch.stamps
        first = batch.shadow.pair(columns, 0)
        behind = self._ordered(first[rows], batch)
        if behind.all():
            first[rows] = stamps
        else:
            first[rows[behind]] = stamps[behind]
        kept = first[rows]
        beaten = kept != stamps
        if beaten.any():
            self._remember_second(batch, batch.shadow.pair(columns, 1), kept, beaten)

    def _remember_second(self, batch: Batch, second: np.ndarray, kept: np.ndarray, beaten: np.ndarray) -> None:
        """Prefer an access of another warp than the first column's: no later barrier of one warp orders both."""
        rows, stamps, warp = batch.rows, batch.stamps, self.layout.warp_mask
        records = second[rows]
        far = ((kept ^ stamps) & warp) != 0
        replace = self._ordered(records, batch)
        replace |= far & (((kept ^ records) & warp) == 0)
        replace &= beaten
        for chosen in (replace & ~far, replace & far):
            second[rows[chosen]] = stamps[chosen]

    # --- telling -------------------------------------------------------------------------------------------

    def _report(self, batch: Batch, records: np.ndarray, where: np.ndarray) -> None:
        """One finding for each other site and for threads of one block or of two, with the first pair of each."""
        theirs = self.layout.thread(records)
        sites = self.layout.site(records)
        same_block = ((records ^ batch.stamps[where]) & self.layout.block_mask) == 0
        kinds, first, counts = np.unique(sites * 2 + same_block, return_index=True, return_counts=True)
        for kind, i, times in zip(kinds.tolist(), first.tolist(), counts.tolist(), strict=True):
            self._tell(batch, int(where[i]), int(theirs[i]), self.program.sites[kind // 2], bool(kind % 2), times)

    def _tell(self, batch: Batch, position: int, other_thread: int, other: Site, same_block: bool, times: int) -> None:
        site, memory = self.program.sites[batch.site], batch.memory
        trusted = self.program.ordered.get(memory.array)
        code = (
            "W0301"
            if trusted is not None
            else "E0303"
            if memory.space == "shared"
            else "E0301"
            if same_block
            else "E0302"
        )
        if self.findings.known(code, site.span, other.span):
            self.findings.again(times, code, site.span, other.span)
            return
        index = memory.index(int(batch.cells[position]))
        element = f"{memory.array.name}{list(index) if index else '[()]'}"
        me = int(self._threads[batch.lanes.ids[position]])
        name, other_name = self.findings.name(me), self.findings.name(other_thread)
        value = "" if batch.values is None else f" ({self._value(batch, position)})"
        why = "no barrier lies between" if same_block else "nothing orders two blocks"
        suffix = f" (trusted: {trusted})" if trusted is not None else ""
        self.findings.add(
            code,
            f"{name} {_DOES[site.access]} `{element}`{value}, {other_name} {_DOES[other.access]} it: {why}{suffix}",
            (
                Actor(me, site.source, site.span, site.access),
                Actor(other_thread, other.source, other.span, other.access),
            ),
            labels=(Label(other.span, f"{other_name} {_DOES[other.access]} `{element}` here"),)
            if other.source is site.source
            else (),
            help=_help(site, other, same_block),
            array=memory.array.name,
            index=index,
            interval=self._interval(position, batch, same_block),
            times=times,
        )

    def _value(self, batch: Batch, position: int) -> str:
        values = batch.values
        return shown(values if np.ndim(values) == 0 else values[position])  # type: ignore[index]

    def _interval(self, position: int, batch: Batch, same_block: bool) -> str:
        if not same_block:
            return "the whole launch" if self.clocks.grid_floor == 0 else "since the last grid barrier"
        return (
            "before the first barrier"
            if self.clocks.block_floor[batch.lanes.ids[position]] == 0
            else "since the last barrier"
        )


def _help(site: Site, other: Site, same_block: bool) -> str:
    if site.access == other.access == "write":
        return "let one thread own the element, or combine with `cuda.atomic`"
    if "atomic" in (site.access, other.access):
        return "make both accesses atomic" + (", or put `cuda.syncthreads()` between them" if same_block else "")
    if same_block:
        return "put `cuda.syncthreads()` between the two accesses"
    return "blocks run in any order: write to another array, or split the work into two launches"
