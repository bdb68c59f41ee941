"""`transpile lsp`: the language server, on standard input and output."""

from __future__ import annotations

import importlib.util
import sys

import click


@click.command("lsp")
@click.option("--stdio", is_flag=True, help="Speak on standard input and output, which is done anyhow.")
def command(stdio: bool) -> int:
    """Speak the Language Server Protocol: findings, types, proofs and fixes in an editor.

    An editor starts this command; docs/editors.md says how to set one up.
    """
    if importlib.util.find_spec("pygls") is None:
        click.echo("error: the language server needs pygls: pip install 'transpiler-cuda12x[lsp]'", err=True)
        return 2
    if sys.stdin.isatty():
        click.echo("transpile lsp waits for an editor to speak to it; Ctrl-C ends it", err=True)
    from transpiler.lsp.server import serve

    serve()
    return 0
