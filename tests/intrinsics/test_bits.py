"""Bit intrinsics against Python's integers."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from transpiler.intrinsics import TABLE

WORDS = (np.int32, np.uint32, np.int64, np.uint64)
EDGES = (0, 1, 2, 3, 7, 8, 100, 0x80, 0x12345678, 2**31 - 1)


def bits_of(dtype: type) -> int:
    return np.dtype(dtype).itemsize * 8


def samples(dtype: type) -> np.ndarray:
    info = np.iinfo(dtype)
    values = {info.min, info.max, info.max - 1, info.max // 3, *EDGES, *(-v for v in EDGES if info.min < 0)}
    return np.array(sorted(values), dtype)


def numpy_of(name: str):
    return TABLE[f"transpiler.cuda.{name}"].numpy


@pytest.mark.parametrize("dtype", WORDS)
def test_counting(dtype: type) -> None:
    values, width = samples(dtype), bits_of(dtype)
    patterns = [int(v) % 2**width for v in values]
    assert numpy_of("popc")(values).tolist() == [p.bit_count() for p in patterns]
    assert numpy_of("clz")(values).tolist() == [width - p.bit_length() for p in patterns]
    assert numpy_of("ffs")(values).tolist() == [(p & -p).bit_length() for p in patterns]


@pytest.mark.parametrize("dtype", WORDS)
def test_reversal(dtype: type) -> None:
    values, width = samples(dtype), bits_of(dtype)
    expected = [int(f"{int(v) % 2**width:0{width}b}"[::-1], 2) for v in values]
    assert [int(v) % 2**width for v in numpy_of("brev")(values)] == expected


@pytest.mark.parametrize("dtype", WORDS)
def test_high_half_on_all_sign_pairs(dtype: type) -> None:
    values = samples(dtype)
    x, y = (grid.ravel() for grid in np.meshgrid(values, values))
    expected = [(int(a) * int(b)) >> bits_of(dtype) for a, b in zip(x, y, strict=True)]
    assert numpy_of("mulhi")(x, y).tolist() == expected


U32 = st.integers(0, 2**32 - 1)


@given(U32, U32, U32)
def test_bytes_and_funnels(x: int, y: int, third: int) -> None:
    args = [np.array([v], np.uint32) for v in (x, y, third)]
    source = x | y << 32
    picked = (source >> 8 * (third >> 4 * k & 7) & 0xFF for k in range(4))
    assert numpy_of("byte_perm")(*args)[0] == sum(byte << 8 * k for k, byte in enumerate(picked))
    assert numpy_of("funnelshift_l")(*args)[0] == (source << (third & 31) >> 32) % 2**32
    assert numpy_of("funnelshift_r")(*args)[0] == (source >> (third & 31)) % 2**32
