"""Commands on real kernels: what they write and print, without a GPU."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from transpiler.cli import _work, doctor
from transpiler.cli.app import run
from transpiler.runtime import nvrtc

ROOT = Path(__file__).parents[2]

HEAD = """\
from transpiler import Dim, In, InOut, Out, bf16, cuda, f32, i32, kernel


class N(Dim): ...


"""

SAXPY = (
    HEAD
    + """\
@kernel(domain=N, block=256)
def saxpy(a: f32, x: In[f32, N], y: InOut[f32, N]):
    i = cuda.grid(1)
    if i < N:
        y[i] = a * x[i] + y[i]
"""
)

RACY = (
    HEAD
    + """\
@kernel(domain=N, block=256)
def tag(x: In[f32, N], y: Out[f32, N]):
    i = cuda.grid(1)
    if i < N:
        y[0] = x[i]
"""
)


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty folder that is the current one, with its own cache."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("TRANSPILER_CACHE_DIR", str(tmp_path / "cache"))
    (tmp_path / "saxpy.py").write_text(SAXPY)
    (tmp_path / "racy.py").write_text(RACY)
    return tmp_path


def needs_nvrtc() -> None:
    try:
        nvrtc.version()
    except nvrtc.NvrtcMissing as reason:
        pytest.skip(str(reason))


# --- check, emit ------------------------------------------------------------------------------------------


def test_fixes_are_tried_and_shown_where_they_are_asked_for(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    text = SAXPY.replace("    if i < N:\n        y", "    y")
    (folder / "open.py").write_text(text)

    def fixes(*options: str) -> list[dict[str, object]]:
        assert run(["check", "open.py", "--format", "json", *options]) == 1
        return json.loads(capsys.readouterr().out)["files"][0]["kernels"][0]["diagnostics"][0]["fixes"]

    assert fixes() == []
    assert fixes("--fixes")[0] == {
        "title": "guard it with `if i < N:`",
        "edits": [{"line": 10, "column": 5, "end_line": 10, "end_column": 5, "text": "if i < N:\n        "}],
    }


def test_check_and_emit_agree_with_the_verdict(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["check", "saxpy.py"]) == 0
    assert run(["emit", "saxpy.py", "-o", "out"]) == 0
    assert "__global__" in (folder / "out" / "saxpy.cu").read_text()
    assert json.loads((folder / "out" / "saxpy.json").read_text())["kernels"][0]["name"] == "saxpy"
    assert run(["emit", "racy.py", "-o", "out"]) == 1
    assert not (folder / "out" / "racy.cu").exists()
    assert "error[E0301]" in capsys.readouterr().err


def test_a_bound_that_is_checked_at_run_time_says_so(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    signature = "p: In[i32, N], x: In[f32, N], y: Out[f32, N]"
    body = "    i = cuda.grid(1)\n    if i < N:\n        y[i] = x[p[i]]\n"
    text = HEAD + f'@kernel(domain=N, block=256, checks="dynamic")\ndef gather({signature}):\n{body}'
    (folder / "dynamic.py").write_text(text)
    assert run(["check", "-v", "dynamic.py"]) == 0
    out = capsys.readouterr().out
    assert "gather: proved, with 1 run-time check\n" in out
    assert "read x, bounds checked at run time\n" in out


def test_unchecked_emits_with_a_banner_and_still_fails(folder: Path) -> None:
    assert run(["emit", "racy.py", "-o", "out", "--unchecked"]) == 1
    assert "// UNCHECKED: " in (folder / "out" / "racy.cu").read_text()


def test_output_is_byte_identical_wherever_and_whenever(folder: Path) -> None:
    assert run(["emit", "saxpy.py", "-o", "one", "--line-info"]) == 0
    (folder / "deep").mkdir()
    command = [sys.executable, "-m", "transpiler.cli", "emit", "saxpy.py", "-o", "deep/two", "--line-info"]
    environment = os.environ | {"PYTHONHASHSEED": "7", "PYTHONPATH": str(ROOT)}
    subprocess.run(command, check=True, env=environment, capture_output=True)
    for name in ("saxpy.cu", "saxpy.h", "saxpy.json"):
        assert (folder / "one" / name).read_bytes() == (folder / "deep" / "two" / name).read_bytes()


def test_a_file_without_kernels_is_named(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (folder / "empty.py").write_text("")
    assert run(["check", "empty.py"]) == 0
    assert "empty.py:1:1: no @kernel here" in capsys.readouterr().out
    for command in (
        ["simulate"],
        ["run", "--kernel", "k"],
        ["inspect", "--show", "source"],
        ["emit"],
        ["emit", "-o", "out"],
    ):
        run([command[0], "empty.py", *command[1:]])
        captured = capsys.readouterr()
        assert "empty.py:1:1: no @kernel here" in captured.err
        assert captured.out == ""


# --- build, inspect ---------------------------------------------------------------------------------------


def test_build_writes_an_image_for_each_architecture(folder: Path) -> None:
    needs_nvrtc()
    assert run(["build", "saxpy.py", "--arch", "sm_80,sm_90", "-o", "out"]) == 0
    assert {p.name for p in (folder / "out").iterdir()} == {
        "saxpy.sm_80.cubin",
        "saxpy.sm_90.cubin",
        "saxpy.h",
        "saxpy.json",
        "transpiler_runtime.h",
    }
    assert (folder / "out" / "saxpy.sm_90.cubin").read_bytes().startswith(b"\x7fELF")
    manifest = json.loads((folder / "out" / "saxpy.json").read_text())
    assert manifest["images"] == {"sm_80": "saxpy.sm_80.cubin", "sm_90": "saxpy.sm_90.cubin"}


def test_build_writes_ptx(folder: Path) -> None:
    needs_nvrtc()
    assert run(["build", "saxpy.py", "--arch", "sm_90", "--to", "ptx", "-o", "out"]) == 0
    assert ".target sm_90" in (folder / "out" / "saxpy.sm_90.ptx").read_text()


def test_build_of_what_is_not_proved_writes_nothing(folder: Path) -> None:
    needs_nvrtc()
    assert run(["build", "racy.py", "--arch", "sm_90", "-o", "out"]) == 1
    assert list((folder / "out").iterdir()) == []


@pytest.mark.parametrize("arch", ["sm_1", "sm_9x", "90", "sm_999", "sm_80,,sm_90"])
def test_build_refuses_what_is_no_architecture(arch: str, capsys: pytest.CaptureFixture[str]) -> None:
    needs_nvrtc()
    assert run(["build", "saxpy.py", "--arch", arch, "-o", "out"]) == 2
    assert "Error" in capsys.readouterr().err


def test_emit_refuses_what_is_no_architecture(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["emit", "saxpy.py", "--arch", "volta"]) == 2
    assert "'volta' is no architecture" in capsys.readouterr().err


def test_kernels_that_ask_nvrtc_for_different_things_are_refused(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    needs_nvrtc()
    (folder / "two.py").write_text(
        SAXPY + "\n\n" + RACY.partition("...\n\n\n")[2].replace("y[0]", "y[i]").replace("256)", "256, fast_math=True)")
    )
    assert run(["build", "two.py", "--arch", "sm_90", "-o", "out"]) == 1
    assert "differ in --use_fast_math" in capsys.readouterr().err


def test_inspect_shows_every_part(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    needs_nvrtc()
    monkeypatch.setattr(_work, "disassembler", lambda: None)
    assert run(["inspect", "saxpy.py", "--arch", "sm_90"]) == 0
    out = capsys.readouterr().out
    assert "__global__" in out
    assert ".target sm_90" in out
    assert "install the CUDA toolkit to see machine code" in out
    assert "saxpy: " in out
    assert " registers, 0 bytes of stack, 0 bytes of shared memory" in out


def test_inspect_uses_a_disassembler_that_is_found(
    folder: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    needs_nvrtc()
    tool = folder / "nvdisasm"
    tool.write_text("#!/bin/sh\nhead -c 4 $1 | tail -c 3; echo ' disassembled'\n")
    tool.chmod(0o755)
    monkeypatch.setattr(_work, "disassembler", lambda: str(tool))
    assert run(["inspect", "saxpy.py", "--show", "sass"]) == 0
    assert "ELF disassembled" in capsys.readouterr().out


# --- simulate, run ----------------------------------------------------------------------------------------


def test_simulate_runs_a_proved_kernel_without_findings(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["simulate", "saxpy.py", "--set", "N=10", "--set", "a=0.5"]) == 0
    out = capsys.readouterr().out
    assert out.startswith("simulating saxpy: grid (1, 1, 1), block (256, 1, 1), a = 0.5, N = 10\nnothing found: ")
    assert "float32(10,)" in out


def test_simulate_finds_the_race(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["simulate", "racy.py"]) == 1
    assert "error[E030" in capsys.readouterr().out


def test_a_witness_of_check_is_replayed(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["check", "racy.py", "--format", "json"]) == 1
    report = json.loads(capsys.readouterr().out)
    (folder / "report.json").write_text(json.dumps(report))
    assert run(["simulate", "racy.py", "--witness", "report.json"]) == 1
    assert "the witness is confirmed" in capsys.readouterr().out
    (folder / "one.json").write_text(json.dumps(report["files"][0]["kernels"][0]["diagnostics"][0]["witness"]))
    assert run(["simulate", "racy.py", "--witness", "one.json"]) == 1
    assert "the witness is confirmed" in capsys.readouterr().out


@pytest.mark.parametrize("text", ["", "[]", "{}", '{"files": []}', '{"files": 3}', '{"launch": {"shapes": {}}}', "\0"])
def test_what_is_no_witness_is_refused(folder: Path, text: str, capsys: pytest.CaptureFixture[str]) -> None:
    (folder / "w.json").write_text(text)
    assert run(["simulate", "racy.py", "--witness", "w.json"]) == 2
    assert "w.json holds no witness" in capsys.readouterr().err
    assert run(["simulate", "racy.py", "--witness", "missing.json"]) == 2


def test_step_walks_one_thread(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["simulate", "saxpy.py", "--step", "--at-block", "1", "--at-thread", "3", "--set", "N=300"]) == 0
    out = capsys.readouterr().out
    assert "i = 259" in out
    assert "y[i] = a * x[i] + y[i]" in out
    assert run(["simulate", "saxpy.py", "--step", "--at-block", "9999"]) == 2


@pytest.mark.parametrize(
    "options",
    [["--set", "N"], ["--set", "N=x"], ["--set", "Q=3"], ["--grid", "0"], ["--block", "1,2,3,4"], ["--kernel", "none"]],
)
def test_wrong_choices_are_status_2(options: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["simulate", "saxpy.py", *options]) == 2
    assert "Error" in capsys.readouterr().err


def test_one_of_several_kernels_has_to_be_chosen(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (folder / "two.py").write_text(SAXPY + "\n\n" + RACY.partition("...\n\n\n")[2])
    assert run(["simulate", "two.py"]) == 2
    assert "--kernel: saxpy, tag" in capsys.readouterr().err
    assert run(["simulate", "two.py", "--kernel", "saxpy"]) == 0


def test_run_of_one_kernel_says_where_it_ran(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(_work, "no_gpu", lambda: "none here")
    assert run(["run", "saxpy.py", "--kernel", "saxpy"]) == 0
    assert capsys.readouterr().out.startswith("no GPU (none here): simulated\n")


def test_run_calls_main_and_passes_its_fate_on(folder: Path, capfd: pytest.CaptureFixture[str]) -> None:
    (folder / "neighbour.py").write_text("VALUE = 42\n")
    (folder / "good.py").write_text("import neighbour\n\n\ndef main():\n    print('value', neighbour.VALUE)\n")
    (folder / "bad.py").write_text("def main():\n    raise KeyError('mine')\n")
    (folder / "exit.py").write_text("import sys\n\n\ndef main():\n    sys.exit(5)\n")
    (folder / "none.py").write_text("x = 1\n")
    assert run(["run", "good.py"]) == 0
    assert capfd.readouterr().out == "value 42\n"
    assert run(["run", "bad.py"]) == 1
    err = capfd.readouterr().err
    assert "KeyError: 'mine'" in err
    assert "internal error" not in err
    assert run(["run", "exit.py"]) == 5
    assert run(["run", "none.py"]) == 2
    assert "has no main()" in capfd.readouterr().err


# --- new, list, doctor, cache -----------------------------------------------------------------------------


def test_a_new_project_is_proved_runs_and_passes_its_tests(folder: Path, capfd: pytest.CaptureFixture[str]) -> None:
    assert run(["new", "first"]) == 0
    assert run(["check", "first/kernels.py"]) == 0
    assert run(["run", "first/kernels.py"]) == 0
    assert "1000 elements as NumPy computes them" in capfd.readouterr().out
    done = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider"],
        cwd=folder / "first",
        capture_output=True,
        text=True,
    )
    assert "1 passed" in done.stdout, done.stdout


def test_a_new_project_is_clean_under_ruff_and_pyright(folder: Path) -> None:
    assert run(["new", "first"]) == 0
    tools = Path(sys.executable).parent
    if not (tools / "ruff").exists():
        pytest.skip("ruff is not installed")
    subprocess.run([tools / "ruff", "check", "--isolated", "first"], check=True)
    subprocess.run([tools / "ruff", "format", "--isolated", "--check", "first"], check=True)


@pytest.mark.parametrize("name", ["1st", "a b", "-x", "..", "class"])
def test_a_project_needs_a_name(name: str, folder: Path) -> None:
    before = sorted(folder.iterdir())
    assert run(["new", "--", name]) == 2
    assert sorted(folder.iterdir()) == before


def test_new_leaves_what_is_there_alone(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (folder / "mine").mkdir()
    (folder / "mine" / "kernels.py").write_text("precious")
    assert run(["new", "mine"]) == 2
    assert (folder / "mine" / "kernels.py").read_text() == "precious"
    assert run(["new", "saxpy.py"]) == 2
    assert "exists already" in capsys.readouterr().err


def test_list_kernels_reads_and_does_not_execute(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (folder / "two.py").write_text("raise SystemExit\n" + SAXPY)
    assert run(["list", "kernels", "two.py"]) == 0
    assert capsys.readouterr().out == "two.py:9: kernel saxpy(a, x, y)\n"
    assert run(["list", "kernels", "missing.py"]) == 2


def test_list_intrinsics_finds_by_name_and_text(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["list", "intrinsics", "popc"]) == 0
    out = capsys.readouterr().out
    assert out.startswith("cuda.popc(")
    assert run(["list", "intrinsics"]) == 0
    assert len(capsys.readouterr().out.splitlines()) > 50


def test_list_archs_is_what_nvrtc_knows(capsys: pytest.CaptureFixture[str]) -> None:
    needs_nvrtc()
    assert run(["list", "archs"]) == 0
    assert {"sm_80", "sm_90"} <= set(capsys.readouterr().out.split())


def test_doctor_says_what_to_install(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setattr(doctor, "_load_driver", lambda: None)
    assert run(["doctor"]) in (0, 1)
    out = capsys.readouterr().out
    assert all(f"  {name}" in out for name in doctor.CHECKS)
    assert "install NVIDIA's driver" in out
    monkeypatch.setattr(_work, "nvrtc_version", lambda: "NVRTC cannot be loaded: gone")
    assert run(["doctor"]) == 1
    assert "pip install nvidia-cuda-nvrtc-cu12" in capsys.readouterr().out


def test_cache_is_shown_and_cleared(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    from transpiler.runtime.cache import DiskCache

    DiskCache().put("key", b"payload")
    assert run(["cache", "info"]) == 0
    out = capsys.readouterr().out
    assert out.startswith(f"{folder / 'cache'}\n1 entry, ")
    assert run(["cache", "clear"]) == 0
    assert DiskCache().info().entries == 0


# --- bad input --------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "command",
    [
        ["check"],
        ["emit"],
        ["build", "--arch", "sm_90", "-o", "out"],
        ["run"],
        ["simulate"],
        ["inspect"],
        ["list", "kernels"],
    ],
)
@pytest.mark.parametrize("kind", ["missing", "folder", "binary", "latin", "huge name"])
def test_no_command_shows_a_traceback_for_a_bad_file(
    command: list[str], kind: str, folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    name = {"missing": "none.py", "folder": "f", "binary": "b.py", "latin": "l.py", "huge name": "x" * 5000}[kind]
    (folder / "f").mkdir()
    (folder / "b.py").write_bytes(bytes(range(256)))
    (folder / "l.py").write_bytes("ä = 1\n".encode("latin-1"))
    assert run([*command, name]) == 2
    captured = capsys.readouterr()
    text = captured.out + captured.err
    assert "Traceback" not in text
    assert "internal error" not in text
    assert "E0199" in text


def test_an_output_folder_that_cannot_be_written_is_status_2(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (folder / "file").write_text("")
    assert run(["emit", "saxpy.py", "-o", "file"]) == 2
    assert "it is a file" in capsys.readouterr().err
