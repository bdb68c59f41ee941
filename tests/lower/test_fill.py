"""`fill=` of shared arrays: the threads of a block share the work, whatever its shape, and meet."""

from __future__ import annotations

import numpy as np
import pytest

from tests.support.kernels import lowered
from transpiler.ir.dump import dump_body
from transpiler.simulate import simulate

TEXT = """
@device
def filled(y: Out[f32, int]):
    s = cuda.shared.array((3, 4, 5), f32, fill=2.0)
    if cuda.threadIdx.x == 0 and cuda.threadIdx.y == 0 and cuda.threadIdx.z == 0:
        total = 0.0
        for i in range(3):
            for j in range(4):
                for k in range(5):
                    total += s[i, j, k]
        y[0] = total

@kernel(block={block})
def k(y: Out[f32, int]):
    filled(y)
"""


@pytest.mark.parametrize("block", [(7,), (4, 3), (2, 3, 4), (64, 2)])
def test_every_element_is_filled_once(block: tuple[int, ...]) -> None:
    inlined = TEXT.replace("@device\ndef filled", "@kernel(block={block})\ndef filled").split(
        "@kernel(block={block})\ndef k"
    )[0]
    for text in (TEXT, inlined):
        y = np.zeros(1, np.float32)
        report = simulate(lowered(text.replace("{block}", str(block))), {"y": y}, grid=1)
        assert report.ok, [d.message for d in report.diagnostics]
        assert y[0] == 120.0


def test_a_block_in_a_row_needs_no_arithmetic() -> None:
    text = (
        "@kernel(block=32)\ndef k(y: Out[f32, int]):\n    s = cuda.shared.array(64, f32, fill=0.0)\n    y[0] = s[0]\n"
    )
    assert dump_body(lowered(text)).splitlines()[:3] == [
        "for %k in range(threadIdx.x, 64, blockDim.x):",
        "  s[%k] = 0.0f32",
        "barrier block",
    ]
