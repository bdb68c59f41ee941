"""Launches: arguments, grids, contracts; what a device would refuse is refused with the same codes and changes nothing."""

from __future__ import annotations

from typing import Any

import ml_dtypes
import numpy as np
import pytest

from tests.simulate.support import lowered, run
from transpiler.simulate import simulate

SAXPY = """
@kernel(domain=N, block=256)
def saxpy(a: f32, x: In[f32, N], y: InOut[f32, N]):
    i = cuda.grid(1)
    if i < N:
        y[i] = a * x[i] + y[i]
"""


def floats(*shape: int) -> np.ndarray:
    return np.ones(shape, np.float32)


def test_the_grid_follows_from_the_domain() -> None:
    y = floats(1000)
    report = run(SAXPY, a=2, x=floats(1000), y=y)
    assert report.diagnostics == []
    assert (report.blocks, report.threads) == (4, 1024)
    assert y.tolist() == [3.0] * 1000


def test_nothing_runs_for_arrays_without_elements() -> None:
    report = run(SAXPY, a=2, x=floats(0), y=floats(0))
    assert report.diagnostics == []
    assert report.threads == 0


REFUSED: dict[str, tuple[str, dict[str, Any]]] = {
    "a missing argument": ("E0801", {"a": 2, "x": floats(4)}),
    "an unknown argument": ("E0801", {"a": 2, "x": floats(4), "y": floats(4), "z": 1}),
    "another dtype": ("E0802", {"a": 2, "x": np.ones(4), "y": floats(4)}),
    "another rank": ("E0803", {"a": 2, "x": floats(2, 2), "y": floats(4)}),
    "extents that differ": ("E0805", {"a": 2, "x": floats(4), "y": floats(5)}),
    "no array": ("E0817", {"a": 2, "x": [1.0], "y": floats(1)}),
    "an array for a scalar": ("E0813", {"a": floats(1), "x": floats(4), "y": floats(4)}),
}


@pytest.mark.parametrize("case", REFUSED)
def test_arguments_that_do_not_fit_are_refused(case: str) -> None:
    code, arguments = REFUSED[case]
    report = run(SAXPY, **arguments)
    assert {d.code for d in report.diagnostics} == {code}
    assert report.statements == 0
    assert not report.ok


def test_a_read_only_array_is_refused_where_it_is_written() -> None:
    fixed = floats(4)
    fixed.flags.writeable = False
    assert run(SAXPY, a=1, x=floats(4), y=fixed).codes() == {"E0809"}
    assert run(SAXPY, a=1, x=fixed, y=floats(4)).ok


def test_a_function_may_take_what_is_written_and_what_is_only_read() -> None:
    """It is read-only memory where it is only read, whoever else passes something for the same parameter."""
    text = """
@device
def first(a: In[f32, int]):
    return a[0]

@kernel(block=1, grid=1)
def k(x: In[f32, int], y: InOut[f32, int]):
    y[0] = first(x) + first(y)
"""
    fixed = floats(4)
    fixed.flags.writeable = False
    assert run(text, x=fixed, y=floats(4)).ok


def test_overlapping_arrays_are_refused_unless_both_are_read() -> None:
    memory = floats(10)
    assert run(SAXPY, a=1, x=memory[:6], y=memory[4:]).codes() == {"E0808"}
    assert run(SAXPY, a=1, x=memory[:5], y=memory[5:]).ok
    text = """
@kernel(domain=N, block=64)
def k(a: In[f32, N], b: In[f32, N]):
    pass
"""
    assert run(text, a=memory, b=memory).ok


@pytest.mark.parametrize(
    ("value", "refused"), [(127, False), (128, True), (-128, False), (1.5, True), (np.int64(5), False)]
)
def test_scalars_have_to_fit(value: Any, refused: bool) -> None:
    report = run("\n@kernel(block=1, grid=1)\ndef k(v: i8): pass\n", v=value)
    assert report.codes() == ({"E0813"} if refused else set())


def test_scalars_have_defaults() -> None:
    out = np.zeros(1, np.int32)
    assert run("\n@kernel(block=1, grid=1)\ndef k(out: Out[i32, 1], v: i32 = 7):\n    out[0] = v\n", out=out).ok
    assert out[0] == 7


def test_a_dim_that_is_given_by_name_has_to_agree_with_the_arrays() -> None:
    assert run(SAXPY, a=1, x=floats(4), y=floats(4), N=4).ok
    assert run(SAXPY, a=1, x=floats(4), y=floats(4), N=5).codes() == {"E0805"}


def test_grid_and_block_may_be_given() -> None:
    text = """
@kernel
def k(out: Out[i32, int]):
    out[cuda.grid(1)] = cuda.blockDim.x
"""
    out = np.zeros(64, np.int32)
    assert run(text, out=out, grid=2, block=32).ok
    assert out.tolist() == [32] * 64
    assert run(text, out=out, block=32).codes() == {"E0815"}


