from transpiler import In, Out, cuda, f32, kernel


@kernel(block=64)
def warp_tree_too_few(x: In[f32, int], out: Out[f32, int]):
    s = cuda.shared.array(64, f32)
    tx = cuda.threadIdx.x
    s[tx] = x[cuda.grid(1)]
    cuda.syncwarp()
    v = s[(tx + 32) % 64]
    cuda.syncwarp()
    s[tx] = v
    cuda.syncthreads()
    out[cuda.grid(1)] = s[tx]
