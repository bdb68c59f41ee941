from transpiler import Dim, In, Out, cuda, f32, i32, injective, kernel, requires


class M(Dim): ...


class N(Dim): ...


@kernel(block=64)
def injective_halved(p: In[i32, N], y: Out[f32, M]):
    requires(injective(p))
    i = cuda.grid(1)
    if i < N and p[i] >= 0 and p[i] // 2 < M:
        y[p[i] // 2] = 1.0
