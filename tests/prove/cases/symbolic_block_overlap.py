from transpiler import Dim, Out, cuda, f32, kernel


class N(Dim): ...


@kernel
def symbolic_block_overlap(y: Out[f32, N]):
    i = cuda.blockIdx.x * 32 + cuda.threadIdx.x
    if i < N:
        y[i] = 1.0
