"""NumPy dtypes of the scalar types.

In: a `DType` or `INDEX`. Out: the dtype that lanes of it have: INDEX is int64, bf16 is that of `ml_dtypes`.
Non-goals: conversion of values (`conversion`).
"""

from __future__ import annotations

from functools import cache
from typing import Any

import ml_dtypes
import numpy as np

from transpiler.ir.types import DType, Scalar

Value = Any
"""What an expression gives: an array with one entry a lane, or a NumPy scalar where all lanes agree.

Not `ndarray | generic`: NumPy's stubs give `generic` no operators.
"""

_SPECIAL = {"bool": np.dtype(bool), "f16": np.dtype(np.float16), "bf16": np.dtype(ml_dtypes.bfloat16)}


@cache
def numpy_dtype(type_: Scalar) -> np.dtype:
    if not isinstance(type_, DType):
        return np.dtype(np.int64)
    if type_.name in _SPECIAL:
        return _SPECIAL[type_.name]
    return np.dtype(f"{type_.name[0]}{type_.bits // 8}")


def is_half(type_: Scalar) -> bool:
    return isinstance(type_, DType) and type_.is_float and type_.bits == 16
