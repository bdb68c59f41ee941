"""The emitted C++, built by g++, does with every row what CPython says."""

from __future__ import annotations

import functools

import pytest

from tests.strategies.host import BATCH, HostKernel, build_kernels
from tests.support import host_build
from tests.traps.harness import Case, compare, copied, dims, expectation, front, kernel_of, plain
from tests.traps.table import CASES

pytestmark = [
    pytest.mark.skipif(not host_build.available(), reason="needs g++"),
    pytest.mark.xdist_group("traps on the host"),
]


@functools.cache
def _batch(first: int) -> dict[Case, HostKernel]:
    cases = [case for case in CASES[first : first + BATCH] if front(case.text)[0] is not None]
    return dict(zip(cases, build_kernels([kernel_of(case) for case in cases]), strict=True))


@pytest.mark.parametrize("number", range(len(CASES)), ids=lambda number: CASES[number].id)
def test_row(number: int, capfd: pytest.CaptureFixture[str]) -> None:
    case = CASES[number]
    kernel_of(case)
    built = _batch(number // BATCH * BATCH)[case]
    arguments = plain(copied(case.arguments))
    capfd.readouterr()
    failure = built.run(arguments, case.grid, case.block, dims(case))
    printed = capfd.readouterr().out
    assert failure is None
    right, shown = expectation(case)
    compare(case, "the C++", {name: arguments[name] for name in case.results}, right)
    if case.printed:
        assert printed == shown
