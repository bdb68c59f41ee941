"""c = a + b of two matrices: a 2-D grid of 2-D blocks."""

import numpy as np

from transpiler import Dim, In, Out, cuda, f32, kernel
from transpiler.testing import check, launch


class M(Dim): ...


class N(Dim): ...


@kernel(domain=(N, M), block=(32, 8))
def add2d(a: In[f32, M, N], b: In[f32, M, N], c: Out[f32, M, N]):
    """c = a + b, elementwise. x runs along the rows, so that neighbours in a warp touch neighbours in memory."""
    col, row = cuda.grid(2)
    if row < M and col < N:
        c[row, col] = a[row, col] + b[row, col]


def main() -> None:
    rng = np.random.default_rng(0)
    a, b = (rng.random((123, 457), dtype=np.float32) for _ in range(2))
    c = np.empty_like(a)
    launch(add2d, a, b, c)
    check(c, a + b)


if __name__ == "__main__":
    main()
