"""Kernels in other processes, and contracts on contents."""

from __future__ import annotations

import multiprocessing
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path
from typing import Any

import pytest

from tests.gpu import gpu_kernels as k
from transpiler import LaunchError, injective, permutation, verified


def launched(kernel: Any, n: int) -> float:
    """Runs in a worker, with the kernel that was sent to it."""
    import cupy as cp

    x, y = cp.arange(n, dtype="f4"), cp.zeros(n, "f4")
    kernel(2.0, x, y, sync=True)
    return float(y[n - 1])


def test_kernels_work_in_spawned_workers(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("TRANSPILER_CACHE_DIR", str(tmp_path))
    context = multiprocessing.get_context("spawn")
    with ProcessPoolExecutor(2, mp_context=context) as pool:
        results = list(pool.map(launched, [k.saxpy] * 4, [10, 100, 1000, 10_000]))
    assert results == [18.0, 198.0, 1998.0, 19_998.0]
    assert len(list(tmp_path.glob("??/*.bin"))) == 1, "compiled once for all processes"


def test_contents_are_checked_once_or_at_each_launch():
    import cupy as cp

    x, y = cp.arange(1000, dtype="f4"), cp.zeros(1000, "f4")
    p = cp.random.permutation(1000).astype("i4")
    k.scatter(p, x, y)
    assert float(abs(y[p] - x).max()) == 0
    handle = verified(p, permutation)
    k.scatter(handle, x, y)
    with pytest.raises(LaunchError, match="E0809"):
        k.shift_all(handle)
    p[3] = p[4]
    before = y.copy()
    with pytest.raises(LaunchError, match="E0816"):
        k.scatter(p, x, y)
    assert bool((y == before).all())
    with pytest.raises(ValueError, match="does not meet injective"):
        verified(p, injective)
    k.scatter(handle, x, y)  # its copy is private
    p[3] = 1000
    with pytest.raises(LaunchError, match="E0816"):
        k.scatter(p, x, y)
