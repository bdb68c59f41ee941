"""`deterministic=True`: results must not depend on the order in which threads come.

In: a typed kernel that asks for it. Out: a diagnostic for each atomic sum of floats, in the kernel and in what it calls: their
rounding depends on the order. Sums of integers, `min`, `max` and the reductions of `cuda.block` do not.
Non-goals: values that an atomic returns, which a kernel may use as it likes.
"""

from __future__ import annotations

from collections.abc import Iterator

from transpiler.check.meaning import ArrayMeaning, AtomicCall, Typed
from transpiler.diagnostics import Diagnostic


def check_determinism(kernel: Typed) -> list[Diagnostic]:
    if kernel.launch is None or not kernel.launch.options.deterministic:
        return []
    return [d for typed in _reached(kernel, set()) for d in _float_sums(typed)]


def _reached(typed: Typed, seen: set[int]) -> Iterator[Typed]:
    if id(typed) not in seen:
        seen.add(id(typed))
        yield typed
        for callee in typed.callees:
            yield from _reached(callee, seen)


def _float_sums(typed: Typed) -> Iterator[Diagnostic]:
    for call, resolved in typed.calls.items():
        if isinstance(resolved, AtomicCall) and resolved.op in ("add", "sub"):
            array = typed.meanings.get(resolved.array)
            if isinstance(array, ArrayMeaning) and array.dtype.is_float:
                yield Diagnostic(
                    code="E0311",
                    message=f"an atomic sum of {array.dtype} depends on the order of the threads: each order rounds differently",
                    source=typed.function.source,
                    span=call.span,
                    help="sum within blocks by `cuda.block.sum`, store one sum a block, add those up in a second kernel; "
                    "or leave out `deterministic=True`",
                )
