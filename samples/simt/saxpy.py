"""y = a*x + y: one thread an element."""

import numpy as np

from transpiler import Dim, In, InOut, cuda, f32, kernel
from transpiler.testing import check, launch


class N(Dim): ...


@kernel(domain=N, block=256)
def saxpy(a: f32, x: In[f32, N], y: InOut[f32, N]):
    """y = a*x + y, elementwise."""
    i = cuda.grid(1)
    if i < N:  # the last block may be ragged
        y[i] = a * x[i] + y[i]


def main() -> None:
    rng = np.random.default_rng(0)
    x, y = (rng.random(100_003, dtype=np.float32) for _ in range(2))
    expected = np.float32(2) * x + y
    launch(saxpy, 2.0, x, y)
    check(y, expected, rtol=1e-6)


if __name__ == "__main__":
    main()
