from transpiler import Out, cuda, i32, kernel


@kernel(block=64)
def warp_barrier_in_branch(y: Out[i32, int]):
    tx = cuda.threadIdx.x
    if tx % 2 == 0:
        cuda.syncwarp()
    y[cuda.grid(1)] = tx
