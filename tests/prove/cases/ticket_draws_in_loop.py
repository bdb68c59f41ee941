from transpiler import Atomic, InOut, cuda, i32, kernel, u32


@kernel(block=64)
def ticket_draws_in_loop(y: InOut[i32, int], c: Atomic[u32, 1], n: i32):
    for k in range(n):
        t = cuda.atomic.add(c, 0, 1)
        if t < len(y):
            y[t] = k
