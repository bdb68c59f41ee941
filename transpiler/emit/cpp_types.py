"""The C++ types that kernels are written in.

In: dtypes of the language. Out: their C++ spelling, and the little arithmetic about C++ integer types that the
printer needs.
Non-goals: which width an index integer gets (`expressions`, from the ranges).
"""

from __future__ import annotations

import math

from transpiler.ir.types import DType

INT, LONG, UINT, ULONG = "int", "long long", "unsigned int", "unsigned long long"

CPP_TYPES = {
    "bool": "bool",
    "i8": "signed char",
    "i16": "short",
    "i32": INT,
    "i64": LONG,
    "u8": "unsigned char",
    "u16": "unsigned short",
    "u32": UINT,
    "u64": ULONG,
    "f16": "__half",
    "bf16": "__nv_bfloat16",
    "f32": "float",
    "f64": "double",
}

HALF_HEADERS = {"f16": "cuda_fp16.h", "bf16": "cuda_bf16.h"}

PROMOTED = frozenset({"bool", "signed char", "short", "unsigned char", "unsigned short", INT})
"""Integer types that arithmetic turns into `int`."""

Interval = tuple[float, float]
"""Inclusive; ends are ints or `-inf` and `inf`."""

ANY: Interval = (-math.inf, math.inf)
INT32: Interval = (-(2**31), 2**31 - 1)
INT64: Interval = (-(2**63), 2**63 - 1)
UINT32: Interval = (0, 2**32 - 1)


def cpp_type(dtype: DType) -> str:
    return CPP_TYPES[dtype.name]


def is_half(dtype: object) -> bool:
    """Whether C++ arithmetic on the dtype needs a header of half types."""
    return isinstance(dtype, DType) and dtype.name in HALF_HEADERS


def within(inner: Interval, outer: Interval) -> bool:
    return outer[0] <= inner[0] and inner[1] <= outer[1]


def index_type(values: Interval) -> str:
    """The C++ type of an index integer that takes these values."""
    return INT if within(values, INT32) else LONG
