"""The front end against CPython's own parser: the same trees, the same spans, on every kernel at hand and on generated ones."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.support.cpython_surface import module_from_ast
from tests.support.programs import programs
from tests.support.same_tree import module_difference
from transpiler.frontend import parse_module
from transpiler.source import Source

ROOT = Path(__file__).parents[2]
FILES = sorted([*(ROOT / "samples").rglob("*.py"), *(ROOT.parent / "shared" / "cases").glob("*.py")])


def assert_same(source: Source) -> None:
    module, diagnostics = parse_module(source)
    assert diagnostics == [], source.text
    expected = module_from_ast(source)
    difference = module_difference(module, expected)
    assert difference is None, f"{difference}\n{source.text}"


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_files_read_as_cpython_reads_them(path: Path) -> None:
    source = Source.read(path)
    module, diagnostics = parse_module(Source(source.text))  # no path: imports stay names, as they do for the oracle
    assert diagnostics == []
    assert module_difference(module, module_from_ast(source)) is None


@settings(max_examples=150, deadline=None)
@given(programs())
def test_generated_kernels_read_as_cpython_reads_them(text: str) -> None:
    ast.parse(text)
    assert_same(Source(text))


@settings(max_examples=150, deadline=None)
@given(programs(), st.data())
def test_what_cpython_refuses_is_refused(text: str, data: st.DataObject) -> None:
    """Drop or double a character: never a tree where CPython has none, never an exception."""
    place = data.draw(st.integers(0, len(text) - 1))
    text = (
        text[:place] + data.draw(st.sampled_from(["", text[place] * 2, "(", ":", " ", "\n", "="])) + text[place + 1 :]
    )
    module, diagnostics = parse_module(Source(text))
    try:
        compile(text, "<kernel>", "exec", flags=ast.PyCF_ONLY_AST, dont_inherit=True)
    except SyntaxError:
        assert diagnostics or not module.functions or _is_outside(text)
        return
    if not diagnostics:
        assert module_difference(module, module_from_ast(Source(text))) is None, text


def _is_outside(text: str) -> bool:
    """Whether the error lies outside the function, where any text may stand."""
    start = text.find("@kernel")
    head = text[:start] if start >= 0 else text
    try:
        ast.parse(head)
    except SyntaxError:
        return True
    return False
