"""Witnesses: small, of a launch that keeps the contract, and confirmed by the simulator."""

from __future__ import annotations

from textwrap import dedent

import pytest

from tests.prove.support import kernel
from tests.prove.test_verdicts import RULES, Rule
from transpiler.confirm import Confirm
from transpiler.prove import prove
from transpiler.simulate import simulate_witness

SHOWN = [r for r in RULES if r.verdict == "refuted" and "E0508" not in r.codes]
"""An invariant holds at the last test of a loop too, which no statement of a run checks."""


@pytest.mark.parametrize("rule", SHOWN, ids=lambda r: r.name.replace(" ", "-"))
def test_it_replays(rule: Rule) -> None:
    made = kernel(dedent(rule.body), rule.params, rule.decorator, dedent(rule.before))
    found = prove(made, confirm=Confirm(made)).diagnostics[0]
    assert found.witness is not None
    report = simulate_witness(made, found.witness).report
    kinds = {d.kind for d in report.diagnostics}
    assert found.kind in kinds, report.diagnostics


def test_it_is_small() -> None:
    made = kernel("i = cuda.grid(1)\nif i < n:\n    a[n - 1 - i] = a[i]", "a: InOut[i32, int], n: i32")
    w = prove(made).diagnostics[0].witness
    assert w is not None
    assert w.launch == {"grid": (1, 1, 1), "block": (256, 1, 1), "scalars": {"n": 2}, "shapes": {"a": (2,)}}
    assert [t.thread for t in w.threads] == [(0, 0, 0), (1, 0, 0)]


def test_contents_are_part_of_it() -> None:
    made = kernel(
        "i = cuda.grid(1)\nif i < n and x[i] > 3:\n    a[0] = i", "x: In[f32, int], a: InOut[i32, int], n: i32"
    )
    w = prove(made).diagnostics[0].witness
    assert w is not None
    assert w.launch["data"] == {"x": [4.0, 4.0]}


def test_contents_keep_a_data_contract() -> None:
    body = """
    requires(injective(p))
    i = cuda.grid(1)
    if i < n:
        a[p[i] % 2] = i
    """
    made = kernel(dedent(body), "p: In[u32, int], a: InOut[i32, int], n: i32")
    w = prove(made).diagnostics[0].witness
    assert w is not None
    values = w.launch["data"]["p"]
    assert len(values) == len(set(values)) == w.launch["shapes"]["p"][0]
