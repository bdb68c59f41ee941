from transpiler import InOut, Out, cuda, device, i32, i64, kernel


@device
def put(t: InOut[i32, int], at: i64, v: i64):
    t[at] = v
    cuda.syncthreads()


@kernel(block=64)
def barrier_in_function(y: Out[i32, int]):
    s = cuda.shared.array(64, i32)
    tx = cuda.threadIdx.x
    put(s, tx, tx)
    y[cuda.grid(1)] = s[63 - tx]
