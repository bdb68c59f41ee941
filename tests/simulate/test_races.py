"""Races are found by conflict: in global and shared memory, in a block and between blocks, lucky or not; and nowhere else."""

from __future__ import annotations

import numpy as np
import pytest

from tests.simulate.support import FIRST_LINE, run
from transpiler.simulate import Report


def found(report: Report) -> set[tuple[str, int, int]]:
    """Codes and lines, counted from the first line of the test's text (the one behind the opening quotes is 1)."""
    return {(d.code, *(line - FIRST_LINE for line in d.lines)) for d in report.diagnostics}


def ints(n: int) -> np.ndarray:
    return np.zeros(n, np.int32)


def test_neighbours_in_global_memory_race_in_a_block_and_between_blocks() -> None:
    report = run(
        """
@kernel(block=64, grid=2)
def k(a: InOut[i32, 129]):
    i = cuda.grid(1)
    a[i] = a[i + 1] + 1
""",
        a=ints(129),
    )
    assert found(report) == {("E0301", 4, 4), ("E0302", 4, 4)}
    within, between = sorted(report.diagnostics, key=lambda d: d.code)
    assert (within.kind, between.kind) == ("race-global", "race-global")
    for d in (within, between):
        assert d.witness is not None
        one, other = d.witness.threads
        assert {one.access, other.access} == {"read", "write"}
        assert (one.block == other.block) == (d.code == "E0301")
        writer, reader = (one, other) if one.access == "write" else (other, one)
        place = [t.block[0] * 64 + t.thread[0] for t in (writer, reader)]
        assert place[0] == place[1] + 1 == d.witness.index[0]
        assert d.witness.array == "a"
        assert d.witness.launch["grid"] == [2, 1, 1]
        assert d.witness.launch["shapes"] == {"a": [129]}


def test_equal_values_race_too() -> None:
    text = """
@kernel(block=64, grid=1)
def k(flag: Out[i32, 1]):
    if COND:
        flag[0] = 1
"""
    assert found(run(text.replace("COND", "cuda.threadIdx.x >= 5"), flag=ints(1))) == {("E0301", 4, 4)}
    assert run(text.replace("COND", "cuda.threadIdx.x == 5"), flag=ints(1)).ok


def test_a_missing_barrier_is_a_race_although_lock_step_computes_what_was_meant() -> None:
    text = """
@kernel(block=64, grid=2)
def k(out: Out[i32, 128]):
    part = cuda.shared.array(64, i32)
    t = cuda.threadIdx.x
    part[t] = t
    SYNC
    out[cuda.grid(1)] = part[63 - t]
"""
    out, safe = ints(128), ints(128)
    report = run(text.replace("SYNC", "pass"), out=out)
    assert run(text.replace("SYNC", "cuda.syncthreads()"), out=safe).ok
    assert np.array_equal(out, safe)
    assert {c for c in found(report) if c[0] != "E0307"} == {("E0303", 5, 7)}
    assert report.diagnostics[0].kind == "race-shared"
    assert "cuda.syncthreads()" in (report.diagnostics[0].help or "")


def test_a_loop_needs_a_barrier_behind_its_reads_as_well() -> None:
    text = """
@kernel(block=64, grid=1)
def k(out: Out[i32, 64], n: i32):
    part = cuda.shared.array(64, i32)
    t = cuda.threadIdx.x
    v = 0
    for r in range(n):
        part[t] = r + t
        cuda.syncthreads()
        v += part[(t + 1) % 64]
        SYNC
    out[t] = v
"""
    assert run(text.replace("SYNC", "cuda.syncthreads()"), out=ints(64), n=3).ok
    assert run(text.replace("SYNC", "pass"), out=ints(64), n=1).ok
    assert found(run(text.replace("SYNC", "pass"), out=ints(64), n=3)) == {("E0303", 7, 9)}


def test_a_barrier_orders_one_block_only() -> None:
    text = """
@kernel(block=32, grid=GRID)
def k(a: InOut[i32, N]):
    a[cuda.grid(1)] = 1
    cuda.syncthreads()
    v = a[(cuda.grid(1) + 1) % N]
    cuda.syncthreads()
    a[cuda.grid(1)] = v
"""
    assert run(text.replace("GRID", "1"), a=ints(32)).ok
    report = run(text.replace("GRID", "2"), a=ints(64))
    assert found(report) == {("E0302", 3, 5), ("E0302", 5, 7)}


