"""`transpile check FILE...`: prove kernels, and say what was found."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import TYPE_CHECKING

import click

from transpiler.cli import _work
from transpiler.cli.console import echo, plural, show, styled
from transpiler.diagnostics.machine import FileFacts, KernelFacts
from transpiler.source import Source
from transpiler.version import VERSION

if TYPE_CHECKING:
    from transpiler.prove import Proof

_STYLE = {"proved": "green", "refuted": "red", "unknown": "yellow", "error": "red"}

_MODE = {"r": "read", "w": "write", "a": "atomic"}


@click.command("check")
@click.argument("files", nargs=-1, required=True, type=click.Path())
@click.option("-v", "--verbose", is_flag=True, help="Show the contract of each kernel and how each access is proved.")
@click.option(
    "--format",
    "form",
    type=click.Choice(["text", "json", "sarif", "github", "gcc"]),
    default="text",
    help="For people, for programs (schema 1), for code scanning, for pull requests, for build tools.",
)
@click.option(
    "--fixes", is_flag=True, help="Try fixes, each with a proof of its own, and put those that help into json or sarif."
)
@click.option("--deny-trust", is_flag=True, help="Refuse kernels that rest on trust(...).")
def command(files: tuple[str, ...], verbose: bool, form: str, fixes: bool, deny_trust: bool) -> int:
    """Prove kernels free of data races, divergent barriers and out-of-bounds accesses.

    Nothing of a FILE is executed. Exit status: 0 all proved, 1 refuted, unknown or error, 2 unreadable file.
    """
    reports: list[FileFacts] = []
    for source in _work.load(files):
        report = source if isinstance(source, _work.NoReport) else _check(source, deny_trust, fixes)
        reports.append(report)
        if form == "text":
            show_report(report, verbose)
    if form == "text":
        _summarize(reports)
    else:
        echo(_machine(reports, form))
    return _work.status(reports)


def _check(source: Source, deny_trust: bool, fixes: bool) -> FileFacts:
    report = _work.check_launches(_work.check(source, deny_trust=deny_trust))
    return _work.repaired(report) if fixes else report


def _machine(reports: Sequence[FileFacts], form: str) -> str:
    from transpiler.diagnostics import machine

    if form == "json":
        return machine.dumps(machine.to_json(reports))
    if form == "sarif":
        return machine.dumps(machine.to_sarif(reports, VERSION))
    if form == "gcc":
        from transpiler.diagnostics.gcc import to_gcc

        return "\n".join(to_gcc(reports))
    return "\n".join(machine.to_github(reports))


# --- text -------------------------------------------------------------------------------------------------


def show_report(report: FileFacts, verbose: bool) -> None:
    """The findings of a file, then one line a kernel, with `verbose` its contract and proof."""
    from transpiler.diagnostics.machine import all_diagnostics

    show(all_diagnostics(report), err=False)
    for kernel in report.kernels:
        verdict = styled(kernel.verdict, fg=_STYLE.get(kernel.verdict, "yellow"), bold=True)
        echo(f"{report.path}:{kernel.line}: {title(kernel)}: {verdict}{_notes(kernel)}")
        if verbose:
            for line in details(kernel):
                echo(f"  {line}")


def title(kernel: KernelFacts) -> str:
    """`axpy`, or `axpy[T=f16]` for an instance of a generic kernel."""
    values = ", ".join(f"{name}={value}" for name, value in kernel.instance)
    return f"{kernel.name}[{values}]" if values else kernel.name


def _notes(kernel: KernelFacts) -> str:
    notes = [
        plural(len(found), name)
        for found, name in ((kernel.assumptions, "assumption"), (kernel.runtime_checks, "run-time check"))
        if found
    ]
    return f", with {' and '.join(notes)}" if notes else ""


def details(kernel: KernelFacts) -> list[str]:
    """The contract, what it rests on, how each access was proved."""
    rows = [
        ("contract", list(kernel.contract)),
        ("disjoint", [" and ".join(pair) for pair in kernel.disjoint]),
        ("assumes", list(kernel.assumptions)),
        ("run-time checks", list(kernel.runtime_checks)),
        ("accesses", _accesses(getattr(kernel, "proof", None))),
        ("races", _pairs(getattr(kernel, "proof", None))),
    ]
    lines: list[str] = []
    for name, items in rows:
        lines += [f"{name if i == 0 else '':<16}{item}" for i, item in enumerate(items)]
    return [*lines, f"{'time':<16}{kernel.time_ms:.0f} ms"]


def _accesses(proof: Proof | None) -> list[str]:
    """One line an access: how it was shown to be in bounds, and by which lines of the contract."""
    if proof is None:
        return []
    open_ = "bounds checked at run time" if proof.verdict == "proved" else "bounds not shown"
    lines: list[str] = []
    for a in proof.accesses:
        how = open_ if a.how == "open" else f"in bounds: {a.how}"
        by = f", by {' and '.join(a.contract)}" if a.contract else ""
        lines.append(f"line {a.line}: {_MODE.get(a.mode, a.mode)} {a.array}, {how}{by}")
    return lines


def _pairs(proof: Proof | None) -> list[str]:
    """How the pairs of accesses that could race were told apart."""
    if proof is None:
        return []
    counts = [f"{count} {how}" for how, count in proof.pairs if count]
    return [f"pairs of accesses shown disjoint: {', '.join(counts)}" if counts else "no two accesses can meet"]


def _summarize(reports: Sequence[FileFacts]) -> None:
    """How many kernels got which verdict. That a file has none is said where no other one has: a hook names every file."""
    counts = Counter(kernel.verdict for report in reports for kernel in report.kernels)
    if not counts:
        for report in reports:
            if not report.diagnostics:
                echo(f"{report.path}:1:1: no @kernel here")
        return
    shown = ", ".join(f"{counts[verdict]} {verdict}" for verdict in _STYLE if counts[verdict])
    echo(f"{plural(sum(counts.values()), 'kernel')}: {shown}")
