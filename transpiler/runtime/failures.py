"""Recorded checks that failed on the device, as Python exceptions.

In: the failure buffer of a kernel on a device, in host memory that the kernel writes. Out: `IndexError` or `AssertionError` with
line, block, thread, index and extent. The kernel keeps its first failure (`templates/device/failure.cuh`); reading takes it out.
Non-goals: what the kernel does after a failed check (it skips the access and goes on).
"""

from __future__ import annotations

import ctypes

from transpiler.ir.abi import FAILURE_WORDS
from transpiler.runtime.driver import Driver
from transpiler.runtime.unit import CheckSite, CompiledUnit

NUMBER, BLOCK, THREAD, INDEX, EXTENT = 0, 1, 4, 7, 8
"""Words of the buffer; block and thread take three each."""


class FailureBuffer:
    """One buffer for all launches of a kernel instance on a device."""

    def __init__(self, unit: CompiledUnit, driver: Driver) -> None:
        self._unit = unit
        self.address = driver.mapped(8 * FAILURE_WORDS)
        self._words = (ctypes.c_longlong * FAILURE_WORDS).from_address(self.address)

    def failed(self) -> bool:
        return self._words[NUMBER] != 0

    def take(self) -> Exception | None:
        """The first failure since the last call, if there was one."""
        words = self._words[:]
        if words[NUMBER] == 0:
            return None
        ctypes.memset(self.address, 0, 8 * FAILURE_WORDS)
        return describe(self._unit, words)


def describe(unit: CompiledUnit, words: list[int]) -> Exception:
    """The exception for the words of a failure buffer."""
    site = next(site for site in unit.checks if site.number == words[NUMBER])
    block, thread = tuple(words[BLOCK : BLOCK + 3]), tuple(words[THREAD : THREAD + 3])
    where = f"{site.path}:{site.line}, block {block}, thread {thread}"
    line = _line(unit, site)
    if site.kind == "bounds":
        axis = f" on axis {site.axis}" if site.axis else ""
        text = f"index {words[INDEX]} is outside `{site.array}` of extent {words[EXTENT]}{axis}"
        return IndexError(f"`{unit.kernel.name}`: {text}\n  at {where}{line}")
    return AssertionError(f"`{unit.kernel.name}`: {site.message or 'assertion failed'}\n  at {where}{line}")


def _line(unit: CompiledUnit, site: CheckSite) -> str:
    source = unit.kernel.source
    text = source.line_text(site.line).strip() if site.path == source.path else ""
    return f"\n  {text}" if text else ""
