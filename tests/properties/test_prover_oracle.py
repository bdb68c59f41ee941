"""A kernel that is proved shows nothing in the simulator; what is refuted replays."""

from __future__ import annotations

import os
from collections import Counter

import pytest

from tests.properties.oracles import Outcome, judge_by_prover
from tests.strategies.kernels import random_cooperative, random_scalar

COUNT = int(os.environ.get("ORACLE_KERNELS", "80"))
SLICES = 4


@pytest.mark.parametrize("part", range(SLICES))
def test_kernels_whose_threads_meet(part: int) -> None:
    outcomes = Counter(judge_by_prover(random_cooperative(seed)) for seed in range(part, COUNT, SLICES))
    assert outcomes[Outcome.PROVED]
    assert outcomes[Outcome.REFUTED]


def test_scalar_kernels() -> None:
    outcomes = Counter(judge_by_prover(random_scalar(seed)) for seed in range(COUNT // 20))
    assert sum(outcomes.values()) == COUNT // 20
