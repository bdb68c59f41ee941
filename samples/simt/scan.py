"""Inclusive prefix sums of each block's elements (Hillis and Steele): two barriers a step keep reads and writes apart."""

import numpy as np

from transpiler import Dim, In, Out, cuda, f32, kernel
from transpiler.testing import check, launch


class N(Dim): ...


BLOCK = 256


@kernel(domain=N, block=BLOCK)
def scan(x: In[f32, N], out: Out[f32, N]):
    """out[i] = the sum of x over the elements of i's block up to i."""
    sums = cuda.shared.array(BLOCK, f32)
    tx, i = cuda.threadIdx.x, cuda.grid(1)
    sums[tx] = x[i] if i < N else 0.0
    cuda.syncthreads()
    step = 1
    while step < BLOCK:
        left = sums[tx - step] if tx >= step else 0.0
        cuda.syncthreads()
        sums[tx] += left
        cuda.syncthreads()
        step *= 2
    if i < N:
        out[i] = sums[tx]


def main() -> None:
    rng = np.random.default_rng(0)
    x = rng.random(2_000, dtype=np.float32)
    out = np.empty_like(x)
    launch(scan, x, out)
    expected = np.concatenate([np.cumsum(x[k : k + BLOCK], dtype=np.float64) for k in range(0, len(x), BLOCK)])
    check(out, expected, rtol=1e-5)


if __name__ == "__main__":
    main()
