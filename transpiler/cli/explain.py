"""`transpile explain CODE`: the page of a diagnostic code."""

from __future__ import annotations

import difflib
import sys

import click

from transpiler.cli.console import use_color
from transpiler.diagnostics.codes import CODES


def _complete(ctx: click.Context, param: click.Parameter, incomplete: str) -> list[str]:
    return [code for code in CODES if code.startswith(incomplete.upper())]


@click.command("explain")
@click.argument("code", shell_complete=_complete)
def command(code: str) -> None:
    """Explain a diagnostic code: why it is refused, a wrong and a right kernel."""
    from transpiler.diagnostics.explain import page

    wanted = code.strip().upper()
    text = page(wanted) if wanted in CODES else None
    if text is None:
        near = difflib.get_close_matches(wanted, CODES, 3, 0.7)
        hint = f"; near it: {', '.join(near)}" if near else ""
        raise click.UsageError(f"there is no code {code!r}{hint}; `transpile list codes` lists them")
    show_page(text)


def show_page(text: str) -> None:
    """On a terminal headings and code are set off; elsewhere the Markdown itself is printed."""
    if not use_color(sys.stdout):
        click.echo(text.rstrip("\n"))
        return
    from rich.console import Console
    from rich.markdown import Markdown

    Console(force_terminal=True).print(Markdown(text))
