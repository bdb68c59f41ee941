"""The corpus of a hundred kernels beside the project, judged by its own scorer."""

from __future__ import annotations

import json
from dataclasses import asdict
from pathlib import Path
from typing import Any

import pytest

from tests.support.kernels import checked
from transpiler.confirm import Confirm
from transpiler.diagnostics import Diagnostic, Severity
from transpiler.frontend import parse_module
from transpiler.prove import prove
from transpiler.source import Source

SHARED = Path(__file__).resolve().parents[3] / "shared"
CASES = SHARED / "cases" / "cases.json"
SCORER = SHARED / "tools" / "corpus"

pytestmark = pytest.mark.skipif(not (CASES.exists() and SCORER.exists()), reason="the corpus is not beside the project")


def cases() -> list[dict[str, Any]]:
    return json.loads(CASES.read_text()) if CASES.exists() else []


@pytest.fixture(scope="module")
def judge() -> Any:
    """The function of the scorer that judges one case."""
    text = SCORER.read_text().replace("sys.exit(main())", "")
    names: dict[str, Any] = {"__name__": "corpus", "__file__": str(SCORER)}
    exec(compile(text, str(SCORER), "exec"), names)
    return names["judge"]


@pytest.mark.parametrize("case", cases(), ids=lambda c: c["id"])
def test_case(case: dict[str, Any], judge: Any) -> None:
    text = (CASES.parent / case["file"]).read_text()
    why, _, _ = judge(case, [answer(case, text)], None, False, text)
    assert why is None


def answer(case: dict[str, Any], text: str) -> dict[str, Any]:
    """What `transpile check --format json` says of the kernel."""
    parsed, _ = parse_module(Source(text, case["file"]))
    kernels, found = checked(parsed)
    result: dict[str, Any] = {"verdict": "error", "contract": [], "disjoint": [], "assumptions": [], "time_ms": 0.0}
    if not any(d.severity is Severity.ERROR for d in found):
        kernel = next(k for k in kernels if k.name == case["kernel"])
        p = prove(kernel, confirm=Confirm(kernel))
        found = [*found, *p.diagnostics]
        result |= {"verdict": p.verdict, "contract": list(p.contract), "disjoint": [list(d) for d in p.disjoint]}
    return result | {"name": case["kernel"], "diagnostics": [as_json(d) for d in found]}


def as_json(d: Diagnostic) -> dict[str, Any]:
    witness = None if d.witness is None else asdict(d.witness)
    return {"severity": d.severity.value, "kind": d.kind, "lines": list(d.all_lines), "witness": witness}
