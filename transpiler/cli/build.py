"""`transpile build FILE... --arch sm_80,sm_90 -o DIR`: compile with NVRTC, for any architectures, without a GPU."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager

import click

from transpiler.ahead.outputs import write_changed
from transpiler.cli import _work
from transpiler.cli.console import echo, plural, show_report
from transpiler.cli.emit import refuse_clashes, refuse_unknown
from transpiler.cli.files import output_folder
from transpiler.cli.options import archs_type


@click.command("build")
@click.argument("files", nargs=-1, required=True, type=click.Path())
@click.option("--arch", "archs", type=archs_type, required=True, help="Architectures, separated by commas.")
@click.option("--to", "form", type=click.Choice(["ptx", "cubin"]), default="cubin", show_default=True)
@click.option(
    "--fatbin", is_flag=True, help="Join the cubins of a FILE in NAME.fatbin, where CUDA's `fatbinary` is installed."
)
@click.option(
    "-o", "output", type=click.Path(), required=True, help="Folder for NAME.ARCH.ptx or .cubin, .h and .json."
)
@click.option("--package", is_flag=True, help="Write what a Python package ships: DIR is `__transpiled__` beside FILE.")
@click.option("--ptx", type=archs_type, help="With --package: PTX of these architectures, too, for devices to come.")
@click.option("-j", "--jobs", type=click.IntRange(1), help="How many processes work at a time; else one a processor.")
@click.option("--line-info", is_flag=True, help="Let CUDA tools speak of the Python lines.")
@click.option("--deny-trust", is_flag=True, help="Refuse kernels that rest on trust(...).")
def command(
    files: tuple[str, ...],
    archs: tuple[str, ...],
    form: str,
    fatbin: bool,
    output: str,
    package: bool,
    ptx: tuple[str, ...] | None,
    jobs: int | None,
    line_info: bool,
    deny_trust: bool,
) -> int:
    """Compile the kernels of each FILE for each architecture. Needs NVRTC, but no GPU.

    What was compiled before is taken from the cache, and files that would not change are not touched.
    """
    from transpiler.ahead import build as ahead

    if fatbin and form == "ptx":
        raise click.UsageError("--fatbin joins cubins: leave out `--to ptx`")
    if package and form == "ptx":
        raise click.UsageError("--package takes cubins of --arch and PTX of --ptx: leave out `--to ptx`")
    if ptx and not package:
        raise click.UsageError("--ptx belongs to --package; else write `--to ptx`")
    refuse_clashes(files)
    folder = output_folder(output)
    joiner = ahead.joiner() if fatbin else None
    request = ahead.Request(archs, form, line_info, deny_trust, joiner, package, ptx or ())
    if fatbin and request.fatbin is None:
        echo("note: CUDA's `fatbinary` is not installed: one cubin an architecture, named in NAME.json", err=True)
    with _progress(len(set(files))) as step:
        results = ahead.build(
            files,
            request,
            jobs=jobs or os.cpu_count() or 1,
            step=step,
            prepare=lambda: refuse_unknown((*archs, *(ptx or ()))),
        )
    for built in results:
        show_report(built.report)
        if built.refused:
            echo(f"{built.report.path}:1:1: error: {built.refused}", err=True)
        write_changed(folder, built.contents)
        for name in built.contents:
            echo(str(folder / name))
    kept = sum(built.cached for built in results)
    if len(results) > 1:
        echo(f"{plural(len(results), 'file')}: {len(results) - kept} built, {kept} as before", err=True)
    return max(_work.status([built.report for built in results]), int(any(built.refused for built in results)))


@contextmanager
def _progress(count: int) -> Iterator[Callable[[str], None]]:
    """A bar on a terminal, for builds that take a while; drawn as files are done, so that no thread runs beside the processes."""
    if count < 4 or not sys.stderr.isatty():
        yield lambda path: None
        return
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

    columns = (BarColumn(), MofNCompleteColumn(), TimeElapsedColumn(), TextColumn("{task.description}"))
    with Progress(*columns, console=Console(stderr=True), auto_refresh=False, transient=True) as bar:
        task = bar.add_task("", total=count)

        def step(path: str) -> None:
            bar.update(task, advance=1, description=os.path.basename(path))
            bar.refresh()

        yield step
