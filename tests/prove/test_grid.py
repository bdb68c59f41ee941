"""`grid=` and `domain=` bound the blocks: constants, dims, and what is free without them."""

import pytest

from transpiler import pipeline
from transpiler.source import Source

HEAD = "from transpiler import Dim, InOut, Out, cuda, f32, i32, kernel, requires\n\nclass N(Dim): ...\n\n"


def verdict(decorator: str, param: str, body: str) -> str:
    text = f"{HEAD}{decorator}\ndef k({param}):\n    {body}\n"
    (found,) = pipeline.check(Source(text)).kernels
    return found.verdict


@pytest.mark.parametrize(
    ("decorator", "param", "body", "expected"),
    [
        ("@kernel(block=64, grid=2)", "out: Out[i32, 128]", "out[cuda.grid(1)] = 1", "proved"),
        ("@kernel(block=64, grid=2)", "out: Out[i32, 127]", "out[cuda.grid(1)] = 1", "refuted"),
        ("@kernel(block=64, grid=3)", "out: Out[i32, 128]", "out[cuda.grid(1)] = 1", "refuted"),
        ("@kernel(block=64, grid=1)", "out: Out[i32, 64]", "out[cuda.threadIdx.x] = 1", "proved"),
        ("@kernel(block=64, grid=2)", "out: Out[i32, 64]", "out[cuda.threadIdx.x] = 1", "refuted"),
        ("@kernel(block=64, grid=N)", "out: Out[i32, N]", "out[cuda.blockIdx.x] = 1", "refuted"),
        ("@kernel(block=1, grid=N)", "out: Out[i32, N]", "out[cuda.blockIdx.x] = 1", "proved"),
        ("@kernel(block=(8, 4), grid=(2, 3))", "out: Out[i32, 12, 16]", "out[cuda.grid(2)[1], cuda.grid(2)[0]] = 1", "proved"),
        ("@kernel(block=(8, 4), grid=(3, 2))", "out: Out[i32, 12, 16]", "out[cuda.grid(2)[1], cuda.grid(2)[0]] = 1", "refuted"),
    ],
)  # fmt: skip
def test_a_given_grid(decorator: str, param: str, body: str, expected: str) -> None:
    assert verdict(decorator, param, body) == expected
