"""Every sample compares itself with NumPy, on the device."""

from __future__ import annotations

import runpy
from pathlib import Path

import pytest

SAMPLES = sorted((Path(__file__).parents[2] / "samples" / "simt").glob("*.py"))


@pytest.mark.parametrize("path", SAMPLES, ids=lambda path: path.stem)
def test_a_sample_is_right_on_the_device(
    path: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
):
    monkeypatch.chdir(tmp_path)  # some write a picture
    runpy.run_path(str(path), run_name="__main__")
    assert "ran on the GPU" in capsys.readouterr().out
