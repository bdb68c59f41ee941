from transpiler import InOut, cuda, f32, kernel, u32


@kernel(block=64)
def unsigned_wraps(y: InOut[f32, int], n: u32):
    i = u32(cuda.grid(1))
    if i < n:
        y[i - u32(1)] = 1.0
