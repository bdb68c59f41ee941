from transpiler import Dim, In, Out, cuda, f32, kernel


class M(Dim): ...


class K(Dim): ...


class N(Dim): ...


@kernel(block=(16, 16))
def gemm_without_tail(a: In[f32, M, K], b: In[f32, K, N], c: Out[f32, M, N]):
    s = cuda.shared.array((16, 16), f32)
    t = cuda.shared.array((16, 16), f32)
    tx, ty = cuda.threadIdx.x, cuda.threadIdx.y
    x, y = cuda.grid(2)
    acc = 0.0
    for k0 in range(0, K, 16):
        s[ty, tx] = a[y, k0 + tx]
        t[ty, tx] = b[k0 + ty, x]
        cuda.syncthreads()
        for k in range(16):
            acc += s[ty, k] * t[k, tx]
        cuda.syncthreads()
    if x < N and y < M:
        c[y, x] = acc
