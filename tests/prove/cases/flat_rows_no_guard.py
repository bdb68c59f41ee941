from transpiler import InOut, cuda, f32, i32, kernel, requires


@kernel(block=(16, 16))
def flat_rows_no_guard(a: InOut[f32, int], rows: i32, cols: i32):
    requires(cols >= 1, rows >= 0, rows * cols <= 1000000)
    x, y = cuda.grid(2)
    if y < rows and y * cols + x < len(a):
        a[y * cols + x] = 1.0
