"""Reports made by hand, for tests of what the command line does with them."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from tests.diagnostics.support import TEXT, race
from transpiler.diagnostics import Diagnostic
from transpiler.frontend import parse_module
from transpiler.ir import surface
from transpiler.prove import AccessReport, Proof
from transpiler.source import Source

PROOF = Proof(
    verdict="proved",
    contract=(),
    accesses=(
        AccessReport(5, "x", "r", "interval", ("n <= len(x)",)),
        AccessReport(5, "y", "w", "syntactic"),
    ),
    pairs=(("syntactic", 2), ("solver", 0)),
)


@dataclass(frozen=True)
class Kernel:
    name: str = "tag"
    line: int = 2
    verdict: str = "proved"
    contract: tuple[str, ...] = ("n <= len(x)", "n <= len(y)")
    disjoint: tuple[tuple[str, str], ...] = (("x", "y"),)
    assumptions: tuple[str, ...] = ()
    runtime_checks: tuple[str, ...] = ()
    instance: tuple[tuple[str, str], ...] = ()
    time_ms: float = 12.3
    diagnostics: tuple[Diagnostic, ...] = ()
    proof: Proof | None = PROOF


@dataclass(frozen=True)
class File:
    source: Source = field(default_factory=lambda: Source(TEXT, "tag.py"))
    diagnostics: tuple[Diagnostic, ...] = ()
    kernels: tuple[Kernel, ...] = (Kernel(),)

    @property
    def module(self) -> surface.Module:
        return parse_module(self.source)[0]

    @property
    def path(self) -> str:
        return self.source.path


@dataclass(frozen=True)
class Unit:
    name: str = "tag"
    source: str = "__global__ void tag();\n"
    header: str = "#pragma once\n"
    manifest: dict[str, Any] = field(default_factory=lambda: {"schema": 1, "kernels": []})


def refuted(source: Source) -> File:
    return File(source, kernels=(Kernel(verdict="refuted", contract=(), diagnostics=(race(source),)),))
