from transpiler import Out, cuda, f32, i32, kernel, unroll


@kernel(block=64)
def vector_overlap(a: Out[f32, int], n: i32):
    i = cuda.grid(1)
    if i < n:
        for k in unroll(range(5)):
            a[4 * i + k] = 0.0
