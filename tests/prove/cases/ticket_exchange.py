from transpiler import Atomic, InOut, cuda, i32, kernel, u32


@kernel(block=64)
def ticket_exchange(y: InOut[i32, int], c: Atomic[u32, 1], n: i32):
    i = cuda.grid(1)
    if i < n:
        t = cuda.atomic.add(c, 0, 1)
        if t < len(y):
            y[t] = i
    else:
        cuda.atomic.exch(c, 0, 0)
