"""Python modules with kernels and what `transpile build --package` puts beside them, and NVRTC out of sight.

In: a folder, the text of a kernel file, architectures. Out: the imported module; a context without NVRTC.
"""

from __future__ import annotations

import importlib.util
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from types import ModuleType
from unittest import mock

from transpiler.ahead import build
from transpiler.ahead.outputs import write_changed
from transpiler.runtime import nvrtc
from transpiler.runtime.packaged import FOLDER


def packaged(folder: Path, text: str, *, archs: tuple[str, ...] = (), **request: object) -> Path:
    """Write `kernels.py` and its package; returns the folder of the package."""
    path = folder / "kernels.py"
    path.write_text(text, encoding="utf-8")
    asked = build.Request(archs, package=True, **request)  # type: ignore[arg-type]
    (built,) = build.build([str(path)], asked, jobs=1, step=lambda _: None, prepare=lambda: None)
    assert built.contents, built.report
    out = folder / FOLDER
    out.mkdir(exist_ok=True)
    write_changed(out, built.contents)
    return out


def imported(folder: Path) -> ModuleType:
    """`kernels.py`, as a module of its own."""
    spec = importlib.util.spec_from_file_location("kernels", folder / "kernels.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@contextmanager
def no_nvrtc() -> Iterator[None]:
    """As if no NVRTC were installed."""

    def missing() -> object:
        raise nvrtc.NvrtcMissing("NVRTC cannot be loaded: no NVRTC 12 or 13 is installed")

    with mock.patch.object(nvrtc, "_library", missing), mock.patch.object(nvrtc, "version", missing):
        yield
