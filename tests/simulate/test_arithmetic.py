"""Operators on lanes against Python's own integers and floats."""

from __future__ import annotations

import math
from typing import Any

import ml_dtypes
import numpy as np
import pytest

from transpiler.ir.types import BF16, F16, F32, F64, I8, I16, I32, I64, INDEX, U8, U16, U32, U64, DType, Scalar
from transpiler.simulate.arithmetic import binary, compare, unary
from transpiler.simulate.dtypes import numpy_dtype

INTEGERS = (I8, I16, I32, I64, U8, U16, U32, U64)


class Faults:
    """What was told, by code."""

    def __init__(self) -> None:
        self.masks: dict[str, np.ndarray] = {}

    def __call__(self, code: str, mask: Any) -> None:
        self.masks[code] = np.atleast_1d(mask)


def edge_values(type_: Scalar) -> list[int]:
    low, high = (type_.min, type_.max) if isinstance(type_, DType) else (I64.min, I64.max)
    near = {low, low + 1, low // 2, -7, -3, -2, -1, 0, 1, 2, 3, 7, high // 2, high - 1, high}
    return sorted(v for v in near if low <= v <= high)


def pairs(type_: Scalar) -> tuple[list[int], list[int]]:
    values = edge_values(type_)
    return [a for a in values for _ in values], [b for _ in values for b in values]


def wrapped(value: int, type_: DType) -> int:
    value &= (1 << type_.bits) - 1
    return value - (1 << type_.bits) if type_.kind == "int" and value > type_.max else value


def apply(op: str, type_: Scalar, left: list[Any], right: list[Any]) -> tuple[list[Any], Faults]:
    faults = Faults()
    dtype = numpy_dtype(type_)
    with np.errstate(all="ignore"):
        result = binary(op, type_, np.array(left, dtype), np.array(right, dtype), faults)
    assert result.dtype == dtype
    return result.tolist(), faults


EXACT = {
    "+": lambda a, b: a + b,
    "-": lambda a, b: a - b,
    "*": lambda a, b: a * b,
    "&": lambda a, b: a & b,
    "|": lambda a, b: a | b,
    "^": lambda a, b: a ^ b,
    "min": min,
    "max": max,
}


@pytest.mark.parametrize("type_", INTEGERS, ids=str)
@pytest.mark.parametrize("op", EXACT)
def test_integers_wrap(op: str, type_: DType) -> None:
    left, right = pairs(type_)
    result, faults = apply(op, type_, left, right)
    assert result == [wrapped(EXACT[op](a, b), type_) for a, b in zip(left, right, strict=True)]
    assert not faults.masks


@pytest.mark.parametrize("type_", INTEGERS, ids=str)
@pytest.mark.parametrize("op", ["//", "%"])
def test_integer_division_floors_and_by_zero_is_told(op: str, type_: DType) -> None:
    left, right = pairs(type_)
    result, faults = apply(op, type_, left, right)
    expected = [
        0 if b == 0 else wrapped(a // b if op == "//" else a % b, type_) for a, b in zip(left, right, strict=True)
    ]
    assert result == expected
    assert faults.masks["E0503"].tolist() == [b == 0 for b in right]


@pytest.mark.parametrize("type_", INTEGERS, ids=str)
def test_shifts_are_arithmetic_and_outside_the_width_they_are_told(type_: DType) -> None:
    values = edge_values(type_)
    shifts = [s for s in (-1, 0, 1, type_.bits - 1, type_.bits) if type_.min <= s <= type_.max]
    left, right = [v for v in values for _ in shifts], [s for _ in values for s in shifts]
    fits = [0 <= s < type_.bits for s in right]
    for op, exact in (("<<", lambda a, s: a << s), (">>", lambda a, s: a >> s)):
        result, faults = apply(op, type_, left, right)
        assert result == [wrapped(exact(a, s), type_) if ok else 0 for a, s, ok in zip(left, right, fits, strict=True)]
        assert faults.masks["E0504"].tolist() == [not ok for ok in fits]


@pytest.mark.parametrize("type_", INTEGERS, ids=str)
def test_integer_power_wraps_and_a_negative_exponent_is_told(type_: DType) -> None:
    bases, exponents = edge_values(type_), [e for e in (-1, 0, 1, 2, 3, 13, 63) if type_.min <= e <= type_.max]
    left, right = [b for b in bases for _ in exponents], [e for _ in bases for e in exponents]
    result, faults = apply("**", type_, left, right)
    assert result == [wrapped(b**e, type_) if e >= 0 else 0 for b, e in zip(left, right, strict=True)]
    assert faults.masks.get("E0505", np.zeros(len(right), bool)).tolist() == [e < 0 for e in right]


@pytest.mark.parametrize("op", ["+", "-", "*", "//", "<<", "**"])
def test_index_integers_are_exact_or_told(op: str) -> None:
    exact = {**EXACT, "//": lambda a, b: a // b, "<<": lambda a, b: a << b, "**": lambda a, b: a**b}[op]
    left, right = pairs(INDEX)
    if op in ("<<", "**"):
        left, right = edge_values(INDEX) * 4, [s for s in (0, 1, 31, 62) for _ in edge_values(INDEX)]
    if op == "//":
        left, right = zip(*((a, b) for a, b in zip(left, right, strict=True) if b), strict=True)
    result, faults = apply(op, INDEX, list(left), list(right))
    values = [exact(a, b) for a, b in zip(left, right, strict=True)]
    over = [not I64.min <= v <= I64.max for v in values]
    assert any(over)
    assert faults.masks["E0502"].tolist() == over
    assert [r for r, o in zip(result, over, strict=True) if not o] == [
        v for v, o in zip(values, over, strict=True) if not o
    ]


def test_index_arithmetic_in_range_tells_nothing() -> None:
    for op in ("+", "-", "*", "//", "%", "&", "|", "^", "<<", ">>", "**", "min", "max"):
        result, faults = apply(op, INDEX, [5, 1000000, 0], [3, 2, 1])
        assert not faults.masks, op
        assert result is not None


@pytest.mark.parametrize("type_", INTEGERS, ids=str)
def test_unary_operators(type_: DType) -> None:
    values = edge_values(type_)
    for op, exact in (("-", lambda v: -v), ("abs", abs), ("~", lambda v: ~v)):
        faults = Faults()
        with np.errstate(all="ignore"):
            result = unary(op, type_, np.array(values, numpy_dtype(type_)), faults)
        assert result.tolist() == [wrapped(exact(v), type_) for v in values]
        assert not faults.masks


def test_the_smallest_index_integer_has_no_negative() -> None:
    for op in ("-", "abs"):
        faults = Faults()
        with np.errstate(all="ignore"):
            unary(op, INDEX, np.array([I64.min, 1]), faults)
        assert faults.masks["E0502"].tolist() == [True, False]


@pytest.mark.parametrize("left_type", INTEGERS, ids=str)
@pytest.mark.parametrize("right_type", INTEGERS, ids=str)
def test_comparison_is_by_value_across_signs_and_widths(left_type: DType, right_type: DType) -> None:
    left = [a for a in edge_values(left_type) for _ in edge_values(right_type)]
    right = [b for _ in edge_values(left_type) for b in edge_values(right_type)]
    arrays = np.array(left, numpy_dtype(left_type)), np.array(right, numpy_dtype(right_type))
    for op, exact in {
        "<": lambda a, b: a < b,
        "<=": lambda a, b: a <= b,
        ">": lambda a, b: a > b,
        ">=": lambda a, b: a >= b,
        "==": lambda a, b: a == b,
        "!=": lambda a, b: a != b,
    }.items():
        expected = [exact(a, b) for a, b in zip(left, right, strict=True)]
        assert compare(op, *arrays).tolist() == expected
        assert [bool(compare(op, a, b)) for a, b in zip(*arrays, strict=True)] == expected


FLOATS = [
    0.0,
    -0.0,
    1.0,
    -1.0,
    0.1,
    -0.1,
    2.5,
    -2.5,
    3.0,
    7.0,
    -7.0,
    1e30,
    -1e30,
    1e-30,
    math.inf,
    -math.inf,
    math.nan,
    0.3,
    0.9,
]


def same(a: float, b: float) -> bool:
    return (math.isnan(a) and math.isnan(b)) or (a == b and math.copysign(1, a) == math.copysign(1, b))


@pytest.mark.parametrize("op", ["//", "%"])
def test_float_division_is_pythons(op: str) -> None:
    left, right = [a for a in FLOATS for b in FLOATS if b], [b for _ in FLOATS for b in FLOATS if b]
    result, _ = apply(op, F64, left, right)
    expected = [a // b if op == "//" else a % b for a, b in zip(left, right, strict=True)]
    wrong = [(a, b, r, e) for a, b, r, e in zip(left, right, result, expected, strict=True) if not same(r, e)]
    assert not wrong


def test_float_division_by_zero_follows_ieee() -> None:
    quotient, faults = apply("//", F32, [1.0, -1.0, 0.0], [0.0, 0.0, 0.0])
    assert quotient[:2] == [math.inf, -math.inf]
    assert math.isnan(quotient[2])
    rest, _ = apply("%", F32, [1.0, -1.0, 0.0], [0.0, 0.0, 0.0])
    assert all(map(math.isnan, rest))
    assert not faults.masks


def test_minimum_and_maximum_keep_the_first_of_equals_and_of_nan() -> None:
    for op, python in (("min", min), ("max", max)):
        left, right = [a for a in FLOATS for _ in FLOATS], [b for _ in FLOATS for b in FLOATS]
        result, _ = apply(op, F64, left, right)
        assert all(same(r, python(a, b)) for r, a, b in zip(result, left, right, strict=True))


@pytest.mark.parametrize(("type_", "dtype"), [(F16, np.float16), (BF16, ml_dtypes.bfloat16)], ids=["f16", "bf16"])
@pytest.mark.parametrize("op", ["+", "-", "*", "/"])
def test_half_precision_rounds_each_operation_once(op: str, type_: DType, dtype: Any) -> None:
    rng = np.random.default_rng(1)
    left, right = (rng.normal(size=500).astype(dtype) for _ in range(2))
    exact = {"+": np.add, "-": np.subtract, "*": np.multiply, "/": np.divide}[op]
    expected = exact(left.astype(np.float64), right.astype(np.float64)).astype(np.float32).astype(dtype)
    result = binary(op, type_, left, right, Faults())
    assert result.dtype == dtype
    assert np.array_equal(result, expected)


def test_single_precision_stays_single() -> None:
    left, right = np.float32([0.1, 1e10, 3.3]), np.float32([0.2, 3.0, 7.7])
    for op, exact in (("+", np.add), ("-", np.subtract), ("*", np.multiply), ("/", np.divide)):
        expected = exact(left.astype(np.float64), right.astype(np.float64)).astype(np.float32)
        assert np.array_equal(binary(op, F32, left, right, Faults()), expected)


def test_one_value_for_all_lanes_is_enough() -> None:
    assert binary("+", INDEX, np.int64(2), np.array([1, 2]), Faults()).tolist() == [3, 4]
    assert binary("//", I32, np.int32(-7), np.int32(2), Faults()) == -4
    assert binary("%", F32, np.float32(-7), np.float32(4), Faults()) == 1.0
    assert unary("not", I32, np.bool_(False), Faults())
