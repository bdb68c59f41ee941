from transpiler import Out, cuda, f32, i32, kernel


@kernel(block=64)
def product_in_i32(y: Out[f32, int], n: i32, m: i32):
    i = cuda.grid(1)
    if i < n:
        at: i32 = i * m
        if 0 <= at < len(y):
            pass
