"""Each statement and expression of the device IR, run by threads that go different ways, against Python."""

from __future__ import annotations

import numpy as np
import pytest

from tests.simulate.support import run


def outputs(text: str, n: int = 64, dtype: type = np.int32, **arguments: object) -> np.ndarray:
    """Run a kernel that fills `out` and finds nothing wrong."""
    out = np.zeros(n, dtype)
    report = run(text, out=out, **arguments)
    assert report.diagnostics == [], [d.message for d in report.diagnostics]
    return out


def test_if_and_else_take_the_lanes_they_should() -> None:
    out = outputs("""
@kernel(block=64, grid=1)
def k(out: Out[i32, 64]):
    i = cuda.threadIdx.x
    v = 0
    if i % 3 == 0:
        v = 1
    elif i % 3 == 1:
        if i > 30:
            v = 2
    else:
        v = 3
    out[i] = v
""")
    assert out.tolist() == [1 if i % 3 == 0 else 3 if i % 3 == 2 else 2 if i > 30 else 0 for i in range(64)]


def test_for_counts_up_and_down_with_bounds_of_the_lane() -> None:
    out = outputs("""
@kernel(block=64, grid=1)
def k(out: Out[i32, 64]):
    i = cuda.threadIdx.x
    v = 0
    for j in range(i, 70, 7):
        v += j
    for j in range(i, -5, -(i % 4 + 1)):
        v += 1000 * j
    for j in range(10, i):
        v += 1
    out[i] = v
""")

    def python(i: int) -> int:
        return sum(range(i, 70, 7)) + 1000 * sum(range(i, -5, -(i % 4 + 1))) + len(range(10, i))

    assert out.tolist() == [python(i) for i in range(64)]


def test_for_evaluates_its_bounds_once_and_keeps_its_counter() -> None:
    out = outputs("""
@kernel(block=64, grid=1)
def k(out: Out[i32, 64]):
    n = cuda.threadIdx.x
    trips = 0
    for j in range(n):
        n = n + 5
        trips += 1
    out[cuda.threadIdx.x] = trips * 1000 + n
""")
    assert out.tolist() == [i * 1000 + 6 * i for i in range(64)]


def test_while_break_continue_and_nested_loops() -> None:
    out = outputs("""
@kernel(block=64, grid=1)
def k(out: Out[i32, 64]):
    i = cuda.threadIdx.x
    v = 0
    n = i
    while n > 0:
        n -= 1
        if n % 5 == 3:
            continue
        if n == 20:
            break
        for j in range(n):
            if j == 3:
                break
            if j % 2 == 1:
                continue
            v += j + 1
        v += 100
    out[i] = v
""")

    def python(i: int) -> int:
        v, n = 0, i
        while n > 0:
            n -= 1
            if n % 5 == 3:
                continue
            if n == 20:
                break
            for j in range(n):
                if j == 3:
                    break
                if j % 2 == 1:
                    continue
                v += j + 1
            v += 100
        return v

    assert out.tolist() == [python(i) for i in range(64)]


def test_return_ends_a_thread_anywhere() -> None:
    out = outputs("""
@kernel(block=64, grid=1)
def k(out: InOut[i32, 64]):
    i = cuda.threadIdx.x
    if i < 10:
        return
    for j in range(100):
        if j == i:
            out[i] = j
            return
        while j > 30:
            out[i] = -1
            return
    out[i] = -2
""")
    assert out.tolist() == [0 if i < 10 else i if i < 32 else -1 for i in range(64)]


def test_logic_and_select_evaluate_only_what_they_need() -> None:
    """The load on the right would be out of bounds in the lanes that do not need it."""
    out = outputs(
        """
@kernel(block=64, grid=1)
def k(a: In[i32, N], out: Out[i32, 64]):
    i = cuda.threadIdx.x
    v = 0
    if i < N and a[i] > 2:
        v = 1
    if i >= N or a[i] == 2:
        v += 10
    v += 100 * a[i] if i < N else -100
    out[i] = v
""",
        a=np.array([1, 2, 3, 4], np.int32),
    )
    expected = [(a > 2) + 10 * (a == 2) + 100 * a for a in (1, 2, 3, 4)] + [10 - 100] * 60
    assert out.tolist() == expected


def test_chained_comparison_and_values_of_and_or() -> None:
    out = outputs("""
@kernel(block=64, grid=1)
def k(out: Out[i32, 64]):
    i = cuda.threadIdx.x
    out[i] = (1 if 10 <= i < 20 else 0) + 10 * (i % 4 or 7) + 1000 * (i % 3 and 5)
""")
    assert out.tolist() == [(10 <= i < 20) + 10 * (i % 4 or 7) + 1000 * (i % 3 and 5) for i in range(64)]


def test_floats_are_computed_in_their_width() -> None:
    x = np.linspace(-3, 3, 64).astype(np.float32)
    out = outputs(
        """
@kernel(block=64, grid=1)
def k(x: In[f32, 64], out: Out[f32, 64]):
    i = cuda.threadIdx.x
    v = x[i] * 0.1 + 1.0
    out[i] = v / 3.0 - x[i] // 0.7 + x[i] % 0.7
""",
        dtype=np.float32,
        x=x,
    )
    f = np.float32
    expected = (x * f(0.1) + f(1)) / f(3) - np.floor_divide(x, f(0.7)) + np.remainder(x, f(0.7))
    assert np.array_equal(out, expected)


