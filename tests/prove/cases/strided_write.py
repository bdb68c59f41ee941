from transpiler import Out, cuda, i32, kernel, requires


@kernel(block=64)
def strided_write(out: Out[i32, int], n: i32, pitch: i32):
    requires(pitch >= 1)
    i = cuda.grid(1)
    if i < n:
        out[i * pitch] = i
