"""Block intrinsics: reductions and scans that own their scratch memory, barriers that count.

In: nothing. Out: `ENTRIES`: each is a collective of the whole block and a barrier. They serve blocks of any size and
shape; threads are ordered as in warps (x fastest). The scratch is at most 512 bytes of shared memory for each dtype
in use; two uses in a row are safe.
Non-goals: `syncthreads()` itself (a statement of the IR).
"""

from __future__ import annotations

from transpiler.intrinsics.entry import Effect, Intrinsic
from transpiler.intrinsics.meaning import meaning
from transpiler.intrinsics.reductions import REDUCTIONS, SCANS, Reduction, reduction_cpp, reduction_rule
from transpiler.intrinsics.rules import fixed, gives, predicate
from transpiler.intrinsics.spelling import same
from transpiler.ir.types import BOOL, I32, DType

GUIDE = "CUDA C++ Programming Guide, Synchronization Functions"


def reduction(r: Reduction) -> Intrinsic:
    return Intrinsic(
        name=f"transpiler.cuda.block.{r.name}",
        params=("value",),
        rule=reduction_rule(r),
        effect=Effect.BLOCK,
        cpp=reduction_cpp("block", r),
        numpy=meaning("block.scan" if r in SCANS else "block.reduce", r.name),
        doc=f"{r.doc} over the threads of the block, in the dtype of `value` ({r.note}); a barrier. Source: {GUIDE}.",
        headers=("intrinsic_warp.cuh", "intrinsic_block.cuh"),
    )


def counting_barrier(name: str, result: DType, cpp: str, doc: str) -> Intrinsic:
    return Intrinsic(
        name=f"transpiler.cuda.{name}",
        params=("predicate",),
        rule=fixed((predicate,), gives(result)),
        effect=Effect.BLOCK,
        cpp=same(cpp),
        numpy=meaning(f"block.{name}"),
        doc=f"A barrier of the block that also tells {doc}. Source: {GUIDE}.",
    )


ENTRIES = (
    counting_barrier("syncthreads_count", I32, "__syncthreads_count({0})", "in how many threads `predicate` holds"),
    counting_barrier(
        "syncthreads_and", BOOL, "(bool)__syncthreads_and({0})", "whether `predicate` holds in all threads"
    ),
    counting_barrier("syncthreads_or", BOOL, "(bool)__syncthreads_or({0})", "whether `predicate` holds in some thread"),
    *map(reduction, (*REDUCTIONS, *SCANS)),
)
