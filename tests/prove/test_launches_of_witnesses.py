"""The launch of a witness meets the contract, and holds nothing that other questions to the solver left behind."""

import pytest

from transpiler import pipeline
from transpiler.simulate import simulate_witness
from transpiler.source import Source

HEAD = """\
from transpiler import Dim, In, Out, cuda, f32, i32, in_range, kernel, requires


class M(Dim): ...


class N(Dim): ...


@kernel(block=256)
"""

EMPTY_RANGE = """\
def k(p: In[i32, N], x: In[f32, M], y: Out[f32, N]):
    requires(in_range(p, 0, M))
    i = cuda.grid(1)
    if i < N:
        y[i] = x[p[i + 1]]
"""

ONE_BLOCK = """\
def k(a: Out[i32, N], width: i32):
    requires(width >= 1, cuda.gridDim.x * width <= N)
    tx, bx = cuda.threadIdx.x, cuda.blockIdx.x
    for i in range(tx, width + 1, cuda.blockDim.x):
        a[bx * width + i] = i
"""


@pytest.mark.parametrize("text", [EMPTY_RANGE, ONE_BLOCK], ids=["in_range of an extent", "grid in the contract"])
def test_replays(text: str) -> None:
    (report,) = pipeline.check(Source(HEAD + text)).kernels
    assert report.kernel is not None
    told = [d.witness for d in report.diagnostics if d.witness is not None]
    assert told
    assert all(simulate_witness(report.kernel, w).confirmed is not None for w in told)
