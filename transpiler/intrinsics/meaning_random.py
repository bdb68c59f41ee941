"""NumPy meanings of the random numbers: Philox4x32-10 on vectors.

In: seeds, indices and streams of 64 bits. Out: four words, or f32 numbers.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from transpiler.intrinsics.meaning_floats import cospi, log, quietly

Array = NDArray[Any]
U32, U64 = np.uint32, np.uint64
ROUNDS = 10
MULTIPLIERS = (U64(0xD2511F53), U64(0xCD9E8D57))
WEYL = (0x9E3779B9, 0xBB67AE85)


def halves(x: Array) -> tuple[Array, Array]:
    """The lower and the upper word, each in 64 bits."""
    x = x.astype(U64)
    return x & U64(0xFFFFFFFF), x >> U64(32)


def philox(seed: Array, index: Array, stream: Array) -> tuple[Array, Array, Array, Array]:
    key0, key1 = halves(seed)
    r0, r1 = halves(index)
    r2, r3 = halves(stream)
    for _ in range(ROUNDS):
        low0, high0 = halves(MULTIPLIERS[0] * r0)
        low1, high1 = halves(MULTIPLIERS[1] * r2)
        r0, r1, r2, r3 = high1 ^ r1 ^ key0, low1, high0 ^ r3 ^ key1, low0
        key0, key1 = (key0 + U64(WEYL[0])) & U64(0xFFFFFFFF), (key1 + U64(WEYL[1])) & U64(0xFFFFFFFF)
    return r0.astype(U32), r1.astype(U32), r2.astype(U32), r3.astype(U32)


def unit(word: Array, scale: float) -> Array:
    return (word >> U32(8)).astype(np.float32) * np.float32(scale)


def uniform(seed: Array, index: Array, stream: Array) -> Array:
    return unit(philox(seed, index, stream)[0], 2.0**-24)


@quietly
def normal(seed: Array, index: Array, stream: Array) -> Array:
    first, second, _, _ = philox(seed, index, stream)
    positive = ((first >> U32(8)) + U32(1)).astype(np.float32) * np.float32(2.0**-24)
    return np.sqrt(np.float32(-2) * log(positive)) * cospi(unit(second, 2.0**-23))
