"""`transpile cache info|clear`: the cache of compiled kernels."""

from __future__ import annotations

import click

from transpiler.cli import _work
from transpiler.cli.console import echo


@click.group("cache")
def command() -> None:
    """Show or clear the cache of compiled kernels."""


@command.command("info")
def info() -> None:
    """Where the cache is and what it holds."""
    state = _work.cache_info()
    echo(f"{state.folder}")
    entries = "1 entry" if state.entries == 1 else f"{state.entries} entries"
    echo(f"{entries}, {_size(state.bytes)} of at most {_size(state.limit)}")


@command.command("clear")
def clear() -> None:
    """Remove every entry."""
    removed = _work.cache_clear()
    echo(f"removed {removed} of {_work.cache_info().folder}")


def _size(count: int) -> str:
    return f"{count / (1 << 20):.1f} MiB"
