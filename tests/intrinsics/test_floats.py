"""NumPy meanings of float functions against Python's `math`, in each dtype."""

from __future__ import annotations

import math
from fractions import Fraction
from itertools import product

import ml_dtypes
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from transpiler.intrinsics import TABLE

FLOATS = (np.float16, ml_dtypes.bfloat16, np.float32, np.float64)
SAMPLES = (-math.inf, -170.5, -3.0, -2.5, -1.5, -1.0, -0.75, -0.5, -1e-5, -0.0)
SAMPLES += (0.0, 1e-5, 0.25, 0.5, 1.0, 1.5, 2.0, 2.5, 3.75, 10.0, 88.0, 300.0, 6e4, math.inf, math.nan)
PYTHON = [n for n in TABLE if n.startswith("math.") and hasattr(math, n[5:]) and len(TABLE[n].params) <= 2]
FLOAT_RESULT = [n for n in PYTHON if n[5:] not in ("floor", "ceil", "trunc", "isnan", "isinf", "isfinite", "ldexp")]


def python(name: str, *args: float) -> float:
    """`math`, with the IEEE result where it raises (checked apart, in `test_ieee_results`)."""
    try:
        return getattr(math, name)(*args)
    except (ValueError, OverflowError, ZeroDivisionError):
        return math.nan


def units_apart(ours: float, theirs: float, dtype: type) -> float:
    """How far a result is from the exact one, in units of its last place."""
    rounded = float(np.float64(theirs).astype(np.float32).astype(dtype)) if dtype != np.float64 else theirs
    if ours == rounded or (math.isnan(ours) and math.isnan(rounded)):
        return 0
    exponent = max(math.frexp(theirs)[1], ml_dtypes.finfo(dtype).minexp + 1)
    return abs(ours - theirs) / math.ldexp(1.0, exponent - ml_dtypes.finfo(dtype).nmant - 1)


@pytest.mark.filterwarnings("ignore:overflow encountered in cast")
@pytest.mark.parametrize("dtype", FLOATS, ids=lambda t: np.dtype(t).name)
@pytest.mark.parametrize("name", FLOAT_RESULT)
def test_agrees_with_python(name: str, dtype: type) -> None:
    entry = TABLE[name]
    count = 1 if name == "math.log" else len(entry.params)
    points = list(product(np.array(SAMPLES).astype(dtype), repeat=count))
    results = entry.numpy(*(np.array(column, dtype) for column in zip(*points, strict=True)))
    checked = 0
    for point, ours in zip(points, results.astype(np.float64), strict=True):
        theirs = python(name[5:], *map(float, point))
        if math.isnan(theirs) and not any(math.isnan(float(x)) for x in point):
            continue
        assert units_apart(float(ours), theirs, dtype) <= (2 if dtype == np.float64 else 1), (point, ours, theirs)
        checked += 1
    assert checked >= 3


IEEE = [
    ("math.sqrt", (-1.0,), math.nan),
    ("math.log", (0.0,), -math.inf),
    ("math.log", (-1.0,), math.nan),
    ("math.log2", (0.0,), -math.inf),
    ("math.acos", (2.0,), math.nan),
    ("math.atanh", (1.0,), math.inf),
    ("math.exp", (1e4,), math.inf),
    ("math.gamma", (0.0,), math.inf),
    ("math.gamma", (-0.0,), -math.inf),
    ("math.gamma", (-2.0,), math.nan),
    ("math.gamma", (200.0,), math.inf),
    ("math.lgamma", (-2.0,), math.inf),
    ("math.fmod", (1.0, 0.0), math.nan),
    ("math.fmod", (math.inf, 2.0), math.nan),
    ("math.remainder", (1.0, 0.0), math.nan),
    ("math.remainder", (math.inf, 2.0), math.nan),
    ("math.pow", (0.0, -1.0), math.inf),
    ("math.pow", (-8.0, 1.0 / 3.0), math.nan),
    ("math.sin", (math.inf,), math.nan),
    ("math.log", (8.0, 2.0), 3.0),
    ("transpiler.cuda.rsqrt", (0.0,), math.inf),
    ("transpiler.cuda.rcp", (-0.0,), -math.inf),
    ("transpiler.cuda.saturate", (math.nan,), 0.0),
    ("transpiler.cuda.saturate", (-3.0,), 0.0),
    ("transpiler.cuda.saturate", (0.25,), 0.25),
    ("transpiler.cuda.saturate", (9.0,), 1.0),
    ("transpiler.cuda.fmin", (math.nan, 1.0), 1.0),
    ("transpiler.cuda.fmin", (1.0, math.nan), 1.0),
    ("transpiler.cuda.fmin", (0.0, -0.0), -0.0),
    ("transpiler.cuda.fmax", (-0.0, 0.0), 0.0),
    ("transpiler.cuda.fmax", (-1.0, -2.0), -1.0),
    ("transpiler.cuda.sinpi", (1.0,), 0.0),
    ("transpiler.cuda.sinpi", (0.5,), 1.0),
    ("transpiler.cuda.sinpi", (-2.5,), -1.0),
    ("transpiler.cuda.cospi", (0.5,), 0.0),
    ("transpiler.cuda.cospi", (1.0,), -1.0),
    ("transpiler.cuda.cospi", (2.0,), 1.0),
    ("transpiler.cuda.fast_divide", (1.0, 4.0), 0.25),
    ("transpiler.cuda.fast_exp10", (2.0,), 100.0),
    ("numpy.floor", (-1.5,), -2.0),
    ("numpy.ceil", (-1.5,), -1.0),
    ("numpy.trunc", (-1.5,), -1.0),
    ("numpy.rint", (2.5,), 2.0),
    ("math.degrees", (math.pi,), 180.0),
]


