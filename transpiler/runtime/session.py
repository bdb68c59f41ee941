"""What all kernels of a process share: the driver, the disk cache, the history of streams.

In: nothing. Out: `session()`, made by the first launch. Tests put one with a fake driver in its place.
Non-goals: per-kernel state.
"""

from __future__ import annotations

import os
import threading
from functools import cached_property

from transpiler.runtime.build import Builder
from transpiler.runtime.data_contracts import Checker
from transpiler.runtime.driver import Driver
from transpiler.runtime.instances import Build
from transpiler.runtime.launch import Shared


class Session:
    """The driver is made when a launch first needs it: building and simulating need none."""

    def __init__(self, driver: Driver | None = None, build: Build | None = None) -> None:
        self._driver = driver
        self.builder = Builder()
        self.build: Build = build if build is not None else self.builder.cubin

    @cached_property
    def shared(self) -> Shared:
        if self._driver is not None:
            return Shared(self._driver)
        from transpiler.runtime.device import cuda_driver

        return Shared(cuda_driver())

    @cached_property
    def checker(self) -> Checker:
        """Checks contracts on the contents of arrays."""
        return Checker(self.shared, self.build)


_lock = threading.Lock()
_current: Session | None = None


def session() -> Session:
    """The session of this process."""
    global _current
    with _lock:
        if _current is None:
            _current = Session()
        return _current


def replace(new: Session | None) -> Session | None:
    """Use another session from now on (None: a fresh one at the next launch); returns the old one."""
    global _current
    with _lock:
        old, _current = _current, new
        return old


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=lambda: replace(None))
