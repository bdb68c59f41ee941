"""NumPy meanings of the bit intrinsics.

In: integer arrays of 32 or 64 bits. Out: arrays of the result dtype of the signature.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

Array = NDArray[Any]
U32, U64 = np.uint32, np.uint64


def unsigned(x: Array) -> Array:
    """The bit pattern, in 64 bits."""
    return np.ascontiguousarray(x).view(f"u{x.dtype.itemsize}").astype(U64)


def width(x: Array) -> int:
    return x.dtype.itemsize * 8


def set_bits(x: Array) -> Array:
    """Adds neighbouring bits, then pairs, then nibbles, and sums the bytes by a multiplication."""
    x = x - ((x >> U64(1)) & U64(0x5555555555555555))
    x = (x & U64(0x3333333333333333)) + ((x >> U64(2)) & U64(0x3333333333333333))
    x = (x + (x >> U64(4))) & U64(0x0F0F0F0F0F0F0F0F)
    return ((x * U64(0x0101010101010101)) >> U64(56)).astype(np.int32)


def popc(x: Array) -> Array:
    return set_bits(unsigned(x))


def clz(x: Array) -> Array:
    bits = unsigned(x)
    for step in (1, 2, 4, 8, 16, 32):
        bits = bits | (bits >> U64(step))
    return (width(x) - set_bits(bits)).astype(np.int32)


def ffs(x: Array) -> Array:
    bits = unsigned(x)
    below = ~bits & (bits - U64(1))
    return np.where(bits == 0, 0, set_bits(below) + 1).astype(np.int32)


def brev(x: Array) -> Array:
    bits, result = unsigned(x), np.zeros(x.shape, U64)
    for position in range(width(x)):
        result |= ((bits >> U64(position)) & U64(1)) << U64(width(x) - 1 - position)
    return result.astype(f"u{x.dtype.itemsize}").view(x.dtype)


def mulhi(x: Array, y: Array) -> Array:
    if width(x) == 32:
        wide = np.int64 if x.dtype.kind == "i" else U64
        return ((x.astype(wide) * y.astype(wide)) >> wide(32)).astype(x.dtype)
    high = upper_product(unsigned(x), unsigned(y))
    if x.dtype.kind == "i":  # a negative factor was taken 2**64 too large
        high = high - np.where(x < 0, unsigned(y), U64(0)) - np.where(y < 0, unsigned(x), U64(0))
    return high.view(x.dtype)


def upper_product(x: Array, y: Array) -> Array:
    """The upper 64 of 128 bits, from four products of halves."""
    low, half = U64(0xFFFFFFFF), U64(32)
    x0, x1, y0, y1 = x & low, x >> half, y & low, y >> half
    middle = x1 * y0 + ((x0 * y0) >> half)
    other = x0 * y1 + (middle & low)
    return x1 * y1 + (middle >> half) + (other >> half)


def joined(low: Array, high: Array) -> Array:
    return low.astype(U64) | (high.astype(U64) << U64(32))


def byte_perm(x: Array, y: Array, selector: Array) -> Array:
    source, result = joined(x, y), np.zeros(x.shape, U64)
    for k in range(4):
        index = (selector.astype(U64) >> U64(4 * k)) & U64(7)
        result |= ((source >> (index * U64(8))) & U64(0xFF)) << U64(8 * k)
    return result.astype(U32)


def funnelshift_l(low: Array, high: Array, shift: Array) -> Array:
    return ((joined(low, high) << (shift.astype(U64) & U64(31))) >> U64(32)).astype(U32)


def funnelshift_r(low: Array, high: Array, shift: Array) -> Array:
    return (joined(low, high) >> (shift.astype(U64) & U64(31))).astype(U32)
