"""What one thread alone does wrong: bounds, uninitialised reads, arithmetic without a result; and atomics, which do right."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from tests.simulate.support import FIRST_LINE, run


def ints(n: int, value: int = 0) -> np.ndarray:
    return np.full(n, value, np.int32)


# --- bounds -----------------------------------------------------------------------------------------------


def test_a_load_out_of_bounds_gives_0_and_a_store_is_skipped() -> None:
    a, out = np.arange(1, 41, dtype=np.int32), ints(64, -1)
    report = run(
        """
@kernel(block=64, grid=1)
def k(a: In[i32, int], out: InOut[i32, int], n: i32):
    i = cuda.threadIdx.x
    out[i] = a[i]
    out[i + n] = 5
""",
        a=a,
        out=out,
        n=64,
    )
    assert [(d.code, d.all_lines[0] - FIRST_LINE, d.kind) for d in report.diagnostics] == [
        ("E0501", 4, "out-of-bounds"),
        ("E0501", 5, "out-of-bounds"),
    ]
    assert report.occurrences == [24, 64]
    first = report.diagnostics[0]
    assert "index 40 is outside `a`, which has 40 elements" in first.message
    assert first.witness.index == (40,)
    assert first.witness.threads[0].thread == (40, 0, 0)
    assert out.tolist() == [*range(1, 41), *[0] * 24]


def test_negative_indices_and_inner_axes_are_out_of_bounds_too() -> None:
    text = """
@kernel(block=8, grid=1)
def k(a: Out[i32, 8, 4]):
    i = cuda.threadIdx.x
    a[ROW, COLUMN] = i
"""
    assert run(text.replace("ROW", "i").replace("COLUMN", "3"), a=ints(32).reshape(8, 4)).ok
    below = run(text.replace("ROW", "i - 1").replace("COLUMN", "0"), a=ints(32).reshape(8, 4))
    assert "index -1 is outside axis 0" in below.diagnostics[0].message
    beside = run(text.replace("ROW", "0").replace("COLUMN", "i"), a=ints(32).reshape(8, 4))
    assert "index 4 is outside axis 1" in beside.diagnostics[0].message
    assert {d.code for d in beside.diagnostics} == {"E0501"}


def test_a_view_has_its_own_bounds() -> None:
    text = """
@device
def last(part: In[i32, int], k):
    return part[k]

@kernel(block=8, grid=1)
def k(a: In[i32, 64], out: Out[i32, 8]):
    i = cuda.threadIdx.x
    out[i] = last(a[i:i + 4], INDEX)
"""
    a = np.arange(64, dtype=np.int32)
    out = ints(8)
    assert run(text.replace("INDEX", "3"), a=a, out=out).ok
    assert out.tolist() == [i + 3 for i in range(8)]
    report = run(text.replace("INDEX", "4"), a=a, out=out)
    assert "index 4 is outside `part`, which has 4 elements" in report.diagnostics[0].message


def test_shared_and_local_arrays_have_bounds() -> None:
    for memory in ("shared", "local"):
        report = run(
            f"""
@kernel(block=32, grid=1)
def k():
    part = cuda.{memory}.array(16, i32)
    part[cuda.threadIdx.x] = 1
"""
        )
        assert report.codes() == {"E0501"}


def test_an_atomic_out_of_bounds_does_nothing() -> None:
    count = np.zeros(4, np.int32)
    report = run(
        """
@kernel(block=8, grid=1)
def k(count: Atomic[i32, int]):
    cuda.atomic.add(count, cuda.threadIdx.x, 2)
""",
        count=count,
    )
    assert report.codes() == {"E0501"}
    assert count.tolist() == [2] * 4


# --- uninitialised memory ---------------------------------------------------------------------------------


@pytest.mark.parametrize("memory", ["shared", "local"])
def test_memory_has_to_be_written_before_it_is_read(memory: str) -> None:
    text = f"""
@kernel(block=32, grid=1)
def k(out: Out[i32, 32]):
    part = cuda.{memory}.array(32, i32)
    t = cuda.threadIdx.x
    if t < LIMIT:
        part[t] = 1
    cuda.syncthreads()
    out[t] = part[t]
