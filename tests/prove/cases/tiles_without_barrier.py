from transpiler import In, Out, cuda, f32, i32, kernel


@kernel(block=256)
def tiles_without_barrier(x: In[f32, int], out: Out[f32, int], n: i32):
    tile = cuda.shared.array(256, f32)
    tx = cuda.threadIdx.x
    acc = 0.0
    for t in range(n):
        tile[tx] = x[t * 256 + tx]
        cuda.syncthreads()
        for j in range(256):
            acc += tile[j]
    out[cuda.grid(1)] = acc
