"""What the simulator does with every row is what CPython says."""

from __future__ import annotations

import pytest

from tests.traps.harness import Case, codes, compare, expectation, simulated
from tests.traps.table import CASES


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.id)
def test_row(case: Case) -> None:
    got, printed = simulated(case)
    right, shown = expectation(case)
    compare(case, "the simulator", got, right)
    if case.printed:
        assert printed == shown


@pytest.mark.parametrize("case", [c for c in CASES if c.warns], ids=lambda case: case.id)
def test_row_warns(case: Case) -> None:
    assert set(case.warns) <= set(codes(case.text))
