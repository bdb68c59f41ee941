"""A sum in one launch: the block that finishes last adds up what the others left, with no second kernel and no `trust`."""

import numpy as np

from transpiler import Atomic, Dim, In, InOut, Out, cuda, f32, in_range, kernel, requires, u32
from transpiler.testing import check, launch


class N(Dim): ...


class BLOCKS(Dim): ...


@kernel(block=256, grid=BLOCKS)
def total(x: In[f32, N], partial: InOut[f32, BLOCKS], done: Atomic[u32, 1], out: Out[f32, 1]):
    """The sum of all elements; `done` is 0 before the launch and again behind it."""
    requires(in_range(done, 0, 1))
    t = cuda.threadIdx.x
    mine = f32(0)
    for i in range(cuda.grid(1), N, cuda.gridsize(1)):
        mine += x[i]
    s = cuda.block.sum(mine)

    last = False
    if t == 0:
        partial[cuda.blockIdx.x] = s
        cuda.threadfence()  # whoever sees the number below sees the sum above
        number = cuda.atomic.inc(done, 0, u32(BLOCKS - 1))
        cuda.threadfence()
        last = number == BLOCKS - 1
    if cuda.syncthreads_or(last):  # all blocks have drawn their number
        rest = f32(0)
        for j in range(t, BLOCKS, 256):
            rest += partial[j]
        whole = cuda.block.sum(rest)
        if t == 0:
            out[0] = whole


def main() -> None:
    x = np.random.default_rng(0).random(20_000, dtype=np.float32)
    partial, done, out = np.zeros(12, np.float32), np.zeros(1, np.uint32), np.zeros(1, np.float32)
    for _ in range(2):  # the counter came round
        launch(total, x, partial, done, out)
        check(out, [x.sum(dtype=np.float64)], rtol=1e-5)
        check(done, [0])


if __name__ == "__main__":
    main()
