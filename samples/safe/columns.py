"""Column-major output: ownership speaks of elements, whatever their order in memory."""

import numpy as np

from transpiler import Dim, FOrder, In, Out, cuda, f32, kernel
from transpiler.testing import check, launch


class M(Dim): ...


class N(Dim): ...


@kernel(domain=(M, N), block=(32, 8))
def scale_columns(a: In[f32, M, N, FOrder], s: In[f32, N], out: Out[f32, M, N, FOrder]):
    """out = a with column j times s[j]; the fastest threads run down a column, which lies together in memory."""
    i, j = cuda.grid(2)
    if i < M and j < N:
        out[i, j] = a[i, j] * s[j]


def main() -> None:
    rng = np.random.default_rng(0)
    a = np.asfortranarray(rng.random((45, 33), dtype=np.float32))
    s = rng.random(33, dtype=np.float32)
    out = np.empty_like(a)
    launch(scale_columns, a, s, out)
    check(out, a * s)


if __name__ == "__main__":
    main()
