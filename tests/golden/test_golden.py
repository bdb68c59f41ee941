"""Emitted units, whole, against files: what a change does to the C++ shows in its diff.

`pytest tests/golden --update-golden` writes the files anew. Sources are the kernels in `units/` and all samples.
"""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from tests.support import host_build
from tests.support.kernels import checked
from transpiler.emit import EmitOptions, EmittedUnit, emit_header, emit_unit, manifest, support
from transpiler.frontend import parse_module
from transpiler.ir import device as d
from transpiler.runtime import nvrtc
from transpiler.source import Source

HERE = Path(__file__).parent
ROOT = HERE.parents[1]
UNITS = sorted((HERE / "units").glob("*.py"))
SAMPLES = sorted((ROOT / "samples" / "simt").glob("*.py"))
ARCHS = ("sm_80", "sm_90", "sm_120")


def kernels_of(path: Path) -> list[d.Kernel]:
    source = Source(path.read_text("utf-8"), path.name)
    module, diagnostics = parse_module(source)
    assert diagnostics == []
    kernels, found = checked(module)
    assert [x for x in found if x.code.startswith("E")] == []
    return kernels


def emitted(path: Path) -> tuple[list[d.Kernel], EmittedUnit]:
    kernels = kernels_of(path)
    contracts = {kernel: [r.text for r in kernel.requires] for kernel in kernels}
    return kernels, emit_unit(path.stem, kernels, contracts=contracts)


def compare_with(expected: Path, text: str, update: bool) -> None:
    if update:
        expected.parent.mkdir(exist_ok=True)
        expected.write_text(text, "utf-8")
    assert expected.read_text("utf-8") == text, f"{expected.name} differs: read the diff, then run with --update-golden"


@pytest.fixture
def update(pytestconfig: pytest.Config) -> bool:
    return bool(pytestconfig.getoption("--update-golden"))


@pytest.mark.parametrize("path", UNITS + SAMPLES, ids=lambda path: path.stem)
def test_unit(path: Path, update: bool) -> None:
    kernels, unit = emitted(path)
    folder = HERE / ("expected" if path in UNITS else "samples")
    compare_with(folder / f"{path.stem}.cu", unit.source, update)
    if path in UNITS:
        compare_with(folder / f"{path.stem}.h", emit_header(path.stem, kernels), update)
        facts = json.dumps(manifest(path.stem, kernels, unit), indent=2) + "\n"
        compare_with(folder / f"{path.stem}.json", facts, update)


@pytest.mark.parametrize("arch", ARCHS)
@pytest.mark.parametrize("path", UNITS + SAMPLES, ids=lambda path: path.stem)
def test_unit_compiles(path: Path, arch: str) -> None:
    assert nvrtc.compile(emitted(path)[1].source, arch=arch)[:4] == b"\x7fELF"


@pytest.mark.parametrize("path", UNITS[:1], ids=lambda path: path.stem)
def test_two_runs_are_identical(path: Path) -> None:
    script = (
        "import sys, pathlib\n"
        "from tests.golden.test_golden import emitted\n"
        "sys.stdout.write(emitted(pathlib.Path(sys.argv[1]))[1].source)\n"
    )
    runs = [
        subprocess.run(
            [sys.executable, "-c", script, str(path)],
            capture_output=True,
            check=True,
            cwd=ROOT,
            env={"PYTHONHASHSEED": seed, "PYTHONPATH": str(ROOT)},
        ).stdout
        for seed in ("1", "2")
    ]
    assert runs[0] == runs[1] == emitted(path)[1].source.encode()


@pytest.mark.skipif(not host_build.available(), reason="needs g++ on Linux")
def test_headers_are_clean_for_a_host_compiler(tmp_path: Path) -> None:
    text = "".join(f'#include "{HERE}/expected/{path.stem}.h"\n' for path in UNITS)
    source = tmp_path / "headers.cpp"
    source.write_text(text + "int main() { return memory::atomics_block[0] != 32; }\n")
    for name, content in support(None).items():
        (tmp_path / name).write_text(content)
    flags = ["-std=c++17", "-Wall", "-Wextra", "-Wpedantic", "-Werror", "-fsyntax-only", "-I", str(tmp_path)]
    done = subprocess.run([str(host_build.COMPILER), *flags, str(source)], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


def test_line_directives_name_python_lines() -> None:
    path = HERE / "units" / "control.py"
    kernels = kernels_of(path)
    text = emit_unit(path.stem, kernels, options=EmitOptions(line_info=True)).source
    source = path.read_text("utf-8").splitlines()
    marked = [line for line in text.splitlines() if line.startswith("#line")]
    assert len(marked) > 20
    following = text.split(f'#line {source.index("        acc -= 2.0") + 1} "{path.name}"\n')[1]
    assert following.lstrip().startswith("acc -= 2.0f;")
    assert nvrtc.compile(text, arch="sm_90", options=("-lineinfo",))
