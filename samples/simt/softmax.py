"""Softmax of each row by a warp: maximum and sum are exchanged by shuffles, with no shared memory."""

import math

import numpy as np

from transpiler import Dim, In, Out, cuda, f32, kernel
from transpiler.testing import check, launch


class M(Dim): ...


class N(Dim): ...


WARPS = 4  # rows a block


@kernel(domain=(32, M), block=(32, WARPS))
def softmax(x: In[f32, M, N], y: Out[f32, M, N]):
    """y[row] = exp(x[row] - max(x[row])) / sum(exp(x[row] - max(x[row])))."""
    lane = cuda.threadIdx.x
    row = cuda.blockIdx.y * WARPS + cuda.threadIdx.y
    if row < M:
        largest = -math.inf
        for j in range(lane, N, 32):
            largest = max(largest, x[row, j])
        for offset in (16, 8, 4, 2, 1):
            largest = max(largest, cuda.shfl_xor_sync(0xFFFFFFFF, largest, offset))
        total = 0.0
        for j in range(lane, N, 32):
            total += math.exp(x[row, j] - largest)
        for offset in (16, 8, 4, 2, 1):
            total += cuda.shfl_xor_sync(0xFFFFFFFF, total, offset)
        for j in range(lane, N, 32):
            y[row, j] = math.exp(x[row, j] - largest) / total


def main() -> None:
    rng = np.random.default_rng(0)
    x = rng.normal(size=(37, 200)).astype(np.float32)
    y = np.empty_like(x)
    launch(softmax, x, y)
    e = np.exp(x.astype(np.float64) - x.max(axis=1, keepdims=True))
    check(y, e / e.sum(axis=1, keepdims=True), rtol=1e-5)


if __name__ == "__main__":
    main()
