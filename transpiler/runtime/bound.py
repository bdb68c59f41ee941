"""A launch with its arguments fixed: checked once, then cheap to repeat.

In: a launcher, arguments, a launch configuration. Out: `Bound`, which launches when it is called. The arrays are kept, so that
their addresses stay theirs, and the packed parameters are used again; streams and failures are still looked after.
Non-goals: other arguments (bind again).
"""

from __future__ import annotations

from typing import Any

from transpiler.ir import device as d
from transpiler.runtime.launch import Lane, Launcher
from transpiler.runtime.owned import Handle

_TIMES = {"in": 1, "out": 1, "inout": 2, "atomic": 2}


class Bound:
    """`b = k.bind(...)`; `b()` launches."""

    def __init__(self, launcher: Launcher, args: tuple[Any, ...], lane: Lane, stream: Any) -> None:
        self._start = launcher.start
        self._args = args
        self._admitted = launcher.admit(args, lane)
        self._buffer = launcher.packed(self._admitted)
        self._stream = stream
        self._empty = 0 in self._admitted[2]
        self._handles = tuple(a for a in args if isinstance(a, Handle))

    @property
    def bytes_moved(self) -> int:
        """What a launch moves if it touches each element of its arrays once: what is read, and what is written."""
        plan = self._admitted[0]
        params = (p for p in plan.unit.kernel.params if isinstance(p, d.ArrayParam))
        return sum(_TIMES[p.ownership] * plan.arrays[p.name].size * plan.arrays[p.name].itemsize for p in params)

    def __call__(self, stream: Any = None, sync: bool = False) -> None:
        for handle in self._handles:
            handle.lent()  # it may have been moved since
        if not self._empty:
            self._start(self._admitted, self._args, self._stream if stream is None else stream, sync, self._buffer)
