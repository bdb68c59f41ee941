from transpiler import In, Out, cuda, i32, kernel


@kernel(block=256)
def warp_output(x: In[i32, int], out: Out[i32, int], n: i32):
    i = cuda.grid(1)
    if cuda.laneid == 0 and i // 32 < n:
        out[i // 32] = x[i // 32]
