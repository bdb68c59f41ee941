"""Float literals are rounded once, from their decimal text to the type that they meet."""

from __future__ import annotations

from decimal import Decimal, getcontext

import numpy as np
import pytest

from transpiler.ir.types import F16, F32, F64, DType
from transpiler.lower.values import cast_number, literal

getcontext().prec = 80


@pytest.mark.parametrize(
    "text", ["0.1", "1e-6", "3.14159265358979323846", "1_000.5", "2.5e-45", "1e38", "0.0", "16777217.0", "1e-99999999"]
)
def test_common_texts_are_the_nearest_floats(text: str) -> None:
    assert literal(text, F64) == float(text)
    assert np.float32(literal(text, F32)) == np.float32(text.replace("_", ""))


@pytest.mark.parametrize(("kind", "bits"), [(F32, 24), (F16, 11)])
def test_a_text_beside_the_middle_of_two_floats_is_not_rounded_twice(kind: DType, bits: int) -> None:
    half, beyond = Decimal(2) ** -bits, Decimal(2) ** -70
    above = 1.0 + 2.0 ** -(bits - 1)
    assert literal(str(1 + half + beyond), kind) == above
    assert literal(str(1 + half), kind) == 1.0
    assert literal(str(1 + half - beyond), kind) == 1.0
    assert literal(str(1 + 3 * half - beyond), kind) == above


def test_casts_of_numbers() -> None:
    i8, u8 = DType("i8", "int", 8), DType("u8", "uint", 8)
    assert [cast_number(v, i8) for v in (200, -129, 1.9, -1.9, 1e30, -1e30, float("nan"))] == [
        -56,
        127,
        1,
        -1,
        127,
        -128,
        0,
    ]
    assert [cast_number(v, u8) for v in (-1, 256, -3.5)] == [255, 0, 0]
    assert cast_number(0.1, F32) == float(np.float32(0.1))
