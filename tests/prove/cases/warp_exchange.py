from transpiler import Out, cuda, i32, kernel


@kernel(block=64)
def warp_exchange(y: Out[i32, int]):
    s = cuda.shared.array(64, i32)
    tx = cuda.threadIdx.x
    s[tx] = tx
    cuda.syncwarp()
    y[cuda.grid(1)] = s[tx ^ 1]
