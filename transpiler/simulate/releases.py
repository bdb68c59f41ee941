"""Which accesses fences and atomics order: message passing through one cell.

In: fences and atomics of single lanes, in the order in which they act. Out: `Releases.ordered`: does an access of
another thread come before what a lane does now. A thread that fences (or uses a release) and then updates a cell
publishes what it has done and what it knows; a thread that reads the cell later and fences (or uses an acquire) knows
it, and a barrier hands it on to its block.

Knowledge is not a clock of all threads but a list of *prefixes*: how much of each cell's log of releases a thread has
seen.
Non-goals: barriers alone (`order`). Used only for kernels with a fence or an ordered atomic.
"""

from __future__ import annotations

from bisect import bisect_left
from dataclasses import dataclass, field

from transpiler.simulate.lanes import WARP, Chunk, Lanes
from transpiler.simulate.order import Clocks

Known = dict[int, int]
"""Log number to how many of its entries are known. Never changed in place."""


@dataclass(slots=True)
class Published:
    """What a release tells: its thread's accesses until `time`, those of its warp and block before their floors, what it
    knows."""

    thread: int
    time: int
    warp_floor: int
    block_floor: int
    known: Known
    narrow: bool
    """Only to threads of the own block: the fence or atomic has block scope."""


@dataclass(slots=True)
class Log:
    """Releases through one cell, indexed by whom they tell of: entry numbers and times, both ascending."""

    length: int = 0
    entries: dict[tuple[str, int], tuple[list[int], list[int]]] = field(default_factory=dict)
    imports: list[tuple[int, Known]] = field(default_factory=list)

    def tell(self, who: tuple[str, int], time: int) -> None:
        numbers, times = self.entries.setdefault(who, ([], []))
        numbers.append(self.length)
        times.append(max(time, times[-1] if times else time))

    def covers(self, who: tuple[str, int], time: int, prefix: int) -> bool:
        """Does an entry of the prefix tell of `who` up to `time`."""
        if who not in self.entries:
            return False
        numbers, times = self.entries[who]
        first = bisect_left(times, time)
        return first < len(numbers) and numbers[first] < prefix


class Releases:
    """Of the whole launch; `attach` it to each chunk in turn."""

    def __init__(self) -> None:
        self._logs: list[Log] = []
        self._log_of: dict[tuple[int, int], int] = {}

    def attach(self, chunk: Chunk, clocks: Clocks) -> None:
        self._chunk, self._clocks = chunk, clocks
        self._known: dict[int, Known] = {}
        """By lane: what it knows."""
        self._seen: dict[int, Known] = {}
        """By lane: what its atomics have read, known after its next fence."""
        self._fenced: dict[int, Published] = {}
        """By lane: what its last fence makes its next atomics publish."""

    # --- what lanes do -------------------------------------------------------------------------------------

    def fence(self, lane: int, scope: str) -> None:
        self._learn(lane, self._seen.pop(lane, {}))
        self._fenced[lane] = self._publish(lane, scope)

    def atomic(self, lane: int, cell: tuple[int, int], op: str, order: str, scope: str) -> None:
        number = self._log_of.setdefault(cell, len(self._logs))
        if number == len(self._logs):
            self._logs.append(Log())
        log = self._logs[number]
        if op != "store":
            table = self._known if order in ("acquire", "acq_rel", "seq_cst") else self._seen
            before = table.get(lane, {})
            if before.get(number, 0) < log.length:
                table[lane] = _joined(before, {number: log.length})
        if op == "load":
            return
        if op == "store":
            log = self._logs[self._restart(cell)]
        if order in ("release", "acq_rel", "seq_cst"):
            self._append(log, self._publish(lane, scope))
        elif lane in self._fenced:
            self._append(log, self._fenced[lane])

    def barrier(self, lanes: Lanes) -> None:
        """Whoever meets at a barrier of the block knows what each of them knows, and has seen what each has seen."""
        told = set(self._known) | set(self._seen)
        per_block = self._chunk.launch.threads_per_block
        blocks: dict[int, list[int]] = {}
        if told:
            for lane in lanes.ids.tolist():
                blocks.setdefault(lane // per_block, []).append(lane)
        for members in blocks.values():
            for table in (self._known, self._seen):
                together: Known = {}
                for lane in told.intersection(members):
                    together = _joined(together, table.get(lane, {}))
                if together:
                    table.update(dict.fromkeys(members, together))

    # --- the question --------------------------------------------------------------------------------------

    def ordered(self, thread: int, time: int, lane: int) -> bool:
        known = self._known.get(lane)
        return bool(known) and self._covered(
            known, thread, time, self._chunk.number(lane) >> self._chunk.launch.inner_bits
        )

    def _covered(self, known: Known, thread: int, time: int, asker: int) -> bool:
        block = thread >> self._chunk.launch.inner_bits
        questions = [("thread", thread), ("warp", thread // WARP), ("block", block)]
        if asker == block:
            questions += [(f"narrow {kind}", number) for kind, number in questions]
        todo, done = list(known.items()), dict[int, int]()
        while todo:
            number, prefix = todo.pop()
            if done.get(number, 0) >= prefix:
                continue
            done[number] = prefix
            log = self._logs[number]
            if any(log.covers(who, time, prefix) for who in questions):
                return True
            for position, imported in log.imports:
                if position < prefix:
                    todo.extend(imported.items())
        return False

    # --- bookkeeping ---------------------------------------------------------------------------------------

    def _learn(self, lane: int, prefix: Known) -> None:
        if prefix:
            self._known[lane] = _joined(self._known.get(lane, {}), prefix)

    def _publish(self, lane: int, scope: str) -> Published:
        clocks = self._clocks
        thread = self._chunk.number(lane)
        warp_floor, block_floor = int(clocks.warp_floor[lane]), int(clocks.block_floor[lane])
        return Published(
            thread, clocks.advance(lane), warp_floor, block_floor, self._known.get(lane, {}), scope == "block"
        )

    def _append(self, log: Log, published: Published) -> None:
        """Floors exclude their own time, times include it."""
        scope = "narrow " if published.narrow else ""
        log.tell((f"{scope}thread", published.thread), published.time)
        log.tell((f"{scope}warp", published.thread // WARP), published.warp_floor - 1)
        log.tell((f"{scope}block", published.thread >> self._chunk.launch.inner_bits), published.block_floor - 1)
        if published.known:
            log.imports.append((log.length, published.known))
        log.length += 1

    def _restart(self, cell: tuple[int, int]) -> int:
        """An atomic store is not read together with what came before: readers of the cell start a new log."""
        self._logs.append(Log())
        self._log_of[cell] = len(self._logs) - 1
        return self._log_of[cell]


def _joined(a: Known, b: Known) -> Known:
    if not a:
        return b
    return {number: max(a.get(number, 0), b.get(number, 0)) for number in (*a, *b)}