"""
    assert run(text.replace("LIMIT", "32"), out=ints(32)).ok
    report = run(text.replace("LIMIT", "20"), out=ints(32))
    assert report.codes() == {"E0307"}
    assert report.occurrences == [12]
    assert f"`part[20]` of {memory} memory" in report.diagnostics[0].message
    assert report.diagnostics[0].kind == "uninitialised"


def test_memory_of_one_block_says_nothing_of_another_ones() -> None:
    report = run(
        """
@kernel(block=32, grid=3)
def k(out: Out[i32, 96]):
    part = cuda.shared.array(32, i32)
    t = cuda.threadIdx.x
    if cuda.blockIdx.x != 1:
        part[t] = 1
    cuda.syncthreads()
    out[cuda.grid(1)] = part[t]
""",
        out=ints(96),
    )
    assert report.occurrences == [32]
    assert "of block 1" in report.diagnostics[0].message


def test_local_memory_is_new_in_each_call() -> None:
    report = run(
        """
@device
def f(first):
    mine = cuda.local.array(1, i32)
    if first:
        mine[0] = 4
    return mine[0]

@kernel(block=32, grid=1)
def k(out: Out[i32, 32]):
    a = f(True)
    b = f(False)
    out[cuda.threadIdx.x] = a + b
""",
        out=ints(32),
    )
    assert report.codes() == {"E0307"}


def test_an_out_parameter_is_read_only_where_it_was_written() -> None:
    text = """
@kernel(block=32, grid=1)
def k(out: OWNER[i32, 32]):
    t = cuda.threadIdx.x
    if t % 2 == 0:
        out[t] = t
    if t % STEP == 0:
        out[t] += 1
"""
    assert run(text.replace("OWNER", "Out").replace("STEP", "4"), out=ints(32)).ok
    assert run(text.replace("OWNER", "InOut").replace("STEP", "3"), out=ints(32)).ok
    report = run(text.replace("OWNER", "Out").replace("STEP", "3"), out=ints(32))
    assert report.codes() == {"E0305"}
    assert "`out[3]`" in report.diagnostics[0].message


# --- arithmetic -------------------------------------------------------------------------------------------


def faults(body: str, **arguments: Any) -> list[tuple[str, int]]:
    head = "@kernel(block=8, grid=1)\ndef k(a: In[i32, 8], n: i32, big: i64, out: InOut[i32, 8]):\n"
    text = f"\n{head}    i = cuda.threadIdx.x\n    {body}\n"
    given = {"a": np.array([-3, -2, -1, 0, 1, 2, 31, 32], np.int32), "n": 0, "big": 2**62, "out": ints(8)}
    report = run(text, **given | arguments)
    assert all(d.all_lines == (FIRST_LINE + 4,) for d in report.diagnostics)
    return list(zip([d.code for d in report.diagnostics], report.occurrences, strict=True))


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ("out[i] = 7 // a[i]", [("E0503", 1)]),
        ("out[i] = 7 % a[i]", [("E0503", 1)]),
        ("out[i] = i // n", [("E0503", 8)]),
        ("out[i] = 7 // a[i] if a[i] != 0 else 0", []),
        ("out[i] = i32(1) << a[i]", [("E0504", 4)]),
        ("out[i] = a[i] >> (a[i] & 31)", []),
        ("out[i] = i32(1) << 31", []),
        ("out[i] = i32(2) ** a[i]", [("E0505", 3)]),
        ("out[i] = i * i * i", []),
        ("out[i] = big * 4", [("E0502", 8)]),
        ("out[i] = i * 2147483647", [("E0502", 6)]),
        ("out[i] = a[i] * 2147483647", []),
        ("out[i] = i32(i * 2147483647)", []),
    ],
)
def test_arithmetic_without_a_result_is_told(body: str, expected: list[tuple[str, int]]) -> None:
    codes = faults(body)
    if body == "out[i] = big * 4":
        assert codes[0] == ("E0502", 8)
    else:
        assert codes == expected


def test_a_step_of_zero_is_told() -> None:
    assert faults("for j in range(0, 4, n): out[i] = j") == [("E0506", 8)]
    assert faults("for j in range(0, 4, n): out[i] = j", n=2) == []


def test_a_fault_names_thread_and_operands() -> None:
    report = run(
        """
