from transpiler import Dim, In, Out, cuda, f32, i32, in_range, kernel, requires


class N(Dim): ...


@kernel(block=64)
def scattered(p: In[i32, N], y: Out[f32, N]):
    requires(in_range(p, 0, N))
    i = cuda.grid(1)
    if i < N:
        y[p[i]] = 1.0
