"""Statements: loops of every kind, branches, scopes, comments."""

from transpiler import Dim, In, InOut, Out, cuda, f32, i32, kernel, unroll


class N(Dim): ...


# Where control flow goes.
@kernel(block=256)
def loops(x: In[f32, N], y: Out[f32, N], out: Out[i32, N], n: i32, s: i32):
    """Loops of every kind.

    Indented:
        a \\ backslash stays, */ too.
    """
    i = cuda.grid(1)
    if i >= N:
        return  # nothing for this thread
    # upwards
    acc = 0.0
    for k in range(n):
        if x[k % 8] < 0.0 and k < N:
            continue
        acc += 1.0
    # downwards, with a step
    for _ in range(31, -1, -2):
        acc -= 2.0
    for _ in unroll(range(4)):
        acc *= 1.5
    for _ in range(0, n, s):
        acc += 1.0
        n = n - 1
    found = -1
    while True:
        found += 1
        if found * found > n:
            break
    if found > 3:
        sign = 1.0
    elif found > 2:
        sign = 0.5
    else:
        sign = -1.0
    y[i] = acc * sign
    out[i] = found
    # the end


@kernel
def free_block(x: InOut[f32, int, int]):
    i, j = cuda.grid(2)
    if j < x.shape[0] and i < x.shape[1]:
        while x[j, i] > 1.0:
            x[j, i] /= 2.0
