"""c = a @ b with shared tiles, for any extents: the edges are padded with zeros."""

import numpy as np

from transpiler import Dim, In, Out, cuda, f32, kernel
from transpiler.testing import check, launch


class M(Dim): ...


class N(Dim): ...


class K(Dim): ...


TILE = 16


@kernel(domain=(N, M), block=(TILE, TILE))
def matmul(a: In[f32, M, K], b: In[f32, K, N], c: Out[f32, M, N]):
    """c = a @ b, one thread an element of c."""
    a_tile = cuda.shared.array((TILE, TILE), f32)
    b_tile = cuda.shared.array((TILE, TILE), f32)
    tx, ty = cuda.threadIdx.x, cuda.threadIdx.y
    col, row = cuda.grid(2)
    acc = 0.0
    for k0 in range(0, K, TILE):
        a_tile[ty, tx] = a[row, k0 + tx] if row < M and k0 + tx < K else 0.0
        b_tile[ty, tx] = b[k0 + ty, col] if k0 + ty < K and col < N else 0.0
        cuda.syncthreads()
        for k in range(TILE):
            acc += a_tile[ty, k] * b_tile[k, tx]
        cuda.syncthreads()  # nobody overwrites a tile that another thread still reads
    if row < M and col < N:
        c[row, col] = acc


def main() -> None:
    rng = np.random.default_rng(0)
    a, b = rng.random((50, 70), dtype=np.float32), rng.random((70, 45), dtype=np.float32)
    c = np.empty((50, 45), dtype=np.float32)
    launch(matmul, a, b, c)
    check(c, a.astype(np.float64) @ b, rtol=1e-5)


if __name__ == "__main__":
    main()
