"""How long work takes on the device.

In: functions that give work to the current stream. Out: a `Timing` each, by events around each run, with the second-level cache
flushed before it, functions taking turns so that clocks and temperature are the same for all.
Non-goals: the host's share of a launch: while the cache is flushed the host is ahead, and its time does not show.
"""

from __future__ import annotations

import statistics
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from transpiler.runtime.driver import Driver

FLUSH_BYTES = 1 << 28
"""At least this much is written to flush the cache: long enough for the host to give the run that follows."""


@dataclass(frozen=True, slots=True)
class Timing:
    """Microseconds: the median of the runs, and the fifths of them that were quicker and slower."""

    microseconds: float
    low: float
    high: float
    runs: int
    bytes: int | None = None
    """What a run moves, where it is known."""

    @property
    def gb_per_s(self) -> float | None:
        if not self.bytes or not self.microseconds:
            return None
        return self.bytes / self.microseconds / 1e3

    def __str__(self) -> str:
        rate = f", {self.gb_per_s:.0f} GB/s" if self.gb_per_s is not None else ""
        spread = f"{self.low:.2f} to {self.high:.2f}, {self.runs} runs"
        return f"{self.microseconds:.2f} us{rate} ({spread})"


def measure(
    driver: Driver, functions: Sequence[Callable[[], Any]], *, runs: int, warmup: int, flush: bool
) -> list[Timing]:
    """One timing for each function, from runs that take turns; the order turns round from one to the next."""
    stream = driver.current_stream().ptr
    for function in functions:
        for _ in range(warmup):
            function()
    cold = driver.zeros(max(FLUSH_BYTES, 2 * driver.l2_bytes(driver.device())), "int8") if flush else None
    marks: list[list[tuple[Any, Any]]] = [[] for _ in functions]
    order = list(range(len(functions)))
    for _ in range(runs):
        for number in order:
            if cold is not None:
                cold.fill(0)
            started = driver.mark(stream)
            functions[number]()
            marks[number].append((started, driver.mark(stream)))
        order.reverse()
    driver.synchronize(stream)
    return [_timing(driver, f, pairs) for f, pairs in zip(functions, marks, strict=True)]


def _timing(driver: Driver, function: Any, marks: list[tuple[Any, Any]]) -> Timing:
    times = sorted(driver.elapsed(first, last) for first, last in marks)
    fifth = len(times) // 5
    return Timing(
        statistics.median(times), times[fifth], times[-1 - fifth], len(times), getattr(function, "bytes_moved", None)
    )
