"""Every row of the trap table on the device: the bits that CPython says, and what is printed nowhere else."""

from __future__ import annotations

import functools

import pytest

from tests.strategies.device import BATCH, DeviceKernel, build_on_device
from tests.traps.harness import Case, compare, copied, dims, expectation, front, kernel_of, plain
from tests.traps.table import CASES

SILENT = tuple(case for case in CASES if not case.printed)
"""What a device prints goes past Python."""


@functools.cache
def _batch(first: int) -> dict[Case, DeviceKernel]:
    cases = [case for case in SILENT[first : first + BATCH] if front(case.text)[0] is not None]
    return dict(zip(cases, build_on_device([kernel_of(case) for case in cases]), strict=True))


@pytest.mark.parametrize("number", range(len(SILENT)), ids=lambda number: SILENT[number].id)
def test_row(number: int) -> None:
    case = SILENT[number]
    kernel_of(case)
    built = _batch(number // BATCH * BATCH)[case]
    arguments = plain(copied(case.arguments))
    failure = built.run(arguments, case.grid, case.block, dims(case))
    assert failure == 0
    compare(case, "the device", {name: arguments[name] for name in case.results}, expectation(case)[0])
