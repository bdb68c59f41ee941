"""A stencil in three dimensions: each thread owns one cell, three guards keep it inside."""

import numpy as np

from transpiler import Dim, In, Out, cuda, f32, kernel
from transpiler.testing import check, launch


class Z(Dim): ...


class Y(Dim): ...


class X(Dim): ...


@kernel(domain=(X, Y, Z), block=(8, 8, 4))
def smooth(a: In[f32, Z, Y, X], out: Out[f32, Z, Y, X]):
    """out = the mean of a cell and its six neighbours, on the border the cell itself."""
    x, y, z = cuda.grid(3)
    if x < X and y < Y and z < Z:
        v = a[z, y, x]
        if 0 < x < X - 1 and 0 < y < Y - 1 and 0 < z < Z - 1:
            v += a[z, y, x - 1] + a[z, y, x + 1] + a[z, y - 1, x] + a[z, y + 1, x] + a[z - 1, y, x] + a[z + 1, y, x]
            v /= 7.0
        out[z, y, x] = v


def main() -> None:
    a = np.random.default_rng(0).random((9, 17, 21), dtype=np.float32)
    out = np.empty_like(a)
    launch(smooth, a, out)
    inner = sum(a[1 + dz : a.shape[0] - 1 + dz, 1 + dy : a.shape[1] - 1 + dy, 1 + dx : a.shape[2] - 1 + dx].astype(float)
                for dz, dy, dx in [(0, 0, 0), (1, 0, 0), (-1, 0, 0), (0, 1, 0), (0, -1, 0), (0, 0, 1), (0, 0, -1)])  # fmt: skip
    expected = a.astype(float)
    expected[1:-1, 1:-1, 1:-1] = inner / 7
    check(out, expected, rtol=1e-5)


if __name__ == "__main__":
    main()
