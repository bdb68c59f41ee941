"""`transpile run FILE`: its `main()`, or one kernel on made-up data."""

from __future__ import annotations

import subprocess
import sys

import click

from transpiler.cli import _work
from transpiler.cli.console import echo, show
from transpiler.cli.options import Dim3, choose_kernel, launch_options, numbers, only_source
from transpiler.cli.program import NO_MAIN, load
from transpiler.cli.simulate import make_up, simulated, summary


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
    return _on_device(file, report.kernel.name, launch.arguments, launch.grid, launch.block)


def _main(file: str) -> int:
    sys.stdout.flush()
    done = subprocess.run([sys.executable, "-m", "transpiler.cli.program", file])
    if done.returncode == NO_MAIN:
        raise click.UsageError(f"{file} has no main(); --kernel NAME runs one kernel on made-up data")
    return done.returncode if done.returncode >= 0 else 128 - done.returncode


def _on_device(file: str, name: str, arguments: dict[str, object], grid: Dim3, block: Dim3) -> int:
    """Launch the kernel as its file's own users would."""
    from transpiler.errors import CompileError, DeviceError, LaunchError
    from transpiler.testing import launch

    kernel = getattr(load(file), name)
    echo(f"running {name}: grid {grid}, block {block}")
    try:
        launch(kernel, *arguments.values(), grid=grid, block=block)
    except (CompileError, LaunchError, DeviceError, IndexError) as error:
        echo(f"error: {error}", err=True)
        return 1
    for parameter, value in arguments.items():
        if hasattr(value, "shape"):
            echo(f"{parameter} = {summary(value)}")
    return 0
