from transpiler import Dim, Out, cuda, f32, kernel


class X(Dim): ...


class Y(Dim): ...


class Z(Dim): ...


@kernel(block=(8, 8, 4))
def volume(a: Out[f32, Z, Y, X]):
    x, y, z = cuda.grid(3)
    if x < X and y < Y and z < Z:
        a[z, y, x] = 1.0
