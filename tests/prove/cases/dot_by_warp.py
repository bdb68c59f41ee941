from transpiler import In, InOut, cuda, f32, i32, kernel


@kernel(block=256)
def dot_by_warp(x: In[f32, int], y: In[f32, int], part: InOut[f32, int], n: i32):
    i = cuda.grid(1)
    v = x[i] * y[i] if i < n else 0.0
    off = 16
    while off > 0:
        v += cuda.shfl_down_sync(0xFFFFFFFF, v, off)
        off //= 2
    if cuda.laneid == 0:
        part[cuda.threadIdx.x // 32] = v
