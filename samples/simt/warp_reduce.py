"""Sums of 32 elements by warp shuffles: each warp owns one element of the output."""

import numpy as np

from transpiler import Dim, In, Out, cuda, f32, kernel, requires
from transpiler.testing import check, launch


class N(Dim): ...


class W(Dim): ...


@kernel(domain=N, block=256)
def warp_sums(x: In[f32, N], sums: Out[f32, W]):
    """sums[w] = the sum of x[32*w : 32*w + 32]."""
    requires(W == (N + 31) // 32)
    i = cuda.grid(1)
    v = x[i] if i < N else 0.0
    for offset in (16, 8, 4, 2, 1):
        v += cuda.shfl_down_sync(0xFFFFFFFF, v, offset)
    if i % 32 == 0 and i < N:
        sums[i // 32] = v


def main() -> None:
    rng = np.random.default_rng(0)
    x = rng.random(10_000, dtype=np.float32)
    sums = np.empty((len(x) + 31) // 32, dtype=np.float32)
    launch(warp_sums, x, sums)
    padded = np.zeros(32 * len(sums))
    padded[: len(x)] = x
    check(sums, padded.reshape(-1, 32).sum(axis=1), rtol=1e-5)


if __name__ == "__main__":
    main()
