from transpiler import Dim, In, InOut, cuda, f32, i32, kernel, nondecreasing, requires


class M(Dim): ...


@kernel(block=64)
def segments_nondecreasing(p: In[i32, int], y: InOut[f32, M], n: i32):
    requires(nondecreasing(p))
    i = cuda.grid(1)
    if i < n:
        for k in range(p[i], p[i + 1]):
            if 0 <= k < M:
                y[k] = 1.0
