from transpiler import Out, cuda, i32, kernel, requires


@kernel(block=64)
def one_trip_at_least(y: Out[i32, int], n: i32):
    requires(n >= 1)
    s = cuda.shared.array(64, i32)
    tx = cuda.threadIdx.x
    s[tx] = tx
    for _ in range(n):
        cuda.syncthreads()
    y[cuda.grid(1)] = s[63 - tx]
