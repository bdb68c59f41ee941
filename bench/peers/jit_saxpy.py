"""saxpy as cupyx.jit compiles it."""

from cupyx import jit


@jit.rawkernel()
def saxpy(a, x, y, n):
    i = jit.blockIdx.x * jit.blockDim.x + jit.threadIdx.x
    if i < n:
        y[i] = a * x[i] + y[i]
