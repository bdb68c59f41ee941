"""Layer normalisation: a block a row, mean and variance by block sums."""

import math

import numpy as np

from transpiler import Dim, In, Out, cuda, f32, kernel
from transpiler.testing import check, launch


class M(Dim): ...


class N(Dim): ...


EPS = 1e-5


@kernel(grid=M, block=128)
def layernorm(x: In[f32, M, N], gain: In[f32, N], bias: In[f32, N], y: Out[f32, M, N]):
    """y[row] = (x[row] - mean) / sqrt(variance + EPS) * gain + bias."""
    row = cuda.blockIdx.x
    total = 0.0
    for j in range(cuda.threadIdx.x, N, cuda.blockDim.x):
        total += x[row, j]
    mean = cuda.block.sum(total) / f32(N)
    squares = 0.0
    for j in range(cuda.threadIdx.x, N, cuda.blockDim.x):
        squares += (x[row, j] - mean) ** 2
    scale = 1.0 / math.sqrt(cuda.block.sum(squares) / f32(N) + EPS)
    for j in range(cuda.threadIdx.x, N, cuda.blockDim.x):
        y[row, j] = (x[row, j] - mean) * scale * gain[j] + bias[j]


def main() -> None:
    rng = np.random.default_rng(0)
    x = rng.normal(size=(20, 300)).astype(np.float32)
    gain, bias = (rng.random(300, dtype=np.float32) for _ in range(2))
    y = np.empty_like(x)
    launch(layernorm, x, gain, bias, y)
    wide = x.astype(np.float64)
    normal = (wide - wide.mean(axis=1, keepdims=True)) / np.sqrt(wide.var(axis=1, keepdims=True) + EPS)
    check(y, normal * gain + bias, rtol=1e-4, atol=1e-5)


if __name__ == "__main__":
    main()
