"""`transpile emit FILE... -o DIR`: CUDA C++, a header and a manifest for each file."""

from __future__ import annotations

from pathlib import Path

import click

from transpiler.cli import _work
from transpiler.cli.console import echo, show_report
from transpiler.cli.files import output_folder, write
from transpiler.diagnostics.machine import FileFacts, dumps


@click.command("emit")
@click.argument("files", nargs=-1, required=True, type=click.Path())
@click.option(
    "-o", "output", type=click.Path(), help="Folder for the .cu, .h and .json files; without it the C++ is printed."
)
@click.option("--arch", metavar="sm_XX", help="Use what this architecture has, and refuse what it lacks.")
@click.option("--line-info", is_flag=True, help="Write #line, so that CUDA tools speak of the Python lines.")
@click.option("--unchecked", is_flag=True, help="Emit what is not proved too, with a banner: to look at, not to run.")
@click.option("--deny-trust", is_flag=True, help="Refuse kernels that rest on trust(...).")
def command(
    files: tuple[str, ...], output: str | None, arch: str | None, line_info: bool, unchecked: bool, deny_trust: bool
) -> int:
    """Write readable CUDA C++ for the kernels of each FILE.

    A FILE with an error leaves what was written for it before as it is.
    """
    refuse_clashes(files)
    folder = None if output is None else output_folder(output)
    reports: list[FileFacts] = []
    for source in _work.load(files):
        if isinstance(source, _work.NoReport):
            report, unit = source, None
        else:
            report, unit = _work.emit(
                source, arch=arch, line_info=line_info, unchecked=unchecked, deny_trust=deny_trust
            )
        reports.append(report)
        show_report(report)
        if unit is not None and folder is None:
            echo(unit.source.rstrip("\n"))
        elif unit is not None and folder is not None:
            _write(folder, unit)
    return _work.status(reports)


def _write(folder: Path, unit: _work.Unit) -> None:
    contents = {".cu": unit.source, ".h": unit.header, ".json": dumps(unit.manifest) + "\n"}
    paths: dict[Path, str | bytes] = {folder / f"{unit.name}{suffix}": text for suffix, text in contents.items()}
    write(paths)
    for path in paths:
        echo(str(path))


def refuse_clashes(files: tuple[str, ...]) -> None:
    """Two files of one name would overwrite each other's output."""
    seen: dict[str, str] = {}
    for file in files:
        other = seen.setdefault(_work.unit_name(file), file)
        if other != file:
            raise click.UsageError(f"{other} and {file} would be written to the same names; emit them to two folders")
