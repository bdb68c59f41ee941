from transpiler import In, Out, cuda, i32, kernel


@kernel(block=128)
def compact_by_lane(x: In[i32, int], out: Out[i32, int], n: i32):
    i = cuda.grid(1)
    keep = i < n and x[i] > 0
    below = cuda.laneid
    if keep and below < n:
        out[below] = x[i]
