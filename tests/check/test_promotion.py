"""The promotion rules: an operation has one type, whichever side its operands stand on."""

from __future__ import annotations

import itertools

import pytest

from transpiler.check import promotion
from transpiler.ir.types import BOOL, DTYPES, INDEX, WEAK_FLOAT, WEAK_INT

TYPES = (*DTYPES.values(), INDEX, WEAK_INT, WEAK_FLOAT)


@pytest.mark.parametrize("op", ["+", "/", "//", "&", "<<"])
def test_operands_may_change_places(op: str) -> None:
    for a, b in itertools.product(TYPES, repeat=2):
        one, other = promotion.binary(op, a, b), promotion.binary(op, b, a)
        assert type(one) is type(other), (a, b)
        if isinstance(one, promotion.Promoted) and isinstance(other, promotion.Promoted):
            assert (one.operand, one.result, one.warnings) == (other.operand, other.result, other.warnings), (a, b)


def test_an_index_takes_a_literal_and_gives_way_to_data() -> None:
    for dtype in (t for t in DTYPES.values() if t.is_integer):
        assert promotion.arithmetic_type(INDEX, dtype) == promotion.Promoted(dtype, dtype)
    assert promotion.arithmetic_type(INDEX, WEAK_INT) == promotion.Promoted(INDEX, INDEX)
    assert promotion.arithmetic_type(BOOL, INDEX) == promotion.Promoted(DTYPES["i32"], DTYPES["i32"])


def test_a_division_of_an_index_warns() -> None:
    promoted = promotion.binary("/", INDEX, WEAK_INT)
    assert isinstance(promoted, promotion.Promoted)
    assert promoted.warnings == ("W0201",)
