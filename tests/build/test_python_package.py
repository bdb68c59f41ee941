"""`samples/python-package` as a user builds and installs it: what its wheel holds, what fails the build, what needs no NVRTC."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import sys
import zipfile
from pathlib import Path
from typing import Any

import pytest
from setuptools.errors import BaseError

from tests.support.environments import ROOT, build, environment
from tests.support.tools import tool
from transpiler.integrations.setuptools import settings
from transpiler.runtime import nvrtc
from transpiler.version import VERSION

SAMPLE = ROOT / "samples" / "python-package"
MODULES = {f"spectra/{name}.py" for name in ("__init__", "__main__", "kernels", "settings")}
IMAGES = ("kernels.sm_80.cubin", "kernels.sm_90.cubin", "kernels.sm_120.cubin", "kernels.sm_80.ptx")
SHIPPED = {f"spectra/__transpiled__/{name}" for name in ("kernels.cu", "kernels.json", *IMAGES)}


def unbuildable() -> str | None:
    try:
        nvrtc.version()
    except nvrtc.NvrtcMissing as reason:
        return str(reason)
    return None


WHY_NOT = unbuildable()
pytestmark = [pytest.mark.skipif(WHY_NOT is not None, reason=str(WHY_NOT)), pytest.mark.xdist_group("packaging")]


@pytest.fixture
def project(tmp_path: Path) -> Path:
    return Path(shutil.copytree(SAMPLE, tmp_path / "project", ignore=shutil.ignore_patterns("*.egg-info", "build")))


def run_backend(project: Path, hook: str = "build_wheel") -> subprocess.CompletedProcess[str]:
    """What pip calls, in the tree itself, so that a second build meets what the first one left."""
    code = f"from setuptools import build_meta; print(build_meta.{hook}('dist'))"
    return subprocess.run([sys.executable, "-c", code], cwd=project, capture_output=True, text=True, check=False)


def edit(path: Path, old: str, new: str) -> None:
    text = path.read_text()
    assert old in text
    path.write_text(text.replace(old, new))


def held(wheel: Path) -> set[str]:
    return {name for name in zipfile.ZipFile(wheel).namelist() if ".dist-info/" not in name}


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Built from the sdist, as `python -m build` does."""
    out = tmp_path_factory.mktemp("dist")
    done = build(SAMPLE, out, tmp_path_factory.mktemp("tree"), "--no-isolation")
    assert done.returncode == 0, done.stdout + done.stderr
    (found,) = out.glob("*.whl")
    return found


def test_the_wheel_of_the_sample_holds_text_images_and_manifest(wheel: Path) -> None:
    assert wheel.name == "spectra-1.0-py3-none-any.whl"
    assert held(wheel) == MODULES | SHIPPED
    with zipfile.ZipFile(wheel) as archive:
        manifest = json.loads(archive.read("spectra/__transpiled__/kernels.json"))
        text = archive.read("spectra/__transpiled__/kernels.cu").decode()
        for name in IMAGES:
            head = archive.read(f"spectra/__transpiled__/{name}")[:4]
            assert (head == b"\x7fELF") == name.endswith(".cubin")
    assert [kernel["entry"] for kernel in manifest["kernels"]] == ["power_f32", "power_f64", "accumulate"]
    assert manifest["package"]["transpiler"] == VERSION
    assert [image["file"] for image in manifest["package"]["images"]] == list(IMAGES)
    assert all(f"void __launch_bounds__(256) {k['entry']}(" in text for k in manifest["kernels"])


def test_a_second_build_ships_what_is_asked_now_and_touches_only_that(project: Path) -> None:
    assert run_backend(project).returncode == 0
    built = project / "build" / "lib" / "spectra" / "__transpiled__"
    before = {path.name: path.stat().st_mtime_ns for path in built.iterdir()}
    edit(project / "pyproject.toml", '"sm_80", "sm_90", "sm_120"', '"sm_90"')
    done = run_backend(project)
    assert done.returncode == 0, done.stderr
    after = {path.name: path.stat().st_mtime_ns for path in built.iterdir()}
    assert set(before) - set(after) == {"kernels.sm_80.cubin", "kernels.sm_120.cubin"}
    assert {name for name in after if after[name] != before[name]} == {"kernels.json"}
    (found,) = (project / "dist").glob("*.whl")
    assert held(found) == MODULES | SHIPPED - {f"spectra/__transpiled__/kernels.sm_{n}.cubin" for n in (80, 120)}


