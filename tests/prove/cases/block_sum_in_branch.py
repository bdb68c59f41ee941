from transpiler import In, InOut, cuda, f32, kernel


@kernel(block=64)
def block_sum_in_branch(x: In[f32, int], y: InOut[f32, int]):
    i = cuda.grid(1)
    if i < 100:
        y[i] = cuda.block.sum(x[i])
