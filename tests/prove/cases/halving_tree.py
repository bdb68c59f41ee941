from transpiler import InOut, cuda, f32, kernel


@kernel(block=512)
def halving_tree(a: InOut[f32, int]):
    s = cuda.shared.array(512, f32)
    tx, i = cuda.threadIdx.x, cuda.grid(1)
    s[tx] = a[i]
    cuda.syncthreads()
    for level in range(9):
        half = 256 >> level
        if tx < half:
            s[tx] += s[tx + half]
        cuda.syncthreads()
    a[i] = s[0]