@kernel(block=8, grid=2)
def k(a: In[i32, 16], out: Out[i32, 16]):
    i = cuda.grid(1)
    out[i] = 7 // a[i]
""",
        a=np.arange(-11, 5, dtype=np.int32),
        out=ints(16),
    )
    assert "thread 3 of block 1: division by zero (here 7 and 0)" in report.diagnostics[0].message


# --- atomics ----------------------------------------------------------------------------------------------

SEQUENTIAL = {
    "add": lambda old, v: old + v,
    "sub": lambda old, v: old - v,
    "min": min,
    "max": max,
    "and_": lambda old, v: old & v,
    "or_": lambda old, v: old | v,
    "xor": lambda old, v: old ^ v,
    "exch": lambda old, v: v,
    "inc": lambda old, v: 0 if old >= v else old + 1,
    "dec": lambda old, v: v if old == 0 or old > v else old - 1,
}


@pytest.mark.parametrize("cells", [1, 5, 256])
@pytest.mark.parametrize("op", SEQUENTIAL)
def test_atomics_act_one_after_the_other(op: str, cells: int) -> None:
    """On one cell (a scan), on few (rounds) and on one for each thread."""
    values = np.random.default_rng(3).integers(0, 50, 256).astype(np.uint32)
    target, old = np.full(cells, 9, np.uint32), np.zeros(256, np.uint32)
    report = run(
        f"""
@kernel(block=256, grid=1)
def k(v: In[u32, 256], target: Atomic[u32, N], old: Out[u32, 256]):
    t = cuda.threadIdx.x
    old[t] = cuda.atomic.{op}(target, t % N, v[t])
""",
        v=values,
        target=target,
        old=old,
    )
    assert report.diagnostics == []
    state, seen = [9] * cells, []
    for t, v in enumerate(values.tolist()):
        seen.append(state[t % cells])
        state[t % cells] = SEQUENTIAL[op](state[t % cells], v) % 2**32
    assert old.tolist() == seen
    assert target.tolist() == state


@pytest.mark.parametrize("cells", [1, 5, 256])
def test_compare_and_swap_acts_one_after_the_other(cells: int) -> None:
    rng = np.random.default_rng(4)
    expected, desired = (rng.integers(0, 3, 256).astype(np.int32) for _ in range(2))
    target, old = ints(cells), ints(256)
    report = run(
        """
@kernel(block=256, grid=1)
def k(e: In[i32, 256], d: In[i32, 256], target: Atomic[i32, N], old: Out[i32, 256]):
    t = cuda.threadIdx.x
    old[t] = cuda.atomic.cas(target, t % N, e[t], d[t])
""",
        e=expected,
        d=desired,
        target=target,
        old=old,
    )
    assert report.diagnostics == []
    state, seen = [0] * cells, []
    for t in range(256):
        seen.append(state[t % cells])
        if state[t % cells] == expected[t]:
            state[t % cells] = int(desired[t])
    assert old.tolist() == seen
    assert target.tolist() == state


def test_floats_are_added_one_after_the_other() -> None:
    x = np.random.default_rng(5).normal(size=256).astype(np.float32)
    total = np.zeros(1, np.float32)
    text = """
@kernel(block=256, grid=1)
def k(x: In[f32, 256], total: Atomic[f32, 1]):
    cuda.atomic.add(total, 0, x[cuda.threadIdx.x])
"""
    assert run(text, x=x, total=total).ok
    expected = np.float32(0)
    for v in x:
        expected += v
    assert total[0] == expected
    backwards = np.zeros(1, np.float32)
    assert run(text, x=x, total=backwards, schedule="reverse").ok
    expected = np.float32(0)
    for v in x[::-1]:
        expected += v
    assert backwards[0] == expected
