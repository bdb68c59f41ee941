"""Conflicts that fences and atomics order are no races; without the fence, on another cell, in too narrow a scope they are."""

from __future__ import annotations

import numpy as np
import pytest

from tests.simulate.support import FIRST_LINE, run
from transpiler.simulate import Report


def found(report: Report) -> set[tuple[str, int, int]]:
    return {(d.code, *(line - FIRST_LINE for line in d.lines)) for d in report.diagnostics}


def ints(n: int) -> np.ndarray:
    return np.zeros(n, np.int32)


LAST_BLOCK = """
@kernel(block=64, grid=GRID)
def k(x: In[i32, N], part: InOut[i32, M], count: Atomic[u32, 1], out: InOut[i32, 1]):
    requires(N == 64 * cuda.gridDim.x, M == cuda.gridDim.x)
    last = cuda.shared.array(1, bool_)
    t = cuda.threadIdx.x
    s = cuda.block.sum(x[cuda.grid(1)])
    if t == 0:
        part[cuda.blockIdx.x] = s
        RELEASE
        ticket = cuda.atomic.add(count, 0, u32(1)ORDER)
        ACQUIRE
        last[0] = ticket == u32(cuda.gridDim.x - 1)
    cuda.syncthreads()
    if last[0]:
        BEHIND
        v = i32(0)
        for j in range(t, cuda.gridDim.x, 64):
            v += part[j]
        s = cuda.block.sum(v)
        if t == 0:
            out[0] = s
"""


def last_block(
    release: str, acquire: str, behind: str = "pass", order: str = "", grid: int = 200
) -> tuple[Report, int]:
    text = (
        LAST_BLOCK.replace("RELEASE", release)
        .replace("ACQUIRE", acquire)
        .replace("BEHIND", behind)
        .replace("ORDER", order)
    )
    x, out = np.arange(64 * grid, dtype=np.int32), ints(1)
    report = run(text.replace("GRID", str(grid)), x=x, part=ints(grid), count=np.zeros(1, np.uint32), out=out)
    assert out[0] == x.sum()
    return report, int(out[0])


@pytest.mark.parametrize(
    ("release", "acquire", "behind", "order"),
    [
        ("cuda.threadfence()", "cuda.threadfence()", "pass", ""),
        ("cuda.threadfence()", "pass", "cuda.threadfence()", ""),
        ("pass", "pass", "pass", ', order="acq_rel"'),
        ("pass", "pass", "pass", ', order="seq_cst"'),
    ],
)
def test_the_last_block_sees_what_all_others_wrote(release: str, acquire: str, behind: str, order: str) -> None:
    assert last_block(release, acquire, behind, order)[0].diagnostics == []


@pytest.mark.parametrize(
    ("release", "acquire", "order"),
    [
        ("pass", "pass", ""),
        ("pass", "cuda.threadfence()", ""),
        ("cuda.threadfence()", "pass", ""),
        ("pass", "pass", ', order="release"'),
        ("pass", "pass", ', order="acquire"'),
        ("cuda.threadfence_block()", "cuda.threadfence_block()", ""),
    ],
)
def test_half_of_the_fences_is_not_enough(release: str, acquire: str, order: str) -> None:
    assert found(last_block(release, acquire, order=order, grid=20)[0]) == {("E0302", 8, 18)}


def test_the_ticket_has_to_be_drawn_from_one_cell() -> None:
    text = """
@kernel(block=1, grid=2)
def k(a: InOut[i32, 1], flags: Atomic[i32, 2], out: Out[i32, 1]):
    b = cuda.blockIdx.x
    if b == 0:
        a[0] = 7
        cuda.threadfence()
        cuda.atomic.exch(flags, 0, 1)
    else:
        seen = cuda.atomic.add(flags, WHERE, 0)
        cuda.threadfence()
        if seen == WANTED:
            out[0] = a[0]
"""
    assert run(text.replace("WHERE", "0").replace("WANTED", "1"), a=ints(1), flags=ints(2), out=ints(1)).ok
    report = run(text.replace("WHERE", "1").replace("WANTED", "0"), a=ints(1), flags=ints(2), out=ints(1))
    assert found(report) == {("E0302", 5, 12)}