@pytest.mark.parametrize(("grid", "block"), [(1, 1025), (1, (32, 33)), ((1, 65536), 1), (1, (1, 1, 65)), (1, 0)])
def test_launches_that_no_device_runs_are_refused(grid: Any, block: Any) -> None:
    assert run("\n@kernel\ndef k(): pass\n", grid=grid, block=block).codes() == {"E0814"}


def test_the_contract_is_checked_before_anything_runs() -> None:
    text = """
@kernel(block=32, grid=N // 32)
def k(out: InOut[i32, N], n: i32):
    requires(N % 32 == 0, n >= cuda.gridDim.x)
    out[cuda.grid(1)] = n
"""
    out = np.zeros(64, np.int32)
    assert run(text, out=out, n=2).ok
    assert out.tolist() == [2] * 64
    report = run(text, out=out, n=1)
    assert report.codes() == {"E0806"}
    assert "n >= cuda.gridDim.x" in report.diagnostics[0].message
    assert out.tolist() == [2] * 64
    assert run(text, out=np.zeros(65, np.int32), n=9).codes() == {"E0806"}


@pytest.mark.parametrize(
    ("contract", "good", "bad"),
    [
        ("injective(p)", [3, 1, 0, 9], [3, 1, 0, 3]),
        ("permutation(p)", [3, 1, 0, 2], [3, 1, 0, 4]),
        ("nondecreasing(p)", [1, 1, 2, 9], [1, 0, 2, 9]),
        ("in_range(p, 0, N)", [3, 0, 0, 1], [3, 0, 4, 1]),
    ],
)
def test_data_contracts_are_checked(contract: str, good: list[int], bad: list[int]) -> None:
    text = f"\n@kernel(domain=N, block=32)\ndef k(p: In[i32, N]):\n    requires({contract})\n"
    assert run(text, p=np.array(good, np.int32)).ok
    assert run(text, p=np.array(bad, np.int32)).codes() == {"E0816"}


def test_strided_arrays_are_changed_in_place() -> None:
    text = """
@kernel(block=32, grid=1)
def k(a: InOut[i32, 4, 8, Strided]):
    t = cuda.threadIdx.x
    a[t // 8, t % 8] = t
"""
    whole = np.full((16, 8), -1, np.int32)
    assert run(text, a=whole[::2, ::-1][:4]).ok
    assert whole[0:8:2, ::-1].ravel().tolist() == list(range(32))
    assert (whole[1::2] == -1).all()


def test_half_precision_arrays() -> None:
    for name, dtype in (("f16", np.float16), ("bf16", ml_dtypes.bfloat16)):
        x = np.linspace(-2, 2, 32).astype(dtype)
        y = np.zeros(32, dtype)
        text = f"""
@kernel(block=32, grid=1)
def k(x: In[{name}, 32], y: Out[{name}, 32]):
    i = cuda.threadIdx.x
    y[i] = x[i] * x[i] + x[i]
"""
        assert run(text, x=x, y=y).ok
        square = (x.astype(np.float32) * x.astype(np.float32)).astype(dtype)
        assert np.array_equal(y, (square.astype(np.float32) + x.astype(np.float32)).astype(dtype))


def test_arrays_without_axes() -> None:
    total = np.zeros((), np.int32)
    assert run(
        "\n@kernel(block=32, grid=2)\ndef k(total: Atomic[i32, ()]):\n    cuda.atomic.add(total, (), 1)\n", total=total
    ).ok
    assert total == 64


def test_chosen_blocks_run_alone() -> None:
    out = np.zeros(4 * 32, np.int32)
    report = run(
        "\n@kernel(block=32, grid=4)\ndef k(out: InOut[i32, 128]):\n    out[cuda.grid(1)] = 1 + cuda.gridDim.x\n",
        out=out,
        blocks=[(1, 0, 0), (3, 0, 0)],
    )
    assert report.ok
    assert report.blocks == 2
    assert out.reshape(4, 32).tolist() == [[0] * 32, [5] * 32, [0] * 32, [5] * 32]


def test_results_do_not_depend_on_how_blocks_are_grouped(monkeypatch: pytest.MonkeyPatch) -> None:
    kernel = lowered("""
@kernel(block=(8, 4), grid=(5, 3))
def k(out: Out[i32, 12, 40]):
    part = cuda.shared.array((4, 8), i32)
    x, y = cuda.grid(2)
    part[cuda.threadIdx.y, cuda.threadIdx.x] = x * y
    cuda.syncthreads()
    out[y, x] = part[3 - cuda.threadIdx.y, cuda.threadIdx.x]
""")
    results = []
    for lanes in (1, 64, 1 << 15):
        monkeypatch.setattr("transpiler.simulate.launch.CHUNK_LANES", lanes)
        out = np.zeros((12, 40), np.int32)
        assert simulate(kernel, {"out": out}).ok
        results.append(out)
    assert np.array_equal(results[0], results[1])
    assert np.array_equal(results[0], results[2])
    assert results[0].any()


def test_an_unknown_schedule_is_an_error_of_the_caller() -> None:
    with pytest.raises(ValueError, match="schedule"):
        run(SAXPY, a=2, x=floats(4), y=floats(4), schedule="sideways")
