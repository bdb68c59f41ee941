"""Device functions, several results, views as arguments, names that C++ reserves, printing and asserts."""

from transpiler import Const, Dim, In, InOut, Out, cuda, device, f32, i32, kernel


class N(Dim): ...


@device
def clamp(value, low, high):
    """Keep a value between two bounds."""
    return min(max(value, low), high)


@device
def both(x: f32):
    return x * x, -x


@device
def row_sum(row: In[f32, int]):
    total = 0.0
    for k in range(len(row)):
        total += row[k]
    return total


@kernel(block=128, instances=[{"K": 2}, {"K": 3}])
def named(this: In[f32, N, 8], register: InOut[f32, N], α: f32, K: Const[int]):
    int = cuda.grid(1)
    if int < N:
        square, minus = both(this[int, 0])
        double = row_sum(this[int])
        register[int] = clamp(square + minus * α, 0.0, 1.0) + double * K


@kernel(block=32)
def spoken(x: Out[f32, N], n: i32):
    i = cuda.grid(1)
    if i < N:
        assert n > 0, 'n is positive, "always"'
        print("thread", i, f"100% of {n:5d} and {α_value():.3f}")
        x[i] = 1.0


@device
def α_value():
    return f32(0.5)