def test_data_integers_wrap() -> None:
    out = outputs(
        """
@kernel(block=64, grid=1)
def k(a: In[u8, 64], out: Out[u8, 64]):
    i = cuda.threadIdx.x
    out[i] = a[i] * a[i] + u8(1)
""",
        dtype=np.uint8,
        a=np.arange(64, dtype=np.uint8) * 3,
    )
    assert out.tolist() == [(9 * i * i + 1) % 256 for i in range(64)]


def test_launch_variables_of_three_axes() -> None:
    out = np.zeros((2, 3, 4, 2, 3, 5), np.int32)
    report = run(
        """
@kernel(block=(5, 3, 2), grid=(4, 3, 2))
def k(out: Out[i32, 2, 3, 4, 2, 3, 5]):
    t, b = cuda.threadIdx, cuda.blockIdx
    x, y, z = cuda.grid(3)
    total = cuda.gridDim.x * 100 + cuda.blockDim.y * 10 + cuda.gridsize(3)[0]
    out[b.z, b.y, b.x, t.z, t.y, t.x] = x + 1000 * y + 100000 * z + 0 * total
""",
        out=out,
    )
    assert report.ok
    for bz, by, bx, tz, ty, tx in np.ndindex(out.shape):
        assert out[bz, by, bx, tz, ty, tx] == (bx * 5 + tx) + 1000 * (by * 3 + ty) + 100000 * (bz * 2 + tz)


def test_lane_and_warp_of_a_block_that_is_no_multiple_of_32() -> None:
    out = outputs(
        """
@kernel(block=40, grid=2)
def k(out: Out[i32, 80]):
    out[cuda.grid(1)] = cuda.laneid * 100 + cuda.warpsize
""",
        n=80,
    )
    assert out.tolist() == [(i % 40 % 32) * 100 + 32 for i in range(80)]


def test_device_functions_take_scalars_and_views_and_return_several_values() -> None:
    a = np.arange(64 * 3, dtype=np.int32).reshape(64, 3)
    out = outputs(
        """
@device
def extremes(row: In[i32, int]):
    low, high = row[0], row[0]
    for j in range(1, len(row)):
        low = min(low, row[j])
        high = max(high, row[j])
    return low, high

@device
def clamp(v, low, high):
    if v < low:
        return low
    if v > high:
        return high
    return v

@device
def put(column: Out[i32, int], i, v):
    column[i] = v

@kernel(block=64, grid=1)
def k(a: In[i32, 64, 3], out: Out[i32, 64]):
    i = cuda.threadIdx.x
    low, high = extremes(a[i])
    put(out, i, clamp(high + low, 20, 300))
""",
        a=a,
    )
    assert out.tolist() == [min(max(int(r[0] + r[2]), 20), 300) for r in a]


def test_views_with_steps_of_views() -> None:
    a = np.arange(200, dtype=np.int32)
    out = outputs(
        """
@device
def total(part: In[i32, int]):
    s = i32(0)
    for j in range(len(part)):
        s += part[j]
    return s

@device
def total_of_every_third(part: In[i32, int]):
    return total(part[1::3])

@kernel(block=64, grid=1)
def k(a: In[i32, 200], out: Out[i32, 64]):
    i = cuda.threadIdx.x
    out[i] = total_of_every_third(a[i:i + 100:2])
""",
        a=a,
    )
    assert out.tolist() == [int(a[i : i + 100 : 2][1::3].sum()) for i in range(64)]


def test_local_arrays_are_each_threads_own() -> None:
    out = outputs("""
@kernel(block=64, grid=1)
def k(out: Out[i32, 64]):
    i = cuda.threadIdx.x
    digits = cuda.local.array(4, i32)
    for j in range(4):
        digits[j] = (i >> j) & 1
    v = i32(0)
    for j in range(4):
        v = v * i32(2) + digits[j]
    out[i] = v
""")
    assert out.tolist() == [int(f"{i % 16:04b}"[::-1], 2) for i in range(64)]


def test_constant_arrays() -> None:
    out = outputs("""
@kernel(block=64, grid=1)
def k(out: Out[i32, 64]):
    primes = cuda.const.array_like((2, 3, 5, 7))
    i = cuda.threadIdx.x
    out[i] = primes[i % 4]
""")
    assert out.tolist() == [(2, 3, 5, 7)[i % 4] for i in range(64)]


def test_swap_and_augmented_assignment_to_elements() -> None:
    out = outputs("""
@kernel(block=64, grid=1)
def k(out: InOut[i32, 64]):
    i = cuda.threadIdx.x
    out[i] = i
    if i % 2 == 0:
        j = i // 2
        out[i] += i
        out[i] *= 3
    a, b = i, 2 * i
    a, b = b, a
    out[i] -= a
""")
    assert out.tolist() == [(6 * i if i % 2 == 0 else i) - 2 * i for i in range(64)]


