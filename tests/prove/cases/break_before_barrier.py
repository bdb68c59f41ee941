from transpiler import Out, cuda, i32, kernel


@kernel(block=64)
def break_before_barrier(y: Out[i32, int], n: i32, m: i32):
    s = cuda.shared.array(64, i32, fill=0)
    tx = cuda.threadIdx.x
    v = 0
    for k in range(n):
        v += s[63 - tx]
        if k == m:
            break
        cuda.syncthreads()
    s[tx] = v
    y[cuda.grid(1)] = v
