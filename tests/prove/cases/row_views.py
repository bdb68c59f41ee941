from transpiler import Dim, InOut, cuda, device, f32, i64, kernel


class M(Dim): ...


class N(Dim): ...


@device
def clear(row: InOut[f32, int], t: i64):
    for k in range(t, len(row), 64):
        row[k] = 0.0


@kernel(block=64, grid=M)
def row_views(a: InOut[f32, M, N]):
    clear(a[cuda.blockIdx.x], cuda.threadIdx.x)
