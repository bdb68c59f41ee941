"""The kernels; `pip` builds them for the architectures in pyproject.toml."""

from spectra.settings import FLOOR
from transpiler import Dim, DType, In, InOut, Out, cuda, f32, f64, kernel, requires


class N(Dim): ...


class T(DType, of=(f32, f64)): ...


@kernel(domain=N, block=256)
def power(re: In[T, N], im: In[T, N], out: Out[T, N]):
    """Squared magnitudes, FLOOR at least."""
    i = cuda.grid(1)
    if i < N:
        out[i] = max(re[i] * re[i] + im[i] * im[i], T(FLOOR))


@kernel(domain=N, block=256)
def accumulate(weight: f32, frame: In[f32, N], mean: InOut[f32, N]):
    """Move a running mean towards a new frame; `weight` is 1 for the frame alone."""
    requires(weight >= 0.0, weight <= 1.0)
    i = cuda.grid(1)
    if i < N:
        mean[i] += weight * (frame[i] - mean[i])
