from transpiler import Out, cuda, i32, kernel


@kernel(block=64)
def divergent_break(y: Out[i32, int], n: i32):
    s = cuda.shared.array(64, i32, fill=0)
    tx = cuda.threadIdx.x
    for k in range(8):
        if k > tx:
            break
        s[tx] = k
        cuda.syncthreads()
    y[cuda.grid(1)] = s[tx]
