from typing import Literal

import numpy as np

from transpiler import (
    Const,
    Dim,
    DType,
    FOrder,
    In,
    InOut,
    Kernel,
    Out,
    Strided,
    bf16,
    cuda,
    device,
    f16,
    f32,
    f64,
    i32,
    injective,
    kernel,
    permutation,
    requires,
    transpile,
    unroll,
    vec,
    verified,
)
from transpiler import cuda as cu
from transpiler.cuda import grid as g


class M(Dim): ...


class N(Dim): ...


class T(DType, of=(f16, bf16, f32)): ...


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


@device
def clamp(v: f32, lo: f32 = 0.0, hi: f32 = 1.0) -> f32:
    if v < lo:
        return 0.0
    return min(v, hi)


@kernel
def generic(
    x: In[T, N],
    y: Out[T, N],
    s: T,
    p: In[i32, N],
    k: Const[int],
    o: In[f64, ()] | None = None,
    w: In[np.float32, M, Literal[3], Strided] | None = None,
    u: In[f32, M, N, FOrder] | None = None,
    n: i32 = 3,
):
    requires(injective(p))
    i = g(1)
    acc = 0.0
    for r in unroll(range(4)):
        acc += float(x[i]) * r
    for j in range(N):
        acc += clamp(x[j], 0.5)
    v = vec(f32, 3)(1.0, 2.0, 3.0)
    if i < N and 0 <= i < len(x) and x.shape[0] > 2:
        y[i] = T(acc) + x[i] * s + v.x + M // 2 + (M - 1) % 2 + i % N + N * i
    if o is not None:
        y[0] = o[()]
    x0, y0 = cu.grid(2)
    old = cu.atomic.add(y, (x0, y0), 1)
    z = f32(old) + i32(3)
    y[i] += z


saxpy(2.0, 1, 2)
saxpy[3, 256](2.0, 1, 2)
saxpy[(3, 1), (256,)](2.0, 1, 2, stream=None, smem=0)
bound = saxpy.bind(2.0, 1, 2)
bound()
assert isinstance(saxpy, Kernel)
verified(1, permutation)
print(saxpy.source, saxpy.contract, transpile("x").source)
