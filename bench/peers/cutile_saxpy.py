"""cuTile's side of `bench/cold_start.py`: compile saxpy to Tile IR bytecode , cold. A cubin would cost more."""

import io

import cuda.tile as ct
from cuda.tile.compilation import ArrayConstraint, CallingConvention, KernelSignature, ScalarConstraint, export_kernel


@ct.kernel
def saxpy(a, x, y):
    i = ct.bid(0)
    mine = ct.load(x, index=(i,), shape=(256,))
    other = ct.load(y, index=(i,), shape=(256,))
    ct.store(y, index=(i,), tile=a * mine + other)


vector = ArrayConstraint(
    ct.float32, 1, index_dtype=ct.int64, stride_lower_bound_incl=0, alias_groups=[], may_alias_internally=False
)
signature = KernelSignature([ScalarConstraint(ct.float32), vector, vector], CallingConvention.cutile_python_v1())
out = io.BytesIO()
export_kernel(saxpy, [signature], out, gpu_code="sm_90", output_format="tileir_bytecode")
assert out.getvalue()
