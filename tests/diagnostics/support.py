"""A source with marked spans, and findings on it, for the tests of this folder and of `tests/cli`."""

from __future__ import annotations

from transpiler.diagnostics import Diagnostic, Label, Thread, Witness
from transpiler.source import Source, Span

TEXT = """\
@kernel(block=256)
def tag(x: In[f32, N], y: Out[f32, N]):
    i = cuda.grid(1)
    if i < N:
        y[0] = x[i] + y[3]


    return
"""


def span(source: Source, words: str, nth: int = 0) -> Span:
    """The `nth` place where `words` stand."""
    start = -1
    for _ in range(nth + 1):
        start = source.text.index(words, start + 1)
    return Span(start, start + len(words))


def race(source: Source | None = None) -> Diagnostic:
    source = source or Source(TEXT, "tag.py")
    return Diagnostic(
        code="E0302",
        message="`y[0]` is written by threads of two blocks",
        source=source,
        span=span(source, "y[0]"),
        labels=(
            Label(span(source, "x[i]"), "which reads this"),
            Label(span(source, "y[3]"), "and this"),
            Label(span(source, "return"), "until here"),
        ),
        help="write `y[i]`",
        lines=(5, 5),
        witness=Witness(
            {
                "grid": (2, 1, 1),
                "block": (256, 1, 1),
                "scalars": {"n": 3},
                "shapes": {"x": (512,)},
                "data": {"p": [1, 2]},
            },
            (Thread((0, 0, 0), (0, 0, 0), 5, "write"), Thread((1, 0, 0), (0, 0, 0), 5, "write")),
            "y",
            (0,),
            "the whole kernel",
        ),
    )
