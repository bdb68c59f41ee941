"""Asynchronous copies in C++: accepted by NVRTC as `cp.async`, aligned wherever they lie, and right on the host."""

from __future__ import annotations

import numpy as np
import pytest

from tests.runtime.fakes import Bench, array
from tests.support import host_build
from tests.support.kernels import kernel_text, lowered
from transpiler.emit import emit_unit, shared_layout
from transpiler.errors import LaunchError
from transpiler.ir import device as d
from transpiler.runtime import nvrtc
from transpiler.target import lacking

STAGE = """
t = cuda.threadIdx.x
tile = cuda.shared.array({shape}, {dtype})
cuda.cp_async(tile, {count} * t, x, {count} * t, {count})
cuda.cp_async_commit_group()
cuda.cp_async_wait_group(0)
cuda.syncthreads()
for k in range({count}):
    y[{count} * t + k] = tile[{last} - {count} * t - k]
"""
SIZES = [("f32", 1), ("f32", 2), ("f32", 4), ("f64", 1), ("f64", 2), ("f16", 2), ("f16", 8), ("i8", 16), ("u64", 2)]


def stage(dtype: str, count: int, extra: int = 0) -> d.Kernel:
    size = 32 * count
    body = STAGE.format(shape=size + extra, dtype=dtype, count=count, last=size - 1)
    return lowered(kernel_text(body, f"x: In[{dtype}, {size}], y: Out[{dtype}, {size}]", "kernel(block=32, grid=1)"))


@pytest.mark.parametrize(("dtype", "count"), SIZES)
def test_nvrtc_makes_cp_async_of_it(dtype: str, count: int) -> None:
    kernel = stage(dtype, count)
    size = count * kernel.params[0].dtype.itemsize
    ptx = nvrtc.compile(emit_unit("stage", [kernel]).source, arch="sm_80", kind="ptx").decode()
    assert f"cp.async.{'cg' if size == 16 else 'ca'}.shared.global" in ptx
    assert f"], {size};" in ptx
    assert "cp.async.commit_group" in ptx
    assert "cp.async.wait_group 0" in ptx


@pytest.mark.skipif(not host_build.available(), reason="needs g++ on Linux")
@pytest.mark.parametrize(("dtype", "count"), SIZES)
def test_on_the_host(dtype: str, count: int) -> None:
    kernel = stage(dtype, count)
    unit = emit_unit("stage", [kernel])
    numpy_type = {"f": "float", "i": "int", "u": "uint"}[dtype[0]] + dtype[1:]
    x = np.arange(32 * count).astype(numpy_type)
    y = np.zeros_like(x)
    host_build.run_on_host(unit.source, "k", unit.entries[0].abi, {"x": x, "y": y}, (1, 1, 1), (32, 1, 1))
    assert (y == x[::-1]).all()


@pytest.mark.skipif(not host_build.available(), reason="needs g++ on Linux")
def test_a_group_that_is_not_waited_for_has_not_arrived() -> None:
    """The oracle keeps copies back, so that a kernel which waits too little shows."""
    body = STAGE.format(shape=32, dtype="f32", count=1, last=31).replace("wait_group(0)", "wait_group(1)")
    unit = emit_unit(
        "stage", [lowered(kernel_text(body, "x: In[f32, 32], y: Out[f32, 32]", "kernel(block=32, grid=1)"))]
    )
    x, y = np.ones(32, np.float32), np.zeros(32, np.float32)
    host_build.run_on_host(unit.source, "k", unit.entries[0].abi, {"x": x, "y": y}, (1, 1, 1), (32, 1, 1))
    assert not y.any()


def test_wide_copies_align_the_arrays_that_they_fill() -> None:
    assert "__shared__ __align__(16) float tile[128];" in emit_unit("stage", [stage("f32", 4)]).source
    assert "__shared__ float tile[32];" in emit_unit("stage", [stage("f32", 1)]).source


def test_they_come_first_in_the_block_that_the_launch_sizes() -> None:
    body = "a = cuda.shared.array(3, f64)\nb = cuda.shared.array(1 << 14, f32)\na[0] = 1.0\n"
    body += "cuda.cp_async(b, 0, x, 0, 4)\ncuda.cp_async_commit_group()\n"
    kernel = lowered(kernel_text(body, "x: In[f32, 32]"))
    assert [a.name for a in shared_layout(kernel).dynamic] == ["b", "a"]


def test_older_architectures_lack_them() -> None:
    found = lacking(stage("f32", 4), "sm_75")
    assert {(d.code, d.message) for d in found} == {
        ("E0701", "an asynchronous copy needs sm_80; sm_75 does not have it")
    }
    assert lacking(stage("f32", 4), "sm_80") == []


def test_the_launch_refuses_a_source_that_is_not_aligned() -> None:
    bench = Bench(stage("f32", 4))
    bench(array(128, at=0x9010), array(128, at=0x5004))
    with pytest.raises(LaunchError) as caught:
        bench(array(128, at=0x9004), array(128, at=0x5000))
    assert caught.value.code == "E0811"
    assert "no multiple of 16, the bytes that its asynchronous copies move at once" in str(caught.value)
