from transpiler import Dim, Out, cuda, i32, kernel


class N(Dim): ...


@kernel(block=64, grid=1)
def dynamic_shared(y: Out[i32, N]):
    s = cuda.shared.array(N, i32)
    tx = cuda.threadIdx.x
    for k in range(tx, N, 64):
        s[k] = k
    cuda.syncthreads()
    for k in range(tx, N, 64):
        y[k] = s[N - 1 - k]
