"""The front end that tests of later passes read kernels with."""

from __future__ import annotations

from transpiler.diagnostics import Diagnostic
from transpiler.ir import surface
from transpiler.source import Source


def parse(source: Source) -> tuple[surface.Module, list[Diagnostic]]:
    """The module of a file. TODO: `frontend.parse_module` alone, once it stands."""
    from tests.support.cpython_surface import module_from_ast

    return module_from_ast(source), []