def test_a_grid_barrier_orders_all_blocks() -> None:
    text = """
@kernel(block=32, grid=GRID)
def k(a: InOut[i32, N]):
    a[cuda.grid(1)] = 1
    cuda.this_grid().sync()
    v = a[(cuda.grid(1) + 1) % N]
    cuda.this_grid().sync()
    a[cuda.grid(1)] = v
"""
    a = ints(20 * 32)
    assert run(text.replace("GRID", "20"), a=a).ok
    assert a.tolist() == [1] * 640


def test_threads_of_a_warp_need_syncwarp() -> None:
    text = """
@kernel(block=64, grid=1)
def k(out: Out[i32, 64]):
    part = cuda.shared.array(64, i32)
    t = cuda.threadIdx.x
    part[t] = t
    SYNC
    out[t] = part[t ^ DISTANCE]
"""
    near = text.replace("DISTANCE", "1")
    assert run(near.replace("SYNC", "cuda.syncwarp()"), out=ints(64)).ok
    assert found(run(near.replace("SYNC", "pass"), out=ints(64))) == {("E0303", 5, 7)}
    far = text.replace("DISTANCE", "32")
    assert found(run(far.replace("SYNC", "cuda.syncwarp()"), out=ints(64))) == {("E0303", 5, 7)}


def test_a_part_of_a_warp_orders_its_own_threads_only() -> None:
    text = """
@kernel(block=32, grid=1)
def k(out: Out[i32, 32]):
    part = cuda.shared.array(32, i32)
    t = cuda.threadIdx.x
    part[t] = t
    cuda.syncwarp(0xFFFF if t < 16 else 0xFFFF0000)
    out[t] = part[t ^ DISTANCE]
"""
    assert run(text.replace("DISTANCE", "8"), out=ints(32)).ok
    assert found(run(text.replace("DISTANCE", "16"), out=ints(32))) == {("E0303", 5, 7)}


def test_order_through_a_middleman_of_partial_warps() -> None:
    """0..15 meet, then 8..23 meet: what lane 0 wrote before comes before what lane 20 reads behind."""
    text = """
@kernel(block=32, grid=1)
def k(out: Out[i32, 1]):
    part = cuda.shared.array(1, i32)
    t = cuda.threadIdx.x
    if t == WRITER:
        part[0] = 7
    if t < 16:
        cuda.syncwarp(0xFFFF)
    if t >= 8 and t < 24:
        cuda.syncwarp(0xFFFF00)
    if t == 20:
        out[0] = part[0]
"""
    assert run(text.replace("WRITER", "0"), out=ints(1)).ok
    assert found(run(text.replace("WRITER", "30"), out=ints(1))) == {("E0303", 6, 12)}


def test_atomics_do_not_race_with_each_other_but_with_plain_accesses() -> None:
    text = """
@kernel(block=64, grid=2)
def k(count: InOut[i32, 4]):
    t = cuda.threadIdx.x
    cuda.atomic.add(count, t % 4, 1)
    MORE
"""
    a = ints(4)
    assert run(text.replace("MORE", "pass"), count=a).ok
    assert a.tolist() == [32] * 4
    report = run(text.replace("MORE", "if cuda.grid(1) == 0:\n        count[0] = 5"), count=ints(4))
    assert found(report) == {("E0302", 4, 6)}


def test_two_atomic_threads_are_remembered() -> None:
    """The thread that writes has itself been the last to update atomically."""
    report = run(
        """
@kernel(block=64, grid=1)
def k(count: InOut[i32, 1]):
    t = cuda.threadIdx.x
    cuda.atomic.add(count, 0, 1)
    if t == 63:
        count[0] = 0
""",
        count=ints(1),
    )
    assert found(report) == {("E0301", 4, 6)}


def test_two_readers_are_remembered() -> None:
    """The thread that writes has itself been the last (and the first) to read."""
    for writer in (0, 63):
        report = run(
            f"""
@kernel(block=64, grid=1)
def k(a: InOut[i32, 1], out: Out[i32, 64]):
    t = cuda.threadIdx.x
    out[t] = a[0]
    if t == {writer}:
        a[0] = 1
""",
            a=ints(1),
            out=ints(64),
        )
        assert found(report) == {("E0301", 4, 6)}


def test_readers_of_several_warps_and_blocks_are_not_hidden_by_a_barrier_of_one() -> None:
    report = run(
        """
@kernel(block=64, grid=1)
def k(out: Out[i32, 64]):
    part = cuda.shared.array(1, i32)
    t = cuda.threadIdx.x
    if t == 0:
        part[0] = 1
    cuda.syncthreads()
    out[t] = part[0]
    cuda.syncwarp()
    if t == 40:
        part[0] = 2
""",
        out=ints(64),
    )
    assert found(report) == {("E0303", 8, 11)}


