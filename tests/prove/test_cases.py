"""Whole kernels with a verdict: the safe ones need no trust, the faulty ones are what books and codes have got wrong."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

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
    if case["verdict"] == "safe":
        assert report.verdict == "proved", [d.message for d in found]
        assert sorted(report.contract) == sorted(case["contract"])
        assert report.assumptions == ()
        return
    assert report.verdict == "refuted"
    assert found[0].kind == case["verdict"]
    assert sorted(found[0].all_lines) == sorted(case["lines"])
    assert found[0].witness is not None
    assert report.kernel is not None
    kinds = {d.kind for d in simulate_witness(report.kernel, found[0].witness).report.diagnostics}
    assert case["verdict"] in kinds


def test_every_file_is_a_case() -> None:
    assert {p.name for p in FOLDER.glob("*.py")} == {c["file"] for c in CASES}