def test_shared_memory_of_many_blocks() -> None:
    a = np.arange(3 * 64, dtype=np.int32)
    out = outputs(
        """
@kernel(block=64, grid=3)
def k(a: In[i32, 192], out: Out[i32, 192]):
    part = cuda.shared.array(64, i32)
    t = cuda.threadIdx.x
    part[t] = a[cuda.grid(1)]
    cuda.syncthreads()
    out[cuda.grid(1)] = part[63 - t]
""",
        n=192,
        a=a,
    )
    assert np.array_equal(out, a.reshape(3, 64)[:, ::-1].ravel())


def test_shared_memory_sized_by_the_launch() -> None:
    for n in (5, 64):
        assert _sized(n).tolist() == [((t + 1) % n) ** 2 for t in range(64)]


def _sized(n: int) -> np.ndarray:
    out = np.zeros(64, np.int32)
    text = """
@kernel(block=64, grid=1)
def k(n: i32, out: Out[i32, 64]):
    requires(1 <= n <= 64)
    part = cuda.shared.array(n, i32)
    t = cuda.threadIdx.x
    if t < n:
        part[t] = t * t
    cuda.syncthreads()
    out[t] = part[(t + 1) % n]
"""
    assert run(text, n=n, out=out).ok
    return out


def test_dynamic_shared_memory_has_the_bytes_of_the_launch() -> None:
    text = """
@kernel(block=32, grid=1)
def k(out: Out[i32, 32]):
    part = cuda.shared.array(0, i32)
    t = cuda.threadIdx.x
    part[t] = t
    cuda.syncthreads()
    out[t] = part[31 - t]
"""
    out = np.zeros(32, np.int32)
    assert run(text, out=out, smem=128).ok
    assert out.tolist() == list(range(31, -1, -1))
    assert run(text, out=out, smem=64).codes() >= {"E0501"}


def test_print_writes_in_the_order_of_threads() -> None:
    report = run("""
@kernel(block=4, grid=2)
def k():
    i = cuda.grid(1)
    x = i / 4
    if i % 2:
        print(f"{i}: {x:.3f} {x} {i > 4}")
""")
    assert report.printed == "1: 0.250 0.25 False\n3: 0.750 0.75 False\n5: 1.250 1.25 True\n7: 1.750 1.75 True\n"


def test_an_assertion_that_fails_is_recorded_with_its_thread() -> None:
    text = """
@kernel(block=32, grid=1)
def k(out: Out[i32, 32]):
    i = cuda.threadIdx.x
    assert i < LIMIT, "too far"
    out[i] = i
"""
    out = np.zeros(32, np.int32)
    assert run(text.replace("LIMIT", "32"), out=out).ok
    report = run(text.replace("LIMIT", "20"), out=out)
    assert report.codes() == {"E0507"}
    assert "thread 20 of block 0" in report.diagnostics[0].message
    assert "too far" in report.diagnostics[0].message
    assert report.occurrences == [12]
    assert out.tolist() == list(range(32))


def test_assertions_can_be_off() -> None:
    report = run("""
@kernel(block=32, grid=1, asserts="off")
def k():
    assert cuda.threadIdx.x < 3
""")
    assert report.ok


@pytest.mark.parametrize(("bound", "holds"), [("200", True), ("100", False)])
def test_invariants_are_watched(bound: str, holds: bool) -> None:
    report = run(f"""
@kernel(block=32, grid=1)
def k():
    n = 1
    while n < 100:
        invariant(n < {bound} // 2)
        n = n * 2
""")
    assert report.codes() == (set() if holds else {"E0508"})


def test_trusted_conditions_are_watched() -> None:
    text = """
@kernel(block=32, grid=1)
def k(n: i32):
    trust(n > 3, "callers pass more")
"""
    assert run(text, n=4).ok
    assert run(text, n=3).codes() == {"E0508"}


def test_intrinsics_are_what_the_table_says() -> None:
    x = np.linspace(0.1, 9, 64).astype(np.float32)
    out = outputs(
        """
@kernel(block=64, grid=1)
def k(x: In[f32, 64], out: Out[f32, 64]):
    i = cuda.threadIdx.x
    out[i] = math.sqrt(x[i]) + f32(cuda.popc(u32(i))) + math.fabs(x[i] - 4.0) + f32(math.floor(x[i]))
""",
        dtype=np.float32,
        x=x,
    )
    f = np.float32
    expected = np.sqrt(x) + f([bin(i).count("1") for i in range(64)]) + np.abs(x - f(4)) + np.floor(x)
    assert np.array_equal(out, expected)


def test_thread_statements_are_counted() -> None:
    report = run(
        """
@kernel(block=32, grid=3)
def k(out: Out[i32, 96]):
    i = cuda.grid(1)
    if i < 10:
        out[i] = 1
""",
        out=np.zeros(96, np.int32),
    )
    assert report.statements == 96 + 96 + 10
    assert report.steps == 3
    assert (report.blocks, report.threads) == (3, 96)
