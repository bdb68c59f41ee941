"""`transpile emit FILE... -o DIR`: CUDA C++, a header and a manifest for each file; with `--embed` what a program links."""

from __future__ import annotations

from pathlib import Path

import click

from transpiler.ahead.outputs import depfile, unit_files, write_changed
from transpiler.cli import _work
from transpiler.cli.console import echo, show_gcc, show_report
from transpiler.cli.files import output_folder
from transpiler.cli.options import archs_type
from transpiler.diagnostics.machine import FileFacts


@click.command("emit")
@click.argument("files", nargs=-1, required=True, type=click.Path())
@click.option(
    "-o", "output", type=click.Path(), help="Folder for the .cu, .h and .json files; without it the C++ is printed."
)
@click.option(
    "--arch",
    "archs",
    type=archs_type,
    help="Architectures: what they have may be used, what they lack is refused.",
)
@click.option(
    "--embed",
    type=click.Choice(["source", "cubin", "ptx"]),
    help="Write launchers for C++ and C, too: for kernels that nvcc compiles, or with their machine code inside.",
)
@click.option("--line-info", is_flag=True, help="Write #line, so that CUDA tools speak of the Python lines.")
@click.option("--unchecked", is_flag=True, help="Emit what is not proved too, with a banner: to look at, not to run.")
@click.option("--deny-trust", is_flag=True, help="Refuse kernels that rest on trust(...).")
@click.option(
    "--depfile", "rule", type=click.Path(), help="Write what the output of the one FILE depends on, as a Make rule."
)
@click.option(
    "--format", "form", type=click.Choice(["text", "gcc"]), default="text", help="For people, or one line a finding."
)
def command(
    files: tuple[str, ...],
    output: str | None,
    archs: tuple[str, ...] | None,
    embed: str | None,
    line_info: bool,
    unchecked: bool,
    deny_trust: bool,
    rule: str | None,
    form: str,
) -> int:
    """Write readable CUDA C++ for the kernels of each FILE.

    A FILE with an error leaves what was written for it before as it is. Files that would not change are not touched.
    """
    archs = archs or ()
    refuse_clashes(files)
    refuse_incomplete(files, output, archs, embed, rule)
    folder = None if output is None else output_folder(output)
    reports: list[FileFacts] = []
    for source in _work.load(files):
        if isinstance(source, _work.NoReport):
            report, unit = source, None
        else:
            report, unit = _work.emit(
                source, arch=next(iter(archs), None), line_info=line_info, unchecked=unchecked, deny_trust=deny_trust
            )
        reports.append(report)
        (show_gcc if form == "gcc" else show_report)(report)
        if unit is not None and folder is None:
            echo(unit.source.rstrip("\n"))
        elif unit is not None and folder is not None:
            contents = unit_files(unit, embed, archs, line_info=line_info)
            manifest = f"{unit.name}.json"
            write_changed(folder, contents, always=manifest if rule else "")
            if rule is not None:
                path = Path(rule)
                write_changed(path.parent, {path.name: depfile(folder / manifest, _work.inputs(report))})
            for name in contents if form == "text" else ():  # a build tool knows what it asked for
                echo(str(folder / name))
    return _work.status(reports)


def refuse_incomplete(
    files: tuple[str, ...], output: str | None, archs: tuple[str, ...], embed: str | None, rule: str | None
) -> None:
    if output is None and (embed is not None or rule is not None):
        raise click.UsageError("--embed and --depfile need a folder: -o DIR")
    if rule is not None and len(files) != 1:
        raise click.UsageError("--depfile is the rule of one FILE")
    if embed in ("cubin", "ptx") and not archs:
        raise click.UsageError(f"--embed {embed} needs --arch sm_XX")
    if embed in ("cubin", "ptx"):
        refuse_unknown(archs)


def refuse_unknown(archs: tuple[str, ...]) -> None:
    if found := _work.unknown_archs(archs):
        raise click.UsageError(found)


def refuse_clashes(files: tuple[str, ...]) -> None:
    """Two files of one name would overwrite each other's output."""
    seen: dict[str, str] = {}
    for file in files:
        other = seen.setdefault(_work.unit_name(file), file)
        if other != file:
            raise click.UsageError(f"{other} and {file} would be written to the same names; emit them to two folders")
