from transpiler import Out, cuda, f32, kernel


@kernel(block=64, grid=1)
def modulo_of_negative(y: Out[f32, 64]):
    y[(cuda.threadIdx.x - 5) % 64] = 1.0
