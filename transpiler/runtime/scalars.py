"""Python and NumPy scalars as kernel parameters: range checks and packing.

In: a dtype of a parameter. Out: a converter from the caller's value to what `struct` packs, and the struct's format letter.
A value that the parameter cannot hold is refused, never wrapped or truncated.
Non-goals: arrays; weak literals inside kernels.
"""

from __future__ import annotations

import math
import struct
from collections.abc import Callable
from dataclasses import dataclass
from operator import index
from typing import Any

from transpiler.ir.types import DType

FORMATS = {
    "bool": "?",
    "i8": "b",
    "i16": "h",
    "i32": "i",
    "i64": "q",
    "u8": "B",
    "u16": "H",
    "u32": "I",
    "u64": "Q",
    "f16": "e",
    "bf16": "H",
    "f32": "f",
    "f64": "d",
}

MAX_FLOAT = {"f16": 65504.0, "bf16": 3.3895313892515355e38, "f32": 3.4028234663852886e38, "f64": math.inf}


@dataclass(frozen=True, slots=True)
class Misfit:
    """Why a value does not suit a scalar parameter."""

    reason: str
    help: str | None = None


def converter(dtype: DType) -> Callable[[Any], int | float | bool | Misfit]:
    """From the caller's value to the value that the kernel sees (for bf16 see `packed`)."""
    if dtype.is_integer:
        return lambda value: _integer(value, dtype)
    return _boolean if dtype.kind == "bool" else lambda value: _real(value, dtype)


def packed(dtype: DType, value: int | float | bool) -> int | float | bool:
    """What `struct` packs: the value itself, for bf16 its upper 16 bits rounded to nearest even."""
    return bf16_bits(float(value)) if dtype.name == "bf16" else value


def bf16_bits(value: float) -> int:
    """The bit pattern of the nearest bfloat16."""
    (bits,) = struct.unpack("<I", struct.pack("<f", value))
    if math.isnan(value):
        return (bits >> 16) | 0x40
    return (bits + 0x7FFF + ((bits >> 16) & 1)) >> 16


_ROUNDED = {"f16": struct.Struct("<e"), "f32": struct.Struct("<f")}


def as_seen(dtype: DType, value: Any) -> Any:
    """The value that the kernel sees for what is packed: a condition must not hold for another one."""
    if dtype.name == "bf16":
        return struct.unpack("<f", struct.pack("<I", value << 16))[0]
    rounding = _ROUNDED.get(dtype.name)
    return value if rounding is None else rounding.unpack(rounding.pack(value))[0]


def _type_name(value: Any) -> str:
    kind = type(value)
    return kind.__name__ if kind.__module__ == "builtins" else f"{kind.__module__}.{kind.__name__}"


def _is_device_scalar(value: Any) -> bool:
    return hasattr(type(value), "__cuda_array_interface__") or hasattr(value, "is_cuda")


def _integer(value: Any, dtype: DType) -> int | Misfit:
    if _is_device_scalar(value):
        return Misfit(
            f"{_type_name(value)} is an array", "read it first: `int({name})`, or make the parameter an array"
        )
    try:
        number = index(value)
    except TypeError:
        fix = "convert it: `int({name})`" if hasattr(type(value), "__float__") or hasattr(value, "__int__") else None
        return Misfit(f"{_type_name(value)} is no integer", fix)
    if not dtype.min <= number <= dtype.max:
        return Misfit(f"{number} is outside {dtype} ({dtype.min} to {dtype.max})", _wider(dtype, number))
    return number


def _wider(dtype: DType, number: int) -> str | None:
    if number < 0 and dtype.kind == "uint":
        return f"declare the parameter as `i{dtype.bits}` if negative values are meant"
    if -(2**63) <= number < 2**63:
        return "declare the parameter as `i64`"
    return "declare the parameter as `u64`" if 0 <= number < 2**64 else None


def _boolean(value: Any) -> bool | Misfit:
    if isinstance(value, (bool, int)) and value in (0, 1):
        return bool(value)
    if type(value).__module__ == "numpy" and type(value).__name__ in ("bool", "bool_"):
        return bool(value)
    return Misfit(f"{value!r} is no bool", "pass `True` or `False`")


def _real(value: Any, dtype: DType) -> float | Misfit:
    if _is_device_scalar(value):
        return Misfit(
            f"{_type_name(value)} is an array", "read it first: `float({name})`, or make the parameter an array"
        )
    if isinstance(value, (complex, str, bytes)) or not (hasattr(value, "__float__") or hasattr(value, "__index__")):
        return Misfit(f"{_type_name(value)} is no number")
    try:
        number = float(value)
    except (OverflowError, TypeError, ValueError) as error:
        return Misfit(f"{value!r} is no {dtype}: {error}")
    if math.isfinite(number) and abs(number) > MAX_FLOAT[dtype.name]:
        return Misfit(f"{value!r} is too large for {dtype}", "declare the parameter as `f64`")
    return number
