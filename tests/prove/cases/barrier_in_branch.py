from transpiler import Out, cuda, i32, kernel


@kernel(block=64)
def barrier_in_branch(y: Out[i32, int]):
    tx = cuda.threadIdx.x
    if tx < 32:
        cuda.syncthreads()
    y[cuda.grid(1)] = tx
