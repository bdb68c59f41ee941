"""`transpile run FILE`: its `main()`, or one kernel on made-up data."""

from __future__ import annotations

import subprocess
import sys
from typing import TYPE_CHECKING

import click

from transpiler.cli import _work
from transpiler.cli.console import echo, show
from transpiler.cli.options import Dim3, choose_kernel, launch_options, numbers, only_source
from transpiler.cli.program import NO_MAIN
from transpiler.cli.simulate import make_up, simulated, summary

if TYPE_CHECKING:
    from transpiler.cli.data import MadeUp
    from transpiler.source import Source


@click.command("run")
@click.argument("file", type=click.Path())
@launch_options
def command(
    file: str, kernel_name: str | None, grid: Dim3 | None, block: Dim3 | None, settings: tuple[str, ...]
) -> int:
    """Run the main() of FILE, or with --kernel one kernel on made-up data.

    On a GPU if there is one, else simulated; the output says which.
    """
    source = only_source(file)
    if kernel_name is None and grid is None and block is None and not settings:
        return _main(file)
    report = choose_kernel(source, kernel_name)
    if report.verdict != "proved":
        show(report.diagnostics)
        return 1
    launch = make_up(report, numbers(settings), grid, block)
    assert report.kernel is not None
    why_not = _work.no_gpu()
    if why_not is not None:
        echo(f"no GPU ({why_not}): simulated")
        return simulated(report.kernel, launch)
    chosen = grid is not None or block is not None or not (report.kernel.grid or report.kernel.domain)
    return _on_device(source, report.kernel.name, launch, chosen)


def _main(file: str) -> int:
    sys.stdout.flush()
    done = subprocess.run([sys.executable, "-m", "transpiler.cli.program", file])
    if done.returncode == NO_MAIN:
        raise click.UsageError(f"{file} has no main(); --kernel NAME runs one kernel on made-up data")
    return done.returncode if done.returncode >= 0 else 128 - done.returncode


def _on_device(source: Source, name: str, made_up: MadeUp, chosen: bool) -> int:
    """Launch the kernel of the text, without executing its file; `chosen` if grid and block are not the decorator's."""
    from transpiler.errors import CompileError, DeviceError, LaunchError

    at = f": grid {made_up.grid}, block {made_up.block}" if chosen else ""
    numbers = "".join(f", {key} = {value}" for key, value in made_up.numbers.items())
    echo(f"running {name} on the GPU{at}{numbers}")
    try:
        _work.launch(source, name, made_up.arguments, (made_up.grid, made_up.block) if chosen else None)
    except (CompileError, LaunchError, DeviceError, IndexError) as error:
        echo(f"error: {error}", err=True)
        return 1
    for parameter, value in made_up.arguments.items():
        if hasattr(value, "shape"):
            echo(f"{parameter} = {summary(value)}")
    return 0
