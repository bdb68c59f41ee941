"""The `cuda` namespace of kernels: names that Numba gave them. Signatures and documentation stand in `cuda.pyi`.

In: nothing. Out: inert names, so that kernel files import anywhere; using one on the host is an error that says so.
Non-goals: what an intrinsic means (`transpiler.intrinsics`).
"""

from __future__ import annotations

from transpiler.lang import KernelWord

FORMS = frozenset(
    """
    threadIdx blockIdx blockDim gridDim laneid warpsize grid gridsize shared local const atomic
    cp_async cp_async_commit_group cp_async_wait_group
    syncthreads syncwarp this_grid cg threadfence threadfence_block threadfence_system
    """.split()  # noqa: SIM905 (a list of quoted names reads worse)
)
"""Names that are syntax; all others are in the table of intrinsics."""


def __getattr__(name: str) -> KernelWord:
    if name.startswith("_") or not (name in FORMS or name in _tabled()):
        raise AttributeError(f"module 'transpiler.cuda' has no attribute {name!r}")
    return KernelWord(f"cuda.{name}")


def __dir__() -> list[str]:
    return sorted(FORMS | _tabled())


def _tabled() -> frozenset[str]:
    from transpiler.intrinsics import ALIASES, TABLE

    prefix = f"{__name__}."
    names = (name for names in (TABLE, ALIASES) for name in names if name.startswith(prefix))
    return frozenset(name.removeprefix(prefix).partition(".")[0] for name in names)
