from transpiler import In, Out, cuda, f32, i32, kernel


@kernel(block=128)
def block_reduce(x: In[f32, int], out: Out[f32, int], n: i32):
    part = cuda.shared.array(4, f32)
    tx, i = cuda.threadIdx.x, cuda.grid(1)
    v = x[i] if i < n else 0.0
    off = 16
    while off > 0:
        v += cuda.shfl_down_sync(0xFFFFFFFF, v, off)
        off //= 2
    if tx % 32 == 0:
        part[tx // 32] = v
    cuda.syncthreads()
    if tx == 0:
        out[cuda.blockIdx.x] = part[0] + part[1] + part[2] + part[3]
