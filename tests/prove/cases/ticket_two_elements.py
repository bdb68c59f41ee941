from transpiler import Atomic, InOut, cuda, i32, kernel, u64


@kernel(block=64)
def ticket_two_elements(y: InOut[i32, int], c: Atomic[u64, 1], n: i32):
    i = cuda.grid(1)
    if i < n:
        t = cuda.atomic.add(c, 0, 1)
        if t < len(y) // 2:
            y[2 * t] = i
            y[2 * t + 1] = i
