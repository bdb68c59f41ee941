"""Kernels from packages, on a fake driver: which image is loaded, when none is, and what is said then."""

from __future__ import annotations

import json
import warnings
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.runtime.fakes import FakeDriver, FakeError, array
from tests.support.packages import imported, no_nvrtc, packaged
from transpiler import CompileError, LaunchError
from transpiler.runtime import nvrtc
from transpiler.runtime import packaged as packages
from transpiler.runtime.driver import Limits
from transpiler.runtime.packaged import usable
from transpiler.runtime.session import Session, replace
from transpiler.runtime.unit import Image

TEXT = """\
from sizes import STEP
from transpiler import Dim, DType, InOut, cuda, f32, f64, i32, kernel, requires


class N(Dim): ...


class T(DType, of=(f32, f64)): ...


@kernel(domain=N, block=256)
def scale(a: f32, x: InOut[f32, N]):
    requires(a >= 1.0)
    i = cuda.grid(1)
    if i < N:
        x[i] = x[i] * a * STEP


@kernel(block=128)
def tail(n: i32, x: InOut[T, int]):
    i = cuda.grid(1)
    if i < n:
        x[i] = T(0)
"""
CHECKED = """\
from transpiler import In, InOut, cuda, i32, kernel


@kernel(block=32, grid=1, checks="dynamic")
def poke(p: In[i32, 1], x: InOut[i32, int]):
    if cuda.grid(1) == 0:
        x[p[0]] = 1
"""


