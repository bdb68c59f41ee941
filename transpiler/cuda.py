"""The `cuda` namespace of kernels: names that Numba gave them. Signatures and documentation stand in `cuda.pyi`.

In: nothing. Out: inert names, so that kernel files import anywhere; using one on the host is an error that says so.
Non-goals: what an intrinsic means (`transpiler.intrinsics`).
"""

from __future__ import annotations

from transpiler.lang import KernelWord

NAMES = frozenset(
    """
    threadIdx blockIdx blockDim gridDim laneid warpsize grid gridsize
    shared local const atomic block warp random
    syncthreads syncthreads_count syncthreads_and syncthreads_or syncwarp this_grid
    threadfence threadfence_block threadfence_system
    shfl_sync shfl_up_sync shfl_down_sync shfl_xor_sync
    all_sync any_sync ballot_sync match_any_sync match_all_sync activemask lanemask_lt
    popc clz ffs brev fma cbrt rsqrt fmin fmax
    """.split()  # noqa: SIM905 (a list of forty quoted names reads worse)
)


def __getattr__(name: str) -> KernelWord:
    if name not in NAMES:
        raise AttributeError(f"module 'transpiler.cuda' has no attribute {name!r}")
    return KernelWord(f"cuda.{name}")


def __dir__() -> list[str]:
    return sorted(NAMES)
