from transpiler import Out, cuda, f32, i32, kernel, requires


@kernel(block=64)
def product_bounded(y: Out[f32, int], n: i32, m: i32):
    requires(n <= 1000, m >= 1, m <= 1000)
    i = cuda.grid(1)
    if i < n:
        at: i32 = i * m
        y[at] = 1.0