def test_knowledge_is_handed_on_from_cell_to_cell() -> None:
    text = """
@kernel(block=1, grid=3)
def k(a: InOut[i32, 1], flags: Atomic[i32, 2], out: Out[i32, 1]):
    b = cuda.blockIdx.x
    if b == 0:
        a[0] = 7
        cuda.atomic.store(flags, 0, 1, order="release")
    elif b == 1:
        while cuda.atomic.load(flags, 0, order="FIRST") == 0:
            pass
        cuda.atomic.store(flags, 1, 1, order="release")
    else:
        while cuda.atomic.load(flags, 1, order="acquire") == 0:
            pass
        out[0] = a[0]
"""
    out = ints(1)
    assert run(text.replace("FIRST", "acquire"), a=ints(1), flags=ints(2), out=out).ok
    assert out[0] == 7
    assert found(run(text.replace("FIRST", "relaxed"), a=ints(1), flags=ints(2), out=ints(1))) == {("E0302", 5, 14)}


def test_what_follows_a_release_is_not_released() -> None:
    text = """
@kernel(block=1, grid=2)
def k(a: InOut[i32, 1], flag: Atomic[i32, 1], out: Out[i32, 1]):
    if cuda.blockIdx.x == 0:
        BEFORE
        cuda.atomic.store(flag, 0, 1, order="release")
        AFTER
    else:
        while cuda.atomic.load(flag, 0, order="acquire") == 0:
            pass
        out[0] = a[0]
"""
    early = text.replace("BEFORE", "a[0] = 7").replace("AFTER", "pass")
    late = text.replace("AFTER", "a[0] = 7").replace("BEFORE", "pass")
    assert run(early, a=ints(1), flag=ints(1), out=ints(1)).ok
    assert found(run(late, a=ints(1), flag=ints(1), out=ints(1))) == {("E0302", 6, 10)}


def test_a_fence_covers_what_the_block_did_before_its_barrier() -> None:
    text = """
@kernel(block=32, grid=2)
def k(a: InOut[i32, 32], flag: Atomic[i32, 1], out: Out[i32, 32]):
    t = cuda.threadIdx.x
    if cuda.blockIdx.x == 0:
        a[t] = t
        SYNC
        if t == 0:
            cuda.threadfence()
            cuda.atomic.store(flag, 0, 1)
    else:
        if t == 0:
            while cuda.atomic.load(flag, 0) == 0:
                pass
            cuda.threadfence()
        cuda.syncthreads()
        out[t] = a[t]
"""
    out = ints(32)
    assert run(text.replace("SYNC", "cuda.syncthreads()"), a=ints(32), flag=ints(1), out=out).ok
    assert out.tolist() == list(range(32))
    assert found(run(text.replace("SYNC", "pass"), a=ints(32), flag=ints(1), out=ints(32))) == {("E0302", 5, 16)}


def test_a_fence_of_block_scope_orders_threads_of_the_block() -> None:
    text = """
@kernel(block=64, grid=1)
def k(out: Out[i32, 1], flag: Atomic[i32, 1]):
    cell = cuda.shared.array(1, i32)
    t = cuda.threadIdx.x
    if t == 0:
        cell[0] = 5
        FENCE
        cuda.atomic.store(flag, 0, 1)
    if t == 63:
        while cuda.atomic.load(flag, 0) == 0:
            pass
        FENCE
        out[0] = cell[0]
"""
    assert run(text.replace("FENCE", "cuda.threadfence_block()"), out=ints(1), flag=ints(1)).ok
    assert found(run(text.replace("FENCE", "pass"), out=ints(1), flag=ints(1))) == {("E0303", 6, 13)}
