from transpiler import Out, cuda, i32, kernel


@kernel(block=64, grid=5)
def constant_grid_large(y: Out[i32, 256]):
    y[cuda.grid(1)] = 1
