"""Fixes that were tried: each proposed change is made in the text, and what comes of it is checked anew.

In: the reports of a file's kernels. Out: the same reports, with those proposals as fixes that take their finding away and bring
no other. So many tries are made for a kernel, in order; what is not tried is not shown.
Non-goals: proposing fixes (the passes do), writing them into files.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from pathlib import Path

from transpiler import pipeline
from transpiler.diagnostics import Diagnostic, Fix
from transpiler.pipeline import KernelReport
from transpiler.source import Source

TRIES = 6
"""Proofs that the fixes of one kernel may cost."""


def repaired(
    source: Source, kernels: Sequence[KernelReport], read: Callable[[Path], Source] = Source.read
) -> tuple[KernelReport, ...]:
    """The reports of the kernels of `source` with fixes that help."""
    tries: Counter[str] = Counter()
    known: dict[Fix, bool] = {}
    return tuple(_kernel(source, report, kernels, read, tries, known) for report in kernels)


def _kernel(
    source: Source,
    report: KernelReport,
    kernels: Sequence[KernelReport],
    read: Callable[[Path], Source],
    tries: Counter[str],
    known: dict[Fix, bool],
) -> KernelReport:
    if not any(d.proposals for d in report.diagnostics):
        return report
    before = _codes(d for k in kernels if k.name == report.name for d in k.diagnostics)
    found: list[Diagnostic] = []
    for diagnostic in report.diagnostics:
        kept: list[Fix] = []
        for fix in diagnostic.proposals if diagnostic.source.path == source.path else ():
            if fix not in known:  # instances of one kernel propose the same
                tries[report.name] += 1
                known[fix] = tries[report.name] <= TRIES and _helps(source, report.name, diagnostic, fix, before, read)
            if known[fix]:
                kept.append(fix)
        found.append(replace(diagnostic, fixes=tuple(kept)))
    return replace(report, diagnostics=tuple(found))


def _helps(
    source: Source,
    kernel: str,
    diagnostic: Diagnostic,
    fix: Fix,
    before: Counter[str],
    read: Callable[[Path], Source],
) -> bool:
    """Whether the changed kernel has all of the findings that it had but this one, and no others."""
    changed = Source(fix.applied(source.text), source.path, source.first_line)
    report = pipeline.check(changed, read=read, only=kernel)
    after = _codes(d for k in report.kernels for d in k.diagnostics)
    return bool(report.kernels) and after <= before and after[diagnostic.code] < before[diagnostic.code]


def _codes(found: Iterable[Diagnostic]) -> Counter[str]:
    return Counter(d.code for d in found)