@pytest.mark.parametrize(("name", "args", "expected"), IEEE)
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_ieee_results(name: str, args: tuple[float, ...], expected: float, dtype: type) -> None:
    result = float(TABLE[name].numpy(*(np.array([a], dtype) for a in args))[0])
    assert math.copysign(1, result) == math.copysign(1, expected) or math.isnan(expected)
    np.testing.assert_allclose(result, expected, rtol=1e-6)


@pytest.mark.filterwarnings("ignore:overflow encountered in cast")
@pytest.mark.parametrize("dtype", FLOATS, ids=lambda t: np.dtype(t).name)
@pytest.mark.parametrize("name", ["math.floor", "math.ceil", "math.trunc", "builtins.round"])
def test_rounding_to_integers(name: str, dtype: type) -> None:
    values = np.array([*SAMPLES, 1.5, 0.4999, -0.51, 3e9, -3e9, 1e19, -1e19]).astype(dtype)
    target = np.iinfo(np.int64 if dtype == np.float64 else np.int32)
    function = round if name == "builtins.round" else getattr(math, name[5:])
    for value, ours in zip(values, TABLE[name].numpy(values), strict=True):
        x = float(value)
        if math.isnan(x):
            expected = 0
        elif math.isinf(x):
            expected = target.max if x > 0 else target.min
        else:
            expected = min(max(function(x), target.min), target.max)
        assert int(ours) == expected, x


def test_rounding_leaves_integers() -> None:
    values = np.array([-(2**62) - 1, 7], np.int64)
    assert (TABLE["math.floor"].numpy(values) == values).all()


@pytest.mark.parametrize("dtype", FLOATS, ids=lambda t: np.dtype(t).name)
def test_classification(dtype: type) -> None:
    values = np.array(SAMPLES).astype(dtype)
    for name in ("isnan", "isinf", "isfinite"):
        expected = [getattr(math, name)(float(v)) for v in values]
        assert TABLE[f"math.{name}"].numpy(values).tolist() == expected


def test_ldexp() -> None:
    result = TABLE["math.ldexp"].numpy(np.float32([1.5, -3.0, 1.0, 1.0]), np.int32([3, -1, 200, -200]))
    assert result.tolist() == [12.0, -1.5, math.inf, 0.0]


def rounded_exactly(exact: Fraction, dtype: type) -> float:
    """The value of the dtype nearest to a rational number, by comparing neighbours; ties go to the even one."""
    guess = np.array(float(exact)).astype(np.float32 if dtype != np.float64 else np.float64).astype(dtype)
    around = [np.nextafter(guess, dtype(-np.inf)), guess, np.nextafter(guess, dtype(np.inf))]
    integer = np.uint16 if np.dtype(dtype).itemsize == 2 else f"u{np.dtype(dtype).itemsize}"
    finite = [v for v in around if math.isfinite(float(v))]
    return float(min(finite, key=lambda v: (abs(Fraction(float(v)) - exact), int(v.view(integer)) & 1)))


@pytest.mark.parametrize("dtype", FLOATS, ids=lambda t: np.dtype(t).name)
@settings(max_examples=150, deadline=None)
@given(data=st.data())
def test_fma_rounds_once(dtype: type, data: st.DataObject) -> None:
    digits = ml_dtypes.finfo(dtype).nmant + 1
    mantissa = st.integers(2 ** (digits - 1), 2**digits - 1)
    x, y, z = (data.draw(mantissa) * 2.0 ** (1 - digits) for _ in range(3))
    z = -z * 2.0 ** data.draw(st.integers(-digits - 3, 3))
    ours = TABLE["math.fma"].numpy(*(np.array([v], dtype) for v in (x, y, z)))[0]
    assert float(ours) == rounded_exactly(Fraction(x) * Fraction(y) + Fraction(z), dtype)


def test_fma_of_special_values() -> None:
    fma = TABLE["math.fma"].numpy
    big = np.array([1e308, np.inf, 1e308, 0.0, 1e-200])
    result = fma(big, np.array([1e308, 0.0, 10.0, 5.0, 1e-200]), np.array([-np.inf, 1.0, 0.0, -0.0, 0.0]))
    assert result[0] == -np.inf
    assert math.isnan(result[1])
    assert result[2:].tolist() == [np.inf, 0.0, 0.0]
