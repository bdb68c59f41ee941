"""Warp intrinsics: exchanges, votes, matches with a mask, and reductions and scans over the threads of the warp.

In: nothing. Out: `ENTRIES`, all collectives of a warp. A mask names the threads that take part; `warp.sum` and its
kin take all threads of the warp that the block has. A value of 8 or 16 bits travels in 32.
Non-goals: `laneid`, `warpsize`, `syncwarp` (known to `check`).
"""

from __future__ import annotations

from transpiler.intrinsics.entry import Effect, Intrinsic, Rule, Scalar, Signature
from transpiler.intrinsics.meaning import meaning
from transpiler.intrinsics.reductions import REDUCTIONS, SCANS, Reduction, reduction_cpp, reduction_rule
from transpiler.intrinsics.rules import bits32, fixed, gives, gives_argument, narrow_int, predicate, value
from transpiler.intrinsics.spelling import Cpp, as_type, same
from transpiler.ir.types import BF16, BOOL, F16, I8, I16, U8, U16, U32, DType

GUIDE = "CUDA C++ Programming Guide"
SHUFFLE = f"{GUIDE}, Warp Shuffle Functions"
VOTE = f"{GUIDE}, Warp Vote Functions"
MATCH = f"{GUIDE}, Warp Match Functions"

IN_32_BITS = (BOOL, I8, I16, U8, U16)


def shuffle(kind: str) -> Cpp:
    """CUDA shuffles words of 32 and 64 bits and, by its headers, halves."""

    def cpp(signature: Signature) -> str:
        dtype = signature.args[1]
        if dtype in IN_32_BITS:
            return as_type(dtype, f"{kind}({{0}}, (int)({{1}}), {{2}}, {{3}})")
        return f"{kind}({{0}}, {{1}}, {{2}}, {{3}})"

    return cpp


def bit_pattern(dtype: Scalar) -> str:
    """What `match` compares: CUDA takes integers, `float` and `double`, and compares their bits."""
    if dtype in IN_32_BITS:
        return "(int)({1})"
    if dtype == F16:
        return "(unsigned int)__half_as_ushort({1})"
    return "(unsigned int)__bfloat16_as_ushort({1})" if dtype == BF16 else "{1}"


def match_any(signature: Signature) -> str:
    return f"__match_any_sync({{0}}, {bit_pattern(signature.args[1])})"


def match_all(signature: Signature) -> str:
    return f"{{r0}} = intrinsic::match_all({{0}}, {bit_pattern(signature.args[1])}, {{r1}})"


def entry(name: str, params: str, rule: Rule, cpp: Cpp, doc: str, source: str, **others: object) -> Intrinsic:
    fields: dict[str, object] = {"effect": Effect.WARP} | others
    return Intrinsic(
        name=f"transpiler.cuda.{name}",
        params=tuple(params.split()),
        rule=rule,
        cpp=cpp,
        numpy=meaning(f"warp.{name}"),
        doc=f"{doc} Source: {source}.",
        **fields,  # type: ignore[arg-type]
    )


def exchange(name: str, distance: str, doc: str) -> Intrinsic:
    words = "`width` (a power of two, at most 32) cuts the warp into groups that exchange among themselves."
    return entry(
        name,
        f"mask value {distance} width=32",
        fixed((bits32, value, narrow_int, narrow_int), gives_argument(1)),
        shuffle(f"__{name}"),
        f"{doc} {words}",
        SHUFFLE,
    )


def vote(name: str, result: DType, cpp: str, doc: str) -> Intrinsic:
    return entry(name, "mask predicate", fixed((bits32, predicate), gives(result)), same(cpp), doc, VOTE)


def reduction(r: Reduction) -> Intrinsic:
    return Intrinsic(
        name=f"transpiler.cuda.warp.{r.name}",
        params=("value",),
        rule=reduction_rule(r),
        effect=Effect.WARP,
        cpp=reduction_cpp("warp", r),
        numpy=meaning("warp.scan" if r in SCANS else "warp.reduce", r.name),
        doc=f"{r.doc} over the threads of the warp, in the dtype of `value` ({r.note}). Source: {SHUFFLE}.",
        headers=("intrinsic_warp.cuh",),
    )


ENTRIES = (
    exchange("shfl_sync", "lane", "The value of thread `lane` of the group (modulo `width`)."),
    exchange(
        "shfl_up_sync",
        "delta",
        "The value of the thread `delta` lanes below; its own where the group has none.",
    ),
    exchange(
        "shfl_down_sync",
        "delta",
        "The value of the thread `delta` lanes above; its own where the group has none.",
    ),
    exchange(
        "shfl_xor_sync",
        "lane_mask",
        "The value of the thread in lane `laneid ^ lane_mask`; its own beyond the group.",
    ),
    vote("all_sync", BOOL, "(bool)__all_sync({0}, {1})", "Whether `predicate` holds in all threads of the mask."),
    vote("any_sync", BOOL, "(bool)__any_sync({0}, {1})", "Whether `predicate` holds in some thread of the mask."),
    vote(
        "ballot_sync", U32, "__ballot_sync({0}, {1})", "The threads of the mask, as bits, in which `predicate` holds."
    ),
    entry(
        "match_any_sync",
        "mask value",
        fixed((bits32, value), gives(U32)),
        match_any,
        "The threads of the mask, as bits, whose value has the same bits as the own one.",
        MATCH,
        min_arch=70,
    ),
    entry(
        "match_all_sync",
        "mask value",
        fixed((bits32, value), gives(U32, BOOL)),
        match_all,
        "The mask and True if all its threads have a value of the same bits, else 0 and False.",
        MATCH,
        min_arch=70,
        headers=("intrinsic_match.cuh",),
    ),
    entry(
        "activemask",
        "",
        fixed((), gives(U32)),
        same("__activemask()"),
        "The threads of the warp, as bits, that happen to execute together here: says nothing about who should.",
        VOTE,
        effect=Effect.VOLATILE,
    ),
    *map(reduction, (*REDUCTIONS, *SCANS)),
)
