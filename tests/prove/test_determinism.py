"""Two processes with other hash seeds, one taking the files in reverse order, say the same of every kernel."""

from __future__ import annotations

import importlib.util
from pathlib import Path
from types import ModuleType

ROOT = Path(__file__).parents[2]


def bench() -> ModuleType:
    spec = importlib.util.spec_from_file_location("bench_prover", ROOT / "bench" / "prover.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_answers_do_not_depend_on_the_process() -> None:
    files = sorted((ROOT / "tests" / "prove" / "cases").glob("*.py"))[::4]
    assert bench().determinism(2, files)
