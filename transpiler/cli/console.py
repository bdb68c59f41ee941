"""What the terminal can do, and findings printed on it.

In: diagnostics, streams, the environment. Out: text on a stream.
Non-goals: the layout of a finding (`diagnostics.render`).
"""

from __future__ import annotations

import os
import shutil
import sys
from collections.abc import Iterable
from typing import IO, TYPE_CHECKING

import click

from transpiler.diagnostics import Diagnostic

if TYPE_CHECKING:
    from transpiler.diagnostics.machine import FileFacts


def use_color(stream: IO[str]) -> bool:
    """NO_COLOR forbids and FORCE_COLOR demands colour (any non-empty value); else a terminal that is not dumb gets it."""
    if os.environ.get("NO_COLOR"):
        return False
    if os.environ.get("FORCE_COLOR"):
        return True
    return stream.isatty() and os.environ.get("TERM") != "dumb"


def width(stream: IO[str]) -> int:
    """Columns for source text beside the gutter: the terminal's, or 120 where output goes elsewhere."""
    return max(40, shutil.get_terminal_size((120, 24)).columns - 8) if stream.isatty() else 120


def show(diagnostics: Iterable[Diagnostic], *, err: bool = True) -> None:
    """Print findings in the order of their places, a blank line between two."""
    diagnostics = list(diagnostics)
    if not diagnostics:
        return  # rendering is not even loaded
    from transpiler.diagnostics.render import in_order, render

    stream = sys.stderr if err else sys.stdout
    color, columns = use_color(stream), width(stream)
    for diagnostic in in_order(diagnostics):
        echo(render(diagnostic, color=color, width=columns) + "\n", err=err)


def show_report(report: FileFacts) -> None:
    """The findings of a file and its kernels on standard error; a file without any kernel is named."""
    from transpiler.diagnostics.machine import all_diagnostics

    show(all_diagnostics(report))
    if not report.diagnostics and not report.kernels:
        echo(f"{report.path}:1:1: no @kernel here", err=True)


def show_gcc(report: FileFacts) -> None:
    """The findings of a file on standard error, as a C compiler prints them."""
    from transpiler.diagnostics.gcc import to_gcc

    for line in to_gcc([report]):
        echo(line, err=True)
    if not report.diagnostics and not report.kernels:
        echo(f"{report.path}:1:1: warning: no @kernel here", err=True)


def echo(text: str, *, err: bool = False) -> None:
    """Print text that may hold ANSI codes and characters that the stream's encoding lacks."""
    stream = sys.stderr if err else sys.stdout
    encoding = stream.encoding or "utf-8"
    click.echo(text.encode(encoding, "backslashreplace").decode(encoding), err=err, color=use_color(stream))


def styled(text: str, *, err: bool = False, **style: bool | str) -> str:
    """`text` in a style of `click.style` where the stream shows colour."""
    return click.style(text, **style) if use_color(sys.stderr if err else sys.stdout) else text  # pyright: ignore[reportArgumentType]


def plural(count: int, noun: str) -> str:
    return f"{count} {noun}" if count == 1 else f"{count} {noun}s"
