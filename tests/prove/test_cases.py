"""Whole kernels with a verdict: the safe ones need no trust, the faulty ones are what books and codes have got wrong.

Each is judged twice: by the prover, and by the simulator in launches that meet the contract (safe) or in that of the witness.
`unknown` is what the prover has to leave open: right or wrong for reasons (values, atomics) that it does not follow.
"""

from __future__ import annotations

import json
import zlib
from pathlib import Path
from typing import Any

import pytest

from tests.properties.oracle import judge
from transpiler import pipeline
from transpiler.diagnostics import Severity
from transpiler.simulate import simulate_witness
from transpiler.source import Source

FOLDER = Path(__file__).parent / "cases"
CASES: list[dict[str, Any]] = json.loads((FOLDER / "cases.json").read_text())


@pytest.mark.parametrize("case", CASES, ids=lambda c: c["kernel"])
def test_case(case: dict[str, Any]) -> None:
    (report,) = pipeline.check(Source.read(FOLDER / case["file"])).kernels
    found = [d for d in report.diagnostics if d.severity is Severity.ERROR]
    assert len(report.assumptions) == case.get("assumptions", 0)
    if case["verdict"] == "safe":
        assert report.verdict == "proved", [d.message for d in found]
        assert sorted(report.contract) == sorted(case["contract"])
        seen = judge(report, zlib.crc32(case["kernel"].encode()), launches=4)
        assert seen.unsound == []
        assert seen.launches or report.assumptions
        return
    if case["verdict"] == "unknown":
        assert report.verdict == "unknown", [d.message for d in found]
        return
    assert report.verdict == "refuted"
    assert found[0].kind == case["verdict"]
    assert sorted(found[0].all_lines) == sorted(case["lines"])
    assert found[0].witness is not None
    assert report.kernel is not None
    replay = simulate_witness(report.kernel, found[0].witness, kind=case["verdict"])
    assert replay.confirmed is not None


def test_every_file_is_a_case() -> None:
    assert {p.name for p in FOLDER.glob("*.py")} == {c["file"] for c in CASES}
