"""`bench` and `sanitize`, on a fake driver and with fake tools on PATH."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from tests.cli.test_commands import RACY, SAXPY
from tests.runtime.fakes import FakeDriver
from transpiler.cli import _work
from transpiler.cli.app import run
from transpiler.runtime import session as sessions
from transpiler.runtime.session import Session

MAIN = (
    SAXPY
    + """

def main():
    import os
    print("main ran", os.environ["TRANSPILER_SANITIZE"])
"""
)


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    for name in ("CUDA_HOME", "CUDA_PATH"):
        monkeypatch.delenv(name, raising=False)
    Path("k.py").write_text(SAXPY)
    Path("m.py").write_text(MAIN)
    return tmp_path


# --- bench ------------------------------------------------------------------------------------------------


@pytest.mark.usefixtures("folder")
def test_bench_without_a_gpu_says_so(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(_work, "no_gpu", lambda: "there is none")
    assert run(["bench", "k.py"]) == 2
    assert "no GPU (there is none): nothing is measured" in capsys.readouterr().err


@pytest.mark.usefixtures("folder")
def test_bench_prints_microseconds_and_bandwidth(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    driver = FakeDriver()

    def launched(*_: int) -> None:
        driver.clock += 12.0

    driver.launch = launched  # type: ignore[method-assign]
    driver.zeros = lambda count, dtype: memoryview_like()  # type: ignore[method-assign]
    monkeypatch.setattr(_work, "no_gpu", lambda: None)
    old = sessions.replace(Session(driver, lambda unit, arch: b"cubin"))
    try:
        assert run(["bench", "k.py", "--runs", "7", "--set", "N=100000"]) == 0
        assert capsys.readouterr().out.startswith(
            "saxpy: 12.00 us, 100 GB/s (12.00 to 12.00, 7 runs); grid (391, 1, 1)"
        )
        assert run(["bench", "k.py", "--runs", "1"]) == 0
        assert "N = 4194304" in capsys.readouterr().out
    finally:
        sessions.replace(old)


def memoryview_like() -> object:
    class Cold:
        def fill(self, value: int) -> None: ...

    return Cold()


@pytest.mark.usefixtures("folder")
@pytest.mark.parametrize("command", ["bench", "sanitize"])
def test_what_is_no_kernel_file_is_refused(command: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert run([command, "nothing.py"]) == 2


@pytest.mark.usefixtures("folder")
def test_bench_measures_nothing_that_is_not_proved() -> None:
    Path("racy.py").write_text(RACY)
    assert run(["bench", "racy.py"]) == 1


# --- sanitize ---------------------------------------------------------------------------------------------

TOOL = """#!{python}
import subprocess, sys
tool, status = sys.argv[2], int(sys.argv[4])
done = subprocess.run(sys.argv[5:])
print("========= COMPUTE-SANITIZER")
if tool in {finds!r}:
    print("========= Invalid __global__ read of size 4 bytes")
    print("=========     at saxpy(float, const float *, float *, long long)+0x90 in k.py:15")
    print("=========     Saved host backtrace up to driver entry point at kernel launch time")
    print("=========         Host Frame: main [0x1]")
    print("========= ERROR SUMMARY: 1 error")
    sys.exit(status)
print("========= ERROR SUMMARY: 0 errors")
sys.exit(done.returncode)
"""


def install(folder: Path, monkeypatch: pytest.MonkeyPatch, finds: tuple[str, ...] = ()) -> None:
    """A compute-sanitizer that runs the program and finds what it is told to."""
    tool = folder / "bin" / "compute-sanitizer"
    tool.parent.mkdir()
    tool.write_text(TOOL.format(python=sys.executable, finds=finds))
    tool.chmod(0o755)
    monkeypatch.setenv("PATH", str(tool.parent))
    monkeypatch.setenv("PYTHONPATH", str(Path(__file__).parents[2]))
    monkeypatch.setattr(_work, "no_gpu", lambda: None)


def test_sanitize_runs_main_under_four_tools(
    folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    install(folder, monkeypatch)
    assert run(["sanitize", "m.py"]) == 0
    assert capsys.readouterr().out.splitlines() == [
        f"{tool}: clean" for tool in ("memcheck", "racecheck", "initcheck", "synccheck")
    ]


def test_findings_are_shown_with_python_lines_and_status_86(
    folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    install(folder, monkeypatch, finds=("racecheck",))
    assert run(["sanitize", "k.py", "--kernel", "saxpy", "--set", "N=100"]) == 86
    out = capsys.readouterr().out
    assert "memcheck: clean" in out
    assert "racecheck: 1 found" in out
    assert "in k.py:15" in out
    assert "Host Frame" not in out


def test_one_tool_can_be_chosen(
    folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    install(folder, monkeypatch)
    assert run(["sanitize", "m.py", "--tool", "memcheck"]) == 0
    assert capsys.readouterr().out == "memcheck: clean\n"


def test_a_program_that_fails_by_itself_is_status_1(
    folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    install(folder, monkeypatch)
    Path("bad.py").write_text(SAXPY + "\n\ndef main():\n    raise RuntimeError('its own fault')\n")
    assert run(["sanitize", "bad.py", "--tool", "memcheck"]) == 1
    assert "its own fault" in capsys.readouterr().out


def test_a_file_without_main_needs_a_kernel(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    install(folder, monkeypatch)
    assert run(["sanitize", "k.py", "--tool", "memcheck"]) == 2


def test_what_is_missing_is_said(
    folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("PATH", str(folder))
    assert run(["sanitize", "m.py"]) == 2
    assert "apt-get install cuda-sanitizer" in " ".join(capsys.readouterr().err.split())
    install(folder, monkeypatch)
    monkeypatch.setattr(_work, "no_gpu", lambda: "there is none")
    assert run(["sanitize", "m.py"]) == 2
    assert "no GPU (there is none)" in capsys.readouterr().err


def test_a_toolkit_is_searched_too(
    folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    install(folder, monkeypatch)
    monkeypatch.setenv("PATH", "")
    monkeypatch.setenv("CUDA_HOME", str(folder))
    assert run(["sanitize", "m.py", "--tool", "synccheck"]) == 0
    assert "synccheck: clean" in capsys.readouterr().out
