from transpiler import Dim, Out, cuda, i32, kernel


class N(Dim): ...


@kernel(block=64, grid=1)
def dynamic_shared_short(y: Out[i32, N]):
    s = cuda.shared.array(N, i32)
    tx = cuda.threadIdx.x
    s[tx] = tx
    cuda.syncthreads()
    if tx < N:
        y[tx] = s[tx]
