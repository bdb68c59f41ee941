from transpiler import In, Out, cuda, f32, kernel


@kernel(block=64)
def block_sum_twice(x: In[f32, int], y: Out[f32, int]):
    i = cuda.grid(1)
    a = cuda.block.sum(x[i])
    b = cuda.block.sum(x[i] * x[i])
    y[i] = a + b
