"""Conversions between dtypes against exact arithmetic."""

from __future__ import annotations

from fractions import Fraction

import ml_dtypes
import numpy as np
import pytest

from transpiler.ir.types import BF16, BOOL, F16, F32, F64, I8, I32, I64, INDEX, U8, U16, U32, U64, DType
from transpiler.simulate.conversion import convert, misfit
from transpiler.simulate.dtypes import numpy_dtype


def test_integers_wrap() -> None:
    values = np.array([-(2**40), -129, -1, 0, 127, 128, 255, 256, 2**33 + 5])
    assert convert(values, I8).tolist() == [0, 127, -1, 0, 127, -128, -1, 0, 5]
    assert convert(values, U8).tolist() == [0, 127, 255, 0, 127, 128, 255, 0, 5]


@pytest.mark.parametrize("source", [F32, F64], ids=str)
@pytest.mark.parametrize("target", [I8, U8, I32, U32, I64, U64], ids=str)
def test_floats_to_integers_truncate_and_saturate(source: DType, target: DType) -> None:
    numbers = [
        0.0,
        0.9,
        -0.9,
        1.5,
        -1.5,
        126.99,
        255.5,
        300.0,
        -300.0,
        2147483520.0,
        3e9,
        -3e9,
        1e19,
        2e19,
        -2e19,
    ]
    values = np.array([*numbers, np.inf, -np.inf, np.nan], numpy_dtype(source))
    expected = [min(max(int(v), target.min), target.max) for v in values[: len(numbers)].astype(float).tolist()]
    with np.errstate(all="ignore"):
        result = convert(values, target)
    assert result.dtype == numpy_dtype(target)
    assert result.tolist() == [*expected, target.max, target.min, 0]


def test_half_precision_to_integers() -> None:
    with np.errstate(all="ignore"):
        assert convert(np.array([1.9, -1.9, 65504, np.inf, np.nan], np.float16), U16).tolist() == [
            1,
            0,
            65504,
            65535,
            0,
        ]
        assert convert(np.array([1.9, -1.9, 1e20], ml_dtypes.bfloat16), I32).tolist() == [1, -1, 2**31 - 1]


def test_anything_to_bool_is_not_equal_zero() -> None:
    assert convert(np.array([0.0, -0.0, 0.5, np.nan], np.float32), BOOL).tolist() == [False, False, True, True]
    assert convert(np.array([0, 256, -1]), BOOL).tolist() == [False, True, True]
    assert convert(np.array([True, False]), I32).tolist() == [1, 0]


def nearest(value: int | float, target: DType) -> float:
    """The float of `target` nearest to an exact number, ties to even, by trying the neighbours."""
    dtype = numpy_dtype(target)
    guess = np.array([float(value)]).astype(np.float32).astype(dtype)
    bits = int(guess.view(np.uint16)[0])
    near = np.array([bits - 1, bits, bits + 1], np.uint16).view(dtype)
    exact = Fraction(value)
    distances = [abs(Fraction(float(v)) - exact) for v in near]
    best = min(distances)
    return float(
        min((v for v, d in zip(near, distances, strict=True) if d == best), key=lambda v: int(v.view(np.uint16)) & 1)
    )


def test_to_bfloat16_rounds_once() -> None:
    """Through f32 these would round twice, to the wrong side of a tie."""
    tricky = [
        1.0 + 2**-8 + 2**-40,
        1.0 + 2**-8 - 2**-40,
        1.0 + 3 * 2**-8 + 2**-50,
        -(1.0 + 2**-8 + 2**-40),
        3.14159265358979,
    ]
    result = convert(np.array(tricky, np.float64), BF16)
    assert result.astype(float).tolist() == [nearest(v, BF16) for v in tricky]
    integers = [2**62 + 2**54 + 1, 2**62 + 2**54 - 1, 257 * 2**40 + 1, -(2**62 + 2**54 + 1), 2**53 + 1, 0]
    result = convert(np.array(integers, np.int64), BF16)
    assert result.astype(float)[:-1].tolist() == [nearest(v, BF16) for v in integers[:-1]]
    assert float(result[-1]) == 0.0
    assert np.isinf(convert(np.array([np.inf]), BF16)).all()
    assert np.isnan(convert(np.array([np.nan]), BF16)).all()


def test_to_half_and_single() -> None:
    values = np.array([2049, 2051, 70000, -5], np.int64)
    with np.errstate(all="ignore"):
        assert convert(values, F16).astype(float).tolist() == [2048.0, 2052.0, np.inf, -5.0]
    assert convert(np.array([2**24 + 1, 2**60 + 1]), F32).astype(float).tolist() == [2.0**24, 2.0**60]
    assert convert(np.array([1.5], ml_dtypes.bfloat16), F16).tolist() == [1.5]


def test_misfit_tells_what_an_exact_conversion_loses() -> None:
    values = np.array([-1, 0, 255, 256])
    assert misfit(values, U8).tolist() == [True, False, False, True]
    assert misfit(values, I64) is None
    assert misfit(np.array([2**63], np.uint64), I64).tolist() == [True]
    assert misfit(np.int64(7), U8) is None
    assert misfit(np.int64(-7), U64)


def test_one_value_for_all_lanes_converts_too() -> None:
    assert convert(np.float64(2.9), INDEX) == 2
    assert convert(np.int64(3), BF16).dtype == ml_dtypes.bfloat16
    assert convert(np.float64(0.1), BF16).dtype == ml_dtypes.bfloat16
    assert convert(np.float32(0.0), BOOL) == np.False_
