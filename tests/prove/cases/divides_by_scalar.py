from transpiler import Out, cuda, i32, kernel


@kernel(block=64)
def divides_by_scalar(y: Out[i32, int], n: i32, m: i32):
    i = cuda.grid(1)
    if i < n:
        y[i] = i // m
