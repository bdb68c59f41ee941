"""Barriers and collectives that not all reach, waiting that nothing ends, and all the cases that are fine."""

from __future__ import annotations

import numpy as np
import pytest

from tests.simulate.support import FIRST_LINE, run
from transpiler.simulate import Report


def found(report: Report) -> set[tuple[str, int]]:
    return {(d.code, d.all_lines[0] - FIRST_LINE) for d in report.diagnostics}


def ints(n: int) -> np.ndarray:
    return np.zeros(n, np.int32)


BARRIERS = {
    "in a branch": ("    if t < 16:\n        cuda.syncthreads()", 4),
    "behind a return": ("    if t == 7:\n        return\n    cuda.syncthreads()", 5),
    "in both arms": ("    if t < 16:\n        cuda.syncthreads()\n    else:\n        cuda.syncthreads()", 4),
    "in a loop of the lane": ("    for i in range(t):\n        cuda.syncthreads()", 4),
    "behind a break": ("    for i in range(3):\n        if t == i:\n            break\n        cuda.syncthreads()", 6),
    "behind a continue": (
        "    for i in range(3):\n        if t == i:\n            continue\n        cuda.syncthreads()",
        6,
    ),
    "that counts": ("    if t < 16:\n        n = cuda.syncthreads_count(True)", 4),
}


@pytest.mark.parametrize("case", BARRIERS)
def test_a_barrier_that_not_all_threads_reach(case: str) -> None:
    body, line = BARRIERS[case]
    report = run(f"\n@kernel(block=64, grid=2)\ndef k():\n    t = cuda.threadIdx.x\n{body}\n")
    assert ("E0401", line + 1) in found(report)
    d = next(d for d in report.diagnostics if d.all_lines[0] == line + 1 + FIRST_LINE)
    assert d.kind == "divergence"
    here, there = d.witness.threads
    assert here.line == line + 1 + FIRST_LINE
    assert here.thread != there.thread
    assert here.block == there.block
    assert d.labels


@pytest.mark.parametrize(
    "body",
    [
        "    cuda.syncthreads()",
        "    if cuda.blockIdx.x == 0:\n        cuda.syncthreads()",
        "    for i in range(cuda.blockIdx.x + 2):\n        cuda.syncthreads()",
        "    if cuda.blockIdx.x == 1:\n        return\n    cuda.syncthreads()",
        "    n = cuda.syncthreads_count(t < 5)\n    if n == 5:\n        cuda.syncthreads()",
        "    cuda.syncthreads()\n    if t == 3:\n        return",
    ],
)
def test_a_barrier_that_all_threads_of_a_block_reach(body: str) -> None:
    assert run(f"\n@kernel(block=64, grid=2)\ndef k():\n    t = cuda.threadIdx.x\n{body}\n").ok


def test_a_grid_barrier_is_for_all_blocks() -> None:
    text = "\n@kernel(block=32, grid=3)\ndef k():\n    if cuda.blockIdx.x < LIMIT:\n        cuda.this_grid().sync()\n"
    assert run(text.replace("LIMIT", "3")).ok
    report = run(text.replace("LIMIT", "2"))
    assert found(report) == {("E0401", 4)}
    assert report.diagnostics[0].witness.threads[1].block == (2, 0, 0)


WARPS = {
    "full mask in a branch": ("    if t < 16:\n        v = cuda.shfl_sync(0xFFFFFFFF, t, 0)", 4),
    "mask names an absent thread": ("    if t < 16:\n        v = cuda.ballot_sync(0x1FFFF, True)", 4),
    "mask does not name the thread": ("    v = cuda.any_sync(0x7FFFFFFF, t == 3)", 3),
    "syncwarp behind a return": ("    if t == 5:\n        return\n    cuda.syncwarp()", 5),
    "a reduction of the warp": ("    if t < 20:\n        v = cuda.warp.sum(t)", 4),
}


@pytest.mark.parametrize("case", WARPS)
def test_a_collective_that_not_all_threads_of_its_mask_reach(case: str) -> None:
    body, line = WARPS[case]
    report = run(f"\n@kernel(block=32, grid=1)\ndef k():\n    t = cuda.threadIdx.x\n{body}\n")
    assert found(report) == {("E0402", line + 1)}


@pytest.mark.parametrize(
    "body",
    [
        "    v = cuda.shfl_sync(0xFFFFFFFF, t, 0)",
        "    if t < 32:\n        v = cuda.shfl_down_sync(0xFFFFFFFF, t, 1)",
        "    if t < 16:\n        v = cuda.ballot_sync(0xFFFF, t == 3)",
        "    v = cuda.any_sync(0xFFFF if t % 32 < 16 else 0xFFFF0000, t == 3)",
        "    m = cuda.activemask()\n    if t == 2:\n        m = cuda.activemask()",
        "    if t >= 32:\n        v = cuda.warp.sum(t)",
    ],
)
def test_a_collective_that_its_threads_reach(body: str) -> None:
    report = run(f"\n@kernel(block=64, grid=2)\ndef k():\n    t = cuda.threadIdx.x\n{body}\n")
    assert report.diagnostics == []


def test_a_block_that_ends_within_a_warp_may_name_the_whole_warp() -> None:
    out = ints(40)
    report = run(
        """
@kernel(block=40, grid=1)
def k(out: Out[i32, 40]):
    out[cuda.threadIdx.x] = cuda.warp.sum(i32(1))
    cuda.syncwarp()
""",
        out=out,
    )
    assert report.ok
    assert out.tolist() == [32] * 32 + [8] * 8


