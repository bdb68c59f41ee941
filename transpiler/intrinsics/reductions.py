"""Reductions and scans, written once for the warp and for the block.

In: nothing. Out: `REDUCTIONS` and `SCANS`, their type rule and their C++. The result has the dtype of the value (a
count of bools is `i32`). Half precision is combined in f32 and rounded once at the end; signed sums and products are
done in unsigned words, so that they wrap. Floats are combined in one fixed order: the result does not vary from run
to run.
"""

from __future__ import annotations

from dataclasses import dataclass

from transpiler.intrinsics.entry import Rule, Signature
from transpiler.intrinsics.rules import value
from transpiler.intrinsics.spelling import FROM_FLOAT, TO_FLOAT, Cpp, as_type
from transpiler.ir.types import BOOL, I32, I64, U32, U64, DType, Type


@dataclass(frozen=True, slots=True)
class Reduction:
    """`function` is what the C++ helper is called after `warp_` or `block_`."""

    name: str
    kinds: tuple[str, ...]
    wraps: bool
    function: str
    doc: str
    note: str


NUMBERS, BITS = ("int", "uint", "float"), ("int", "uint", "bool")
COUNTED = (*NUMBERS, "bool")
WRAPS, ORDER, MISSING = "integers wrap, bools are counted in `i32`", "integers wrap", "a NaN counts as missing"

REDUCTIONS = (
    Reduction("sum", COUNTED, True, "sum", "The sum", WRAPS),
    Reduction("prod", NUMBERS, True, "prod", "The product", ORDER),
    Reduction("max", NUMBERS, False, "max", "The largest value", MISSING),
    Reduction("min", NUMBERS, False, "min", "The smallest value", MISSING),
    Reduction("and_", BITS, True, "and", "The bitwise and", "integers and bools"),
    Reduction("or_", BITS, True, "or", "The bitwise or", "integers and bools"),
    Reduction("xor", BITS, True, "xor", "The bitwise exclusive or", "integers and bools"),
)
SCANS = (
    Reduction("scan", COUNTED, True, "scan", "The sum of the values up to and including its own", WRAPS),
    Reduction(
        "exclusive_scan",
        COUNTED,
        True,
        "exclusive_scan",
        "The sum of the values before its own (0 for the first)",
        WRAPS,
    ),
)


def reduction_rule(reduction: Reduction) -> Rule:
    def rule(types: tuple[Type, ...]) -> Signature | str:
        dtype = value(types[0])
        if isinstance(dtype, str):
            return f"argument 1 must be {dtype}"
        assert isinstance(dtype, DType)
        if dtype == BOOL and "float" in reduction.kinds and "bool" in reduction.kinds:
            dtype = I32
        if dtype.kind not in reduction.kinds:
            return f"argument 1 must be of kind {' or '.join(reduction.kinds)}, not {dtype}"
        return Signature((dtype,), (dtype,))

    return rule


def reduction_cpp(scope: str, reduction: Reduction) -> Cpp:
    """The helpers exist for words of 32 and 64 bits and floats; others are converted on the way in and out."""
    helper = f"intrinsic::{scope}_{reduction.function}"

    def cpp(signature: Signature) -> str:
        (dtype,) = signature.args
        assert isinstance(dtype, DType)
        if dtype in TO_FLOAT:
            return FROM_FLOAT[dtype].format(f"{helper}({TO_FLOAT[dtype].format('{0}')})")
        word = accumulator(dtype, reduction.wraps)
        if word == dtype:
            return f"{helper}({{0}})"
        return as_type(dtype, f"{helper}({as_type(word, '({0})')})")

    return cpp


def accumulator(dtype: DType, wraps: bool) -> DType:
    if dtype.is_float:
        return dtype
    if dtype.bits == 64:
        return U64 if wraps or dtype == U64 else I64
    return U32 if wraps or dtype == U32 else I32
