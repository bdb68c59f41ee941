from transpiler import InOut, cuda, i32, kernel


@kernel(block=64)
def barrier_behind_return(y: InOut[i32, int], n: i32):
    i = cuda.grid(1)
    if i >= n:
        return
    y[i] = i
    cuda.syncthreads()
