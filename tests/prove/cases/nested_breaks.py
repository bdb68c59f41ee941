from transpiler import Out, cuda, i32, kernel


@kernel(block=64)
def nested_breaks(y: Out[i32, int], n: i32, m: i32):
    s = cuda.shared.array(64, i32, fill=0)
    tx = cuda.threadIdx.x
    j = 0
    while j < n:
        j += 1
        if j == m:
            continue
        k = 0
        while k < m:
            s[tx] = j
            cuda.syncthreads()
            v = s[63 - tx]
            cuda.syncthreads()
            if k > j:
                break
            s[tx] = v
            k += 1
            cuda.syncthreads()
    y[cuda.grid(1)] = s[tx]
