"""Scalar code means in the simulator what it means in CPython."""

from __future__ import annotations

import os
from collections import Counter

import pytest
from hypothesis import HealthCheck, given, settings

from tests.properties.oracles import Outcome, judge_by_python
from tests.strategies.generated import Generated
from tests.strategies.kernels import SCALAR, random_scalar

COUNT = int(os.environ.get("ORACLE_KERNELS", "40"))
SLICES = 4


@pytest.mark.parametrize("part", range(SLICES))
def test_seeded_kernels_mean_the_same(part: int) -> None:
    outcomes: Counter[Outcome] = Counter()
    features: set[str] = set()
    for seed in range(part, COUNT, SLICES):
        generated = random_scalar(seed)
        outcomes[judge_by_python(generated)] += 1
        features |= generated.features
    assert outcomes[Outcome.EQUAL] > sum(outcomes.values()) / 2
    assert {"if", "for", "while", "augment", "effect", "leave", "divmod"} <= features


@settings(max_examples=12, deadline=None, suppress_health_check=list(HealthCheck), derandomize=True)
@given(SCALAR)
def test_drawn_kernels_mean_the_same(generated: Generated) -> None:
    judge_by_python(generated)
