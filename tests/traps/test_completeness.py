"""Every row has a positive and a negative test, and the published table names each."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests.traps.table import CASES, ELSEWHERE, REFUSED, ROWS

ROOT = Path(__file__).parents[2]
NUMBERS = range(1, 96)
ONLY_POSITIVE = frozenset({43, 44, 47, 67, 68}) - {row.row for row in REFUSED}
"""Rows that speak of what is computed; nothing in them is to refuse."""


@pytest.mark.parametrize("number", NUMBERS)
def test_row_is_tested(number: int) -> None:
    positive = [c for c in CASES if c.row == number]
    negative = [r for r in REFUSED if r.row == number] + [c for c in positive if c.warns]
    elsewhere = ELSEWHERE.get(number, ())
    assert positive or elsewhere
    assert negative or elsewhere or number in ONLY_POSITIVE
    for path in elsewhere:
        assert (ROOT / path).exists(), path


def test_names_are_unique() -> None:
    kinds = [(row.id, type(row).__name__, getattr(row, "stage", "")) for row in ROWS]
    twice = {kind for kind in kinds if kinds.count(kind) > 1}
    assert not twice


def test_the_published_table_has_every_row() -> None:
    text = (ROOT / "docs" / "traps.md").read_text()
    assert [int(n) for n in re.findall(r"^\| (\d+) \|", text, re.MULTILINE)] == list(NUMBERS)
