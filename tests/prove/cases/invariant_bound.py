from transpiler import Dim, In, InOut, cuda, f32, invariant, kernel


class N(Dim): ...


@kernel(block=64)
def invariant_bound(x: In[f32, N], y: InOut[f32, N]):
    i = cuda.grid(1)
    if i < N:
        j = 0
        k = 0
        while k < i:
            invariant(0 <= j <= k)
            if x[k] > 0.0:
                j += 1
            k += 1
        y[i] = x[j]
