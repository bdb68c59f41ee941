"""Fixes: what is proposed is written well into the text, and proves what was refuted."""

from __future__ import annotations

import pytest

from transpiler import pipeline
from transpiler.diagnostics import Diagnostic, Fix
from transpiler.repair import repaired
from transpiler.source import Source

HEAD = """from transpiler import Dim, In, InOut, Out, cuda, f32, i32, kernel


class N(Dim): ...


"""


def found(text: str) -> list[Diagnostic]:
    source = Source(text, "kernels.py")
    return [d for k in repaired(source, pipeline.check(source).kernels) for d in k.diagnostics]


def fixes(body: str, code: str, head: str = HEAD) -> dict[str, str]:
    """The changed kernel of each fix of the first such finding, by title; all of them are proved and say nothing else."""
    text = head + body
    diagnostic = next(d for d in found(text) if d.code == code)
    changed = {fix.title: fix.applied(text) for fix in diagnostic.fixes}
    for whole in changed.values():
        assert pipeline.check(Source(whole, "kernels.py")).proved
        assert code not in [d.code for d in found(whole)]
    return changed


SCALE = """@kernel(domain=N, block=256)
def scale(a: f32, x: InOut[f32, N]):
    i = cuda.grid(1)
    x[i] = a * x[i]  # each its own
"""


def test_a_guard_about_the_access() -> None:
    changed = fixes(SCALE, "E0501")["guard it with `if i < N:`"]
    assert changed == HEAD + SCALE.replace("    x[i] = ", "    if i < N:\n        x[i] = ")


def test_no_thread_goes_on_where_the_index_is_outside() -> None:
    changed = fixes(SCALE, "E0501")["return before it `if i >= N:`"]
    assert changed == HEAD + SCALE.replace("    x[i] = ", "    if i >= N:\n        return\n    x[i] = ")


def test_a_guard_that_leaves_a_name_without_value_is_not_shown() -> None:
    body = SCALE.replace("x[i] = a * x[i]  # each its own", "v = x[i]\n    if i < N:\n        x[i] = a * v")
    assert list(fixes(body, "E0501")) == ["return before it `if i >= N:`"]


def test_no_return_before_a_barrier() -> None:
    body = """@kernel(domain=N, block=256)
def scale(x: InOut[f32, N]):
    s = cuda.shared.array(256, f32)
    t = cuda.threadIdx.x
    i = cuda.grid(1)
    s[t] = 0.0
    if cuda.blockIdx.x >= 0:
        x[i] = 1.0
    cuda.syncthreads()
    if i < N:
        x[i] = s[255 - t]
"""
    assert list(fixes(body, "E0501")) == ["guard it with `if i < N:`"]


def test_a_statement_over_several_lines_and_tabs() -> None:
    body = "@kernel(domain=N, block=256)\ndef scale(a: f32, x: InOut[f32, N]):\n\ti = cuda.grid(1)\n\tx[i] = (\n\t\ta\n\t)\n"
    changed = fixes(body, "E0501")["guard it with `if i < N:`"]
    assert changed.endswith("\tif i < N:\n\t\tx[i] = (\n\t\t\ta\n\t\t)\n")


def test_both_sides_of_an_index() -> None:
    body = """@kernel(domain=N, block=256)
def shift(x: In[f32, N], y: Out[f32, N]):
    i = cuda.grid(1)
    if i < N:
        y[i] = x[i - 1] if i > 4 else x[i + 2 - cuda.blockDim.x * 0 - 3]
"""
    assert "guard it with `if i + 2 - cuda.blockDim.x * 0 - 3 >= 0:`" in fixes(body, "E0501")


def test_a_whole_if_is_guarded_with_its_other_arms() -> None:
    body = """@kernel(domain=N, block=256)
def clip(x: InOut[f32, N]):
    i = cuda.grid(1)
    if x[i] > 1.0:
        x[i] = 1.0
    elif x[i] < 0.0:
        x[i] = 0.0
    else:
        x[i] *= 2.0
"""
    assert fixes(body, "E0501")["guard it with `if i < N:`"].endswith(
        "    if i < N:\n        if x[i] > 1.0:\n            x[i] = 1.0\n        elif x[i] < 0.0:\n            x[i] = 0.0\n"
        "        else:\n            x[i] *= 2.0\n"
    )


REVERSE = """@kernel(block=256)
def reverse(y: Out[i32, int]):
    \"\"\"Within each block.\"\"\"
    s = cuda.shared.array(256, i32)
    t = cuda.threadIdx.x
    s[t] = t
    if cuda.grid(1) < len(y):
        y[cuda.grid(1)] = s[255 - t]
"""