def test_atomics_of_block_scope_do_not_order_two_blocks() -> None:
    text = """
@kernel(block=32, grid=2)
def k(count: Atomic[i32, 2]):
    cuda.atomic.add(count, WHERE, 1, scope="block")
"""
    assert run(text.replace("WHERE", "cuda.blockIdx.x"), count=ints(2)).ok
    assert found(run(text.replace("WHERE", "0"), count=ints(2))) == {("E0302", 3, 3)}


def test_a_race_in_a_device_function_names_its_lines() -> None:
    report = run(
        """
@device
def put(a: Out[i32, int], i):
    a[i // 2] = 1

@kernel(block=64, grid=1)
def k(a: Out[i32, 64]):
    put(a, cuda.threadIdx.x)
""",
        a=ints(64),
    )
    assert found(report) == {("E0301", 3, 3)}
    assert report.diagnostics[0].witness.array == "a"


def test_views_share_the_cells_of_their_array() -> None:
    report = run(
        """
@device
def put(a: Out[i32, int], i):
    a[i] = 1

@kernel(block=32, grid=1)
def k(a: Out[i32, 64]):
    t = cuda.threadIdx.x
    put(a[t:t + 4], 0)
    put(a[::2], t // 2 + 1)
""",
        a=ints(64),
    )
    assert found(report) == {("E0301", 3, 3)}


def test_local_and_constant_memory_cannot_race() -> None:
    assert run(
        """
@kernel(block=64, grid=1)
def k(out: Out[i32, 64]):
    mine = cuda.local.array(2, i32)
    mine[0] = 3
    mine[1] = mine[0]
    out[cuda.threadIdx.x] = mine[1]
""",
        out=ints(64),
    ).ok


def test_what_is_trusted_is_a_warning() -> None:
    report = run(
        """
@kernel(block=64, grid=1)
def k(flag: InOut[i32, 1]):
    trust(ordered(flag), "all write the same")
    flag[0] = 1
""",
        flag=ints(1),
    )
    assert found(report) == {("W0301", 4, 4)}
    assert report.ok
    assert "all write the same" in report.diagnostics[0].message


def test_trust_in_a_device_function_is_for_what_is_passed() -> None:
    report = run(
        """
@device
def put(part: InOut[i32, int]):
    trust(ordered(part), "all write the same")
    part[0] = 1

@kernel(block=64, grid=1)
def k(flag: InOut[i32, 1]):
    put(flag)
""",
        flag=ints(1),
    )
    assert found(report) == {("W0301", 4, 4)}


def test_races_are_found_across_chunks_of_blocks(monkeypatch: pytest.MonkeyPatch) -> None:
    text = """
@kernel(block=32, grid=8)
def k(a: InOut[i32, 8], b: Out[i32, 256]):
    i = cuda.grid(1)
    b[i] = a[7]
    if i == LANE:
        a[7] = 1
"""
    monkeypatch.setattr("transpiler.simulate.launch.CHUNK_LANES", 64)
    for lane in (0, 100, 255):
        assert ("E0302", 4, 6) in found(run(text.replace("LANE", str(lane)), a=ints(8), b=ints(256)))
    assert run(text.replace("LANE", "999"), a=ints(8), b=ints(256)).ok


@pytest.mark.parametrize("schedule", [None, "reverse", 1, 2])
def test_a_schedule_changes_outcomes_and_not_findings(schedule: str | int | None) -> None:
    out = ints(1)
    report = run(
        """
@kernel(block=64, grid=2)
def k(out: Out[i32, 1]):
    out[0] = cuda.grid(1)
""",
        out=out,
        schedule=schedule,
    )
    assert found(report) == {("E0301", 3, 3), ("E0302", 3, 3)}
    expected = {None: 127, "reverse": 0}.get(schedule)
    assert expected is None or out[0] == expected


def test_without_detection_nothing_is_said() -> None:
    out = ints(1)
    assert run(
        """
@kernel(block=64, grid=2)
def k(out: Out[i32, 1]):
    out[0] = cuda.grid(1)
""",
        out=out,
        detect=False,
    ).ok


def test_findings_are_counted_and_told_once() -> None:
    report = run(
        """
@kernel(block=64, grid=1)
def k(out: Out[i32, 1]):
    for r in range(3):
        out[0] = r
""",
        out=ints(1),
    )
    assert len(report.diagnostics) == 1
    assert report.occurrences[0] >= 3 * 63
