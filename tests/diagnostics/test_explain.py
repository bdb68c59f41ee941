"""Every code has a page; a page of something that a kernel can do wrong shows a wrong and a right kernel."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

from transpiler.diagnostics import explain
from transpiler.diagnostics.codes import CODES

FOLDER = Path(explain.__file__).parent
WITHOUT_KERNELS = ("E0199", "E07", "E08", "E09", "W07", "W08", "W09")
"""Codes of what no kernel text shows: files, targets, launches, builds."""


def test_every_page_belongs_to_a_code() -> None:
    assert {path.stem for path in FOLDER.glob("*.md")} - set(CODES) == set()


@pytest.mark.parametrize("code", sorted(CODES))
def test_every_code_has_a_page_with_its_title(code: str) -> None:
    text = explain.page(code)
    assert text is not None
    assert text.startswith(f"# {code}: {CODES[code].title}\n")


@pytest.mark.parametrize("code", [c for c in sorted(CODES) if not c.startswith(WITHOUT_KERNELS)])
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


def test_examples_are_what_stands_below_the_two_headings() -> None:
    text = "# E: t\n```python\nno\n```\n## Wrong\n```python\na\n```\ntext\n## Right\n```python\nb\nc\n```\n"
    assert explain.examples(text) == [explain.Example(True, "a\n"), explain.Example(False, "b\nc\n")]
