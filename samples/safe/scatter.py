"""Scatter through a permutation: that no index comes twice is a contract on the data, checked by the launch."""

import numpy as np

from transpiler import Dim, In, Out, cuda, f32, i32, kernel, permutation, requires
from transpiler.testing import check, launch


class N(Dim): ...


@kernel(domain=N, block=256)
def scatter(x: In[f32, N], p: In[i32, N], out: Out[f32, N]):
    """out[p[i]] = x[i]. To check p once for many launches, pass `verified(p, permutation)`."""
    requires(permutation(p))
    i = cuda.grid(1)
    if i < N:
        out[p[i]] = x[i]


def main() -> None:
    rng = np.random.default_rng(0)
    x = rng.random(1_000, dtype=np.float32)
    p = rng.permutation(len(x)).astype(np.int32)
    out = np.empty_like(x)
    launch(scatter, x, p, out)
    check(out[p], x)


if __name__ == "__main__":
    main()