def test_a_barrier_between_two_accesses() -> None:
    changed = fixes(REVERSE, "E0303")
    assert list(changed.values()) == [HEAD + REVERSE.replace("    if cuda", "    cuda.syncthreads()\n    if cuda")]


@pytest.mark.parametrize(
    ("imports", "cuda"),
    [
        ("from transpiler import Out, cuda as c, i32, kernel", "c"),
        ("from transpiler import *", "cuda"),
        ("import transpiler as tp\nfrom transpiler import Out, i32, kernel", "tp.cuda"),
    ],
)
def test_a_barrier_is_called_as_the_file_calls_it(imports: str, cuda: str) -> None:
    body = REVERSE.replace("cuda.", f"{cuda}.")
    (changed,) = fixes(body, "E0303", imports + "\n\n\n").values()
    assert f"    {cuda}.syncthreads()\n    if " in changed
    assert changed.startswith(imports + "\n\n\n@")


def test_a_barrier_at_the_end_of_a_loop() -> None:
    body = """@kernel(block=256)
def rounds(y: Out[i32, int], n: i32):
    s = cuda.shared.array(256, i32)
    t = cuda.threadIdx.x
    v = 0
    for k in range(n):
        s[t] = v
        cuda.syncthreads()
        v = s[255 - t] + 1  # the other end
    if cuda.grid(1) < len(y):
        y[cuda.grid(1)] = v
"""
    (changed,) = fixes(body, "E0303").values()
    assert changed == HEAD + body.replace("# the other end\n", "# the other end\n        cuda.syncthreads()\n")


def test_a_condition_of_the_launch_with_its_import() -> None:
    body = """@kernel(block=256)
def mark(y: Out[i32, int]):
    \"\"\"The block's number.\"\"\"
    if cuda.threadIdx.x < len(y):
        y[cuda.threadIdx.x] = cuda.blockIdx.x
"""
    changed = fixes(body, "E0302")["state `requires(cuda.gridDim.x == 1)`"]
    assert changed == HEAD.replace("kernel\n", "kernel, requires\n") + body.replace(
        '"""\n', '"""\n    requires(cuda.gridDim.x == 1)\n'
    )


def test_a_bound_that_grows_with_the_grid_is_guarded_or_stated() -> None:
    body = "@kernel(block=256)\ndef fill(x: Out[f32, int]):\n    i = cuda.grid(1)\n    x[i] = 1.0\n"
    changed = fixes(body, "W0501")
    assert "    if i < len(x):\n        x[i] = 1.0\n" in changed["guard it with `if i < len(x):`"]
    (stated,) = [text for title, text in changed.items() if title.startswith("state")]
    assert "kernel, requires\n" in stated


def test_a_fix_is_applied_from_the_end() -> None:
    from transpiler.diagnostics import Edit
    from transpiler.source import Span

    fix = Fix("two", (Edit(Span(0, 1), "A"), Edit(Span(2, 2), "x"), Edit(Span(2, 2), "y")))
    assert fix.applied("abc") == "Abxyc"


@pytest.mark.parametrize(
    ("imports", "expected"),
    [
        (
            "from transpiler import (\n    Out,\n    cuda,  # launch\n    i32,\n    kernel,\n)",
            "\nfrom transpiler import requires\n",
        ),
        (
            "from transpiler import (\n    Out,\n    cuda,\n    i32,\n    kernel,\n    trust,\n)",
            "    requires, trust,\n",
        ),
        ("from transpiler import Out, cuda, i32, kernel, requires as r", "    r(cuda.gridDim.x == 1)\n"),
        (
            "import transpiler\nfrom transpiler import Out, cuda, i32, kernel",
            "    transpiler.requires(cuda.gridDim.x == 1)\n",
        ),
    ],
)
def test_imports_of_every_form(imports: str, expected: str) -> None:
    body = "@kernel(block=256)\ndef mark(y: Out[i32, 256]):\n    y[cuda.threadIdx.x] = cuda.blockIdx.x\n"
    changed = fixes(body, "E0302", imports + "\n\n\n")
    assert expected in changed[next(title for title in changed if title.startswith("state"))]


def test_no_fix_where_the_text_has_no_place_for_it() -> None:
    body = "@kernel(block=256)\ndef mark(y: Out[i32, 256]): y[cuda.threadIdx.x] = cuda.blockIdx.x\n"
    assert fixes(body, "E0302") == {}
