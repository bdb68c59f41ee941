"""y = a * x + y."""

from transpiler import Dim, In, InOut, cuda, f32, kernel


class N(Dim): ...


@kernel(domain=N, block=256)
def saxpy(a: f32, x: In[f32, N], y: InOut[f32, N]):
    i = cuda.grid(1)
    if i < N:
        y[i] = a * x[i] + y[i]
