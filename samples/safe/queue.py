"""A queue filled by tickets: what `atomic.add` returns is a place that no other thread gets."""

import numpy as np

from transpiler import Atomic, Dim, In, InOut, cuda, f32, i32, kernel, requires, u32
from transpiler.testing import check, launch


class N(Dim): ...


class CAPACITY(Dim): ...


@kernel(domain=N, block=256)
def collect(x: In[f32, N], limit: f32, queue: InOut[i32, CAPACITY], tail: Atomic[u32, 1]):
    """Append the index of every element above the limit; those that find the queue full are counted, not stored."""
    requires(N < 2**31)  # so that an index fits in an element of the queue
    i = cuda.grid(1)
    if i < N and x[i] > limit:
        place = cuda.atomic.add(tail, 0, 1)
        if place < CAPACITY:
            queue[place] = i


def main() -> None:
    x = np.random.default_rng(0).random(2_000, dtype=np.float32)
    queue, tail = np.full(500, -1, np.int32), np.zeros(1, np.uint32)
    launch(collect, x, 0.9, queue, tail)
    expected = np.flatnonzero(x > np.float32(0.9))
    check(tail, [len(expected)])
    check(np.sort(queue[: len(expected)]), expected)


if __name__ == "__main__":
    main()
