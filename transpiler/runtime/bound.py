"""A launch with its arguments fixed: checked once, then cheap to repeat.

In: a launcher, arguments, a launch configuration. Out: `Bound`, which launches when it is called. The arrays are kept, so that
their addresses stay theirs, and the packed parameters are used again; streams and failures are still looked after.
Non-goals: other arguments (bind again).
"""

from __future__ import annotations

from typing import Any

from transpiler.runtime.launch import Lane, Launcher
from transpiler.runtime.owned import Handle


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

    def __call__(self, stream: Any = None, sync: bool = False) -> None:
        for handle in self._handles:
            handle.lent()  # it may have been moved since
        if not self._empty:
            self._start(self._admitted, self._args, self._stream if stream is None else stream, sync, self._buffer)
