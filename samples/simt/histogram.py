"""A histogram of bytes: each block counts in shared memory and adds its counts to the global ones at the end."""

import numpy as np

from transpiler import Atomic, Dim, In, cuda, i32, kernel, u8
from transpiler.testing import check, launch


class N(Dim): ...


BINS = 256


@kernel(block=256)
def histogram(x: In[u8, N], counts: Atomic[i32, BINS]):
    """counts[v] += the number of elements equal to v."""
    local = cuda.shared.array(BINS, i32)
    tx = cuda.threadIdx.x
    local[tx] = 0
    cuda.syncthreads()
    for i in range(cuda.grid(1), N, cuda.gridsize(1)):
        cuda.atomic.add(local, x[i], 1, scope="block")
    cuda.syncthreads()
    cuda.atomic.add(counts, tx, local[tx])


def main() -> None:
    rng = np.random.default_rng(0)
    x = rng.integers(0, 256, 60_000, dtype=np.uint8)
    counts = np.zeros(BINS, dtype=np.int32)
    launch(histogram, x, counts, grid=24, block=256)
    check(counts, np.bincount(x, minlength=BINS))


if __name__ == "__main__":
    main()
