"""Conditions on floats hold for the value that the kernel sees, not for what was passed or for its bits."""

from __future__ import annotations

import pytest

from tests.runtime import fakes
from tests.runtime.fakes import Bench, array
from transpiler.errors import LaunchError
from transpiler.ir import device as d
from transpiler.ir.types import BF16, F16, F32, F64, DType


def limited(dtype: DType, op: str, bound: float) -> Bench:
    """`k(s: dtype, y: Out[f32, int])` with `requires(s op bound)`."""
    s = fakes.scalar_param("s", dtype)
    cond = fakes.less(fakes.var(s), d.Const(bound, type=dtype, span=fakes.HERE), op)
    requirement = d.Requirement(f"s {op} {bound}", cond, span=fakes.HERE)
    kernel = fakes.kernel(
        "k", s, fakes.array_param("y", "out", fakes.extent("y")), grid=(fakes.const(1),), requires=(requirement,)
    )
    return Bench(kernel)


# (dtype, op, bound, value that meets it, value that does not)
ROWS = [
    (BF16, "<", 2.5, 2.0, 2.5),
    (BF16, ">", -1.0, -0.5, -2.0),  # as bits, every negative number is a large one
    (BF16, "<", 1.0, 0.99, 0.9999),  # rounds to 1.0
    (F16, "<", 1.0, 0.999, 0.99999),
    (F32, "<", 1.0, 0.9999999, 0.99999999),
    (F64, "<", 1.0, 0.99999999, 1.0),
]


@pytest.mark.parametrize(("dtype", "op", "bound", "good", "bad"), ROWS)
def test_the_value_in_the_kernel_decides(dtype: DType, op: str, bound: float, good: float, bad: float):
    bench = limited(dtype, op, bound)
    with pytest.raises(LaunchError, match="E0806"):
        bench(bad, array(8))
    assert bench.launches == []
    for _ in range(3):  # the third launch takes the fast path
        bench(good, array(8))
    with pytest.raises(LaunchError, match="E0806"):
        bench(bad, array(8))
    assert len(bench.launches) == 3


def test_the_message_has_the_value_and_not_the_bits():
    with pytest.raises(LaunchError, match=r"s = 2\.5"):
        limited(BF16, "<", 2.5)(2.5, array(8))
