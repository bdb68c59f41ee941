"""saxpy as Triton compiles it, for its launch."""

import triton
import triton.language as tl


@triton.jit
def saxpy(a, x, y, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = i < n
    tl.store(y + i, a * tl.load(x + i, mask) + tl.load(y + i, mask), mask)
