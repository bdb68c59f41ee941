from transpiler import Atomic, InOut, cuda, i32, kernel, u64


@kernel(block=64)
def ticket_step_two(y: InOut[i32, int], c: Atomic[u64, 1], n: i32):
    i = cuda.grid(1)
    if i < n:
        t = cuda.atomic.add(c, 0, 2)
        if t >= 0 and t < len(y):
            y[t] = i
