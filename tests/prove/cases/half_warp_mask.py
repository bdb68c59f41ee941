from transpiler import In, InOut, cuda, i32, kernel


@kernel(block=64)
def half_warp_mask(x: In[i32, int], y: InOut[i32, int]):
    i = cuda.grid(1)
    v = x[i]
    if cuda.laneid < 16:
        v += cuda.shfl_down_sync(0xFFFF, v, 8)
    y[i] = v
