from transpiler import In, Out, cuda, f32, kernel


@kernel(block=32)
def warp_tree(x: In[f32, int], out: Out[f32, int]):
    s = cuda.shared.array(32, f32)
    tx = cuda.threadIdx.x
    s[tx] = x[cuda.grid(1)]
    cuda.syncwarp()
    for off in (16, 8, 4, 2, 1):
        v = s[(tx + off) % 32]
        cuda.syncwarp()
        s[tx] = s[tx] + v
        cuda.syncwarp()
    if tx == 0:
        out[cuda.blockIdx.x] = s[0]
