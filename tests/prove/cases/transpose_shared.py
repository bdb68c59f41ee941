from transpiler import Dim, In, Out, cuda, f32, kernel


class M(Dim): ...


class N(Dim): ...


@kernel(block=(32, 8))
def transpose_shared(a: In[f32, M, N], b: Out[f32, N, M]):
    tile = cuda.shared.array((32, 33), f32)
    tx, ty = cuda.threadIdx.x, cuda.threadIdx.y
    i0, j0 = cuda.blockIdx.y * 32, cuda.blockIdx.x * 32
    for r in range(ty, 32, 8):
        if i0 + r < M and j0 + tx < N:
            tile[r, tx] = a[i0 + r, j0 + tx]
    cuda.syncthreads()
    for r in range(ty, 32, 8):
        if j0 + r < N and i0 + tx < M:
            b[j0 + r, i0 + tx] = tile[tx, r]
