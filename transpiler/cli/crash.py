"""The crash reporter: what a user sees of a bug of ours.

In: an exception that nothing should have raised. Out: a report in a file, three lines on standard error, exit status 70.
Non-goals: anything that a user did wrong; that is a diagnostic.
"""

from __future__ import annotations

import os
import platform
import sys
import tempfile
import traceback
from importlib import metadata

import click

from transpiler.version import VERSION

STATUS = 70
PACKAGES = ("click", "cupy-cuda12x", "cupy-cuda13x", "jinja2", "lark", "numpy", "nvidia-cuda-nvrtc-cu12", "z3-solver")


def report(error: BaseException, args: list[str]) -> int:
    """Write the report and say where it is."""
    text = describe(error, args)
    click.echo(f"internal error: {type(error).__name__}: {error}".rstrip(": "), err=True)
    try:
        handle, path = tempfile.mkstemp(prefix="transpile-crash-", suffix=".txt")
        with os.fdopen(handle, "w", encoding="utf-8", errors="backslashreplace") as file:
            file.write(text)
        click.echo("This is a bug in transpile, not in your code. A report, for whoever mends it, is in", err=True)
        click.echo(f"  {path}", err=True)
    except OSError as reason:
        click.echo(
            f"This is a bug in transpile, not in your code. No report could be written ({reason}):\n{text}", err=True
        )
    return STATUS


def describe(error: BaseException, args: list[str]) -> str:
    """Everything that helps to find the bug; no source text of the user but what the traceback quotes of ours."""
    return "\n".join(
        (
            f"transpile {VERSION}",
            f"python {platform.python_version()} on {platform.platform()}",
            *(f"{name} {version}" for name in PACKAGES if (version := _version(name))),
            f"arguments: {args!r}",
            f"folder: {os.getcwd()}",
            f"recursion limit: {sys.getrecursionlimit()}",
            "",
            *traceback.format_exception(error),
        )
    )


def _version(name: str) -> str | None:
    try:
        return metadata.version(name)
    except metadata.PackageNotFoundError:
        return None
