"""A sample of the campaigns: nothing that is called proved may fail, and witnesses replay.

All of them: `python -m tests.properties.mutate`, `python -m tests.properties.random_kernels`.
"""

from __future__ import annotations

from itertools import islice

import pytest

from tests.properties.mutate import Counts, campaign, mutants, subjects
from tests.properties.oracle import judge
from tests.properties.random_kernels import kernels
from transpiler import pipeline
from transpiler.prove.decide import Decision
from transpiler.prove.races import Races
from transpiler.source import Source

SHARES = 4
EVERY = 47


@pytest.mark.parametrize("share", range(SHARES))
def test_planted_faults(share: int) -> None:
    every = [m for s in subjects() for m in mutants(s)]
    counts = campaign(every[share * 11 :: EVERY * SHARES], seed=share, launches=3)
    hold(counts)
    assert counts.launches


@pytest.mark.parametrize("share", range(SHARES))
def test_random_kernels(share: int) -> None:
    counts = campaign(kernels(range(share * 1000, share * 1000 + 12)), seed=0, launches=3)
    hold(counts)
    assert counts.verdicts["proved"]
    assert counts.verdicts["refuted"]


def hold(counts: Counts) -> None:
    assert counts.unsound == []
    assert counts.crashed == []
    assert counts.replay_rate >= 0.9, counts.unconfirmed


def test_the_oracle_sees_what_a_blind_prover_lets_pass(monkeypatch: pytest.MonkeyPatch) -> None:
    """Without the check of races, dropped barriers are called proved, and launches show them."""
    monkeypatch.setattr(Races, "decide", lambda *_: Decision("no", "syntactic"))
    dropped = (m for s in subjects() for m in mutants(s) if m.operator == "drop barrier")
    seen = 0
    for mutant in islice(dropped, 6):
        for report in pipeline.check(Source(mutant.text)).kernels:
            seen += bool(judge(report, 0, launches=4).unsound)
    assert seen >= 3
