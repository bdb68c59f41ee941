"""Kernels in other processes and in Dask graphs, simulated: no GPU."""

from __future__ import annotations

import importlib
import multiprocessing
import pickle
from concurrent.futures import ProcessPoolExecutor
from typing import Any

import numpy as np
import pytest

from tests.api import launch_kernels as k
from transpiler import Kernel


def scaled(kernel: Kernel, block: np.ndarray) -> np.ndarray:
    """`2 * block + 1` by the kernel that was sent here."""
    y = np.ones_like(block)
    kernel.simulate(2.0, block, y)
    return y


def test_a_kernel_is_found_by_name_after_a_pickle():
    module = importlib.import_module(k.__name__)  # other tests load it anew
    assert pickle.loads(pickle.dumps(k.saxpy)) is module.saxpy


def test_kernels_work_in_spawned_workers():
    blocks = [np.arange(n, dtype="f4") for n in (3, 8)]
    with ProcessPoolExecutor(1, mp_context=multiprocessing.get_context("spawn")) as pool:
        found = list(pool.map(scaled, [k.saxpy] * 2, blocks))
    for block, got in zip(blocks, found, strict=True):
        np.testing.assert_array_equal(got, 2 * block + 1)


@pytest.mark.parametrize("scheduler", ["synchronous", "threads", "processes"])
def test_kernels_work_in_map_blocks(scheduler: str):
    dask = pytest.importorskip("dask.array", reason="dask is not installed")
    x = np.arange(40, dtype="f4")
    blocks: Any = dask.from_array(x, chunks=16)
    result = blocks.map_blocks(lambda block: scaled(k.saxpy, block), dtype="f4")
    np.testing.assert_array_equal(result.compute(scheduler=scheduler, num_workers=1), 2 * x + 1)
