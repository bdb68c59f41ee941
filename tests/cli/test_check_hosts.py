"""`transpile check` of ordinary programs that launch kernels: nothing of them is executed."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.cli.test_commands import SAXPY
from transpiler.cli.app import run

APP = """\
import cupy as cp
from kernels import saxpy

raise SystemExit("never executed")


def main():
    x = cp.zeros(8)
    saxpy(2.0, {x}, {y})
"""


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    Path("kernels.py").write_text(SAXPY)
    return tmp_path


def test_a_launch_that_cannot_be_right_is_status_1(capsys: pytest.CaptureFixture[str]) -> None:
    Path("app.py").write_text(APP.format(x="x", y="cp.ones(8, 'f4')"))
    assert run(["check", "app.py"]) == 1
    out = capsys.readouterr().out
    assert "E0802" in out
    assert "app.py:9:16" in out
    assert run(["check", "--format", "json", "app.py"]) == 1
    (file,) = json.loads(capsys.readouterr().out)["files"]
    assert [d["code"] for d in file["diagnostics"]] == ["E0802"]


def test_a_launch_that_may_be_right_is_status_0(capsys: pytest.CaptureFixture[str]) -> None:
    Path("app.py").write_text(APP.format(x="x.astype('f4')", y="unknown"))
    assert run(["check", "app.py"]) == 0


def test_a_wrong_launch_keeps_no_kernel_from_being_emitted() -> None:
    Path("both.py").write_text(SAXPY + "\n\ndef main(c):\n    saxpy(2.0, c, c)\n")
    assert run(["check", "both.py"]) == 1
    assert run(["emit", "both.py", "-o", "out"]) == 0
