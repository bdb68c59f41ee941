"""Ahead-of-time builds: the same bytes each time, nothing twice, fat binaries, errors beside good files."""

from __future__ import annotations

import json
import shutil
import subprocess
from pathlib import Path

import pytest

from transpiler.ahead import build as ahead
from transpiler.ahead import work
from transpiler.cli.app import run
from transpiler.runtime import nvrtc

KERNEL = """\
from sizes import STEP
from transpiler import Dim, InOut, cuda, f32, kernel


class N(Dim): ...


@kernel(domain=N, block=256)
def scale(x: InOut[f32, N]):
    i = cuda.grid(1)
    if i < N:
        x[i] = x[i] * STEP
"""


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    try:
        nvrtc.version()
    except nvrtc.NvrtcMissing as reason:
        pytest.skip(str(reason))
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("TRANSPILER_CACHE_DIR", str(tmp_path / "cache"))
    monkeypatch.setattr(ahead, "fingerprint", lambda: "this tool")  # which others may be working on
    (tmp_path / "sizes.py").write_text("STEP = 2.0\n")
    for name in ("one", "two", "three"):
        (tmp_path / f"{name}.py").write_text(KERNEL.replace("scale", name))
    return tmp_path


def outputs(folder: Path) -> dict[str, bytes]:
    return {p.name: p.read_bytes() for p in folder.iterdir()}


def test_processes_do_not_change_the_bytes_and_the_cache_does_not_either(
    folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    files = ["one.py", "two.py", "three.py"]
    assert run(["build", *files, "--arch", "sm_80,sm_90", "-o", "a", "-j", "2"]) == 0
    assert "3 files: 3 built, 0 as before" in capsys.readouterr().err
    monkeypatch.setattr(work, "compile", lambda *args, **kwargs: pytest.fail("compiled again"))
    monkeypatch.setattr(work, "emit", lambda *args, **kwargs: pytest.fail("proved again"))
    assert run(["build", *files, "--arch", "sm_80,sm_90", "-o", "b"]) == 0
    assert "3 files: 0 built, 3 as before" in capsys.readouterr().err
    monkeypatch.undo()
    monkeypatch.setenv("TRANSPILER_CACHE_DIR", str(folder / "another"))
    monkeypatch.chdir(folder)
    assert run(["build", *files, "--arch", "sm_80,sm_90", "-o", "c", "-j", "1"]) == 0
    assert outputs(folder / "a") == outputs(folder / "b") == outputs(folder / "c")
    assert len(outputs(folder / "a")) == 3 * 4 + 1


def test_an_imported_constant_is_part_of_what_a_result_rests_on(folder: Path) -> None:
    command = ["build", "one.py", "--arch", "sm_90", "--to", "ptx", "-o", "out"]
    assert run(command) == 0
    before = outputs(folder / "out")
    (folder / "sizes.py").write_text("STEP = 3.0\n")
    assert run(command) == 0
    after = outputs(folder / "out")
    assert [name for name in before if before[name] != after[name]] == ["one.sm_90.ptx"]


def test_a_file_with_an_error_does_not_spoil_the_others(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["build", "one.py", "two.py", "--arch", "sm_90", "-o", "out", "-j", "2"]) == 0
    before = outputs(folder / "out")
    (folder / "two.py").write_text(KERNEL.replace("scale", "two").replace("x[i] = ", "x[0] = "))
    for _ in range(2):  # what is found is shown again, not kept
        assert run(["build", "one.py", "two.py", "--arch", "sm_90", "-o", "out", "-j", "2"]) == 1
        assert "two.py:12:" in capsys.readouterr().err
    assert outputs(folder / "out") == before
    assert run(["build", "one.py", "absent.py", "--arch", "sm_90", "-o", "out"]) == 2


def test_unchanged_outputs_are_not_touched(folder: Path) -> None:
    command = ["build", "one.py", "--arch", "sm_90", "-o", "out"]
    assert run(command) == 0
    before = {p.name: p.stat().st_mtime_ns for p in (folder / "out").iterdir()}
    assert run(command) == 0
    assert {p.name: p.stat().st_mtime_ns for p in (folder / "out").iterdir()} == before


@pytest.mark.skipif(shutil.which("fatbinary") is None, reason="needs CUDA's fatbinary")
def test_a_fat_binary_holds_every_architecture(folder: Path) -> None:
    assert run(["build", "one.py", "--arch", "sm_80,sm_90,sm_120", "--fatbin", "-o", "out"]) == 0
    manifest = json.loads((folder / "out" / "one.json").read_text())
    assert (manifest["fatbin"], manifest["archs"]) == ("one.fatbin", ["sm_80", "sm_90", "sm_120"])
    assert not list((folder / "out").glob("*.cubin"))
    content = (folder / "out" / "one.fatbin").read_bytes()
    assert run(["cache", "clear"]) == 0
    assert run(["build", "one.py", "--arch", "sm_80,sm_90,sm_120", "--fatbin", "-o", "again"]) == 0
    assert (folder / "again" / "one.fatbin").read_bytes() == content
    tool = shutil.which("cuobjdump")
    if tool is not None:
        listed = subprocess.run([tool, "--list-elf", "out/one.fatbin"], capture_output=True, text=True, check=True)
        assert [arch in listed.stdout for arch in ("sm_80", "sm_90", "sm_120")] == [True] * 3


def test_without_fatbinary_each_architecture_has_its_cubin(
    folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("PATH", str(folder))
    monkeypatch.delenv("CUDA_HOME", raising=False)
    monkeypatch.delenv("CUDA_PATH", raising=False)
    assert run(["build", "one.py", "--arch", "sm_80,sm_90", "--fatbin", "-o", "out"]) == 0
    assert "`fatbinary` is not installed" in capsys.readouterr().err
    manifest = json.loads((folder / "out" / "one.json").read_text())
    assert manifest["images"] == {"sm_80": "one.sm_80.cubin", "sm_90": "one.sm_90.cubin"}
