from transpiler import InOut, Out, cuda, i32, kernel


@kernel(block=64)
def grid_sync_missing(a: InOut[i32, int], b: Out[i32, int]):
    i = cuda.grid(1)
    a[i] = i
    cuda.syncthreads()
    b[i] = a[cuda.gridsize(1) - 1 - i]
