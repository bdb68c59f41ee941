"""Many accesses to one array, and the same answer on every run."""

from __future__ import annotations

import time
from dataclasses import replace

from tests.prove.support import kernel
from tests.prove.test_verdicts import RULES
from transpiler.prove import prove

SECONDS = 20.0
"""Four times what is promised, for machines that do other things meanwhile."""


def test_256_accesses_in_one_interval() -> None:
    lines = [f"s[tx + {256 * k}] = s[tx + {256 * k}] + {k}" for k in range(128)]
    body = "\n".join(["s = cuda.shared.array(32768, i8, fill=0)", "tx = cuda.threadIdx.x", *lines])
    made = kernel(body, "n: i32")
    started = time.process_time()
    assert prove(made).verdict == "proved"
    assert time.process_time() - started < SECONDS


def test_runs_give_the_same_answer() -> None:
    for rule in RULES[:12]:
        made = kernel(rule.body, rule.params, rule.decorator, rule.before)
        answers = {repr(replace(prove(made), time_ms=0.0)) for _ in range(2)}
        assert len(answers) == 1, rule.name
