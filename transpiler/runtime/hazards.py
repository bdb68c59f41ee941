"""Order between streams: who wrote and who read which bytes, and what a launch on another stream waits for.

In: the launch stream and the byte ranges that a launch reads and writes. Out: event waits given to the driver. A reader waits
for the last writer, a writer for the last writer and all readers since. As long as all launches use one stream nothing is
recorded; when a second stream comes into play, an event behind everything on the first stands for all history.
Non-goals: work that others give to streams after we looked; ordering inside a captured graph, which its capture fixes.
"""

from __future__ import annotations

import threading
from bisect import bisect_right
from dataclasses import dataclass, field
from typing import Any

from transpiler.runtime.driver import Driver

Range = tuple[int, int]
"""Addresses `[low, high)`."""


@dataclass(slots=True)
class Mark:
    """Work on a stream, up to an event. `owner` keeps the stream from being destroyed, and its address from being used again."""

    stream: int
    event: Any
    owner: Any = None


@dataclass(slots=True)
class Segment:
    """Bytes `[low, high)` with one history."""

    low: int
    high: int
    writer: Mark | None = None
    readers: dict[int, Mark] = field(default_factory=dict)

    def piece(self, low: int, high: int) -> Segment:
        return Segment(low, high, self.writer, dict(self.readers))


class Table:
    """Disjoint segments in address order; bytes in none of them have no history."""

    def __init__(self) -> None:
        self._lows: list[int] = []
        self._segments: list[Segment] = []

    def __len__(self) -> int:
        return len(self._segments)

    def overlapping(self, low: int, high: int) -> list[Segment]:
        at = bisect_right(self._lows, low) - 1
        if at < 0 or self._segments[at].high <= low:
            at += 1
        found: list[Segment] = []
        while at < len(self._lows) and self._lows[at] < high:
            found.append(self._segments[at])
            at += 1
        return found

    def cover(self, low: int, high: int) -> list[Segment]:
        """Segments that make up exactly `[low, high)`, split and made as needed."""
        old = self.overlapping(low, high)
        if len(old) == 1 and old[0].low == low and old[0].high == high:
            return old
        kept: list[Segment] = []
        inside: list[Segment] = []
        at = low
        for segment in old:
            if segment.low < low:
                kept.append(segment.piece(segment.low, low))
            if segment.low > at:
                inside.append(Segment(at, segment.low))
            inside.append(segment.piece(max(segment.low, low), min(segment.high, high)))
            at = min(segment.high, high)
            if segment.high > high:
                kept.append(segment.piece(high, segment.high))
        if at < high:
            inside.append(Segment(at, high))
        self._replace(old, kept + inside)
        return inside

    def _replace(self, old: list[Segment], new: list[Segment]) -> None:
        gone = set(map(id, old))
        self._segments = sorted([s for s in self._segments if id(s) not in gone] + new, key=lambda segment: segment.low)
        self._lows = [segment.low for segment in self._segments]

    def streams(self) -> set[int]:
        """The streams whose work is remembered."""
        writers = {s.writer.stream for s in self._segments if s.writer is not None}
        return writers.union(*(s.readers for s in self._segments))

    def prune(self, passed: Any) -> None:
        """Forget work whose event has passed."""
        for segment in self._segments:
            if segment.writer is not None and passed(segment.writer.event):
                segment.writer = None
            segment.readers = {s: mark for s, mark in segment.readers.items() if not passed(mark.event)}
        self._segments = [s for s in self._segments if s.writer is not None or s.readers]
        self._lows = [segment.low for segment in self._segments]


_PRUNE_ABOVE = 256
_SETTLED = 64
"""After so many launches on one stream the others are looked at: if they are idle, one stream is in play again."""


DEFAULT_STREAMS = (0, 1, 2)
"""The default streams, which nobody destroys: by address 0, and as the runtime's legacy and per-thread handles."""


def _outlives(stream: int, owner: Any) -> bool:
    """Whether an event can be recorded on the stream later."""
    return owner is not None or stream in DEFAULT_STREAMS


class Ledger:
    """The history of one device. `stream` is the only stream in play: None before the first launch and while there are `many`."""

    def __init__(self, driver: Driver) -> None:
        self._driver = driver
        self._lock = threading.Lock()
        self._table = Table()
        self._history: Mark | None = None
        self._owner: Any = None
        self._latest: int | None = None
        self._repeats = 0
        self._prune_at = _PRUNE_ABOVE
        self.stream: int | None = None
        self.many = False

    def before(self, stream: int, reads: list[Range], writes: list[Range], owner: Any = None) -> bool:
        """Make the stream wait for what conflicts with a launch on it. Callers test `ledger.stream == stream` first.

        Returns whether the launch is to be recorded behind it: there are many streams, and this one is not being captured.
        `owner` is the stream's object, None where nobody knows how long the stream lives: then every launch leaves an event.
        """
        with self._lock:
            if self.stream == stream or self._driver.capturing(stream):
                return False
            if self.stream is None and not self.many:
                if _outlives(stream, owner):
                    self.stream, self._owner = stream, owner
                    return False
                self.many = True
            if self.stream is not None:
                if not self._driver.capturing(self.stream):
                    self._history = Mark(self.stream, self._driver.record(self.stream), self._owner)
                self.stream, self._owner, self.many = None, None, True
            for mark in self._conflicts(stream, reads, writes):
                self._driver.wait(stream, mark.event)
            return True

    def _conflicts(self, stream: int, reads: list[Range], writes: list[Range]) -> list[Mark]:
        latest: dict[int, Mark] = {}
        if self._history is not None and self._driver.passed(self._history.event):
            self._history = None
        if self._history is not None and self._history.stream != stream:
            latest[id(self._history)] = self._history
        for low, high in reads:
            for segment in self._table.overlapping(low, high):
                if segment.writer is not None and segment.writer.stream != stream:
                    latest[id(segment.writer)] = segment.writer
        for low, high in writes:
            for segment in self._table.overlapping(low, high):
                marks = [segment.writer, *segment.readers.values()]
                latest |= {id(mark): mark for mark in marks if mark is not None and mark.stream != stream}
        return [mark for mark in latest.values() if not self._driver.passed(mark.event)]

    def after(self, stream: int, reads: list[Range], writes: list[Range], owner: Any = None) -> Any:
        """Record a launch that has been given to the stream; returns the event behind it."""
        with self._lock:
            mark = Mark(stream, self._driver.record(stream), owner)
            for low, high in writes:
                for segment in self._table.cover(low, high):
                    segment.writer = mark
                    segment.readers = {}
            for low, high in reads:
                for segment in self._table.cover(low, high):
                    segment.readers[stream] = mark
            if len(self._table) > self._prune_at:
                self._table.prune(self._driver.passed)
                self._prune_at = max(_PRUNE_ABOVE, 2 * len(self._table))
            self._repeats = self._repeats + 1 if stream == self._latest else 0
            self._latest = stream
            if self._repeats >= _SETTLED:
                self._settle(stream, owner)
            return mark.event

    def _settle(self, stream: int, owner: Any) -> None:
        """Go back to one stream if all work on others is done."""
        self._repeats = 0
        self._table.prune(self._driver.passed)
        others = self._table.streams() - {stream}
        if self._history is not None and not self._driver.passed(self._history.event):
            others.add(self._history.stream)
        if not others - {stream} and _outlives(stream, owner):
            self._table, self._history = Table(), None
            self.stream, self._owner, self.many = stream, owner, False
