"""The stub of the `cuda` namespace says what the table says, and what the module has."""

import ast

from tests.support.cuda_stub import MARKER, STUB, generated
from transpiler import cuda


def test_the_stub_is_generated_from_the_table():
    text = STUB.read_text()
    assert MARKER in text
    assert text.partition(MARKER)[1] + text.partition(MARKER)[2] == generated(), "run python -m tests.support.cuda_stub"


def test_stub_and_module_hold_the_same_names():
    names: set[str] = set()
    for node in ast.parse(STUB.read_text()).body:
        if isinstance(node, ast.FunctionDef):
            names.add(node.name)
        elif isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name):
            names.add(node.target.id)
    assert names == set(dir(cuda))
    assert all(hasattr(cuda, name) for name in names)
