"""The distribution: sdist and wheel build, hold what they must, and the installed wheel works far from this checkout."""

from __future__ import annotations

import json
import subprocess
import sysconfig
import tarfile
import zipfile
from pathlib import Path

import pytest

from tests.support.environments import ROOT, build, environment, site_packages

SAXPY = """\
from transpiler import Dim, In, InOut, cuda, f32, kernel


class N(Dim): ...


@kernel(domain=N, block=256)
def saxpy(a: f32, x: In[f32, N], y: InOut[f32, N]):
    i = cuda.grid(1)
    if i < N:
        y[i] = a * x[i] + y[i]
"""

pytestmark = [pytest.mark.slow, pytest.mark.xdist_group("packaging")]


@pytest.fixture(scope="module")
def distribution(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the sdist and the wheel built from it."""
    folder = tmp_path_factory.mktemp("dist")
    done = build(ROOT, folder, tmp_path_factory.mktemp("tree"))
    if "Could not find a version that satisfies" in done.stdout + done.stderr:
        pytest.skip("no package index within reach to build with")
    assert done.returncode == 0, done.stdout + done.stderr
    return folder


@pytest.fixture(scope="module")
def installed(distribution: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The scripts' folder of an environment that holds the wheel, and borrows our dependencies but not this checkout."""
    (wheel,) = distribution.glob("*.whl")
    python = environment(tmp_path_factory.mktemp("environment"), [wheel])
    # A path named in a .pth file is searched, but .pth files in it (our editable install) are not read.
    (site_packages(python) / "dependencies.pth").write_text(sysconfig.get_path("purelib"))
    return python.parent


def run(installed: Path, *args: str, cwd: Path) -> str:
    done = subprocess.run([installed / "transpile", *args], capture_output=True, text=True, cwd=cwd)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def test_the_wheel_holds_grammar_templates_pages_and_stubs(distribution: Path) -> None:
    (wheel,) = distribution.glob("*.whl")
    names = set(zipfile.ZipFile(wheel).namelist())
    wanted = {f"transpiler/grammar/{p.name}" for p in (ROOT / "grammar").glob("*.lark")}
    wanted |= {
        f"transpiler/templates/{p.relative_to(ROOT / 'templates').as_posix()}"
        for p in (ROOT / "templates").rglob("*.j2")
    }
    wanted |= {p.relative_to(ROOT).as_posix() for p in (ROOT / "transpiler").rglob("*.md")}
    wanted |= {p.relative_to(ROOT).as_posix() for p in (ROOT / "transpiler").rglob("*.py*") if p.suffix != ".pyc"}
    assert wanted - names == set()
    assert "transpiler/py.typed" in names
    assert any(name.endswith("licenses/LICENSE") for name in names)
    assert not [name for name in names if name.startswith(("tests/", "samples/", "grammar/", "templates/"))]


def test_the_sdist_builds_what_the_tree_builds(distribution: Path) -> None:
    (sdist,) = distribution.glob("*.tar.gz")
    with tarfile.open(sdist) as archive:
        names = {name.partition("/")[2] for name in archive.getnames()}
    assert {"LICENSE", "README.md", "pyproject.toml", "grammar/__init__.py", "templates/__init__.py"} <= names


def test_the_installed_command_works_elsewhere(installed: Path, tmp_path: Path) -> None:
    assert run(installed, "--version", cwd=tmp_path).startswith("transpile ")
    assert run(installed, "explain", "E0302", cwd=tmp_path).startswith("# E0302")
    (tmp_path / "saxpy.py").write_text(SAXPY)
    run(installed, "emit", "saxpy.py", "-o", "out", cwd=tmp_path)
    assert "__global__" in (tmp_path / "out" / "saxpy.cu").read_text()
    report = json.loads(run(installed, "check", "saxpy.py", "--format", "json", cwd=tmp_path))
    assert report["files"][0]["kernels"][0]["verdict"] == "proved"


def test_the_installed_package_is_the_wheel(installed: Path, tmp_path: Path) -> None:
    code = "import transpiler, transpiler.grammar; print(transpiler.__file__); print(transpiler.grammar.__file__)"
    done = subprocess.run([installed / "python", "-c", code], capture_output=True, text=True, cwd=tmp_path, check=True)
    assert str(ROOT) not in done.stdout
