from transpiler import In, Out, cuda, i32, kernel, requires


@kernel(block=64)
def no_trailing_barrier(x: In[i32, int], y: Out[i32, int], n: i32):
    requires(n >= 0)
    s = cuda.shared.array(64, i32)
    tx = cuda.threadIdx.x
    total = 0
    for k in range(n):
        s[tx] = x[k * 64 + tx]
        cuda.syncthreads()
        total += s[63 - tx]
    y[cuda.grid(1)] = total
