from transpiler import InOut, cuda, f32, kernel


@kernel(block=128)
def bitonic(a: InOut[f32, int]):
    s = cuda.shared.array(128, f32)
    tx, i = cuda.threadIdx.x, cuda.grid(1)
    s[tx] = a[i]
    cuda.syncthreads()
    k = 2
    while k <= 128:
        j = k // 2
        while j > 0:
            p = tx ^ j
            if p > tx:
                up = tx & k == 0
                u, v = s[tx], s[p]
                if (u > v) == up:
                    s[tx] = v
                    s[p] = u
            cuda.syncthreads()
            j //= 2
        k *= 2
    a[i] = s[tx]
