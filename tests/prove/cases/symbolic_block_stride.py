from transpiler import Dim, Out, cuda, f32, kernel


class N(Dim): ...


@kernel
def symbolic_block_stride(y: Out[f32, N]):
    for i in range(cuda.grid(1), N, cuda.gridsize(1)):
        y[i] = 1.0
