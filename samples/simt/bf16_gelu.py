"""GELU on bf16 data: loads and stores in 16 bits, arithmetic in f32."""

import math

import ml_dtypes
import numpy as np

from transpiler import Dim, In, Out, bf16, cuda, f32, kernel
from transpiler.testing import check, launch


class N(Dim): ...


@kernel(domain=N, block=256)
def gelu(x: In[bf16, N], y: Out[bf16, N]):
    """y = x * Phi(x), with Phi the distribution function of the normal distribution."""
    i = cuda.grid(1)
    if i < N:
        v = f32(x[i])
        y[i] = bf16(0.5 * v * (1.0 + math.erf(v * math.sqrt(0.5))))


def main() -> None:
    rng = np.random.default_rng(0)
    x = rng.normal(size=4_099).astype(ml_dtypes.bfloat16)
    y = np.empty_like(x)
    launch(gelu, x, y)
    wide = x.astype(np.float64)
    expected = 0.5 * wide * (1 + np.vectorize(math.erf)(wide / math.sqrt(2)))
    check(y.astype(np.float64), expected, rtol=1e-2, atol=1e-3)


if __name__ == "__main__":
    main()
