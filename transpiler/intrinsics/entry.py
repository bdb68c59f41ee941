"""What the table of intrinsics says about one of them.

In: `math`, `simt`, `atomics`, ... (the modules of this folder) fill in entries. Out: `Intrinsic`, `Signature`, `Effect`.
An intrinsic is one entry and no other edit: the type rule is read by `check`, the effect by `lower` and `prove`, the C++ by
`emit`, the NumPy meaning by `simulate`, the doc by the reference page. Every field is required.
Non-goals: syntax forms that only look like calls (`range`, `len`, `cuda.shared.array`, `cuda.threadIdx`), known to `check`.
"""

from __future__ import annotations

from collections.abc import Callable
from enum import Enum
from typing import Any

from transpiler.ir.types import DType, IndexType, Type
from transpiler.records import node, record

Scalar = DType | IndexType


class Effect(Enum):
    """What a call does beside computing its result."""

    PURE = "pure"
    """Nothing: may stand in an expression, be repeated or dropped."""
    WARP = "warp"
    """A collective of the threads in its mask (first argument where it has one): must not diverge in the warp."""
    BLOCK = "block"
    """A collective of the block that is a barrier too (`syncthreads_or`, `block.sum`)."""
    VOLATILE = "volatile"
    """Reads what changes by itself (`clock`, `activemask`): keeps its place."""


@record
class Signature:
    """How one call is typed: arguments are converted to `args`, the results have types `results` (none, one or more)."""

    args: tuple[Scalar, ...]
    results: tuple[Scalar, ...]


Rule = Callable[[tuple[Type, ...]], Signature | str]
"""From the argument types (weak literals included) to a signature, or to the reason of a refusal (a sentence)."""


@node(kw_only=True)
class Intrinsic:
    """`name` is the qualified name that `frontend` resolves to: `math.sqrt`, `transpiler.cuda.popc`."""

    name: str
    params: tuple[str, ...]
    """Names for keyword arguments and messages; a trailing `name=value` has that default, `name=None` may be left out."""
    rule: Rule
    effect: Effect
    cpp: Callable[[Signature], str]
    """A format string with `{0}`, `{1}`, ... for the converted arguments: `"sqrtf({0})"`; several results are `{r0}`, `{r1}`."""
    numpy: Callable[..., Any]
    """On lanes: arrays of the NumPy dtypes of the signature (INDEX is int64, bf16 `ml_dtypes.bfloat16`), whole vectors at once.
    All but the pure ones get `(active, *args)` with `active` a bool array shaped (warps or blocks, threads in it; warps for
    `VOLATILE`) and args of that shape. Gives one array, a tuple of them for several results, None for none."""
    doc: str
    headers: tuple[str, ...] = ()
    """Device code that the C++ needs: file names in `templates/device`."""
    min_arch: int = 50
