"""Names of a file: imports under any alias, constants, classes, what is opaque, other kernel files."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.frontend.support import IMPORTS, module
from transpiler.frontend import parse_function, parse_module
from transpiler.ir import surface as s
from transpiler.source import Source


def write(folder: Path, **files: str) -> Path:
    for name, text in files.items():
        (folder / f"{name}.py").write_text(text)
    return folder


def read(path: Path) -> s.Module:
    result, diagnostics = parse_module(Source.read(path))
    assert diagnostics == []
    return result


@pytest.mark.parametrize(
    "text",
    [
        "from transpiler import kernel\n@kernel\n",
        "from transpiler import kernel as k\n@k(block=1)\n",
        "import transpiler\n@transpiler.kernel\n",
        "import transpiler as t\n@t.kernel()\n",
        "from transpiler import (\n    cuda as c,  # note\n    kernel as k,\n)\n@k\n",
        "from transpiler import cuda, \\\n    kernel\n@kernel\n",
        "import os; from transpiler import kernel\n@kernel\n",
        "try:\n    from transpiler import kernel\nexcept ImportError:\n    raise\n@kernel\n",
        "from transpiler import *\n@kernel\n",
        "from transpiler import kernel\n@other\n@kernel\n",
        "import functools\nfrom transpiler import kernel\n@kernel\n@functools.cache\n",
    ],
)
def test_decorators_are_known_by_what_they_are(text: str) -> None:
    (function,) = module(f"{text}def f(x):\n    pass\n").functions
    assert function.is_kernel


@pytest.mark.parametrize(
    "text", ["from numba import kernel\n@kernel\n", "def kernel(f): ...\n@kernel\n", "@kernel\n", ""]
)
def test_other_functions_are_opaque(text: str) -> None:
    result = module(f"{text}def f(x):\n    y = [i for i in x]\n")
    assert result.functions == ()
    assert isinstance(result.names["f"], s.Opaque)


def test_aliases_resolve_to_qualified_names() -> None:
    text = "import numpy as np, math\nimport os.path\nfrom transpiler.cuda import grid as g\nfrom numpy import float32 as F\n"
    assert module(text).names == {
        "np": "numpy",
        "math": "math",
        "os": "os",
        "g": "transpiler.cuda.grid",
        "F": "numpy.float32",
    }


def test_dims_and_dtype_classes() -> None:
    text = (
        "import transpiler as t\nimport numpy as np\nfrom transpiler import Dim as D, f16\n"
        "class M(D): ...\nclass N(t.Dim):\n    '''Columns.'''\nclass T(t.DType, of=(f16, t.f32, np.float64, 'bool_')): ...\n"
        "class C(list): ...\nclass E: ...\n"
    )
    names = module(text).names
    assert isinstance(names["M"], s.DimDef)
    assert isinstance(names["N"], s.DimDef)
    assert isinstance(names["T"], s.DTypeDef)
    assert names["T"].of == ("f16", "f32", "f64", "bool")
    assert isinstance(names["C"], s.Opaque)
    assert isinstance(names["E"], s.Opaque)
    assert [d.code for d in parse_module(Source(IMPORTS + "class T(DType): ...\n"))[1]] == ["E0136"]
    assert [d.code for d in parse_module(Source(IMPORTS + "class T(DType, of=(f32, list)): ...\n"))[1]] == ["E0136"]


def test_constants() -> None:
    text = (
        "# how small\nEPS = 1e-5\nTILE: int = 16\nA = B = 3\nC, D = 1, (2, 3)\nL = [1]\nF = lambda: 1\nX = open('x')\n"
        "P, Q = pair\nR = 1\nR = 2\nS = 1\nS += 1\nU = 1\ndef f():\n    global U\n    U = 2\n"
        "if f():\n    V = 1\nW = 1; Y = 2\nx.y = 3\nz[0] = 4\n"
    )
    names = module(text).names
    constants = {name for name, meaning in names.items() if isinstance(meaning, s.ConstantDef)}
    assert constants == {"EPS", "TILE", "A", "B", "C", "D", "X", "W", "Y"}
    assert names["EPS"].comments == ("how small",)
    assert {name for name, meaning in names.items() if isinstance(meaning, s.Opaque)} == set("LFPQRSUV") | {"f"}


def test_the_latest_of_two_functions_counts() -> None:
    text = f"{IMPORTS}@kernel\ndef k(x):\n    x[0] = 1\n@device\ndef d(v):\n    return v\n@kernel\ndef k(y):\n    y[0] = 2\n"
    result = module(text)
    assert [function.name for function in result.functions] == ["d", "k"]
    assert result.functions[1].params[0].name == "y"
    assert module(f"{text}def k(): ...\n").functions[0].name == "d"
    assert len(module(f"{text}k = 3\n").functions) == 1


def test_a_function_with_an_error_is_opaque_and_the_others_stand() -> None:
    result, found = parse_module(Source(f"{IMPORTS}@kernel\ndef a(x):\n    y = (\n@kernel\ndef b(x):\n    pass\n"))
    assert [d.code for d in found] == ["E0102"]
    assert [function.name for function in result.functions] == ["b"]
    assert isinstance(result.names["a"], s.Opaque)


# --- other files ---

COMMON = (
    "from transpiler import device, f32\nEPS = 1e-5\n@device\ndef combine(a: f32, b: f32):\n    return a + b + EPS\n"
)


def test_imported_definitions_are_the_definitions(tmp_path: Path) -> None:
    write(tmp_path, common=COMMON, a="from common import EPS, combine as c\n", b="from .common import EPS\n")
    for name in "ab":
        result = read(tmp_path / f"{name}.py")
        assert isinstance(result.names["EPS"], s.ConstantDef)
        assert result.imported == (str(tmp_path / "common.py"),)
    function = read(tmp_path / "a.py").names["c"]
    assert isinstance(function, s.Function)
    assert function.name == "combine"


def test_an_imported_function_finds_its_own_names(tmp_path: Path) -> None:
    write(tmp_path, common=COMMON, a="from common import combine\nEPS = 3\n")
    result = read(tmp_path / "a.py")
    function = result.names["combine"]
    assert isinstance(function, s.Function)
    home = result.home(function.source)
    assert home is not result
    assert isinstance(home.names["EPS"], s.ConstantDef)
    assert isinstance(home.names["EPS"].value, s.Float)
    assert result.home(result.source) is result
    assert home.home(result.source) is result


def test_modules_bound_as_a_whole(tmp_path: Path) -> None:
    write(
        tmp_path,
        common=COMMON,
        a="import common\nimport common as c\nfrom . import common as d\nfrom common import *\n",
    )
    names = read(tmp_path / "a.py").names
    assert (names["common"], names["c"], names["d"]) == ("common", "common", ".common")
    assert isinstance(names["common.EPS"], s.ConstantDef)
    assert isinstance(names[".common.combine"], s.Function)
    assert isinstance(names["combine"], s.Function)


def test_packages(tmp_path: Path) -> None:
    package = tmp_path / "lib" / "kernels"
    package.mkdir(parents=True)
    (tmp_path / "lib" / "__init__.py").write_text("SIZE = 8\n")
    (package / "__init__.py").write_text("from .common import EPS\n")
    write(
        package,
        common=COMMON,
        a="from lib.kernels.common import EPS\nfrom .. import SIZE\nfrom . import EPS as E\nimport lib.kernels\n",
    )
    names = read(package / "a.py").names
    assert all(isinstance(names[name], s.ConstantDef) for name in ("EPS", "SIZE", "E", "lib.kernels.EPS"))


def test_cycles_end(tmp_path: Path) -> None:
    write(
        tmp_path,
        a="from transpiler import device\nA = 1\nfrom b import B, f\nimport a\n@device\ndef g(v):\n    return f(v)\n",
        b="from transpiler import device\nfrom a import A, g\nB = 2\n@device\ndef f(v):\n    return v + A\n",
    )
    names = read(tmp_path / "a.py").names
    assert isinstance(names["B"], s.ConstantDef)
    assert isinstance(names["f"], s.Function)
    home = read(tmp_path / "a.py").home(names["f"].source)
    assert isinstance(home.names["A"], s.ConstantDef) or home.names["A"] == "a.A"


def test_what_cannot_be_read_stays_a_name(tmp_path: Path) -> None:
    write(
        tmp_path,
        a="from missing import A\nfrom broken import B\nimport math\nfrom folder import C\nfrom bad import D\n",
    )
    write(tmp_path, math="x = 1\n", bad="# coding: no-such-coding\nD = 1\n")
    (tmp_path / "broken.py").write_bytes(b"\xff\xfe\x00")
    (tmp_path / "folder").mkdir()
    result = read(tmp_path / "a.py")
    assert result.names == {"A": "missing.A", "B": "broken.B", "math": "math", "C": "folder.C", "D": "bad.D"}
    assert result.imported == ()


def test_errors_of_imported_files_come_along(tmp_path: Path) -> None:
    write(tmp_path, a="from b import f\n", b=f"{IMPORTS}@device\ndef f(x):\n    try:\n        pass\n")
    result, found = parse_module(Source.read(tmp_path / "a.py"))
    assert [(d.code, d.source.path) for d in found] == [("E0110", str(tmp_path / "b.py"))]
    assert isinstance(result.names["f"], s.Opaque)


def test_reading_a_file_never_executes_it(tmp_path: Path) -> None:
    mark = tmp_path / "mark"
    act = f"open({str(mark)!r}, 'w').close()\n"
    write(tmp_path, a=f"from b import B\n{act}A = {act}", b=f"{act}B = 1\n")
    read(tmp_path / "a.py")
    assert not mark.exists()


# --- one function ---

NESTED = f"""{IMPORTS}
def make(scale):
    if scale:
        # above
        @kernel(block=64)
        def k(x: InOut[f32, int]):
            x[0] = scale
            # end
        return k

def plain(x):
    x[0] = 1

f = lambda x: 1
"""


def test_nested_and_undecorated_functions() -> None:
    source = Source(NESTED)
    row = NESTED[: NESTED.index("@kernel")].count("\n") + 1
    result, function, found = parse_function(source, row, {"scale": "numpy.float32"})
    assert found == []
    assert function is not None
    assert (function.name, function.is_kernel, function.comments) == ("k", True, ("above",))
    assert function.closing_comments == ("end",)
    assert source.slice(function.body[0].span) == "x[0] = scale"
    assert result.names["scale"] == "numpy.float32"
    _, function, _ = parse_function(source, NESTED[: NESTED.index("def plain")].count("\n") + 1)
    assert function is not None
    assert function.decorators == ()


def test_where_no_function_begins() -> None:
    source = Source(NESTED)
    _, function, found = parse_function(source, NESTED[: NESTED.index("f = lambda")].count("\n") + 1)
    assert function is None
    assert [d.code for d in found] == ["E0115"]
    for row in (0, 1, 10_000):
        assert parse_function(source, row)[1] is None
    shifted = Source(NESTED, first_line=101)
    row = NESTED[: NESTED.index("def plain")].count("\n") + 101
    assert parse_function(shifted, row)[1] is not None