@pytest.fixture(autouse=True)
def environment(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    try:
        nvrtc.version()
    except nvrtc.NvrtcMissing as reason:
        pytest.skip(str(reason))
    monkeypatch.setenv("TRANSPILER_CACHE_DIR", str(tmp_path / "cache"))
    monkeypatch.syspath_prepend(tmp_path)
    (tmp_path / "sizes.py").write_text("STEP = 2.0\n")
    monkeypatch.delitem(__import__("sys").modules, "sizes", raising=False)
    yield
    replace(None)


def device(arch: str = "sm_90") -> FakeDriver:
    """A fake device of an architecture, for all launches of this test."""
    driver = FakeDriver(limits=Limits(arch))
    replace(Session(driver))
    return driver


def loaded(driver: FakeDriver) -> list[bytes]:
    return [image for _, image, _ in driver.loads]


def refused(call: Callable[[], object]) -> str:
    """The text of E0901, and no other error."""
    with pytest.raises(CompileError) as caught:
        call()
    assert [d.code for d in caught.value.diagnostics] == ["E0901"]
    return str(caught.value)


# --- what is used -------------------------------------------------------------------------------------------


def test_a_packaged_image_is_loaded_with_no_proof_no_emission_and_no_nvrtc(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = packaged(tmp_path, TEXT, archs=("sm_80", "sm_90"))
    module, driver = imported(tmp_path), device("sm_90")
    for name in ("check_state", "emit_reports"):
        monkeypatch.setattr(packages.pipeline, name, lambda *_, **__: pytest.fail("compiled"))
    with no_nvrtc(), warnings.catch_warnings():
        warnings.simplefilter("error")
        module.scale(2.0, array(1000))
        module.tail[4, 128](500, array(500, dtype="float64"))
    image = (folder / "kernels.sm_90.cubin").read_bytes()
    assert loaded(driver) == [image, image]
    assert [symbol for *_, symbol in driver.loads] == ["scale", "tail_f64"]
    assert [launch.grid for launch in driver.launches] == [(4, 1, 1), (4, 1, 1)]


def test_contracts_are_checked_as_without_a_package(tmp_path: Path) -> None:
    def outcomes() -> list[str]:
        module = imported(tmp_path)
        device()
        found = []
        for call in (
            lambda: module.scale(0.5, array(8)),
            lambda: module.scale(2.0, array(8, dtype="float64")),
            lambda: module.tail[1, 128](500, array(100)),
            lambda: module.tail(1, array(100)),
        ):
            with pytest.raises(LaunchError) as caught:
                call()
            found.append(str(caught.value))
        return found

    (tmp_path / "kernels.py").write_text(TEXT)
    without = outcomes()
    packaged(tmp_path, TEXT, archs=("sm_90",))
    with no_nvrtc():
        assert outcomes() == without


def test_recorded_checks_have_the_path_and_line_of_the_installed_file(tmp_path: Path) -> None:
    from transpiler.runtime.failures import INDEX, NUMBER, describe
    from transpiler.runtime.program import FileProgram
    from transpiler.runtime.unit import Given
    from transpiler.source import Source

    folder = packaged(tmp_path, CHECKED, archs=("sm_90",))
    given = {"p": Given("array", "i32", 1), "x": Given("array", "i32", 1)}
    texts = []
    for _ in range(2):
        unit = FileProgram.read(Source.read(tmp_path / "kernels.py"), "poke").instance(given, None)
        words = [0] * 12
        words[NUMBER], words[INDEX] = unit.checks[0].number, 7
        texts.append((bool(unit.package), str(describe(unit, words)), [p.kind for p in unit.abi]))
        (folder / "kernels.json").unlink(missing_ok=True)
    assert [package for package, *_ in texts] == [True, False]
    assert texts[0][1:] == texts[1][1:]
    assert f"{tmp_path / 'kernels.py'}:7" in texts[0][1]


# --- which image --------------------------------------------------------------------------------------------


def images(*names: str) -> list[Image]:
    """`sm_90.cubin`, `sm_80.ptx`, or `sm_80+sm_90.fatbin`."""
    split = [name.partition(".") for name in names]
    return [Image(Path(archs), form, tuple(archs.split("+")), "") for archs, _, form in split]


@pytest.mark.parametrize(
    ("arch", "there", "wanted"),
    [
        ("sm_90", ["sm_80.cubin", "sm_90.cubin"], ["sm_90"]),
        ("sm_89", ["sm_80.cubin", "sm_86.cubin", "sm_90.cubin"], ["sm_86", "sm_80"]),
        ("sm_80", ["sm_86.cubin"], []),
        ("sm_75", ["sm_80.cubin", "sm_80.ptx"], []),
        ("sm_120", ["sm_90.cubin", "sm_90.ptx", "sm_80.ptx"], ["sm_90", "sm_80"]),
        ("sm_90", ["sm_80.ptx", "sm_90.cubin"], ["sm_90", "sm_80"]),
        ("sm_90", ["sm_90.cubin", "sm_90a.cubin"], ["sm_90a", "sm_90"]),
        ("sm_100", ["sm_90a.cubin", "sm_90a.ptx"], []),
        ("sm_103", ["sm_100f.cubin", "sm_100a.cubin"], ["sm_100f"]),
        ("sm_120", ["sm_100f.ptx"], []),
        ("sm_89", ["sm_80+sm_90.fatbin"], ["sm_80+sm_90"]),
        ("sm_75", ["sm_80+sm_90.fatbin"], []),
        ("sm_100", ["sm_10.cubin"], []),
    ],
)
def test_images_that_a_device_runs_in_the_order_of_preference(arch: str, there: list[str], wanted: list[str]) -> None:
    assert [str(image.path) for image in usable(images(*there), arch)] == wanted


def test_ptx_ends_in_the_zero_byte_that_the_driver_looks_for(tmp_path: Path) -> None:
    folder = packaged(tmp_path, TEXT, archs=("sm_80",), ptx=("sm_90",))
    module, driver = imported(tmp_path), device("sm_120")
    with no_nvrtc():
        module.scale(2.0, array(8))
    assert loaded(driver) == [(folder / "kernels.sm_90.ptx").read_bytes() + b"\0"]


def test_another_architecture_is_built_from_the_packaged_text(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = packaged(tmp_path, TEXT.replace("block=256", 'block=256, fma="off"'), archs=("sm_80",))
    module, driver = imported(tmp_path), device("sm_90")
    monkeypatch.setattr(packages.pipeline, "check_state", lambda *_, **__: pytest.fail("proved again"))
    module.scale(2.0, array(8))
    wanted = nvrtc.compile((folder / "kernels.cu").read_text(), arch="sm_90", options=("--fmad=false",))
    assert loaded(driver) == [wanted]


# --- what does not fit --------------------------------------------------------------------------------------


def edit_manifest(folder: Path, change: Callable[[dict[str, Any]], None]) -> None:
    path = folder / "kernels.json"
    data = json.loads(path.read_text())
    change(data)
    path.write_text(json.dumps(data))


def test_without_nvrtc_the_error_names_device_package_and_fix(tmp_path: Path) -> None:
    packaged(tmp_path, TEXT, archs=("sm_80", "sm_90"))
    module = imported(tmp_path)
    device("sm_75")
    with no_nvrtc():
        text = refused(lambda: module.scale(2.0, array(8)))
    assert "`scale` has to be built for sm_75" in text
    assert "the package (__transpiled__/kernels.json) is for sm_80, sm_90" in text
    assert "no NVRTC 12 or 13 is installed" in text
    assert "help: install NVRTC" in text
    assert "package it for sm_75" in text
    assert f"{tmp_path / 'kernels.py'}:12" in text


def test_without_nvrtc_and_without_a_package_the_error_says_so(tmp_path: Path) -> None:
    (tmp_path / "kernels.py").write_text(TEXT)
    module = imported(tmp_path)
    device()
    with no_nvrtc():
        assert "no machine code was packaged with kernels.py" in refused(lambda: module.scale(2.0, array(8)))


def changed_constant(folder: Path) -> None:
    (folder.parent / "sizes.py").write_text("STEP = 3.0\n")


def changed_text(folder: Path) -> None:
    (folder.parent / "kernels.py").write_text(TEXT.replace("x[i] * a", "a * x[i]"))


def changed_version(folder: Path) -> None:
    edit_manifest(folder, lambda data: data["package"].update(transpiler="0.0.1"))


def newer_schema(folder: Path) -> None:
    edit_manifest(folder, lambda data: data.update(schema=2))


@pytest.mark.parametrize(
    ("change", "says"),
    [
        (changed_constant, "was built from another text than kernels.py has now"),
        (changed_text, "was built from another text than kernels.py has now"),
        (changed_version, "was built by transpiler 0.0.1, and this is"),
        (newer_schema, "has schema 2, and schema 1 is what this version reads"),
    ],
)
def test_what_was_built_from_something_else_is_not_used(
    change: Callable[[Path], None], says: str, tmp_path: Path
) -> None:
    folder = packaged(tmp_path, TEXT, archs=("sm_90",))
    change(folder)
    module, driver = imported(tmp_path), device()
    with no_nvrtc():
        text = refused(lambda: module.scale(2.0, array(8)))
    assert says in text
    with warnings.catch_warnings():
        warnings.simplefilter("error")  # it is no fault of the installation: nothing to warn of
        imported(tmp_path).scale(2.0, array(8))
    assert loaded(driver)[0] != (folder / "kernels.sm_90.cubin").read_bytes()


def test_another_specialisation_or_block_is_not_used(tmp_path: Path) -> None:
    text = TEXT.replace("of=(f32, f64)", "of=(f32,)")
    packaged(tmp_path, text, archs=("sm_90",))
    device()
    module = imported(tmp_path)
    with no_nvrtc():
        assert "holds `scale` for its own block, not for (64, 1, 1)" in refused(
            lambda: module.scale[1, 64](2.0, array(8))
        )
    from transpiler import pipeline
    from transpiler.frontend import parse_module
    from transpiler.runtime.unit import Package
    from transpiler.source import Source

    source = Source.read(tmp_path / "kernels.py")
    parsed, _ = parse_module(source)
    found = packages.find(parsed)
    tail = pipeline.kernel_named(parsed, "tail")
    assert found is not None
    assert tail is not None
    state = pipeline.KernelState(module=parsed, function=tail, instance={"T": packages.DTYPES["i32"]})
    missing = found.unit(state)
    assert isinstance(missing, Package)
    assert missing.says == "the package (__transpiled__/kernels.json) holds `tail[T=f32]`, not `tail[T=i32]`"


def truncated(folder: Path) -> None:
    path = folder / "kernels.json"
    path.write_bytes(path.read_bytes()[:500])


def emptied(folder: Path) -> None:
    (folder / "kernels.json").write_text("[]")


def without_field(folder: Path) -> None:
    edit_manifest(folder, lambda data: data["kernels"][0].pop("entry"))


def odd_architecture(folder: Path) -> None:
    edit_manifest(folder, lambda data: data["package"]["images"][0].update(archs=["sm_x"]))


def path_outside(folder: Path) -> None:
    edit_manifest(folder, lambda data: data["package"]["images"][0].update(file="../kernels.py"))


def altered_text(folder: Path) -> None:
    path = folder / "kernels.cu"
    path.write_text(path.read_text() + "// more\n")


def altered_image(folder: Path) -> None:
    path = folder / "kernels.sm_90.cubin"
    path.write_bytes(path.read_bytes()[:-1])


def missing_image(folder: Path) -> None:
    (folder / "kernels.sm_90.cubin").unlink()


@pytest.mark.parametrize(
    "damage",
    [
        truncated,
        emptied,
        without_field,
        odd_architecture,
        path_outside,
        altered_text,
        altered_image,
        missing_image,
    ],
    ids=lambda damage: damage.__name__,
)
def test_a_damaged_package_is_a_warning_and_nvrtc_builds(damage: Callable[[Path], None], tmp_path: Path) -> None:
    folder = packaged(tmp_path, TEXT, archs=("sm_90",))
    damage(folder)
    module, driver = imported(tmp_path), device()
    with pytest.warns(RuntimeWarning, match="W0901: ") as caught:
        module.scale(2.0, array(8))
    assert len(caught) == 1
    assert len(driver.launches) == 1
    replace(Session(FakeDriver()))
    with no_nvrtc(), pytest.warns(RuntimeWarning):
        refused(lambda: imported(tmp_path).scale(2.0, array(8)))


def test_an_image_that_the_driver_refuses_is_a_warning(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = packaged(tmp_path, TEXT, archs=("sm_90",), ptx=("sm_80",))
    module, driver = imported(tmp_path), device()
    load = driver.load

    def older_driver(device: int, image: bytes, symbol: str) -> Any:
        if image == (folder / "kernels.sm_90.cubin").read_bytes():
            raise FakeError("the image is newer than the driver")
        return load(device, image, symbol)

    monkeypatch.setattr(driver, "load", older_driver)
    with no_nvrtc(), pytest.warns(RuntimeWarning, match="cannot be loaded .the image is newer than the driver"):
        module.scale(2.0, array(8))
    assert loaded(driver) == [(folder / "kernels.sm_80.ptx").read_bytes() + b"\0"]


def test_a_sanitizer_wants_python_lines_and_not_the_package(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = packaged(tmp_path, TEXT, archs=("sm_90",))
    monkeypatch.setenv("TRANSPILER_SANITIZE", "1")
    module, driver = imported(tmp_path), device()
    module.scale(2.0, array(8))
    assert loaded(driver)[0] != (folder / "kernels.sm_90.cubin").read_bytes()


def test_a_manifest_of_transpile_build_is_no_package(tmp_path: Path) -> None:
    """`transpile build -o` into such a folder by hand: no field `package`."""
    folder = packaged(tmp_path, TEXT, archs=("sm_90",))
    edit_manifest(folder, lambda data: data.pop("package"))
    module = imported(tmp_path)
    device()
    with pytest.warns(RuntimeWarning, match="cannot be read .KeyError: 'package'"):
        module.scale(2.0, array(8))
