"""`transpile list WHAT`: kernels of files, intrinsics, diagnostic codes, architectures."""

from __future__ import annotations

import inspect

import click

from transpiler.cli import _work
from transpiler.cli.console import echo, show


@click.group("list")
def command() -> None:
    """List kernels, intrinsics, diagnostic codes or architectures."""


@command.command("kernels")
@click.argument("files", nargs=-1, required=True, type=click.Path())
def kernels(files: tuple[str, ...]) -> int:
    """The kernels and device functions of each FILE; nothing of it is executed or proved."""
    from transpiler.frontend import parse_module

    worst = 0
    for source in _work.load(files):
        if isinstance(source, _work.NoReport):
            show(source.diagnostics)
            worst = 2
            continue
        module, found = parse_module(source)
        show(found)
        worst = max(worst, 1 if found else 0)
        for function in module.functions:
            kind = "kernel" if function.is_kernel else "device"
            parameters = ", ".join(p.name for p in function.params)
            echo(f"{source.path}:{source.line(function.name_span.start)}: {kind} {function.name}({parameters})")
    return worst


@command.command("codes")
def codes() -> None:
    """Every diagnostic code; `transpile explain CODE` has its page."""
    from transpiler.diagnostics.codes import CODES

    for code in sorted(CODES):
        echo(f"{code}  {CODES[code].title}")


@command.command("intrinsics")
@click.argument("text", default="")
def intrinsics(text: str) -> None:
    """The functions that kernels can call; with TEXT those whose name or description holds it."""
    from transpiler.intrinsics import TABLE

    for name in sorted(TABLE):
        entry = TABLE[name]
        doc = inspect.cleandoc(entry.doc).split("\n")[0]
        if text.lower() in name.lower() or text.lower() in doc.lower():
            echo(f"{name.removeprefix('transpiler.')}({', '.join(entry.params)})  {doc}")


@command.command("archs")
def archs() -> None:
    """The architectures that the NVRTC of this machine compiles for."""
    for arch in _work.supported_archs():
        echo(arch)
