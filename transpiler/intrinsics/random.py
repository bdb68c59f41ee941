"""Random numbers without state: a pure function of a seed and an index.

In: nothing. Out: `ENTRIES`. The generator is Philox4x32-10 (Salmon, Moraes, Dror, Shaw: Parallel Random Numbers: As
Easy as 1, 2, 3, SC 2011) with the key `seed` and the counter (`index`, `stream`), 64 bits each, lower words first.
Equal arguments give equal numbers, on any machine.
"""

from __future__ import annotations

from transpiler.intrinsics.entry import Effect, Intrinsic, Scalar
from transpiler.intrinsics.meaning import meaning
from transpiler.intrinsics.rules import fixed, gives, seed64
from transpiler.intrinsics.spelling import same
from transpiler.ir.types import F32, U32

PAPER = "Salmon et al., Parallel Random Numbers: As Easy as 1, 2, 3 (2011), Philox4x32-10"


def entry(name: str, results: tuple[Scalar, ...], cpp: str, doc: str) -> Intrinsic:
    return Intrinsic(
        name=f"transpiler.cuda.random.{name}",
        params=("seed", "index", "stream=0"),
        rule=fixed((seed64, seed64, seed64), gives(*results)),
        effect=Effect.PURE,
        cpp=same(cpp),
        numpy=meaning(f"random.{name}"),
        doc=f"{doc} Source: {PAPER}.",
        headers=("intrinsic_philox.cuh",),
    )


ENTRIES = (
    entry(
        "philox",
        (U32, U32, U32, U32),
        "intrinsic::philox({0}, {1}, {2}, {r0}, {r1}, {r2}, {r3})",
        "Four random words of 32 bits for the key `seed` and the counter (`index`, `stream`).",
    ),
    entry(
        "uniform",
        (F32,),
        "intrinsic::philox_uniform({0}, {1}, {2})",
        "A uniform f32 in [0, 1): the upper 24 bits of the first Philox word, exact.",
    ),
    entry(
        "normal",
        (F32,),
        "intrinsic::philox_normal({0}, {1}, {2})",
        "A standard normal f32: Box-Muller on the first two Philox words.",
    ),
)
