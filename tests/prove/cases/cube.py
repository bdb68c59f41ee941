from transpiler import Dim, Out, cuda, f32, kernel


class L(Dim): ...


class M(Dim): ...


class N(Dim): ...


@kernel(block=(8, 4, 2))
def cube(v: Out[f32, L, M, N]):
    x, y, z = cuda.grid(3)
    if z < L and y < M and x < N:
        v[z, y, x] = 1.0
