from transpiler import InOut, cuda, i32, kernel, u32


@kernel(block=64)
def ticket_reset(y: InOut[i32, int], n: i32):
    s = cuda.shared.array(1, u32, fill=0)
    q = cuda.shared.array(64, i32)
    tx = cuda.threadIdx.x
    t = cuda.atomic.add(s, 0, 1)
    cuda.syncthreads()
    if tx == 0:
        s[0] = u32(0)
    cuda.syncthreads()
    r = cuda.atomic.add(s, 0, 1)
    if t < 64:
        q[t] = tx
    if r < 64:
        q[r] = tx
