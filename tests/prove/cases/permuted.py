from transpiler import Dim, In, Out, cuda, f32, i32, kernel, permutation, requires


class N(Dim): ...


@kernel(block=64)
def permuted(p: In[i32, N], y: Out[f32, N]):
    requires(permutation(p))
    i = cuda.grid(1)
    if i < N:
        y[p[i]] = 1.0
