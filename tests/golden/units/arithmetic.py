"""Numbers: widths, floors, casts, literals, constants by name."""

import math

from transpiler import Dim, In, Out, cuda, f32, f64, i32, i64, kernel, u8, u32

SCALE = 0.1
MASK = 0xFF
LIMIT = 1 << 10
TAU = math.tau


class N(Dim): ...


@kernel(domain=N, block=128)
def numbers(
    a: In[i32, N], b: In[u8, N], x: In[f32, N], y: In[f64, N], p: Out[i64, N], q: Out[f32, N], r: Out[f64, N], n: i32
):
    i = cuda.grid(1)
    if i < N:
        p[i] = i64(a[i] + a[i] * 3) + i64((n - 1) // 3 + n % 5 + i // 4)
        q[i] = SCALE * x[i] + f32(b[i]) * TAU - x[i] ** 2 / 3.0 + min(x[i], 1.0) - abs(x[i])
        r[i] = y[i] // 0.3 + y[i] % SCALE + f64(x[i]) + round(x[i]) + 1e-30
        if b[i] & MASK == 7 or a[i] < LIMIT < n or not a[i] > b[i]:
            p[i] = i64(i * i + (1 << (i & 7))) - (-(2**31)) + i64(u32(a[i]) >> 3) - i64(~b[i])
