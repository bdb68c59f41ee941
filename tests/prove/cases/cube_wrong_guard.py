from transpiler import Dim, Out, cuda, f32, kernel


class L(Dim): ...


class M(Dim): ...


class N(Dim): ...


@kernel(block=(8, 4, 2))
def cube_wrong_guard(v: Out[f32, L, M, N]):
    x, y, z = cuda.grid(3)
    if z < M and y < L and x < N:
        v[z, y, x] = 1.0
