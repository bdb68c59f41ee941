"""Triton's side of `bench/cold_start.py`: compile saxpy for sm_90 with no GPU, cold."""

import triton
import triton.language as tl
from triton.backends.compiler import GPUTarget
from triton.compiler import ASTSource


@triton.jit
def saxpy(a, x, y, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    inside = i < n
    tl.store(y + i, a * tl.load(x + i, inside) + tl.load(y + i, inside), inside)


signature = {"a": "fp32", "x": "*fp32", "y": "*fp32", "n": "i64", "BLOCK": "constexpr"}
source = ASTSource(fn=saxpy, signature=signature, constexprs={"BLOCK": 256})
compiled = triton.compile(source, target=GPUTarget("cuda", 90, 32))
assert compiled.asm["ptx"]
