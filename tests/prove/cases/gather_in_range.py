from transpiler import Dim, In, Out, cuda, f32, i32, in_range, kernel, requires


class M(Dim): ...


class N(Dim): ...


@kernel(block=64)
def gather_in_range(p: In[i32, N], x: In[f32, M], y: Out[f32, N]):
    requires(in_range(p, 0, M))
    i = cuda.grid(1)
    if i < N:
        y[i] = x[p[i]]
