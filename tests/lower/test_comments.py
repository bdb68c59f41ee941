"""Comments are carried to the device IR, next to the code that they stood at."""

from __future__ import annotations

from tests.support.kernels import lowered
from transpiler.ir.walk import statements

TEXT = """
# what the kernel is for
@kernel(block=32)
def k(x: In[f32, N], y: Out[f32, N], n: i32):
    \"\"\"Doubles.\"\"\"
    # memory of the block
    tile = cuda.shared.array(32, f32)  # one element a thread
    # a constant
    factor = 2
    # the first store
    tile[0] = x[0] * factor  # scaled
    # a loop
    for i in range(n):  # over all
        # in the body
        y[i] = tile[0] ** 2  # squared
    # a swap
    a, b = x[0], x[1]
    a, b = b, a
    y[0] = a
    # the end
"""


def test_comments_stand_at_their_statements() -> None:
    kernel = lowered(TEXT)
    assert kernel.comments == ("what the kernel is for",)
    assert kernel.doc == "Doubles."
    assert kernel.closing_comments == ("the end",)
    carried = [(s.comments, s.trailing) for s in statements(kernel.body) if s.comments or s.trailing]
    assert carried == [
        (("memory of the block", "one element a thread", "a constant", "the first store"), "scaled"),
        (("a loop",), "over all"),
        (("in the body",), "squared"),
        (("a swap",), None),
    ]
