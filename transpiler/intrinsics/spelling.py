"""How the C++ of an intrinsic is spelled for each dtype.

In: CUDA's name of a function of floats, a signature. Out: format strings such as `"sqrtf({0})"`. Two rules keep them
safe in any surrounding expression: an argument stands only where a whole expression may stand (in parentheses or
between commas), and the result is a call, a cast of one or a parenthesised expression.
Non-goals: conversions of arguments (they have their types already), C++ types of variables (`emit`).
"""

from __future__ import annotations

from collections.abc import Callable

from transpiler.intrinsics.entry import Scalar, Signature
from transpiler.ir.types import (
    BF16,
    BOOL,
    F16,
    F32,
    F64,
    I8,
    I16,
    I32,
    I64,
    INDEX,
    U8,
    U16,
    U32,
    U64,
)

Cpp = Callable[[Signature], str]

CPP_TYPES: dict[Scalar, str] = {
    BOOL: "bool",
    I8: "signed char",
    I16: "short",
    I32: "int",
    I64: "long long",
    U8: "unsigned char",
    U16: "unsigned short",
    U32: "unsigned int",
    U64: "unsigned long long",
    F32: "float",
    F64: "double",
    INDEX: "long long",
}

TO_FLOAT: dict[Scalar, str] = {F16: "__half2float({})", BF16: "__bfloat162float({})"}
FROM_FLOAT: dict[Scalar, str] = {F16: "__float2half_rn({})", BF16: "__float2bfloat16_rn({})"}


def same(text: str) -> Cpp:
    """One spelling for every dtype (CUDA overloads it)."""
    return lambda signature: text


def slots(count: int, start: int = 0) -> list[str]:
    return [f"{{{k}}}" for k in range(start, start + count)]


def call(name: str, arguments: list[str]) -> str:
    return f"{name}({', '.join(arguments)})"


def through_float(signature: Signature, single: str, result: Scalar) -> str:
    """`single`, a format string for `float`, on half-precision arguments; the result is rounded once more."""
    widened = [
        TO_FLOAT[a].format(slot) if a in TO_FLOAT else slot for a, slot in zip(signature.args, slots(9), strict=False)
    ]
    return FROM_FLOAT.get(result, "{}").format(single.format(*widened))


def by_float(single: str, double: str = "") -> Cpp:
    """Format strings for f32 and f64; half precision goes through f32."""

    def cpp(signature: Signature) -> str:
        if signature.args[0] == F64:
            return double
        return through_float(signature, single, signature.results[0])

    return cpp


def function(name: str, count: int = 1) -> Cpp:
    """A function of the C library: `sqrtf` for floats, `sqrt` for doubles."""
    return by_float(call(f"{name}f", slots(count)), call(name, slots(count)))


def by_width(narrow: str, wide: str) -> Cpp:
    """Integers: 32 bits or 64, decided by the first argument."""
    return lambda signature: wide if signature.args[0] in (I64, U64, INDEX) else narrow


def as_type(dtype: Scalar, text: str) -> str:
    return f"({CPP_TYPES[dtype]}){text}"
