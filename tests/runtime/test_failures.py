"""Failures that the device recorded, as exceptions of the next launch or of `sync=True`."""

from __future__ import annotations

import ctypes

import pytest

from tests.runtime import fakes
from tests.runtime.fakes import Bench, FakeProgram, array
from transpiler.emit.functions import Site
from transpiler.ir import device as d
from transpiler.ir.types import BOOL

SITES = (
    Site(1, "bounds", 3, "saxpy.py", array="y", axis=0),
    Site(2, "assert", 3, "saxpy.py", message="y must not be negative"),
)
WORDS = {1: [1, 4, 5, 6, 7, 8, 9, 1234, 1000, 0, 0, 0], 2: [2, 0, 0, 0, 31, 0, 0, 0, 0, 0, 0, 0]}


def checked() -> Bench:
    condition = d.Const(True, type=BOOL, span=fakes.HERE)
    kernel = fakes.saxpy(body=(d.Assert(condition, "text", span=fakes.HERE),))
    return Bench(FakeProgram(kernel, checks=SITES))


def record(bench: Bench, number: int) -> None:
    """What the kernel would write."""
    address = bench.launches[-1].arguments[-1]
    (ctypes.c_longlong * 12).from_address(address)[:] = WORDS[number]


def test_a_failed_bounds_check_is_an_index_error_at_the_next_launch():
    bench = checked()
    bench(2.0, array(8), array(8))
    record(bench, 1)
    with pytest.raises(IndexError) as caught:
        bench(2.0, array(8), array(8))
    assert str(caught.value) == (
        "`saxpy`: index 1234 is outside `y` of extent 1000\n"
        "  at saxpy.py:3, block (4, 5, 6), thread (7, 8, 9)\n  y[i] = a * x[i] + y[i]"
    )
    assert len(bench.launches) == 1
    bench(2.0, array(8), array(8))
    assert len(bench.launches) == 2, "reported once"


def test_a_failed_assertion_brings_its_text():
    bench = checked()
    bench(2.0, array(8), array(8))
    record(bench, 2)
    with pytest.raises(
        AssertionError, match=r"y must not be negative\n  at saxpy.py:3, block \(0, 0, 0\), thread \(31, 0, 0\)"
    ):
        bench(2.0, array(8), array(8))


def test_sync_raises_at_once():
    bench = checked()
    bench(2.0, array(8), array(8))
    synchronize = bench.driver.synchronize

    def fail(stream: int) -> None:
        synchronize(stream)
        record(bench, 1)

    bench.driver.synchronize = fail  # type: ignore[method-assign]
    with pytest.raises(IndexError):
        bench(2.0, array(8), array(8), sync=True)
