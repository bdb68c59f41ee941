"""`samples/cmake-app` as a user builds it, in a copy: what is built, what is built again, what an error does.

One build folder serves the whole module. No GPU is needed: the machine code comes from NVRTC.
"""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
import time
from dataclasses import dataclass
from pathlib import Path

import pytest

from tests.support.tools import tool
from transpiler.runtime import nvrtc
from transpiler.runtime.device import NoDevice, cuda_driver

ROOT = Path(__file__).parents[2]
GENERATED = Path("transpiler") / "heat"
CMAKE, NINJA, MAKE = tool("cmake"), tool("ninja"), shutil.which("make")
GENERATORS = {"Ninja": NINJA, "Unix Makefiles": MAKE}


def unbuildable() -> str | None:
    if sys.platform == "win32" or not (CMAKE and (NINJA or MAKE) and shutil.which("c++")):
        return "needs CMake with Ninja or Make, and a C++ compiler"
    try:
        nvrtc.version()
    except nvrtc.NvrtcMissing as reason:
        return str(reason)
    return None


WHY_NOT = unbuildable()
pytestmark = [pytest.mark.skipif(WHY_NOT is not None, reason=str(WHY_NOT)), pytest.mark.xdist_group("cmake")]


@dataclass
class Project:
    source: Path
    build: Path

    def make(self) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [str(CMAKE), "--build", str(self.build), "-j", "2"], capture_output=True, text=True, check=False
        )

    def edit(self, name: str, old: str, new: str) -> None:
        path = self.source / name
        text = path.read_text()
        assert old in text
        # In a later second than what was built, for Make may look at whole seconds; not in the future, where it stays newer.
        built = max(stamp for stamp, _ in self.generated().values()) // 10**9
        time.sleep(max(0.0, built + 1 - time.time()))
        path.write_text(text.replace(old, new))

    def generated(self) -> dict[str, tuple[int, bytes]]:
        folder = self.build / GENERATED
        return {p.name: (p.stat().st_mtime_ns, p.read_bytes()) for p in sorted(folder.iterdir())}


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Project:
    folder = tmp_path_factory.mktemp("cmake") / "with space"
    return configure(folder, "Ninja" if NINJA else "Unix Makefiles")


def configure(folder: Path, generator: str) -> Project:
    found = Project(folder / "app", folder / "build")
    shutil.copytree(ROOT / "samples" / "cmake-app", found.source)
    command = folder / "transpile"
    command.write_text(f'#!/bin/sh\nexec "{sys.executable}" -m transpiler.cli "$@"\n')
    command.chmod(0o755)
    where = subprocess.run([str(command), "--cmake-dir"], capture_output=True, text=True, check=True, cwd=ROOT)
    options = [
        f"-DTranspiler_DIR={where.stdout.strip()}",
        f"-DTranspiler_EXECUTABLE={command}",
        f"-DCMAKE_MAKE_PROGRAM={GENERATORS[generator]}",
        "-DCMAKE_CXX_FLAGS=-Werror",
    ]
    done = subprocess.run(
        [str(CMAKE), "-S", str(found.source), "-B", str(found.build), "-G", generator, *options],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    built = found.make()
    assert built.returncode == 0, built.stdout + built.stderr
    return found


def test_the_program_runs_or_says_what_it_lacks(project: Project) -> None:
    done = subprocess.run(
        [str(project.build / "heat"), str(project.build / "heat.png"), "10"], capture_output=True, text=True
    )
    try:
        cuda_driver()
    except NoDevice:
        assert done.returncode == 1
        assert "error: " in done.stderr
    else:
        assert done.returncode == 0, done.stderr
        assert (project.build / "heat.png").read_bytes().startswith(b"\x89PNG")


def test_nothing_is_built_twice(project: Project) -> None:
    before = project.generated()
    done = project.make()
    assert done.returncode == 0
    assert "transpiling" not in done.stdout
    assert project.generated() == before


def test_a_constant_of_an_imported_file_rebuilds_its_kernel_alone(project: Project) -> None:
    before = project.generated()
    project.edit("kernels/material.py", "DIFFUSION = 0.2", "DIFFUSION = 0.125")
    done = project.make()
    assert done.returncode == 0, done.stdout + done.stderr
    assert "transpiling diffuse.py" in done.stdout
    assert "diffuse_launch.cpp.o" in done.stdout
    assert "paint" not in done.stdout
    after = project.generated()
    changed = {name for name in before if before[name][1] != after[name][1]}
    assert changed == {"diffuse.cu", "diffuse_images.inc"}
    assert b"0.125f" in after["diffuse.cu"][1]


def test_an_error_names_the_python_line_and_leaves_the_old_output(project: Project) -> None:
    before = project.generated()
    project.edit("kernels/paint.py", "rgb[y, x, 0]", "rgb[y + 1, x, 0]")
    line = (project.source / "kernels/paint.py").read_text().split("\n")
    number = next(n for n, text in enumerate(line, 1) if "y + 1" in text)
    done = project.make()
    assert done.returncode != 0
    assert f"{project.source / 'kernels/paint.py'}:{number}:9: error: " in done.stdout + done.stderr
    assert project.generated() == before
    assert (project.build / "heat").exists()
    project.edit("kernels/paint.py", "rgb[y + 1, x, 0]", "rgb[y, x, 0]")
    assert project.make().returncode == 0


@pytest.mark.slow
@pytest.mark.skipif(MAKE is None, reason="needs Make")
def test_make_builds_and_rebuilds_as_ninja_does(tmp_path: Path) -> None:
    project = configure(tmp_path, "Unix Makefiles")
    done = project.make()
    assert "transpiling" not in done.stdout
    project.edit("kernels/material.py", "DIFFUSION = 0.2", "DIFFUSION = 0.125")
    done = project.make()
    assert done.returncode == 0, done.stdout + done.stderr
    assert "transpiling diffuse.py" in done.stdout
    assert "paint" not in done.stdout


@pytest.mark.slow
@pytest.mark.skipif(shutil.which("nvcc") is None, reason="needs nvcc")
def test_headers_and_launchers_are_clean_for_nvcc(tmp_path: Path) -> None:
    kernels = str(ROOT / "samples" / "cmake-app" / "kernels" / "paint.py")
    words = [sys.executable, "-m", "transpiler.cli", "emit", kernels, "--embed", "source", "-o", str(tmp_path)]
    subprocess.run(words, check=True, cwd=ROOT, capture_output=True)
    flags = ["-std=c++17", "-arch=sm_90", "-Xcompiler", "-Wall,-Wextra,-Wpedantic"]
    (tmp_path / "user.cu").write_text('#include "paint.h"\nint main() { return paint::paint_block[0] != 32; }\n')
    for name in ("paint_launch.cpp", "user.cu"):
        words = ["nvcc", *flags, "-I", str(tmp_path), "-c", str(tmp_path / name), "-o", str(tmp_path / f"{name}.o")]
        done = subprocess.run(words, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stderr
        warned = [line for line in done.stderr.splitlines() if re.search(r":\d+: warning|warning #\d", line)]
        # nvcc hands g++ a file of its own, whose line directives g++ finds fault with, whatever is compiled.
        assert [line for line in warned if "style of line directive is a GCC extension" not in line] == []
