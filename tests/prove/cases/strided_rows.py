from transpiler import Dim, In, Out, Strided, cuda, f32, kernel


class M(Dim): ...


class N(Dim): ...


@kernel(block=(16, 16))
def strided_rows(a: In[f32, M, N, Strided], b: Out[f32, M, N]):
    x, y = cuda.grid(2)
    if y < M and x < N:
        b[y, x] = a[y, x]
