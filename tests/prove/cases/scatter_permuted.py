from transpiler import Dim, In, Out, cuda, f32, i32, kernel, permutation, requires


class N(Dim): ...


@kernel(domain=N, block=128)
def scatter_permuted(x: In[f32, N], p: In[i32, N], out: Out[f32, N]):
    requires(permutation(p))
    i = cuda.grid(1)
    if i < N:
        out[p[i]] = x[i]
