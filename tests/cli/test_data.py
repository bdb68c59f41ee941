"""Launches that are made up: they meet the contract, suit a simulator, and are the same each time."""

from __future__ import annotations

import numpy as np
import pytest

from tests.support.cpython_surface import module_from_ast
from transpiler import pipeline
from transpiler.check import instances_of
from transpiler.cli.data import ELEMENTS, MadeUp, make_up
from transpiler.ir import device
from transpiler.source import Source

HEAD = """\
from transpiler import (Dim, In, Out, cuda, f32, i32, in_range, injective, kernel, nondecreasing, permutation, requires)


class M(Dim): ...


class N(Dim): ...


"""


def lowered(text: str) -> device.Kernel:
    module = module_from_ast(Source(HEAD + text, "k.py"))
    (function,) = module.functions
    instances, _ = instances_of(module, function)
    state = pipeline.KernelState(module=module, function=function, instance=instances[0])
    state, found = pipeline.run_passes(state, upto="lower")
    assert not found
    assert state.kernel is not None
    return state.kernel


def launch(text: str, *contract: str, **options: object) -> MadeUp:
    return make_up(lowered(text), contract, **options)  # type: ignore[arg-type]


COPY = """\
@kernel(domain=N, block=256)
def copy(x: In[f32, N], y: Out[f32, N]):
    i = cuda.grid(1)
    if i < N:
        y[i] = x[i]
"""


def test_dims_get_one_extent_and_the_domain_is_covered() -> None:
    made = launch(COPY)
    assert made.arguments["x"].shape == made.arguments["y"].shape == (1000,)
    assert made.arguments["x"].dtype == np.float32
    assert (made.grid, made.block) == ((4, 1, 1), (256, 1, 1))
    assert made.numbers == {"N": 1000}


def test_the_same_kernel_gets_the_same_launch() -> None:
    first, second = launch(COPY), launch(COPY)
    np.testing.assert_array_equal(first.arguments["x"], second.arguments["x"])


def test_requires_and_the_inferred_contract_are_met() -> None:
    made = launch(
        """\
@kernel(block=64)
def pad(n: i32, w: i32, x: In[f32, int], y: Out[f32, int]):
    requires(n % 32 == 5, w > 3)
    i = cuda.grid(1)
    if i < n:
        y[i * w] = x[i]
""",
        "n <= len(x)",
        "(n - 1) * w < len(y)",
    )
    n, w = made.arguments["n"], made.arguments["w"]
    assert n % 32 == 5
    assert w > 3
    assert n <= len(made.arguments["x"])
    assert (n - 1) * w < len(made.arguments["y"]) <= ELEMENTS


def test_a_kernel_of_three_dims_stays_small() -> None:
    made = launch(
        """\
@kernel(domain=(N, M), block=(16, 16))
def product(a: In[f32, M, int], b: In[f32, int, N], c: Out[f32, M, N]):
    j, i = cuda.grid(2)
    if i < M and j < N:
        c[i, j] = a[i, 0] * b[0, j]
"""
    )
    assert made.arguments["c"].size <= 1 << 14


def test_the_grid_of_the_decorator_is_evaluated() -> None:
    made = launch(
        """\
@kernel(grid=(N // 32, M // 8), block=(32, 8))
def fill(y: Out[f32, M, N]):
    requires(N % 32 == 0, M % 8 == 0)
    j, i = cuda.grid(2)
    y[i, j] = 1.0
"""
    )
    rows, columns = made.arguments["y"].shape
    assert made.grid == (columns // 32, rows // 8, 1)


def test_a_free_grid_follows_the_contract() -> None:
    text = "@kernel(block=32)\ndef one(y: Out[f32, 32]):\n    requires(cuda.gridDim.x == 1)\n    y[cuda.threadIdx.x] = 1.0\n"
    assert launch(text).grid == (1, 1, 1)


@pytest.mark.parametrize("contract", ["permutation(p)", "injective(p)", "in_range(p, 3, N)", "nondecreasing(p)"])
def test_data_contracts_are_met(contract: str) -> None:
    p = launch(
        COPY.replace("In[f32, N]", "In[i32, N]").replace("x", "p").replace("Out[f32", "Out[i32"), contract
    ).arguments["p"]
    if contract in ("permutation(p)", "injective(p)"):
        assert sorted(p) == list(range(len(p)))
    elif contract == "nondecreasing(p)":
        assert (np.diff(p) >= 0).all()
    else:
        assert p.min() >= 3
        assert p.max() < len(p)


def test_what_the_user_fixes_stays() -> None:
    assert launch(COPY, fixed={"N": 7}).arguments["x"].shape == (7,)
    assert launch(COPY, grid=(2, 1, 1), block=(32, 1, 1)).grid == (2, 1, 1)
    with pytest.raises(ValueError, match="no dim or scalar 'Q'"):
        launch(COPY, fixed={"Q": 7})


def test_a_contract_that_nothing_meets_is_named() -> None:
    with pytest.raises(ValueError, match=r"`N < 0`"):
        launch(COPY, "N < 0")
