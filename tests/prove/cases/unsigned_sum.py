from transpiler import InOut, cuda, f32, kernel, u32


@kernel(block=64)
def unsigned_sum(y: InOut[f32, int], n: u32):
    i = u32(cuda.grid(1))
    j = i + n
    if j < len(y):
        y[j] = 1.0