def test_a_kernel_that_is_refused_fails_the_build_and_leaves_the_old_output(project: Path) -> None:
    assert run_backend(project).returncode == 0
    built = project / "build" / "lib" / "spectra" / "__transpiled__"
    before = {path.name: path.read_bytes() for path in built.iterdir()}
    (found,) = (project / "dist").glob("*.whl")
    found.unlink()
    edit(project / "src" / "spectra" / "kernels.py", "mean[i] += weight", "mean[i + 1] += weight")
    done = run_backend(project)
    assert done.returncode == 1
    assert "src/spectra/kernels.py:27:9: error: `mean[1]` is out of bounds" in done.stderr
    assert "error: [tool.transpiler]: 1 of 4 files cannot be built; nothing was written" in done.stderr
    assert "Traceback" not in done.stderr
    assert {path.name: path.read_bytes() for path in built.iterdir()} == before
    assert not list((project / "dist").glob("*.whl"))


def test_an_editable_installation_builds_nothing(project: Path) -> None:
    edit(project / "src" / "spectra" / "kernels.py", "mean[i] += weight", "mean[i + 1] += weight")
    assert run_backend(project, "build_editable").returncode == 0
    assert not list(project.rglob("__transpiled__"))


def test_a_project_without_the_table_is_left_alone(project: Path) -> None:
    path = project / "pyproject.toml"
    path.write_text(path.read_text().partition("[tool.transpiler]")[0])
    done = run_backend(project)
    assert done.returncode == 0
    (found,) = (project / "dist").glob("*.whl")
    assert held(found) == MODULES
    assert "transpile" not in done.stdout


@pytest.mark.skipif(shutil.which("fatbinary") is None, reason="needs CUDA's fatbinary")
def test_a_fat_binary_takes_the_place_of_the_cubins(project: Path) -> None:
    edit(project / "pyproject.toml", "ptx = ", "fatbin = true\nptx = ")
    assert run_backend(project).returncode == 0
    names = {path.name for path in (project / "build/lib/spectra/__transpiled__").iterdir()}
    assert names == {"kernels.cu", "kernels.json", "kernels.fatbin", "kernels.sm_80.ptx"}


