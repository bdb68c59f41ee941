from transpiler import InOut, Out, cuda, i32, kernel


@kernel(block=64)
def grid_sync(a: InOut[i32, int], b: Out[i32, int]):
    i = cuda.grid(1)
    a[i] = i
    cuda.this_grid().sync()
    b[i] = a[cuda.gridsize(1) - 1 - i]
