"""Timing and owned buffers on the device."""

from __future__ import annotations

import pytest

from tests.gpu import gpu_kernels as k
from transpiler import LaunchError, Owned
from transpiler.testing import do_bench


def test_do_bench_measures_what_the_memory_can_do():
    import cupy as cp

    small, large = (cp.zeros(n, "f4") for n in (1 << 20, 1 << 25))
    one, two = do_bench(k.saxpy.bind(2.0, small + 1, small), k.saxpy.bind(2.0, large + 1, large), runs=20)
    assert 0 < one.microseconds < two.microseconds
    assert two.gb_per_s is not None
    assert 10 < two.gb_per_s < 20_000


def test_owned_buffers_launch_and_refuse():
    import cupy as cp

    x, y = Owned(cp.ones(1000, "f4")), Owned(cp.zeros(1000, "f4"))
    mine = y.move()
    k.saxpy(2.0, x.borrow(), mine, sync=True)
    assert float(mine.array.sum()) == 2000
    with pytest.raises(LaunchError, match="E0822"):
        k.saxpy(2.0, x, y)
    with pytest.raises(LaunchError, match="E0809"):
        k.saxpy(2.0, x, mine.freeze())
    assert float(mine.array.sum()) == 2000
