from transpiler import Out, cuda, device, i32, i64, kernel


@device
def wait(t: i64):
    if t > 8:
        return
    cuda.syncthreads()


@kernel(block=64)
def function_returns_early(y: Out[i32, int]):
    wait(cuda.threadIdx.x)
    y[cuda.grid(1)] = 1
