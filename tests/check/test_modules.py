"""Device functions and constants of other kernel files keep their own names."""

from __future__ import annotations

from pathlib import Path

from tests.support.kernels import PRELUDE, checked
from transpiler.frontend import parse_module
from transpiler.ir import device
from transpiler.ir.dump import dump_body
from transpiler.source import Source

COMMON = """
SCALE = 4
STEP = SCALE // 2

@device
def half(v):
    return v * 0.5

@device
def shrunk(v, by=SCALE):
    return half(v) - STEP * by
"""


def kernels_of(folder: Path, text: str) -> tuple[list[device.Kernel], list[str]]:
    (folder / "common.py").write_text(PRELUDE + COMMON)
    main = folder / "main.py"
    main.write_text(PRELUDE + text)
    module, diagnostics = parse_module(Source.read(main))
    assert diagnostics == []
    kernels, found = checked(module)
    return kernels, [
        f"{d.code} {Path(d.source.path).name}:{d.source.line(d.span.start)}" for d in found if d.code[0] == "E"
    ]


def test_names_are_those_of_the_file_of_the_function(tmp_path: Path) -> None:
    imports = "from common import STEP, shrunk\nSCALE = 100\n"
    text = f"{imports}@kernel(block=32)\ndef k(y: Out[f32, N]):\n    y[STEP] = shrunk(8.0)\n"
    kernels, errors = kernels_of(tmp_path, text)
    assert errors == []
    assert [f.name for f in kernels[0].functions] == ["half", "shrunk"]
    assert dump_body(kernels[0]) == "y[STEP{2}] = shrunk(8.0f32, SCALE{4})\n"


def test_a_module_gives_its_names_as_attributes(tmp_path: Path) -> None:
    text = "import common\n@kernel(block=32)\ndef k(y: Out[f32, N]):\n    y[common.STEP] = common.half(3.0)\n"
    kernels, errors = kernels_of(tmp_path, text)
    assert errors == []
    assert dump_body(kernels[0]) == "y[STEP{2}] = half(3.0f32)\n"


def test_an_error_stands_in_the_file_that_holds_it(tmp_path: Path) -> None:
    text = "from common import half\n@kernel(block=32)\ndef k(y: Out[f32, N]):\n    y[0] = half(y)\n"
    _, errors = kernels_of(tmp_path, text)
    line = (PRELUDE + COMMON).splitlines().index("    return v * 0.5") + 1
    assert errors == [f"E0204 common.py:{line}"]
