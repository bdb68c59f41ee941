"""b = a.T through a shared tile: both sides of the copy run along rows of memory."""

import numpy as np

from transpiler import Dim, In, Out, cuda, f32, kernel, requires
from transpiler.testing import check, launch


class M(Dim): ...


class N(Dim): ...


TILE = 32
ROWS = 8  # rows of the tile that a block copies at a time


@kernel(block=(TILE, ROWS), grid=(N // TILE, M // TILE))
def transpose(a: In[f32, M, N], b: Out[f32, N, M]):
    """b = a.T for extents that are multiples of 32."""
    requires(M % TILE == 0, N % TILE == 0)
    tile = cuda.shared.array((TILE, TILE + 1), f32)  # one column more keeps columns in different banks
    tx, ty = cuda.threadIdx.x, cuda.threadIdx.y
    i0, j0 = cuda.blockIdx.y * TILE, cuda.blockIdx.x * TILE
    for r in range(ty, TILE, ROWS):
        tile[r, tx] = a[i0 + r, j0 + tx]
    cuda.syncthreads()
    for r in range(ty, TILE, ROWS):
        b[j0 + r, i0 + tx] = tile[tx, r]


def main() -> None:
    rng = np.random.default_rng(0)
    a = rng.random((96, 160), dtype=np.float32)
    b = np.empty((160, 96), dtype=np.float32)
    launch(transpose, a, b)
    check(b, a.T)


if __name__ == "__main__":
    main()
