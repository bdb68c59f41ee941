"""The stand-ins for CUDA keep their word: barriers, warps, shared memory, deadlocks, recorded checks."""

from __future__ import annotations

import numpy as np
import pytest

from tests.support import host_build
from tests.support.kernels import lowered
from transpiler.emit import EmittedUnit, emit_unit
from transpiler.ir import device as d
from transpiler.ir.abi import AbiParam
from transpiler.ir.types import I32

pytestmark = pytest.mark.skipif(not host_build.available(), reason="needs g++ on Linux")

OUT = (AbiParam("pointer", "int*", "out", "out", None, I32),)


def run_text(body: str, block: int, grid: int = 1, count: int = 0, dynamic_bytes: int = 0) -> list[int]:
    """Run CUDA C++ written by hand: `out` has an element a thread."""
    out = np.zeros(count or block * grid, np.int32)
    source = f'namespace t {{\nextern "C" __global__ void k(int* out)\n{{\n{body}\n}}\n}}\n'
    host_build.run_on_host(source, "k", OUT, {"out": out}, (grid,), (block,), dynamic_bytes=dynamic_bytes)
    return out.tolist()


def emitted(text: str) -> tuple[d.Kernel, EmittedUnit]:
    kernel = lowered(text)
    return kernel, emit_unit("unit", [kernel])


def test_barriers_separate_phases_and_blocks_have_their_own_memory() -> None:
    body = """
    __shared__ int mine[64];
    mine[threadIdx.x] = blockIdx.x * 100 + threadIdx.x;
    __syncthreads();
    out[blockIdx.x * 64 + threadIdx.x] = mine[63 - threadIdx.x];
    """
    assert run_text(body, 64, 3) == [b * 100 + 63 - t for b in range(3) for t in range(64)]


def test_a_missing_barrier_shows() -> None:
    body = """
    __shared__ int mine[64];
    mine[threadIdx.x] = threadIdx.x + 1;
    out[threadIdx.x] = mine[63 - threadIdx.x];
    """
    assert run_text(body, 64) != [64 - t for t in range(64)]


