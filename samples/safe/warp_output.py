"""One result a warp: lane 0 writes at the number of its warp in the launch, which no other warp has."""

import numpy as np

from transpiler import Dim, In, Out, cuda, f32, kernel
from transpiler.testing import check, launch


class N(Dim): ...


class WARPS(Dim): ...


@kernel(domain=N, block=256)
def warp_sums(x: In[f32, N], out: Out[f32, WARPS]):
    """out[w] = the sum of the 32 elements of warp w."""
    i = cuda.grid(1)
    v = x[i] if i < N else 0.0
    for offset in (16, 8, 4, 2, 1):
        v += cuda.shfl_down_sync(0xFFFFFFFF, v, offset)
    if cuda.laneid == 0 and i // 32 < WARPS:
        out[i // 32] = v


def main() -> None:
    x = np.random.default_rng(0).random(1_000, dtype=np.float32)
    out = np.empty(-(-len(x) // 32), np.float32)
    launch(warp_sums, x, out)
    check(out, np.add.reduceat(x.astype(np.float64), np.arange(0, len(x), 32)), rtol=1e-5)


if __name__ == "__main__":
    main()
