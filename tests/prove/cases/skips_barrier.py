from transpiler import InOut, cuda, i32, kernel


@kernel(block=64)
def skips_barrier(y: InOut[i32, int], n: i32):
    s = cuda.shared.array(64, i32, fill=0)
    tx = cuda.threadIdx.x
    for k in range(n):
        if k % 3 == 0:
            cuda.syncthreads()
        s[(tx + k) % 64] = k