def test_shuffles_votes_and_matches() -> None:
    lanes = list(range(32))
    cases = {
        "__shfl_sync(0xffffffffu, lane * 2, 5)": [10] * 32,
        "__shfl_sync(0xffffffffu, lane, 1, 8)": [k // 8 * 8 + 1 for k in lanes],
        "__shfl_up_sync(0xffffffffu, lane, 3)": [k - 3 if k >= 3 else k for k in lanes],
        "__shfl_down_sync(0xffffffffu, lane, 4, 16)": [k + 4 if k % 16 + 4 < 16 else k for k in lanes],
        "__shfl_xor_sync(0xffffffffu, lane, 7)": [k ^ 7 for k in lanes],
        "(int)__ballot_sync(0xffffffffu, lane < 4)": [15] * 32,
        "__any_sync(0xffffffffu, lane == 31)": [1] * 32,
        "__all_sync(0xffffffffu, lane < 31)": [0] * 32,
        "(int)__match_any_sync(0xffffffffu, lane / 16)": [0xFFFF] * 16 + [-0x10000] * 16,
        "__syncthreads_count(lane % 3 == 0)": [11] * 32,
        "__syncthreads_or(lane == 40)": [0] * 32,
        "__syncthreads_and(lane < 32)": [1] * 32,
    }
    body = "const int lane = threadIdx.x;\n"
    body += "".join(f"out[{row} * 32 + lane] = {call};\n" for row, call in enumerate(cases))
    found = np.reshape(run_text(body, 32, count=32 * len(cases)), (-1, 32)).tolist()
    assert dict(zip(cases, found, strict=True)) == cases


def test_a_partial_mask_waits_for_its_lanes_only() -> None:
    body = """
    const int lane = threadIdx.x % 32;
    if (lane < 16) {
        out[threadIdx.x] = __shfl_xor_sync(0xffffu, lane, 1);
    }
    """
    assert run_text(body, 64) == ([k ^ 1 for k in range(16)] + [0] * 16) * 2


def test_deadlock_is_found() -> None:
    with pytest.raises(host_build.Deadlock):
        run_text("if (threadIdx.x < 8) { __syncthreads(); out[0] = 1; } else { __syncwarp(); }", 32)


def test_threads_that_left_are_not_waited_for() -> None:
    body = "if (threadIdx.x >= 8) { return; } __syncthreads(); out[threadIdx.x] = 1;"
    assert run_text(body, 32) == [1] * 8 + [0] * 24


def test_a_grid_barrier_joins_all_blocks() -> None:
    body = """
    out[blockIdx.x * 4 + threadIdx.x] = blockIdx.x + 1;
    cooperative_groups::this_grid().sync();
    const int other = out[(3 - blockIdx.x) * 4 + threadIdx.x];
    cooperative_groups::this_grid().sync();
    out[blockIdx.x * 4 + threadIdx.x] = other;
    """
    assert run_text(body, 4, 4) == [4] * 4 + [3] * 4 + [2] * 4 + [1] * 4


def test_dynamic_shared_memory() -> None:
    kernel, unit = emitted(
        """
        @kernel(block=8)
        def k(x: In[f32, 8], y: Out[f32, 8], n: i32):
            requires(n >= 8)
            tx = cuda.threadIdx.x
            words = cuda.shared.array(n, f32)
            wide = cuda.shared.array((n, 2), f64)
            wide[tx, 1] = x[tx]
            words[tx] = x[tx] * 2.0
            cuda.syncthreads()
            y[tx] = words[7 - tx] + f32(wide[7 - tx, 1])
        """
    )
    x, y = np.arange(8, dtype=np.float32), np.zeros(8, np.float32)
    entry = unit.entries[0]
    size = entry.shared.dynamic_bytes(lambda e: e.value if isinstance(e, d.Const) else 8)
    assert size == 8 * 4 + 16 * 8
    host_build.run_on_host(unit.source, entry.name, entry.abi, {"x": x, "y": y, "n": 8}, (1,), (8,), dynamic_bytes=size)
    assert y.tolist() == (x[::-1] * 3).tolist()
    assert kernel.name == "k"


def test_recorded_asserts_name_the_thread() -> None:
    _, unit = emitted(
        """
        @kernel(block=32)
        def k(x: In[i32, 64], y: Out[i32, 64]):
            i = cuda.grid(1)
            assert x[i] < 50, "too large"
            y[i] = x[i]
        """
    )
    entry = unit.entries[0]
    x, y = np.arange(64, dtype=np.int32), np.full(64, -1, np.int32)
    failed = host_build.run_on_host(unit.source, entry.name, entry.abi, {"x": x, "y": y}, (2,), (32,))
    assert failed is not None
    assert (failed.number, failed.block, failed.thread) == (1, (1, 0, 0), (18, 0, 0))
    assert y.tolist() == [*range(50), *[-1] * 14]
    x[:] = 1
    assert host_build.run_on_host(unit.source, entry.name, entry.abi, {"x": x, "y": y}, (2,), (32,)) is None


def test_an_assert_in_a_device_function_ends_the_thread() -> None:
    _, unit = emitted(
        """
        @device
        def checked(v: i32):
            assert v < 3
            return v

        @kernel(block=4)
        def k(y: Out[i32, 4]):
            i = cuda.grid(1)
            y[i] = checked(i32(i)) + 10
        """
    )
    entry = unit.entries[0]
    y = np.zeros(4, np.int32)
    failed = host_build.run_on_host(unit.source, entry.name, entry.abi, {"y": y}, (1,), (4,))
    assert failed is not None
    assert y.tolist() == [10, 11, 12, 0]


def test_checked_accesses_are_skipped_and_recorded() -> None:
    kernel = lowered(
        """
        @kernel(block=32, checks="dynamic")
        def k(x: In[f32, int], at: In[i32, 32], y: Out[f32, 32]):
            i = cuda.grid(1)
            y[i] = x[at[i]]
        """
    )
    load = next(
        node
        for stmt in kernel.body
        if isinstance(stmt, d.Store)
        for node in [stmt.value]
        if isinstance(node, d.Load) and node.array.name == "x"
    )
    unit = emit_unit("unit", [kernel], runtime_checks={kernel: {load}})
    entry = unit.entries[0]
    x, y = np.full(4, 2.5, np.float32), np.zeros(32, np.float32)
    at = np.zeros(32, np.int32)
    at[7], at[9] = -3, 4
    failed = host_build.run_on_host(unit.source, entry.name, entry.abi, {"x": x, "at": at, "y": y}, (1,), (32,))
    assert failed == host_build.Failure(1, (0, 0, 0), (7, 0, 0), -3, 4)
    assert y.tolist() == [0.0 if k in (7, 9) else 2.5 for k in range(32)]
    site = entry.sites[0]
    assert (site.kind, site.array, site.axis) == ("bounds", "x", 0)
    assert kernel.source.line_text(site.line).strip() == "y[i] = x[at[i]]"
