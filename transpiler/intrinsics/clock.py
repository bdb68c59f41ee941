"""Clocks and sleep: intrinsics that see time pass.

In: nothing. Out: `ENTRIES`, all volatile. The simulator has no cycles: its clocks show the host's time in
nanoseconds.
"""

from __future__ import annotations

from transpiler.intrinsics.entry import Effect, Intrinsic, Rule
from transpiler.intrinsics.meaning import meaning
from transpiler.intrinsics.rules import bits32, fixed, gives
from transpiler.intrinsics.spelling import same
from transpiler.ir.types import I32, I64, U64

GUIDE = "CUDA C++ Programming Guide, Time Function"


def entry(name: str, params: tuple[str, ...], rule: Rule, cpp: str, doc: str, **others: object) -> Intrinsic:
    return Intrinsic(
        name=f"transpiler.cuda.{name}",
        params=params,
        rule=rule,
        effect=Effect.VOLATILE,
        cpp=same(cpp),
        numpy=meaning(f"clock.{name}"),
        doc=f"{doc} Source: {GUIDE}.",
        **others,  # type: ignore[arg-type]
    )


ENTRIES = (
    entry(
        "clock",
        (),
        fixed((), gives(I32)),
        "(int)clock()",
        "The cycle counter of the multiprocessor, lower 32 bits; wraps.",
    ),
    entry("clock64", (), fixed((), gives(I64)), "(long long)clock64()", "The cycle counter of the multiprocessor."),
    entry(
        "globaltimer",
        (),
        fixed((), gives(U64)),
        "intrinsic::globaltimer()",
        "Nanoseconds of a clock that all multiprocessors share, in steps of the device's choice (PTX ISA, %globaltimer).",
        headers=("intrinsic_timer.cuh",),
    ),
    entry(
        "nanosleep",
        ("nanoseconds",),
        fixed((bits32,), gives()),
        "__nanosleep({0})",
        "Suspends the thread for about so many nanoseconds, at most a millisecond.",
        min_arch=70,
    ),
)
