from transpiler import InOut, cuda, i32, kernel


@kernel(block=64, grid=1)
def butterfly(y: InOut[i32, 64]):
    s = cuda.shared.array(64, i32)
    tx = cuda.threadIdx.x
    s[tx] = y[tx]
    k = 1
    while k < 64:
        cuda.syncthreads()
        v = s[tx ^ k]
        cuda.syncthreads()
        s[tx] = v
        k *= 2
    y[tx] = s[tx]
