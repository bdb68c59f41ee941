"""Accesses a row apart are named, others are not."""

from __future__ import annotations

import pytest

from tests.support.kernels import kernel_text, lowered
from transpiler.check.coalescing import check_coalescing

PARAMS = "a: In[f32, M, N], p: In[i32, N], rows: In[f32, M, 4], y: Out[f32, M, N]"


def named(body: str, decorator: str = "kernel(block=(32, 8))", params: str = PARAMS) -> list[str]:
    kernel = lowered(kernel_text(body, params, decorator))
    return [kernel.source.slice(d.span) for d in check_coalescing(kernel)]


@pytest.mark.parametrize(
    ("body", "spans"),
    [
        ("i, j = cuda.grid(2)\ny[i, j] = a[i, j]", ["y[i, j] = a[i, j]", "a[i, j]"]),
        ("j, i = cuda.grid(2)\ny[i, j] = a[i, j]", []),
        ("i = cuda.threadIdx.x\nfor k in range(N):\n    y[0, i] = a[i * 2 + 1, k] + a[i, 0]", ["a[i * 2 + 1, k]"]),
        ("for i in range(cuda.grid(1), M, 32):\n    y[i, 0] = 1.0", ["y[i, 0] = 1.0"]),
        ("i = cuda.grid(1)\ny[i // N, i % N] = a[i, i]", []),
        ("i = cuda.grid(1)\ny[0, i] = a[p[i], 0]", []),
        ("i = cuda.grid(1)\ny[0, i] = rows[i, 2]", []),
        ("i = cuda.grid(1)\nr = a[i]\ny[0, i] = r[3]", ["r[3]"]),
        ("s = cuda.shared.array((32, 33), f32)\ns[cuda.threadIdx.x, 0] = 1.0", []),
        ("y[cuda.threadIdx.y, cuda.blockIdx.x] = 1.0", []),
    ],
)
def test_names_what_lies_a_row_apart(body: str, spans: list[str]) -> None:
    assert named(body) == spans


def test_the_fastest_axis_is_the_first_that_has_threads() -> None:
    body = "i = cuda.threadIdx.y\ny[i, 0] = 1.0"
    assert named(body, "kernel(block=(1, 32))") == ["y[i, 0] = 1.0"]
    assert named(body, "kernel(block=(32, 8))") == []


def test_other_layouts_are_left_alone() -> None:
    assert named("y[cuda.threadIdx.x, 0] = 1.0", params="y: Out[f32, M, N, FOrder]") == []
