from transpiler import Dim, In, Out, cuda, f32, i32, kernel


class M(Dim): ...


class N(Dim): ...


@kernel(block=64, checks="dynamic")
def dynamic_gather(p: In[i32, N], x: In[f32, M], y: Out[f32, N]):
    i = cuda.grid(1)
    if i < N:
        y[i] = x[p[i]]
