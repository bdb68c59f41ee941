from transpiler import Dim, In, Out, cuda, f32, i32, kernel


class M(Dim): ...


class N(Dim): ...


@kernel(block=64, checks="dynamic")
def dynamic_race(p: In[i32, N], y: Out[f32, M]):
    i = cuda.grid(1)
    if i < N:
        y[p[i]] = 1.0
