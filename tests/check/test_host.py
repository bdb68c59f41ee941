"""Launch sites in host code: what is wrong for certain is found, everything else is left alone."""

from __future__ import annotations

from pathlib import Path

import pytest

from transpiler.check.host import check_launches
from transpiler.diagnostics import Diagnostic
from transpiler.frontend import parse_module
from transpiler.source import Source

KERNELS = """
from transpiler import Dim, DType, In, InOut, Out, Owned, cuda, f32, f64, i32, kernel
from transpiler.testing import launch
import numpy as np
import cupy as cp
import pytest

class N(Dim): ...
class T(DType, of=(f32, f64)): ...

@kernel(domain=N, block=256)
def saxpy(a: f32, x: In[f32, N], y: InOut[f32, N]):
    i = cuda.grid(1)
    if i < N:
        y[i] = a * x[i] + y[i]

@kernel(domain=N, block=256)
def fill(y: Out[T, N], n: i32 = 8, *, extra: In[f32, int] | None = None):
    i = cuda.grid(1)
    if i < N:
        y[i] = T(0)
"""


def findings(host: str, kernels: str = KERNELS) -> list[Diagnostic]:
    source = Source(kernels + host, "app.py")
    module, errors = parse_module(source)
    assert errors == []
    return check_launches(source, module)


def body(text: str) -> str:
    return "\ndef main(n, c, d, flag, stream):\n" + "".join(f"    {line}\n" for line in text.split("\n"))


# (host code, code, what the finding points at)
WRONG = [
    ("saxpy(2.0, c)", "E0801", "saxpy"),
    ("saxpy(2.0, c, d, 1)", "E0801", "1"),
    ("saxpy(2.0, c, z=d)", "E0801", "d"),
    ("saxpy(2.0, c, d, block=3)", "E0801", "3"),
    ("saxpy(2.0, c, d, smem=3)", "E0801", "3"),
    ("saxpy(2.0, c, d, x=c)", "E0801", "c"),
    ("saxpy.bind(2.0, c)", "E0801", "saxpy.bind"),
    ("saxpy.simulate(2.0, c)", "E0801", "saxpy.simulate"),
    ("launch(saxpy, 2.0, c)", "E0801", "launch"),
    ("fill(c, 3, d)", "E0801", "d"),
    ("saxpy(2.0, c, c)", "E0808", "c"),
    ("saxpy[4, 256](2.0, c, y=c)", "E0808", "c"),
    ("x = cp.zeros(n, 'f4')\ny = x\nsaxpy(2.0, x, y)", "E0808", "y"),
    ("x = y = cp.zeros(n, 'f4')\nsaxpy(2.0, x, y)", "E0808", "y"),
    ("x = cp.zeros(n)\nsaxpy(2.0, x, c)", "E0802", "x"),
    ("x = cp.zeros(n, dtype=np.float64)\nsaxpy(2.0, x, c)", "E0802", "x"),
    ("x = cp.empty(n, 'i8')\nsaxpy(2.0, x, c)", "E0802", "x"),
    ("x, y = cp.ones(n, 'f4'), cp.full(n, 0, 'f8')\nsaxpy(2.0, x, y)", "E0802", "y"),
    ("x = cp.ones(n, 'f4').astype(float)\nsaxpy(2.0, x, c)", "E0802", "x"),
    ("x = cp.asarray(np.zeros(n))\nsaxpy(2.0, x, c)", "E0802", "x"),
    ("saxpy.simulate(2.0, np.zeros(n), c)", "E0802", "np.zeros(n)"),
    ("launch(saxpy, 2.0, np.zeros(n), c)", "E0802", "np.zeros(n)"),
    ("x = cp.zeros((n, n), 'f4')\nsaxpy(2.0, x, c)", "E0803", "x"),
    ("x = np.zeros(n, 'f4')\nsaxpy(2.0, x, c)", "E0804", "x"),
    ("x = np.zeros(n, 'f4')\nif flag:\n    saxpy(2.0, x, c)", "E0804", "x"),
    ("x = np.zeros(n, 'f4')\nfor i in range(3):\n    saxpy(2.0, x, c)", "E0804", "x"),
    ("with stream:\n    x = np.zeros(n, 'f4')\n    saxpy(2.0, x, c)", "E0804", "x"),
    ("x = np.zeros(n, 'f4')\nif flag:\n    x = cp.asarray(x)\n    return\nsaxpy(2.0, x, c)", "E0804", "x"),
    ("return saxpy(2.0, c, np.ones(n, 'f4'))", "E0804", "np.ones(n, 'f4')"),
    ("x = cp.zeros(n, 'f4')\nsaxpy(x, x, c)", "E0813", "x"),
    ("saxpy(2.0, 3.0, c)", "E0817", "3.0"),
    ("o = Owned(c)\np = o.move()\nsaxpy(2.0, o, d)", "E0822", "o"),
    ("o = Owned(c)\np = o.move()\no.borrow()", "E0822", "o.borrow()"),
    ("o = Owned(c)\nb = o.borrow()\np = o.move()\nsaxpy(2.0, b, p)", "E0822", "b"),
    ("o = Owned(c)\no.freeze()\nsaxpy(2.0, d, o)", "E0809", "o"),
    ("o = Owned(c)\nsaxpy(2.0, d, o.borrow())", "E0809", "o.borrow()"),
    ("o = Owned(np.zeros(n, 'f4'))\nsaxpy(2.0, o, d)", "E0804", "o"),
    ("o = Owned(c)\nsaxpy(2.0, o, o)", "E0808", "o"),
    ("ä = 'é'; saxpy(2.0, d, ä, ä)", "E0801", "ä"),
]


