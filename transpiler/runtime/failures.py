"""Recorded checks that failed on the device, as Python exceptions.

In: the failure buffer of a kernel on a device, in host memory that the kernel writes. Out: `IndexError` or `AssertionError` with
line, block, thread, index and extent. The first failure is kept by a compare-and-swap in the kernel; reading it takes it out.
Non-goals: what the kernel does after a failed check (it skips the access and goes on).
"""

from __future__ import annotations

import ctypes

from transpiler.emit.abi import FAILURE_WORDS
from transpiler.runtime.driver import Driver
from transpiler.runtime.unit import CompiledUnit

STATE, LINE, BLOCK, THREAD, INDEX, EXTENT, WHAT = 0, 1, 2, 5, 8, 9, 10
"""Words of the buffer; block and thread take three each."""


class FailureBuffer:
    """One buffer for all launches of a kernel instance on a device."""

    def __init__(self, unit: CompiledUnit, driver: Driver) -> None:
        self._unit = unit
        self.address = driver.mapped(8 * FAILURE_WORDS)
        self._words = (ctypes.c_longlong * FAILURE_WORDS).from_address(self.address)

    def failed(self) -> bool:
        return self._words[STATE] != 0

    def take(self) -> Exception | None:
        """The first failure since the last call, if there was one."""
        words = self._words[:]
        if words[STATE] == 0:
            return None
        ctypes.memset(self.address, 0, 8 * FAILURE_WORDS)
        return describe(self._unit, words)


def describe(unit: CompiledUnit, words: list[int]) -> Exception:
    """The exception for the words of a failure buffer."""
    kernel = unit.kernel
    line = words[LINE]
    block, thread = tuple(words[BLOCK : BLOCK + 3]), tuple(words[THREAD : THREAD + 3])
    where = f"{kernel.source.path}:{line}, block {block}, thread {thread}"
    text = kernel.source.line_text(line).strip()
    if words[STATE] == 1:
        return IndexError(
            f"`{kernel.name}`: index {words[INDEX]} outside an axis of extent {words[EXTENT]} at {where}: `{text}`"
        )
    return AssertionError(f"`{kernel.name}`: assertion failed at {where}: `{text}`")
