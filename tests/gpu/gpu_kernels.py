"""Kernels of the device tests."""

import math

from transpiler import (
    Atomic,
    Dim,
    In,
    InOut,
    Out,
    Strided,
    bf16,
    bool_,
    cuda,
    f16,
    f32,
    f64,
    i32,
    i64,
    kernel,
    permutation,
    requires,
    u8,
)


class M(Dim): ...


class N(Dim): ...


@kernel(domain=N, block=256)
def saxpy(a: f32, x: In[f32, N], y: InOut[f32, N]):
    i = cuda.grid(1)
    if i < N:
        y[i] = a * x[i] + y[i]


@kernel(block=(32, 8), grid=(N // 32, M // 32))
def transpose(a: In[f32, M, N], b: Out[f32, N, M]):
    requires(M % 32 == 0, N % 32 == 0)
    tile = cuda.shared.array((32, 33), f32)
    tx, ty = cuda.threadIdx.x, cuda.threadIdx.y
    i0, j0 = cuda.blockIdx.y * 32, cuda.blockIdx.x * 32
    for r in range(ty, 32, 8):
        tile[r, tx] = a[i0 + r, j0 + tx]
    cuda.syncthreads()
    for r in range(ty, 32, 8):
        b[j0 + r, i0 + tx] = tile[tx, r]


@kernel(domain=N, block=256)
def slow_fill(y: Out[f32, N], value: f32, rounds: i32):
    """Writes `value` after a chain of `rounds` dependent operations that no compiler removes."""
    i = cuda.grid(1)
    if i < N:
        v = f32(i)
        for _ in range(rounds):
            v = v * f32(0.999) + f32(0.5)
        if v < f32(-1.0):
            y[i] = v
        else:
            y[i] = value


@kernel(domain=N, block=256)
def copy(x: In[f32, N], y: Out[f32, N]):
    i = cuda.grid(1)
    if i < N:
        y[i] = x[i]


@kernel(domain=N, block=256)
def copy_strided(x: In[f32, N, Strided], y: Out[f32, N, Strided]):
    i = cuda.grid(1)
    if i < N:
        y[i] = x[i]


@kernel(domain=N, block=256)
def all_scalars(ints: Out[i64, N], floats: Out[f64, N], a: i32, b: i64, c: f32, d: f16, e: u8, f: bool_):
    i = cuda.grid(1)
    if i < N:
        ints[i] = a if i == 0 else b if i == 1 else i64(e) if i == 2 else i64(f)
        floats[i] = f64(c) if i == 0 else f64(d)


@kernel(domain=N, block=256)
def add_half(x: In[f16, N], y: InOut[f16, N]):
    i = cuda.grid(1)
    if i < N:
        y[i] = x[i] + y[i]


@kernel(domain=N, block=256)
def add_bf16(x: In[bf16, N], y: InOut[bf16, N]):
    i = cuda.grid(1)
    if i < N:
        y[i] = x[i] + y[i]


@kernel(block=256)
def histogram(x: In[i32, int], hist: Atomic[i32, int], n: i32, bins: i32):
    i = cuda.grid(1)
    if i < n:
        b = x[i]
        if b >= 0 and b < bins:
            cuda.atomic.add(hist, b, 1)


@kernel(domain=N, block=256, checks="dynamic")
def gather(index: In[f32, N], x: In[f32, M], y: Out[f32, N]):
    requires(M >= 1)
    i = cuda.grid(1)
    if i < N:
        y[i] = x[i32(index[i])]


@kernel(domain=N, block=256)
def asserting(x: In[f32, N], y: Out[f32, N]):
    i = cuda.grid(1)
    if i < N:
        assert math.exp(x[i]) < 100.0, "x is too large"
        y[i] = x[i]


@kernel(block=256, grid=N // 256)
def large_shared(x: In[f32, N], y: Out[f32, N]):
    """More than 48 KB of shared memory: the launch opts in."""
    requires(N % 256 == 0)
    tile = cuda.shared.array((64, 256), f32)
    t = cuda.threadIdx.x
    for r in range(64):
        tile[r, t] = x[cuda.grid(1)] + f32(r)
    cuda.syncthreads()
    y[cuda.grid(1)] = tile[63, 255 - t]


@kernel(domain=N, block=256)
def scatter(p: In[i32, N], x: In[f32, N], y: Out[f32, N]):
    requires(permutation(p))
    i = cuda.grid(1)
    if i < N:
        y[p[i]] = x[i]


@kernel(domain=N, block=256)
def shift_all(p: InOut[i32, N]):
    i = cuda.grid(1)
    if i < N:
        p[i] = p[i] + 1
