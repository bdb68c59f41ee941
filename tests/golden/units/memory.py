"""Memory: orders, strides, shared, dynamic shared, local and constant arrays, atomics."""

from transpiler import Atomic, Dim, FOrder, In, Out, Strided, cuda, f32, f64, i32, i64, kernel, requires, u32

TILE = 16


class M(Dim): ...


class N(Dim): ...


@kernel(block=(TILE, TILE), grid=(N // TILE, M // TILE))
def orders(
    a: In[f32, M, N], b: In[f32, M, N, FOrder], c: In[f32, int, int, Strided], d: Out[f32, M, N], e: In[f32, 4, 8]
):
    requires(M % TILE == 0, N % TILE == 0)
    tile = cuda.shared.array((TILE, TILE + 1), f32)
    weights = cuda.local.array(3, f32)
    tx, ty = cuda.threadIdx.x, cuda.threadIdx.y
    i, j = cuda.blockIdx.y * TILE + ty, cuda.blockIdx.x * TILE + tx
    for k in range(3):
        weights[k] = 1.0 / (k + 1)
    tile[ty, tx] = a[i, j]
    cuda.syncthreads()
    d[i, j] = tile[tx, ty] * weights[1] + b[i, j] + c[i, j - 1] + e[ty % 4, tx % 8]


@kernel(block=64)
def dynamic(x: In[f32, int], y: Out[f64, int], n: i32):
    requires(n >= 0)
    keys = cuda.shared.array(n, i32)
    sums = cuda.shared.array((n, 2), f64)
    rest = cuda.shared.array(0, f32)
    tx = cuda.threadIdx.x
    if tx < n:
        keys[tx] = tx
        sums[tx, 1] = 0.0
        rest[tx] = x[tx]
        y[tx] = sums[tx, 1] + keys[tx] + rest[tx]


@kernel(block=32)
def atomics(c: Atomic[i32, 4], u: Atomic[u32, 4], w: Atomic[i64, 4], f: Atomic[f32, 4], out: Out[i32, N]):
    i = cuda.grid(1)
    t = cuda.atomic.add(c, 0, 1)
    cuda.atomic.max(c, 1, i, order="acq_rel", scope="block")
    cuda.atomic.inc(u, 0, 10)
    cuda.atomic.add(w, 2, 5)
    cuda.atomic.min(f, 0, 2.5)
    old = cuda.atomic.cas(c, 2, 0, 7)
    cuda.threadfence()
    if i < N:
        out[i] = t + old
