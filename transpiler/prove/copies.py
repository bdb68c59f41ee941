"""Asynchronous copies: not followed yet, so nothing is proved of a kernel that has them.

In: a kernel. Out: the diagnostic that says so, or nothing. Non-goals: everything else.
"""

from __future__ import annotations

from transpiler.diagnostics.model import Diagnostic
from transpiler.ir import copies
from transpiler.ir import device as d


def unfollowed(kernel: d.Kernel) -> list[Diagnostic]:
    return [
        Diagnostic(
            code="E0309",
            message="cannot show that nobody touches the elements of this copy before it is complete",
            source=kernel.source,
            span=copy.span,
            help="store the value instead",
        )
        for copy in copies.copies(kernel)[:1]
    ]
