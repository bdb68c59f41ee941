"""NumPy meanings of the float functions.

In: arrays of the dtypes of a signature. Out: an array. `+ - * / sqrt fma`, roundings, remainders and conversions are
exact to the bit; other functions are computed in f64 and rounded to f32, so that they are within one unit in the last
place of the true value. f16 and bf16 are computed in f32 and rounded once more, as the C++ does. NaN and infinities
are results, never exceptions or warnings.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from fractions import Fraction
from functools import wraps
from typing import Any

import numpy as np
from numpy.typing import NDArray

Array = NDArray[Any]
F32, F64 = np.dtype(np.float32), np.dtype(np.float64)


def quietly(function: Callable[..., Any]) -> Callable[..., Any]:
    @wraps(function)
    def call(*args: Any) -> Any:
        with np.errstate(all="ignore"):
            return function(*args)

    return call


def is_half(dtype: np.dtype[Any]) -> bool:
    return dtype.itemsize == 2


def in_double(function: Callable[..., Any]) -> Callable[..., Array]:
    """`function` of f64 arrays, on arrays of any one float dtype."""

    @quietly
    def call(*args: Array) -> Array:
        dtype = args[0].dtype
        result = function(*(a.astype(F64, copy=False) for a in args))
        return result.astype(F32).astype(dtype) if is_half(dtype) else result.astype(dtype, copy=False)

    return call


def in_single(function: Callable[..., Any]) -> Callable[..., Array]:
    """`function` of f32 or f64 arrays; half precision is widened to f32."""

    @quietly
    def call(*args: Array) -> Array:
        dtype = args[0].dtype
        if not is_half(dtype):
            return function(*args)
        return function(*(a.astype(F32) if a.dtype == dtype else a for a in args)).astype(dtype)

    return call


def elementwise(function: Callable[..., float], count: int = 1) -> Callable[..., Array]:
    """A function of Python floats; NumPy has no vector form of it."""
    vector = np.frompyfunc(function, count, 1)
    return in_double(lambda *args: np.asarray(vector(*args), dtype=F64))


sqrt = in_single(np.sqrt)
cbrt = in_double(np.cbrt)
exp, exp2, expm1 = in_double(np.exp), in_double(np.exp2), in_double(np.expm1)
exp10 = in_double(lambda x: np.power(10.0, x))
log2, log10, log1p = in_double(np.log2), in_double(np.log10), in_double(np.log1p)
sin, cos, tan = in_double(np.sin), in_double(np.cos), in_double(np.tan)
asin, acos, atan, atan2 = in_double(np.arcsin), in_double(np.arccos), in_double(np.arctan), in_double(np.arctan2)
sinh, cosh, tanh = in_double(np.sinh), in_double(np.cosh), in_double(np.tanh)
asinh, acosh, atanh = in_double(np.arcsinh), in_double(np.arccosh), in_double(np.arctanh)
pow, hypot, fmod = in_double(np.power), in_double(np.hypot), in_double(np.fmod)
fabs, copysign = in_double(np.fabs), in_double(np.copysign)
ldexp = in_single(np.ldexp)
rsqrt = in_double(lambda x: 1.0 / np.sqrt(x))
rcp = in_single(np.reciprocal)
divide = in_single(np.divide)
degrees = in_single(lambda x: x * x.dtype.type(180.0 / math.pi))
radians = in_single(lambda x: x * x.dtype.type(math.pi / 180.0))
saturate = in_single(lambda x: np.where(x > 0, np.minimum(x, x.dtype.type(1)), x.dtype.type(0)))
floor_float, ceil_float, trunc_float, rint_float = map(in_double, (np.floor, np.ceil, np.trunc, np.rint))

natural_log = in_double(np.log)


@in_single
def log_quotient(x: Array, base: Array) -> Array:
    return natural_log(x) / natural_log(base)


def log(x: Array, *base: Array) -> Array:
    return log_quotient(x, *base) if base else natural_log(x)


@in_double
def sinpi(x: Array) -> Array:
    turn = x - 2.0 * np.rint(x * 0.5)
    near = np.where(np.abs(turn) > 0.5, np.copysign(1.0, turn) - turn, turn)
    return np.sin(np.pi * near)


@in_double
def cospi(x: Array) -> Array:
    turn = np.abs(x - 2.0 * np.rint(x * 0.5))
    return np.where(turn < 0.25, np.cos(np.pi * turn), np.sin(np.pi * (0.5 - turn)))


# --- choices and tests ------------------------------------------------------------------------------------


@quietly
def fmin(a: Array, b: Array) -> Array:
    first = np.isnan(b) | (a < b) | ((a == b) & np.signbit(a))
    return np.where(first, a, b)


@quietly
def fmax(a: Array, b: Array) -> Array:
    first = np.isnan(b) | (a > b) | ((a == b) & ~np.signbit(a))
    return np.where(first, a, b)


def isnan(x: Array) -> Array:
    return np.isnan(x.astype(F64))


def isinf(x: Array) -> Array:
    return np.isinf(x.astype(F64))


def isfinite(x: Array) -> Array:
    return np.isfinite(x.astype(F64))


# --- to integers ------------------------------------------------------------------------------------------


@quietly
def saturated(whole: Array, dtype: Any) -> Array:
    """f64 whole numbers to integers: the nearest that exists, 0 for NaN."""
    limits = np.iinfo(dtype)
    inside = (whole >= limits.min) & (whole < -float(limits.min))
    result = np.where(inside, whole, 0.0).astype(dtype)
    result[whole >= -float(limits.min)] = limits.max
    result[whole < limits.min] = limits.min
    return result


def to_integer(rounded: Callable[[Array], Array]) -> Callable[[Array], Array]:
    def call(x: Array) -> Array:
        if x.dtype.kind in "iu":
            return x
        return saturated(rounded(x.astype(F64)), np.int64 if x.dtype == F64 else np.int32)

    return call


floor, ceil, trunc, round = map(to_integer, (np.floor, np.ceil, np.trunc, np.rint))


# --- functions that NumPy has not -------------------------------------------------------------------------


def remainder_of(x: float, y: float) -> float:
    return math.remainder(x, y) if math.isfinite(x) and y != 0 else x * y if x != x or y != y else math.nan


def gamma_of(x: float) -> float:
    if x == 0:
        return math.copysign(math.inf, x)
    try:
        return math.gamma(x)
    except OverflowError:
        return math.copysign(math.inf, x)
    except ValueError:
        return math.nan


def lgamma_of(x: float) -> float:
    try:
        return math.lgamma(x)
    except (OverflowError, ValueError):
        return math.inf


remainder = elementwise(remainder_of, 2)
gamma, lgamma = elementwise(gamma_of), elementwise(lgamma_of)
erf, erfc = elementwise(math.erf), elementwise(math.erfc)


# --- fused multiply-add -----------------------------------------------------------------------------------


def fma_of(x: float, y: float, z: float) -> float:
    if not (math.isfinite(x) and math.isfinite(y)):
        return x * y + z
    if not math.isfinite(z):
        return z
    exact = Fraction(x) * Fraction(y) + Fraction(z)
    if exact == 0:
        return x * y + z
    try:
        return float(exact)
    except OverflowError:
        return math.inf if exact > 0 else -math.inf


def towards(value: Array, inexact: Array, direction: Array) -> Array:
    """Rounds to odd: an inexact value with an even last bit moves by one unit. A later rounding then errs nowhere."""
    bits = value.view(np.uint64 if value.dtype == F64 else np.uint32)
    move = inexact & np.isfinite(value) & (bits % 2 == 0)
    return np.where(move, np.nextafter(value, direction.astype(value.dtype)), value)


@quietly
def fma(x: Array, y: Array, z: Array) -> Array:
    dtype = x.dtype
    if dtype == F64:
        return np.asarray(np.frompyfunc(fma_of, 3, 1)(x, y, z), dtype=F64)
    product, addend = x.astype(F64) * y.astype(F64), z.astype(F64)  # the product is exact
    total = product + addend
    virtual = total - product
    error = (product - (total - virtual)) + (addend - virtual)  # what the sum has lost, exactly
    odd = towards(total, error != 0, np.copysign(np.inf, error))
    if not is_half(dtype):
        return odd.astype(dtype)
    single = odd.astype(F32)
    return towards(single, single != odd, np.where(odd > single, np.inf, -np.inf)).astype(dtype)
