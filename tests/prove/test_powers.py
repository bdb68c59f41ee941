"""Integer powers: a negative exponent is a float in Python, so it must be shown not to occur; invariants at the last test."""

import pytest

from transpiler import pipeline
from transpiler.source import Source

HEAD = "from transpiler import Dim, In, Out, cuda, i32, invariant, kernel\n\nclass N(Dim): ...\n\n@kernel(domain=N, block=64)\n"


def found(body: str) -> tuple[str, set[str]]:
    text = f"{HEAD}def k(e: In[i32, N], y: Out[i32, N]):\n    i = cuda.grid(1)\n    if i < N:\n{body}"
    (report,) = pipeline.check(Source(text)).kernels
    return report.verdict, {d.code for d in report.diagnostics if d.code.startswith("E")}


@pytest.mark.parametrize(
    ("expression", "verdict", "codes"),
    [
        ("i32(2) ** e[i]", "refuted", {"E0505"}),
        ("i32(2) ** (i % 4 - 1)", "refuted", {"E0505"}),
        ("i32(2) ** e[i] if e[i] >= 0 else 0", "proved", set()),
        ("i32(2) ** (i % 4)", "proved", set()),
        ("i32(2) ** 3", "proved", set()),
    ],
)
def test_exponents(expression: str, verdict: str, codes: set[str]) -> None:
    assert found(f"        y[i] = {expression}\n") == (verdict, codes)


@pytest.mark.parametrize(("bound", "verdict"), [("n < 100", "refuted"), ("n <= 128", "proved")])
def test_an_invariant_holds_at_the_last_test_too(bound: str, verdict: str) -> None:
    body = (
        f"        n = 1\n        while n < 100:\n            invariant({bound})\n            n *= 2\n        y[i] = n\n"
    )
    assert found(body)[0] == verdict
