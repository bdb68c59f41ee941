"""What has no meaning is refused, each with its code, by the stage that can know."""

from __future__ import annotations

import pytest

from tests.traps.harness import Refused, codes, copied, front, plain
from tests.traps.table import REFUSED
from transpiler.pipeline import check
from transpiler.simulate import simulate
from transpiler.source import Source


def of_stage(*stages: str) -> list[Refused]:
    return [row for row in REFUSED if row.stage in stages]


@pytest.mark.parametrize("row", of_stage("check"), ids=lambda row: row.id)
def test_types_refuse(row: Refused) -> None:
    assert row.code in codes(row.text)


@pytest.mark.parametrize("row", of_stage("run"), ids=lambda row: row.id)
def test_the_simulator_finds(row: Refused) -> None:
    kernel, found = front(row.text)
    assert kernel is not None, [f"{d.code} {d.message}" for d in found]
    report = simulate(kernel, plain(copied(row.arguments)), grid=row.grid, block=row.block)
    assert row.code in report.codes()


@pytest.mark.parametrize("row", of_stage("prove"), ids=lambda row: row.id)
def test_the_prover_refuses(row: Refused) -> None:
    report = check(Source(row.text, "kernels.py"))
    assert not report.proved
    assert row.code in {d.code for kernel in report.kernels for d in kernel.diagnostics}
