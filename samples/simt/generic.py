"""One kernel for three dtypes: a launch picks the instance, ahead-of-time output holds each."""

import numpy as np

from transpiler import Const, Dim, DType, In, InOut, cuda, f16, f32, f64, kernel
from transpiler.testing import check, launch


class N(Dim): ...


class T(DType, of=(f16, f32, f64)): ...


@kernel(domain=N, block=256, instances=[{"RELU": False}, {"RELU": True}])
def axpby(a: T, x: In[T, N], b: T, y: InOut[T, N], RELU: Const[bool]):
    """y = a*x + b*y, negative results set to zero if RELU."""
    i = cuda.grid(1)
    if i < N:
        v = a * x[i] + b * y[i]
        if RELU:
            v = max(v, T(0))
        y[i] = v


def main() -> None:
    rng = np.random.default_rng(0)
    for dtype, rtol in ((np.float16, 2e-3), (np.float32, 1e-5), (np.float64, 1e-12)):
        x, y = (rng.normal(size=1_001).astype(dtype) for _ in range(2))
        expected = np.maximum(2 * x.astype(np.float64) - 0.5 * y.astype(np.float64), 0)
        launch(axpby, 2.0, x, -0.5, y, True)
        check(y, expected, rtol=rtol, atol=4 * rtol)


if __name__ == "__main__":
    main()
