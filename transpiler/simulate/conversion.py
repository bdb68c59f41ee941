"""Conversions between scalar types, on whole vectors of lanes.

In: a value, its type, the type to convert to. Out: the converted value: integers wrap, floats to integers truncate
and saturate with NaN giving 0, to a float rounds once to nearest even, to bool is `!= 0`.
Non-goals: whether a conversion may lose something (`misfit` tells where it does; who asks decides).
"""

from __future__ import annotations

import ml_dtypes
import numpy as np

from transpiler.ir.types import DType, Scalar
from transpiler.simulate.dtypes import Value, numpy_dtype


def convert(value: Value, to: Scalar) -> Value:
    target = numpy_dtype(to)
    if value.dtype == target:
        return value
    if target.kind == "b":
        return value != value.dtype.type(0)
    if target.kind in "iu":
        return _saturate(value, target) if _is_float(value.dtype) else value.astype(target)
    if target == ml_dtypes.bfloat16 and value.dtype.kind in "iuf" and value.dtype.itemsize >= 4:
        return _round_to_odd(value).astype(target)
    if target == np.float16 and value.dtype.kind in "iu" and value.dtype.itemsize >= 4:
        return value.astype(np.float64).astype(target)
    if target == np.float16 and value.dtype == ml_dtypes.bfloat16:
        return value.astype(np.float32).astype(target)
    return value.astype(target)


def misfit(value: Value, to: DType) -> Value | None:
    """Where an integer does not fit an integer dtype; None where all fit."""
    if to.is_float or to.kind == "bool":
        return None
    info = np.iinfo(value.dtype)
    if to.min <= info.min and info.max <= to.max:
        return None
    low = value < max(to.min, info.min) if to.min > info.min else np.bool_(False)
    high = value > min(to.max, info.max) if to.max < info.max else np.bool_(False)
    bad = low | high
    return bad if np.any(bad) else None


def _is_float(dtype: np.dtype) -> bool:
    return dtype.kind == "f" or dtype == ml_dtypes.bfloat16


def _saturate(value: Value, target: np.dtype) -> Value:
    info = np.iinfo(target)
    whole = np.trunc(value.astype(np.float64))
    low, high = whole < float(info.min), whole >= float(info.max) + (1.0 if target.itemsize < 8 else 0.0)
    inside = np.where(low | high | np.isnan(whole), 0.0, whole)
    result = inside.astype(target)
    result = np.where(low, target.type(info.min), result)
    return np.where(high, target.type(info.max), result)[()]


def _round_to_odd(value: Value) -> Value:
    """To f32 so that rounding once more (to bf16) gives what rounding once gives: what is not exact gets an odd last bit."""
    if value.dtype == np.float32:
        return value
    wide, error = value.astype(np.float64), np.float64(0)
    if value.dtype.kind in "iu" and value.dtype.itemsize == 8:
        high = (value >> value.dtype.type(32)).astype(np.float64) * 4294967296.0
        low = (value & value.dtype.type(0xFFFFFFFF)).astype(np.float64)
        wide = high + low
        error = low - (wide - high)
        wide = np.where(error * wide < 0, np.nextafter(wide, 0.0), wide)
    single = wide.astype(np.float32)
    back = single.astype(np.float64)
    beyond = np.abs(back) > np.abs(wide)
    single = np.where(beyond, np.nextafter(single, np.float32(0)), single).astype(np.float32)
    inexact = ((single.astype(np.float64) != wide) | (error != 0)) & np.isfinite(wide)
    odd = np.where(inexact, single.view(np.uint32) | np.uint32(1), single.view(np.uint32)).astype(np.uint32)
    return odd.view(np.float32)[()]
