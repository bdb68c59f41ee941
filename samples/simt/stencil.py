"""A 5-point stencil: one step of the heat equation on a grid with a fixed border."""

import numpy as np

from transpiler import Dim, In, Out, cuda, f32, kernel
from transpiler.testing import check, launch


class H(Dim): ...


class W(Dim): ...


@kernel(domain=(W, H), block=(32, 8))
def heat_step(u: In[f32, H, W], v: Out[f32, H, W], alpha: f32):
    """v = u + alpha * laplace(u) inside, v = u on the border."""
    x, y = cuda.grid(2)
    if x < W and y < H:
        here = u[y, x]
        if 0 < x < W - 1 and 0 < y < H - 1:
            around = u[y, x - 1] + u[y, x + 1] + u[y - 1, x] + u[y + 1, x]
            v[y, x] = here + alpha * (around - 4.0 * here)
        else:
            v[y, x] = here


def main() -> None:
    rng = np.random.default_rng(0)
    u = rng.random((70, 101), dtype=np.float32)
    v = np.empty_like(u)
    launch(heat_step, u, v, 0.2)
    expected = u.copy()
    around = u[1:-1, :-2] + u[1:-1, 2:] + u[:-2, 1:-1] + u[2:, 1:-1]
    expected[1:-1, 1:-1] += np.float32(0.2) * (around - 4 * u[1:-1, 1:-1])
    check(v, expected, rtol=1e-5)


if __name__ == "__main__":
    main()
