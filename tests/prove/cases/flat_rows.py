from transpiler import Out, cuda, f32, i32, kernel


@kernel(block=(16, 16))
def flat_rows(a: Out[f32, int], rows: i32, cols: i32):
    x, y = cuda.grid(2)
    if y < rows and x < cols:
        a[y * cols + x] = 1.0
