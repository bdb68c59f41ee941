"""Every sample is proved, with nothing trusted and nothing left to run time; those of `samples/safe` also run."""

from __future__ import annotations

import runpy
from pathlib import Path

import pytest

from transpiler import pipeline
from transpiler.source import Source

SAMPLES = Path(__file__).parents[2] / "samples"


@pytest.mark.parametrize("path", sorted(SAMPLES.glob("s*/*.py")), ids=lambda p: f"{p.parent.name}/{p.stem}")
def test_proved(path: Path) -> None:
    report = pipeline.check(Source.read(path))
    assert report.proved, [d.message for k in report.kernels for d in k.diagnostics]
    assert report.kernels
    assert [k.assumptions + k.runtime_checks for k in report.kernels] == [()] * len(report.kernels)


@pytest.mark.parametrize("path", sorted((SAMPLES / "safe").glob("*.py")), ids=lambda p: p.stem)
def test_runs(path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    runpy.run_path(str(path), run_name="__main__")
    assert "ran on the GPU" in (out := capsys.readouterr().out) or "simulated" in out
