"""`transpile build FILE... --arch sm_90 --to cubin -o DIR`: compile with NVRTC, for any architecture, without a GPU."""

from __future__ import annotations

import re
import sys
from typing import Any

import click

from transpiler.cli import _work
from transpiler.cli.console import echo, show_report
from transpiler.cli.emit import refuse_clashes
from transpiler.cli.files import output_folder, write
from transpiler.diagnostics.machine import FileFacts, dumps
from transpiler.source import Source


class _Archs(click.ParamType):
    """`sm_90` or `sm_80,sm_90`."""

    name = "sm_XX[,...]"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> tuple[str, ...]:
        archs = tuple(dict.fromkeys(word.strip() for word in str(value).split(",")))
        for arch in archs:
            if not re.fullmatch(r"sm_\d{2,3}[af]?", arch):
                self.fail(f"{arch!r} is no architecture such as sm_90", param, ctx)
        return archs


ARCHS = _Archs()


@click.command("build")
@click.argument("files", nargs=-1, required=True, type=click.Path())
@click.option("--arch", "archs", type=ARCHS, required=True, help="Architectures, separated by commas.")
@click.option("--to", "form", type=click.Choice(["ptx", "cubin"]), default="cubin", show_default=True)
@click.option(
    "-o", "output", type=click.Path(), required=True, help="Folder for NAME.ARCH.ptx or .cubin, .h and .json."
)
@click.option("--line-info", is_flag=True, help="Let CUDA tools speak of the Python lines.")
@click.option("--deny-trust", is_flag=True, help="Refuse kernels that rest on trust(...).")
def command(
    files: tuple[str, ...], archs: tuple[str, ...], form: str, output: str, line_info: bool, deny_trust: bool
) -> int:
    """Compile the kernels of each FILE for each architecture. Needs NVRTC, but no GPU."""
    refuse_clashes(files)
    refuse_unknown(archs)
    folder = output_folder(output)
    reports: list[FileFacts] = []
    with click.progressbar(length=len(files) * len(archs), file=sys.stderr, hidden=_is_short(files, archs)) as bar:
        for source in _work.load(files):
            if isinstance(source, _work.NoReport):
                report, contents = source, {}
            else:
                report, contents = _build(source, archs, form, line_info, deny_trust)
            bar.update(len(archs))
            reports.append(report)
            show_report(report)
            write({folder / name: content for name, content in contents.items()})
            for name in contents:
                echo(str(folder / name))
    return _work.status(reports)


def _build(
    source: Source, archs: tuple[str, ...], form: str, line_info: bool, deny_trust: bool
) -> tuple[FileFacts, dict[str, str | bytes]]:
    """The files of one source, by name; none where something is not proved."""
    report, unit = _work.emit(source, line_info=line_info, deny_trust=deny_trust)
    if unit is None:
        return report, {}
    images = {arch: f"{unit.name}.{arch}.{form}" for arch in archs}
    contents: dict[str, str | bytes] = {
        name: _work.compile(unit, arch, form, line_info=line_info) for arch, name in images.items()
    }
    contents[f"{unit.name}.h"] = unit.header
    contents[f"{unit.name}.json"] = dumps({**unit.manifest, "images": images}) + "\n"
    return report, contents


def _is_short(files: tuple[str, ...], archs: tuple[str, ...]) -> bool:
    return len(files) * len(archs) < 8 or not sys.stderr.isatty()


def refuse_unknown(archs: tuple[str, ...]) -> None:
    known = _work.supported_archs()
    unknown = [arch for arch in archs if arch.rstrip("af") not in known]
    if unknown:
        raise click.UsageError(f"NVRTC here does not know {', '.join(unknown)}; it knows {', '.join(known)}")
