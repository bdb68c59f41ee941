"""The answer of the prover, as data.

In: built by `prove`. Out: `Proof` and its parts; strings are Python text over parameters, dims, `len(x)`,
`cuda.gridDim.x`, ...
Non-goals: how it is shown or checked at a launch.
"""

from __future__ import annotations

from transpiler.diagnostics.model import Diagnostic
from transpiler.ir.device import Node
from transpiler.records import record
from transpiler.source import Span


@record
class ContractLine:
    """One condition that every launch checks. `origin` is `required` (written), `inferred` (an extent) or `data`.

    For a data contract `predicate` and `array` say what `text` says; `grid_dependent` marks a bound that grows with the grid.
    """

    text: str
    origin: str
    predicate: str = ""
    array: str = ""
    grid_dependent: bool = False


@record
class AccessReport:
    """How one access was shown to be in bounds: `syntactic`, `interval`, `solver`, or `open`; by which contract lines."""

    line: int
    array: str
    mode: str
    how: str
    contract: tuple[str, ...] = ()
    span: Span = Span(0, 0)
    path: str = ""
    """Where it stands: a load alone, a store as the whole statement."""


@record(kw_only=True)
class Proof:
    """`verdict` is `proved`, `refuted` or `unknown`."""

    verdict: str
    contract: tuple[str, ...]
    lines: tuple[ContractLine, ...] = ()
    disjoint: tuple[tuple[str, str], ...] = ()
    assumptions: tuple[str, ...] = ()
    runtime_checks: tuple[str, ...] = ()
    checked_nodes: frozenset[Node] = frozenset()
    """The loads, stores and atomics that `checks="dynamic"` guards at run time."""
    diagnostics: tuple[Diagnostic, ...] = ()
    accesses: tuple[AccessReport, ...] = ()
    pairs: tuple[tuple[str, int], ...] = ()
    """How many conflicting pairs were decided in which way."""
    queries: int = 0
    time_ms: float = 0.0
