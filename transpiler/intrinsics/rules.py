"""Type rules of intrinsics: from the types of the arguments of a call to a `Signature`, or to the sentence that refuses
it.

In: argument types, weak literals included. Out: rules to be named in table entries (`floating(2)`, `fixed(...)`), and
the small questions they are made of. Promotion follows LANGUAGE: the widest float wins, integers that meet no float
become `f32` (`i64`, `u64`: `f64`), f16 with bf16 has no common type.
Non-goals: counting arguments (`check` knows `params`), operators (`check.promotion`).
"""

from __future__ import annotations

from collections.abc import Callable

from transpiler.intrinsics.entry import Rule, Scalar, Signature
from transpiler.ir.types import (
    BF16,
    BOOL,
    F16,
    F32,
    F64,
    I32,
    I64,
    INDEX,
    U32,
    U64,
    WEAK_FLOAT,
    WEAK_INT,
    DType,
    IndexType,
    Type,
    WeakType,
)

Argument = Callable[[Type], "Scalar | str"]
"""The type that one argument is converted to, or the rest of the sentence `argument 2 must be ...`."""


def is_number(t: Type) -> bool:
    return isinstance(t, DType | IndexType | WeakType)


def is_float(t: Type) -> bool:
    return t == WEAK_FLOAT or (isinstance(t, DType) and t.is_float)


def is_integer(t: Type) -> bool:
    return t in (WEAK_INT, INDEX) or (isinstance(t, DType) and t.is_integer)


def concrete(t: Type) -> Scalar:
    """The dtype of a value that stands alone: an integer literal is `i32`, a float literal `f32`."""
    if isinstance(t, WeakType):
        return I32 if t == WEAK_INT else F32
    assert isinstance(t, DType | IndexType)
    return t


def common_float(types: tuple[Type, ...], allowed: tuple[DType, ...] = (F16, BF16, F32, F64)) -> DType | str:
    """The float dtype that a function of floats computes in."""
    for position, t in enumerate(types, 1):
        if not is_number(t):
            return f"argument {position} must be a number, not {t}"
    floats = [t for t in types if isinstance(t, DType) and t.is_float]
    if F16 in floats and BF16 in floats:
        return "f16 and bf16 have no common type: convert one of them"
    if floats:
        widest = max(floats, key=lambda t: t.bits)
    else:
        wide = any(isinstance(t, DType) and t.is_integer and t.bits == 64 for t in types)
        widest = F64 if wide else F32
    if widest not in allowed:
        return f"computes in {' or '.join(map(str, allowed))}, not in {widest}: convert the arguments"
    return widest


def floating(count: int, result: DType | None = None, allowed: tuple[DType, ...] = (F16, BF16, F32, F64)) -> Rule:
    """All arguments (at most `count`) in their common float dtype, which is the result's too unless `result` is given."""

    def rule(types: tuple[Type, ...]) -> Signature | str:
        dtype = common_float(types[:count], allowed)
        if isinstance(dtype, str):
            return dtype
        return Signature((dtype,) * min(count, len(types)), (result or dtype,))

    return rule


def float_and_int(types: tuple[Type, ...]) -> Signature | str:
    """A float and an `i32`: `ldexp`."""
    dtype = common_float(types[:1])
    if isinstance(dtype, str):
        return dtype
    exponent = narrow_int(types[1])
    return Signature((dtype, exponent), (dtype,)) if isinstance(exponent, DType) else f"argument 2 must be {exponent}"


def rounding(types: tuple[Type, ...]) -> Signature | str:
    """A float to the integer that Python's `floor`, `ceil`, `trunc` and `round` give; an integer stays as it is."""
    (t,) = types
    if t == BOOL:
        return Signature((I32,), (I32,))
    if is_integer(t):
        return Signature((INDEX,), (INDEX,)) if t == WEAK_INT else Signature((concrete(t),), (concrete(t),))
    dtype = common_float(types)
    if isinstance(dtype, str):
        return dtype
    return Signature((dtype,), (I64 if dtype == F64 else I32,))


# --- one argument at a time -------------------------------------------------------------------------------


def narrow_int(t: Type) -> Scalar | str:
    """`i32`: lanes, distances, exponents. Where a 64-bit value would have to be cut off the user says so."""
    if t == BOOL or (is_integer(t) and not (isinstance(t, DType) and t.bits == 64)):
        return I32
    return f"an integer of at most 32 bits, not {t}"


def bits32(t: Type) -> Scalar | str:
    """`u32`: masks and bit patterns."""
    if t == BOOL or (is_integer(t) and not (isinstance(t, DType) and t.bits == 64)):
        return U32
    return f"an integer of at most 32 bits, not {t}"


def seed64(t: Type) -> Scalar | str:
    """64 bits of a seed or a counter: signed ones keep their bits."""
    if t == U64:
        return U64
    return I64 if is_integer(t) else f"an integer, not {t}"


def predicate(t: Type) -> Scalar | str:
    return BOOL if is_number(t) else f"a truth value, not {t}"


def value(t: Type) -> Scalar | str:
    """Any scalar; an index integer travels as `i64`."""
    if not is_number(t):
        return f"a scalar, not {t}"
    return I64 if t == INDEX else concrete(t)


def fixed(arguments: tuple[Argument, ...], results: Callable[[tuple[Scalar, ...]], tuple[Scalar, ...]]) -> Rule:
    """Each argument by its own rule; the results from what the arguments became."""

    def rule(types: tuple[Type, ...]) -> Signature | str:
        args: list[Scalar] = []
        for position, (argument, t) in enumerate(zip(arguments, types, strict=True), 1):
            converted = argument(t)
            if isinstance(converted, str):
                return f"argument {position} must be {converted}"
            args.append(converted)
        return Signature(tuple(args), results(tuple(args)))

    return rule


def gives(*results: Scalar) -> Callable[[tuple[Scalar, ...]], tuple[Scalar, ...]]:
    return lambda args: results


def gives_argument(position: int) -> Callable[[tuple[Scalar, ...]], tuple[Scalar, ...]]:
    return lambda args: (args[position],)


# --- bits -------------------------------------------------------------------------------------------------


def word(t: Type) -> Scalar | str:
    """An integer of 32 or 64 bits; narrower ones are widened (keeping their value), index integers are `i64`."""
    if t == BOOL or (isinstance(t, DType) and t.is_integer and t.bits < 32):
        return U32 if isinstance(t, DType) and t.kind != "int" else I32
    if not is_integer(t):
        return f"an integer, not {t}"
    return I64 if t == INDEX else concrete(t)


def sized_word(t: Type) -> Scalar | str:
    """As `word`, where the answer depends on the width: a value without one is refused."""
    if t in (INDEX, WEAK_INT):
        return "of a dtype, because the answer depends on its width: write `u32(x)` or `u64(x)`"
    return word(t)


def same_words(types: tuple[Type, ...]) -> Signature | str:
    """Two integers of one dtype, which is the result's; literals and index integers take the other's."""
    dtypes = {t for t in types if isinstance(t, DType)}
    for position, t in enumerate(types, 1):
        if not is_integer(t):
            return f"argument {position} must be an integer, not {t}"
    if len(dtypes) > 1:
        return "the arguments must be of one integer dtype: convert one of them"
    dtype = word(dtypes.pop()) if dtypes else "of a dtype, because the answer depends on its width: write `u32(x)`"
    if isinstance(dtype, str):
        return f"the arguments must be {dtype}"
    return Signature((dtype,) * len(types), (dtype,))
