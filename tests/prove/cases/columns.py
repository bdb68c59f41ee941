from transpiler import In, Out, cuda, f32, i32, kernel, requires


@kernel(block=(16, 16))
def columns(a: In[f32, int], out: Out[f32, int], w: i32, h: i32):
    requires(w >= 0, h >= 0)
    x, y = cuda.grid(2)
    if x < w and y < h:
        out[x * h + y] = a[y * w + x]
