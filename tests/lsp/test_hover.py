"""What hovering says, by place."""

from __future__ import annotations

import pytest

from transpiler.lsp.analysis import analyse
from transpiler.lsp.hover import hover
from transpiler.lsp.worker import Prove, answer
from transpiler.source import Source

TEXT = """import math

from transpiler import Atomic, Dim, DType, In, InOut, cuda, device, f16, f32, i32, kernel, requires

BLOCK = 256


class N(Dim): ...


class T(DType, of=(f16, f32)): ...


@device
def square(v):
    \"\"\"v times v.\"\"\"
    return v * v


@kernel(domain=N, block=BLOCK)
def step(a: f32, n: i32, x: In[f32, int], y: InOut[f32, N], c: Atomic[i32, 1]):
    \"\"\"One step.\"\"\"
    requires(n >= 1)
    part = cuda.shared.array(BLOCK, f32)
    i = cuda.grid(1)
    part[cuda.threadIdx.x] = 1.0
    if i < N and i < n:
        y[i] += math.sqrt(x[i] * a) + square(a)
        cuda.atomic.add(c, 0, 1)


@kernel(domain=N, block=64)
def double(z: InOut[T, N]):
    k = cuda.grid(1)
    if k < N:
        z[k] = z[k] + z[k]
"""
SOURCE = Source(TEXT, "kernels.py")


@pytest.fixture(scope="module")
def known() -> tuple:
    proofs = answer(Prove(SOURCE, {}))
    assert isinstance(proofs, tuple)
    return analyse(SOURCE), proofs


@pytest.mark.parametrize(
    ("needle", "shift", "lines"),
    [
        ("step(", 0, ["def step", "One step.", "**proved**", "- `n >= 1`", "- `min(N, n) <= len(x)`", "- `x and y`"]),
        ("a: f32", 0, ["a: f32"]),
        ("x: In", 0, ["x: In[f32, int]", "array of f32, shape (int,): only read"]),
        ("sqrt", 1, ["math.sqrt(x[i] * a): f32", "math.sqrt(x)", "Square root"]),
        ("x[i]", 0, ["x: array of f32, shape (int,)", "- read, in bounds: interval, by `min(N, n) <= len(x)`"]),
        ("x[i]", 1, ["x[i]: f32", "- read, in bounds: interval, by `min(N, n) <= len(x)`"]),
        ("x[i]", 2, ["i: index"]),
        ("y[i]", 0, ["- read, in bounds: interval", "- written, in bounds: interval"]),
        ("part[", 0, ["part: array of f32, shape (256,), shared by the block", "- written, in bounds: syntactic"]),
        ("square(a", 0, ["square(a): f32", "v times v."]),
        ("v * v\n", 0, ["v: f32"]),
        ("atomic.add", 0, ["cuda.atomic.add(c, 0, 1): i32", "- updated atomically, in bounds: syntactic"]),
        ("BLOCK, f32", 0, ["BLOCK: 256"]),
        ("block=BLOCK", 6, ["BLOCK: 256"]),
        ("double", 0, ["**proved** for T=f16", "**proved** for T=f32"]),
        ("z[k] +", 1, ["z[k]: f16 | f32"]),
    ],
)
def test_hovering(known: tuple, needle: str, shift: int, lines: list[str]) -> None:
    found = hover(*known, TEXT.index(needle) + shift)
    assert found is not None
    assert [line for line in lines if line not in found.markdown] == []


@pytest.mark.parametrize("needle", ["import math", "class N", "    if i", "class T", "256\n"])
def test_nothing_is_said_of_what_is_no_kernel(known: tuple, needle: str) -> None:
    assert hover(*known, TEXT.index(needle)) is None


def test_before_the_proof_the_contract_is_not_known(known: tuple) -> None:
    found = hover(known[0], None, TEXT.index("step("))
    assert found is not None
    assert "not proved yet" in found.markdown


def test_every_place_of_a_file_can_be_hovered_over(known: tuple) -> None:
    for offset in range(len(TEXT) + 1):
        found = hover(*known, offset)
        assert found is None or found.span.start <= offset <= found.span.end
