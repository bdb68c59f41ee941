"""Clamp a vector in place with a grid of any size: each thread strides over the elements."""

import numpy as np

from transpiler import Dim, InOut, cuda, f32, kernel
from transpiler.testing import check, launch


class N(Dim): ...


@kernel(block=256)
def clamp(x: InOut[f32, N], lo: f32, hi: f32):
    """x = min(max(x, lo), hi), elementwise, for any number of blocks."""
    for i in range(cuda.grid(1), N, cuda.gridsize(1)):
        x[i] = min(max(x[i], lo), hi)


def main() -> None:
    rng = np.random.default_rng(0)
    x = rng.normal(size=50_021).astype(np.float32)
    expected = np.clip(x, np.float32(-0.5), np.float32(0.5))
    launch(clamp, x, -0.5, 0.5, grid=32, block=256)
    check(x, expected)


if __name__ == "__main__":
    main()
