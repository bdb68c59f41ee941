from transpiler import Atomic, InOut, cuda, f32, i32, kernel


@kernel(block=64)
def ticket_float(y: InOut[i32, int], c: Atomic[f32, 1], n: i32):
    i = cuda.grid(1)
    if i < n:
        t = i32(cuda.atomic.add(c, 0, 1.0))
        if t >= 0 and t < len(y):
            y[t] = i
