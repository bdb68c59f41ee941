from transpiler import Dim, Out, cuda, f32, kernel


class N(Dim): ...


@kernel
def symbolic_block(y: Out[f32, N]):
    i = cuda.grid(1)
    if i < N:
        y[i] = 1.0
