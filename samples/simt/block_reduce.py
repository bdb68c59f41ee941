"""The sum of each block's elements, by a halving tree in shared memory; the blocks meet in an atomic."""

import numpy as np

from transpiler import Atomic, Dim, In, cuda, f32, kernel
from transpiler.testing import check, launch


class N(Dim): ...


BLOCK = 256


@kernel(domain=N, block=BLOCK)
def total(x: In[f32, N], result: Atomic[f32, 1]):
    """result[0] += sum(x)."""
    part = cuda.shared.array(BLOCK, f32)
    tx, i = cuda.threadIdx.x, cuda.grid(1)
    part[tx] = x[i] if i < N else 0.0
    cuda.syncthreads()
    half = BLOCK // 2
    while half > 0:
        if tx < half:
            part[tx] += part[tx + half]
        cuda.syncthreads()
        half //= 2
    if tx == 0:
        cuda.atomic.add(result, 0, part[0])


def main() -> None:
    rng = np.random.default_rng(0)
    x = rng.random(30_001, dtype=np.float32)
    result = np.zeros(1, dtype=np.float32)
    launch(total, x, result)
    check(result, [x.sum(dtype=np.float64)], rtol=1e-5)


if __name__ == "__main__":
    main()
