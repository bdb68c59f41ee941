"""Strided writes: element i goes to i * pitch, and a pitch of at least 1 keeps threads apart."""

import numpy as np

from transpiler import In, InOut, cuda, f32, i32, kernel, requires
from transpiler.testing import check, launch


@kernel(block=128)
def spread(x: In[f32, int], out: InOut[f32, int], n: i32, pitch: i32):
    """out[i * pitch] = x[i] for i < n; what lies between stays. The launch checks that the last one fits."""
    requires(pitch >= 1)
    i = cuda.grid(1)
    if i < n:
        out[i * pitch] = x[i]


def main() -> None:
    x = np.random.default_rng(0).random(300, dtype=np.float32)
    out = np.zeros(300 * 5, np.float32)
    launch(spread, x, out, 300, 5, grid=3, block=128)
    expected = np.zeros_like(out)
    expected[::5] = x
    check(out, expected)


if __name__ == "__main__":
    main()