def test_shuffles_and_votes_compute() -> None:
    out = np.zeros((4, 64), np.int32)
    report = run(
        """
@kernel(block=64, grid=1)
def k(out: Out[i32, 4, 64]):
    t = cuda.threadIdx.x
    v = i32(t * t)
    out[0, t] = cuda.shfl_xor_sync(0xFFFFFFFF, v, 5)
    out[1, t] = cuda.shfl_up_sync(0xFFFFFFFF, v, 3)
    out[2, t] = i32(cuda.popc(cuda.ballot_sync(0xFFFFFFFF, t % 3 == 0)))
    out[3, t] = cuda.block.sum(v)
""",
        out=out,
    )
    assert report.ok
    assert out[0].tolist() == [(t ^ 5) ** 2 for t in range(64)]
    assert out[1].tolist() == [(t - 3 if t % 32 >= 3 else t) ** 2 for t in range(64)]
    assert out[2].tolist() == [11] * 32 + [11] * 32
    assert out[3].tolist() == [sum(t * t for t in range(64))] * 64


def test_a_barrier_in_a_device_function_is_found_there() -> None:
    report = run("""
@device
def meet():
    cuda.syncthreads()

@kernel(block=64, grid=1)
def k():
    if cuda.threadIdx.x < 32:
        meet()
""")
    assert found(report) == {("E0401", 3)}


# --- waiting ----------------------------------------------------------------------------------------------


def test_threads_of_a_warp_take_a_lock_one_after_the_other() -> None:
    total = ints(1)
    report = run(
        """
@kernel(block=64, grid=3)
def k(lock: Atomic[i32, 1], total: InOut[i32, 1]):
    while cuda.atomic.cas(lock, 0, 0, 1, order="acquire") != 0:
        pass
    total[0] += 1
    cuda.atomic.store(lock, 0, 0, order="release")
""",
        lock=ints(1),
        total=total,
    )
    assert [d.message for d in report.diagnostics] == []
    assert total[0] == 192


def test_threads_that_spun_meet_again_at_a_barrier() -> None:
    out = ints(64)
    report = run(
        """
@kernel(block=64, grid=1)
def k(flag: Atomic[i32, 1], out: Out[i32, 64]):
    part = cuda.shared.array(64, i32)
    t = cuda.threadIdx.x
    if t != 40:
        while cuda.atomic.load(flag, 0) == 0:
            pass
    part[t] = t
    if t == 40:
        cuda.atomic.store(flag, 0, 1)
    cuda.syncthreads()
    out[t] = part[63 - t]
""",
        flag=ints(1),
        out=out,
    )
    assert [d.message for d in report.diagnostics] == []
    assert out.tolist() == list(range(63, -1, -1))


def test_a_block_waits_for_a_later_one() -> None:
    out = ints(6)
    report = run(
        """
@kernel(block=32, grid=6)
def k(flags: Atomic[i32, 7], out: Out[i32, 6]):
    b = cuda.blockIdx.x
    if cuda.threadIdx.x == 0:
        while b < 5 and cuda.atomic.load(flags, b + 1) == 0:
            pass
        out[b] = b
        cuda.atomic.store(flags, b, 1)
""",
        flags=ints(7),
        out=out,
    )
    assert report.ok
    assert out.tolist() == list(range(6))


def test_waiting_for_nothing_is_a_deadlock() -> None:
    report = run(
        """
@kernel(block=32, grid=1)
def k(flag: Atomic[i32, 1]):
    while cuda.atomic.load(flag, 0) == 0:
        pass
""",
        flag=ints(1),
    )
    assert found(report) == {("E0405", 3)}


def test_waiting_for_one_who_waits_at_a_barrier_is_a_deadlock() -> None:
    report = run(
        """
@kernel(block=32, grid=1)
def k(flag: Atomic[i32, 1]):
    if cuda.threadIdx.x == 0:
        while cuda.atomic.load(flag, 0) == 0:
            pass
    cuda.syncthreads()
    cuda.atomic.store(flag, 0, 1)
""",
        flag=ints(1),
    )
    assert found(report) == {("E0405", 4)}
    assert {t.access for t in report.diagnostics[0].witness.threads} == {"read", "barrier"}


def test_a_loop_without_an_end_is_stopped() -> None:
    report = run(
        """
@kernel(block=32, grid=1)
def k(out: Out[i32, 32]):
    n = 10
    while n != 0:
        n = n - 3
    out[cuda.threadIdx.x] = n
""",
        out=ints(32),
        max_steps=5000,
    )
    assert found(report) == {("E0406", 4)}


def test_compare_and_swap_loops_end_without_help() -> None:
    x = np.random.default_rng(0).normal(size=64).astype(np.float32)
    best = np.array([-np.inf], np.float32)
    report = run(
        """
@kernel(block=64, grid=1)
def k(x: In[f32, 64], best: Atomic[f32, 1]):
    v = x[cuda.threadIdx.x]
    old = cuda.atomic.load(best, 0)
    while old < v:
        seen = cuda.atomic.cas(best, 0, old, v)
        if seen == old:
            break
        old = seen
""",
        x=x,
        best=best,
    )
    assert report.ok
    assert best[0] == x.max()
