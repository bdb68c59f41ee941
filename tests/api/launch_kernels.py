"""Kernels that the tests of the Python interface launch, pickle and change."""

import math

from transpiler import Const, Dim, DType, In, InOut, Out, cuda, device, f16, f32, f64, i32, kernel, requires

TILE = 16
NOT_PROVED = 3


class M(Dim): ...


class N(Dim): ...


class T(DType, of=(f16, f32, f64)): ...


@kernel(domain=N, block=256)
def saxpy(a: f32, x: In[f32, N], y: InOut[f32, N]):
    """y = a * x + y"""
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


@device
def scaled(v: f32) -> f32:
    return v * TILE


@kernel(block=256)
def fill(y: Out[f32, int], n: i32 = 8):
    i = cuda.grid(1)
    if i < n:
        y[i] = scaled(f32(i))


@kernel(domain=N, block=128)
def add(x: In[T, N], y: InOut[T, N], s: T):
    i = cuda.grid(1)
    if i < N:
        y[i] = x[i] + y[i] * s


@kernel(domain=N, block=128)
def constant(y: Out[i32, N], k: Const[int]):
    i = cuda.grid(1)
    if i < N:
        y[i] = k


@kernel(domain=N, block=128)
def maybe(y: InOut[f32, N], bias: In[f32, N] | None = None):
    i = cuda.grid(1)
    if i < N:
        if bias is not None:
            y[i] = y[i] + bias[i]
        else:
            y[i] = 0.0


@kernel(block=64)
def unannotated(x, y, n):
    i = cuda.grid(1)
    if i < n:
        y[i] = x[i] + 1


@kernel(domain=N, block=256)
def asserting(x: In[f32, N], y: Out[f32, N]):
    i = cuda.grid(1)
    if i < N:
        assert math.exp(x[i]) < 100.0, "x is too large"
        y[i] = x[i]


@kernel(domain=N, block=256)
def racy(y: InOut[f32, N]):
    i = cuda.grid(1)
    if i < N:
        y[0] = y[i]
