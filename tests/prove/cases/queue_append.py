from transpiler import Atomic, In, Out, cuda, i32, kernel


@kernel(block=128)
def queue_append(x: In[i32, int], queue: Out[i32, int], tail: Atomic[i32, int], n: i32, cap: i32):
    for i in range(cuda.grid(1), n, cuda.gridsize(1)):
        if x[i] > 0:
            at = cuda.atomic.add(tail, 0, 1)
            if 0 <= at < cap:
                queue[at] = i
