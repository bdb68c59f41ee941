"""Intrinsics on the bits of integers.

In: nothing. Out: `ENTRIES`, all pure. Integers narrower than 32 bits are widened first, keeping their value, as in
C++ and Numba.
Non-goals: `& | ^ ~ << >>` (operators of the IR).
"""

from __future__ import annotations

from transpiler.intrinsics.entry import Effect, Intrinsic, Rule, Signature
from transpiler.intrinsics.meaning import meaning
from transpiler.intrinsics.rules import bits32, fixed, gives, gives_argument, same_words, sized_word, word
from transpiler.intrinsics.spelling import Cpp, as_type, by_width, same
from transpiler.ir.types import I32, I64, U32, U64

GUIDE = "CUDA Math API, Integer Intrinsics"


def reverse(signature: Signature) -> str:
    """CUDA reverses unsigned words only."""
    (dtype,) = signature.results
    text = "__brevll({0})" if dtype in (I64, U64) else "__brev({0})"
    return as_type(dtype, text) if dtype in (I32, I64) else text


def high_half(signature: Signature) -> str:
    return {I32: "__mulhi", U32: "__umulhi", I64: "__mul64hi", U64: "__umul64hi"}[signature.args[0]] + "({0}, {1})"  # type: ignore[index]


def entry(name: str, params: str, rule: Rule, cpp: Cpp, doc: str) -> Intrinsic:
    return Intrinsic(
        name=f"transpiler.cuda.{name}",
        params=tuple(params.split()),
        rule=rule,
        effect=Effect.PURE,
        cpp=cpp,
        numpy=meaning(f"bits.{name}"),
        doc=f"{doc} Source: {GUIDE}.",
    )


ENTRIES = (
    entry(
        "popc", "x", fixed((word,), gives(I32)), by_width("__popc({0})", "__popcll({0})"), "How many bits of x are set."
    ),
    entry(
        "clz",
        "x",
        fixed((sized_word,), gives(I32)),
        by_width("__clz({0})", "__clzll({0})"),
        "How many zero bits stand above the highest set bit: the width (32 or 64) for 0.",
    ),
    entry(
        "ffs",
        "x",
        fixed((word,), gives(I32)),
        by_width("__ffs({0})", "__ffsll({0})"),
        "The position of the lowest set bit, counted from 1; 0 for 0.",
    ),
    entry("brev", "x", fixed((sized_word,), gives_argument(0)), reverse, "x with its 32 or 64 bits in reverse order."),
    entry("mulhi", "x y", same_words, high_half, "The upper half of the product of two integers of one dtype."),
    entry(
        "byte_perm",
        "x y selector",
        fixed((bits32, bits32, bits32), gives(U32)),
        same("__byte_perm({0}, {1}, {2})"),
        "Four bytes picked from the eight of y (upper) and x by the lowest three bits of each nibble of `selector`.",
    ),
    entry(
        "funnelshift_l",
        "low high shift",
        fixed((bits32, bits32, bits32), gives(U32)),
        same("__funnelshift_l({0}, {1}, {2})"),
        "The upper word of `high:low` shifted left by `shift & 31`.",
    ),
    entry(
        "funnelshift_r",
        "low high shift",
        fixed((bits32, bits32, bits32), gives(U32)),
        same("__funnelshift_r({0}, {1}, {2})"),
        "The lower word of `high:low` shifted right by `shift & 31`.",
    ),
)