def test_the_recipe_for_cmake_installs_the_same_files(project: Path, wheel: Path) -> None:
    """The CMakeLists.txt that the documentation gives to scikit-build-core."""
    cmake, ninja = tool("cmake"), tool("ninja")
    if cmake is None or ninja is None:
        pytest.skip("needs CMake and Ninja")
    page = (ROOT / "docs" / "build.md").read_text(encoding="utf-8")
    (recipe,) = re.findall(r"^```cmake\n(cmake_minimum_required.*?)^```", page, re.MULTILINE | re.DOTALL)
    (project / "CMakeLists.txt").write_text(recipe)
    options = [f"-DCMAKE_MAKE_PROGRAM={ninja}", f"-DPython_EXECUTABLE={sys.executable}"]
    for words in (
        ["-S", ".", "-B", "out", "-G", "Ninja", *options],
        ["--build", "out"],
        ["--install", "out", "--prefix", "in"],
    ):
        done = subprocess.run([cmake, *words], cwd=project, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stdout + done.stderr
    with zipfile.ZipFile(wheel) as archive:
        wanted = {name: archive.read(name) for name in SHIPPED}
    installed = project / "in"
    found = {path.relative_to(installed).as_posix(): path.read_bytes() for path in installed.rglob("*.*")}
    assert found == wanted


# --- the table ----------------------------------------------------------------------------------------------

GOOD: dict[str, Any] = {"kernels": ["src/*.py"], "archs": ["sm_90"]}


def test_a_table_with_every_key_is_valid() -> None:
    found = settings({**GOOD, "ptx": ["sm_90"], "fatbin": True, "line-info": True, "deny-trust": True})
    assert (found.kernels, found.archs, found.ptx) == (("src/*.py",), ("sm_90",), ("sm_90",))
    assert (found.fatbin, found.line_info, found.deny_trust) == (True, True, True)


@pytest.mark.parametrize(
    ("table", "says"),
    [
        ("sm_90", "[tool.transpiler] is no table"),
        ({**GOOD, "arch": ["sm_90"]}, "there is no key `arch`; the keys are kernels, archs, ptx, fatbin"),
        ({**GOOD, "archs": "sm_90"}, '`archs` is a list of strings, such as ["sm_80", "sm_90"], not \'sm_90\''),
        ({**GOOD, "archs": [90]}, "`archs` is a list of strings"),
        ({**GOOD, "kernels": []}, "`kernels` is a list of strings"),
        ({**GOOD, "fatbin": "yes"}, "`fatbin` is true or false, not 'yes'"),
        ({"archs": ["sm_90"]}, '`kernels` is missing; write kernels = ["src/pkg/*.py"]'),
        ({"kernels": ["a.py"]}, "`archs` is missing"),
        ({**GOOD, "archs": ["90"]}, "'90' is no architecture such as sm_90"),
        ({**GOOD, "ptx": ["compute_90"]}, "'compute_90' is no architecture"),
    ],
)
def test_what_is_wrong_in_the_table_is_said(table: Any, says: str) -> None:
    with pytest.raises(BaseError) as caught:
        settings(table)
    assert says in str(caught.value)


@pytest.mark.parametrize(
    ("old", "new", "says"),
    [
        ("kernels = ", "kernel = ", "there is no key `kernel`"),
        (
            "src/spectra/*.py",
            "src/spectra/gone.py",
            "'src/spectra/gone.py' is neither a module of this distribution nor",
        ),
        ("src/spectra/*.py", "spectra.gone", "'spectra.gone' is neither a module of this distribution nor"),
        ("src/spectra/*.py", "../*.py", "'../*.py' is neither a module"),
        ("src/spectra/*.py", "/*.py", "'/*.py' is no pattern of paths below this folder"),
        ("src/spectra/*.py", "setup.py", "setup.py is in no package of this distribution"),
        ("src/spectra/*.py", "spectra.settings", "no @kernel in src/spectra/settings.py"),
        ('"sm_120"', '"sm_999"', "NVRTC here does not know sm_999"),
        ('"sm_120"', '"sm_12"', "NVRTC here does not know sm_12"),
    ],
)
def test_what_the_build_cannot_do_is_a_plain_message(old: str, new: str, says: str, project: Path) -> None:
    (project / "setup.py").write_text("from setuptools import setup\nsetup()\n")
    edit(project / "pyproject.toml", old, new)
    done = run_backend(project)
    assert done.returncode == 1
    assert f"error: [tool.transpiler]: {says}" in done.stderr.replace("`kernels`: ", "")
    assert "Traceback" not in done.stderr


def test_kernels_are_named_as_modules_too(project: Path) -> None:
    edit(project / "pyproject.toml", "src/spectra/*.py", "spectra.kernels")
    done = run_backend(project)
    assert done.returncode == 0, done.stderr
    (found,) = (project / "dist").glob("*.whl")
    assert held(found) == MODULES | SHIPPED


# --- installed ----------------------------------------------------------------------------------------------

LAUNCH = """
import importlib.util, sys, warnings
from pathlib import Path

absent = [name for name in ("z3", "jinja2", "rich", "nvidia") if importlib.util.find_spec(name) is None]
assert absent == ["z3", "jinja2", "rich", "nvidia"], absent
warnings.simplefilter("error")
import numpy as np
import spectra

re, im, out = np.float32([3, 0]), np.float32([4, 0]), np.zeros(2, "f4")
spectra.power.simulate(re, im, out)
assert out.tolist() == [25.0, np.float32(spectra.FLOOR)], out

sys.path.append(sys.argv[1])            # the fake device of the tests
from tests.runtime.fakes import FakeDriver, array
from tests.support.packages import no_nvrtc
from transpiler import CompileError
from transpiler.runtime.driver import Limits
from transpiler.runtime.session import Session, replace

folder = Path(spectra.__file__).parent / "__transpiled__"
for arch in ("sm_86", "sm_90", "sm_103", "sm_120", "sm_75"):
    driver = FakeDriver(limits=Limits(arch))
    replace(Session(driver))
    for name in ("spectra", "spectra.kernels", "spectra.settings"):
        sys.modules.pop(name, None)
    import spectra
    with no_nvrtc():
        try:
            spectra.power(*(array(100, dtype="float64") for _ in range(3)))
            spectra.accumulate(0.5, array(1000), array(1000))
        except CompileError as error:
            print(arch, error.diagnostics[0].message)
            continue
    files = {path.read_bytes(): path.name for path in folder.iterdir()}
    names = [(symbol, files.get(image) or files[image.removesuffix(bytes(1))]) for _, image, symbol in driver.loads]
    print(arch, *(f"{symbol} of {name}" for symbol, name in names))
"""


@pytest.mark.slow
def test_installed_in_an_empty_environment_it_runs_from_its_images(wheel: Path, tmp_path: Path) -> None:
    done = build(ROOT, tmp_path / "dist", tmp_path, "--no-isolation", "--wheel")
    assert done.returncode == 0, done.stdout + done.stderr
    (ours,) = (tmp_path / "dist").glob("*.whl")
    python = environment(tmp_path / "environment", [ours, wheel], ("numpy", "lark", "ml_dtypes", "click"))
    done = subprocess.run([python, "-c", LAUNCH, str(ROOT)], cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert done.stdout.splitlines() == [
        "sm_86 power_f64 of kernels.sm_80.cubin accumulate of kernels.sm_80.cubin",
        "sm_90 power_f64 of kernels.sm_90.cubin accumulate of kernels.sm_90.cubin",
        "sm_103 power_f64 of kernels.sm_80.ptx accumulate of kernels.sm_80.ptx",
        "sm_120 power_f64 of kernels.sm_120.cubin accumulate of kernels.sm_120.cubin",
        "sm_75 `power` has to be built for sm_75: the package (__transpiled__/kernels.json) is for sm_80, sm_90, sm_120, and "
        "NVRTC cannot be loaded: no NVRTC 12 or 13 is installed",
    ]
