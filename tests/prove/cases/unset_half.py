from transpiler import Out, cuda, i32, kernel


@kernel(block=64)
def unset_half(y: Out[i32, int]):
    s = cuda.shared.array(64, i32)
    tx = cuda.threadIdx.x
    if tx < 32:
        s[tx] = tx
    cuda.syncthreads()
    y[cuda.grid(1)] = s[tx]