@pytest.mark.parametrize(("text", "code", "place"), WRONG)
def test_what_cannot_be_right_is_found(text: str, code: str, place: str):
    found = findings(body(text))
    assert [d.code for d in found] == [code]
    assert found[0].source.slice(found[0].span) == place
    assert found[0].message


RIGHT = [
    "saxpy(2.0, c, d)",
    "saxpy(a=2.0, x=c, y=d, stream=stream, sync=True)",
    "saxpy[4, 256](2.0, c, d, smem=0)",
    "saxpy.simulate(2.0, np.zeros(n, 'f4'), np.zeros(n, np.float32), schedule=3)",
    "launch(saxpy, 2.0, np.zeros(n, 'f4'), c, grid=1, block=256)",
    "fill(c)\nfill(c, 3)\nfill(c, extra=None)\nfill(cp.zeros(n))",
    "args = (2.0, c, d)\nsaxpy(*args)\nsaxpy(2.0, *n)\nsaxpy(**flag)",
    "saxpy(2.0, c[0], c[1])\nsaxpy(2.0, n.c, n.c)",  # views, properties: not known
    "with pytest.raises(ValueError):\n    saxpy(2.0, c, c)",
    "try:\n    saxpy(2.0, c, c)\nexcept ValueError:\n    pass",
    "x = np.zeros(n)\nif flag:\n    x = cp.zeros(n, 'f4')\nsaxpy(2.0, x, c)",
    "x = np.zeros(n)\nfor x in c:\n    saxpy(2.0, x, c)",
    "x = np.zeros(n)\nwhile flag:\n    saxpy(2.0, x, c)\n    x = d",
    "x = np.zeros(n)\ntry:\n    x = d\nfinally:\n    pass\nsaxpy(2.0, x, c)",
    "x = np.zeros(n)\nmatch flag:\n    case [x]:\n        pass\nsaxpy(2.0, x, c)",
    "x = np.zeros(n)\nif (x := d) is not None:\n    saxpy(2.0, x, c)",
    "x = np.zeros(n)\nx += 1\nx.dtype = 'f4'\nsaxpy(2.0, x, c)",
    "x = np.zeros(n)\ndel x\nx = d\nsaxpy(2.0, x, c)",
    "x = np.zeros(n)\nfrom other import x\nsaxpy(2.0, x, c)",
    "x = np.zeros(n)\nf = lambda: saxpy(2.0, x, c)",
    "x = np.zeros(n)\nreturn\nsaxpy(2.0, x, c)",
    "saxpy = print\nsaxpy(1)",
    "np = cp\nx = np.zeros(n, 'f4')\nsaxpy(2.0, x, c)",
    "import cupy as np\nx = np.zeros(n, 'f4')\nsaxpy(2.0, x, c)",
    "float = c\nx = cp.zeros(n, dtype=float)\nsaxpy(2.0, x, c)",
    "x = cp.zeros(n, dtype=d)\nsaxpy(2.0, x, c)",
    "x = cp.full(n, 1.0)\nsaxpy(2.0, x, c)",
    "x = cp.zeros(n, 'f4')\ny = cp.array(x)\nsaxpy(2.0, x, y)\nsaxpy(2.0, x, x.copy())",
    "o = Owned(c)\nif flag:\n    p = o.move()\nsaxpy(2.0, o, d)",
    "o = Owned(c)\nfor i in range(3):\n    o = o.move()\nsaxpy(2.0, o, d)",
    "o = Owned(c)\np = o.move()\nsaxpy(2.0, d, p)\no = Owned(d)\nsaxpy(2.0, c, o)",
    "n.freeze()\nsaxpy(2.0, c, n)",
    "e = cp.zeros(0, 'f4')\nsaxpy(2.0, e, e)",
    "flag or saxpy(2.0, c)",
]


@pytest.mark.parametrize("text", RIGHT)
def test_what_may_be_right_is_left_alone(text: str):
    assert findings(body(text)) == []


def test_facts_stay_in_their_scope():
    assert findings("\nx = np.zeros(8)\ndef main():\n    saxpy(2.0, x, d)\n") == []
    assert findings("\nx = np.zeros(8, 'f4')\ndef other():\n    global x\n    x = d\nsaxpy(2.0, x, d)\n") == []
    assert findings("\ndef main(saxpy):\n    saxpy(1)\n") == []
    assert findings("\nsaxpy = wrapped(saxpy)\nsaxpy(1)\n") == []
    assert [d.code for d in findings("\nclass A:\n    def m(self):\n        saxpy(1)\n")] == ["E0801"]
    assert [d.code for d in findings("\nif __name__ == '__main__':\n    saxpy(1)\n")] == ["E0801"]


def test_kernels_of_another_file(tmp_path: Path):
    (tmp_path / "kernels.py").write_text(KERNELS)
    app = tmp_path / "app.py"
    app.write_text(
        "import kernels\nfrom kernels import saxpy as s\n\ndef main(c):\n    s(2.0, c, c)\n    kernels.saxpy(1)\n"
    )
    source = Source.read(app)
    module, _ = parse_module(source)
    assert [(d.code, d.source.line(d.span.start)) for d in check_launches(source, module)] == [
        ("E0808", 5),
        ("E0801", 6),
    ]


def test_text_that_is_no_python_is_left_to_the_front_end():
    source = Source(KERNELS + "\nsaxpy(1", "app.py")
    module, _ = parse_module(source)
    assert check_launches(source, module) == []


@pytest.mark.parametrize(
    "sample", sorted((Path(__file__).parents[2] / "samples").glob("simt/*.py")), ids=lambda p: p.stem
)
def test_samples_have_no_findings(sample: Path):
    source = Source.read(sample)
    module, _ = parse_module(source)
    assert check_launches(source, module) == []
