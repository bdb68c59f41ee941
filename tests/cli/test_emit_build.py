"""`emit` for build systems: launchers, depfiles, one line a finding, files that are left alone."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.cli.test_commands import RACY, SAXPY, needs_nvrtc
from transpiler.cli.app import run


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "saxpy.py").write_text(SAXPY)
    (tmp_path / "racy.py").write_text(RACY)
    return tmp_path


def test_embedding_source_leaves_the_kernels_to_nvcc(folder: Path) -> None:
    (folder / "exact.py").write_text(SAXPY.replace("256)", '256, fma="off")'))
    assert run(["emit", "exact.py", "--embed", "source", "-o", "out"]) == 0
    names = {path.name for path in (folder / "out").iterdir()}
    shared = {"transpiler_runtime.h", "transpiler_checks.h", "transpiler_cudart.h"}
    assert names == shared | {f"exact{end}" for end in (".cu", ".h", ".json", "_launch.cpp", ".options")}
    assert (folder / "out" / "exact.options").read_text() == "--fmad=false\n"


def test_embedding_machine_code_puts_it_beside_the_launchers(folder: Path) -> None:
    needs_nvrtc()
    assert run(["emit", "saxpy.py", "--embed", "cubin", "--arch", "sm_80,sm_90", "-o", "out"]) == 0
    images = (folder / "out" / "saxpy_images.inc").read_text()
    assert "cubin_sm_80[] = {\n    127, 69, 76, 70," in images
    assert "{9, 0, false, cubin_sm_90}" in images
    assert run(["emit", "saxpy.py", "--embed", "ptx", "--arch", "sm_80", "-o", "ptx"]) == 0
    assert "{8, 0, true, ptx_sm_80}" in (folder / "ptx" / "saxpy_images.inc").read_text()


@pytest.mark.parametrize(
    "words",
    [
        ["--embed", "source"],
        ["--depfile", "x.d"],
        ["--embed", "cubin", "-o", "out"],
        ["--depfile", "x.d", "-o", "out", "racy.py"],
        ["--embed", "cubin", "--arch", "sm_999", "-o", "out"],
    ],
)
def test_what_makes_no_sense_together_is_refused(words: list[str]) -> None:
    if "sm_999" in words:
        needs_nvrtc()
    assert run(["emit", "saxpy.py", *words]) == 2


def test_a_depfile_names_imports_and_the_tool(folder: Path) -> None:
    (folder / "my sizes").mkdir()
    kernel = folder / "my sizes" / "uses.py"
    (folder / "my sizes" / "size.py").write_text("BLOCK = 256\n")
    kernel.write_text(
        SAXPY.replace("from transpiler", "from size import BLOCK\nfrom transpiler", 1).replace("256", "BLOCK")
    )
    assert run(["emit", str(kernel), "-o", "out", "--depfile", "out/uses.d"]) == 0
    rule = (folder / "out" / "uses.d").read_text()
    target, _, rest = rule.partition(":")
    assert target == str(folder / "out" / "uses.json")
    needed = [word.strip(" \\").replace("\\ ", " ") for word in rest.strip().split("\n")]
    assert needed[1:] == [str(kernel), str(kernel.parent / "size.py"), needed[-1]]
    assert needed[-1].endswith("transpiler/version.py")


def test_only_what_changed_is_written_and_the_target_of_a_rule_always(folder: Path) -> None:
    command = ["emit", "saxpy.py", "-o", "out", "--depfile", "out/saxpy.d"]
    assert run(command) == 0
    before = {path.name: path.stat().st_mtime_ns for path in (folder / "out").iterdir()}
    assert run(command) == 0
    after = {path.name: path.stat().st_mtime_ns for path in (folder / "out").iterdir()}
    assert {name for name in before if before[name] != after[name]} == {"saxpy.json"}


@pytest.mark.parametrize("command", [["check", "--format", "gcc"], ["emit", "--format", "gcc", "-o", "out"]])
def test_findings_as_a_compiler_prints_them(command: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    assert run([command[0], "racy.py", *command[1:]]) == 1
    printed = capsys.readouterr()
    lines = (printed.out + printed.err).splitlines()
    assert lines[0].startswith("racy.py:11:9: error: `y[0]` is raced for: ")
    assert lines[0].endswith(" [E0302]") or lines[0].endswith(" [E0301]")
    assert all(line.startswith("racy.py:") and ": note: " in line for line in lines[1:])


def test_the_manifest_describes_the_c_functions(folder: Path) -> None:
    assert run(["emit", "saxpy.py", "-o", "out"]) == 0
    launcher = json.loads((folder / "out" / "saxpy.json").read_text())["kernels"][0]["launcher"]
    assert launcher["c"] == {"launch": "saxpy_saxpy_launch", "contract": "saxpy_saxpy_contract"}
    assert [(p["type"], p["name"]) for p in launcher["parameters"]] == [
        ("float", "a"),
        ("const float*", "x"),
        ("int64_t", "x_shape0"),
        ("float*", "y"),
        ("int64_t", "y_shape0"),
        ("const transpiler_launch*", "options"),
        ("transpiler_status*", "status"),
    ]
    header = (folder / "out" / "saxpy.h").read_text()
    declared = header.partition("int saxpy_saxpy_launch(\n")[2].partition(");")[0]
    assert [line.strip(" ,") for line in declared.split("\n")] == [
        f"{p['type']} {p['name']}" for p in launcher["parameters"]
    ]


def test_the_cmake_folder_is_printed(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["--cmake-dir"]) == 0
    assert (Path(capsys.readouterr().out.strip()) / "TranspilerConfig.cmake").exists()
