"""Every code has a page; a page of something that a kernel can do wrong shows a wrong and a right kernel."""

from __future__ import annotations

import ast
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from transpiler import pipeline
from transpiler.cli.data import make_up
from transpiler.diagnostics import explain
from transpiler.diagnostics.codes import CODES
from transpiler.diagnostics.machine import all_diagnostics
from transpiler.ir import device
from transpiler.simulate import simulate
from transpiler.source import Source

FOLDER = Path(explain.__file__).parent
WITHOUT_KERNELS = ("E0136", "E0199", "E07", "E08", "E09", "W07", "W08", "W09")
"""Codes of what no kernel text shows: dtypes, files, targets, launches, builds."""

WITH_KERNELS = [code for code in sorted(CODES) if not code.startswith(WITHOUT_KERNELS)]


def test_every_page_belongs_to_a_code() -> None:
    assert {path.stem for path in FOLDER.glob("*.md")} - set(CODES) == set()


@pytest.mark.parametrize("code", sorted(CODES))
def test_every_code_has_a_page_with_its_title(code: str) -> None:
    text = explain.page(code)
    assert text is not None
    assert text.startswith(f"# {code}: {CODES[code].title}\n")


@pytest.mark.parametrize("code", WITH_KERNELS)
def test_a_page_shows_a_wrong_and_a_right_kernel(code: str) -> None:
    text = explain.page(code)
    assert text is not None
    found = explain.examples(text)
    assert [example.wrong for example in found] == sorted((e.wrong for e in found), reverse=True)
    assert {example.wrong for example in found} == {True, False}
    for example in found:
        assert "@kernel" in example.text
        if not example.wrong:
            ast.parse(example.text)


def checked(text: str, code: str) -> pipeline.FileReport:
    return pipeline.check(Source(text, f"{code}.py"), deny_trust=code == "E0308")


def simulated(kernel: device.Kernel, contract: tuple[str, ...]) -> set[str]:
    """What the simulator finds, on made-up contents, on zeros and on minus ones."""
    codes: set[str] = set()
    for fill in (None, 0, -1):
        launch = make_up(kernel, contract)
        arguments = {name: filled(value, fill) for name, value in launch.arguments.items()}
        codes |= simulate(kernel, arguments, grid=launch.grid, block=launch.block, max_steps=20_000).codes()
    return codes


def filled(value: Any, fill: int | None) -> Any:
    if fill is None:
        return value
    return np.full(value.shape, fill).astype(value.dtype) if isinstance(value, np.ndarray) else type(value)(fill)


@pytest.mark.parametrize("code", WITH_KERNELS)
def test_the_wrong_kernel_gets_the_code_and_the_right_one_none(code: str) -> None:
    text = explain.page(code)
    assert text is not None
    for example in explain.examples(text):
        report = checked(example.text, code)
        found = {d.code for d in all_diagnostics(report)}
        if example.wrong and code not in found:  # what only a run shows
            found |= {c for k in report.kernels if k.kernel for c in simulated(k.kernel, k.contract)}
        assert code in found if example.wrong else report.proved and not found


def test_examples_are_what_stands_below_the_two_headings() -> None:
    text = "# E: t\n```python\nno\n```\n## Wrong\n```python\na\n```\ntext\n## Right\n```python\nb\nc\n```\n"
    assert explain.examples(text) == [explain.Example(True, "a\n"), explain.Example(False, "b\nc\n")]
