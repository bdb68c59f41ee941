"""Many accesses to one array, and the same answer on every run."""

from __future__ import annotations

from dataclasses import replace

from tests.prove.support import kernel
from tests.prove.test_verdicts import RULES
from transpiler.prove import prove

QUERIES = 16
"""One a pair would be 32,000; how long they take is in `bench/prover.py`."""


def test_256_accesses_in_one_interval() -> None:
    lines = [f"s[tx + {256 * k}] = s[tx + {256 * k}] + {k}" for k in range(128)]
    body = "\n".join(["s = cuda.shared.array(32768, i8, fill=0)", "tx = cuda.threadIdx.x", *lines])
    made = kernel(body, "n: i32")
    proof = prove(made)
    assert proof.verdict == "proved"
    assert proof.queries <= QUERIES


def test_runs_give_the_same_answer() -> None:
    for rule in RULES[:12]:
        made = kernel(rule.body, rule.params, rule.decorator, rule.before)
        answers = {repr(replace(prove(made), time_ms=0.0)) for _ in range(2)}
        assert len(answers) == 1, rule.name
