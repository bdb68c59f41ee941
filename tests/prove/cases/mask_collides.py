from transpiler import Out, cuda, i32, kernel


@kernel(block=64, grid=1)
def mask_collides(y: Out[i32, 64]):
    s = cuda.shared.array(64, i32)
    tx = cuda.threadIdx.x
    s[tx & 47] = tx
    cuda.syncthreads()
    y[tx] = s[tx & 47]
