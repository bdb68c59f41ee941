from transpiler import In, Out, cuda, f32, kernel


@kernel(block=(32, 32), grid=1)
def swizzle(a: In[f32, 32, 32], b: Out[f32, 32, 32]):
    s = cuda.shared.array((32, 32), f32)
    tx, ty = cuda.threadIdx.x, cuda.threadIdx.y
    s[ty, tx ^ ty] = a[ty, tx]
    cuda.syncthreads()
    b[tx, ty] = s[ty, tx ^ ty]
