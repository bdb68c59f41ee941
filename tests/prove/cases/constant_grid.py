from transpiler import Out, cuda, i32, kernel


@kernel(block=64, grid=4)
def constant_grid(y: Out[i32, 256]):
    y[cuda.grid(1)] = 1
