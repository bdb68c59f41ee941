from transpiler import Out, cuda, f32, i32, kernel


@kernel(block=64)
def negative_step(y: Out[f32, int], n: i32):
    if cuda.grid(1) == 0:
        for k in range(n - 1, -1, -1):
            y[k] = 1.0
