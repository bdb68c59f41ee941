from transpiler import Dim, FOrder, Out, cuda, f32, kernel


class M(Dim): ...


class N(Dim): ...


@kernel(block=(16, 16))
def column_major(a: Out[f32, M, N, FOrder]):
    x, y = cuda.grid(2)
    if y < M and x < N:
        a[y, x] = 1.0
