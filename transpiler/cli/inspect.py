"""`transpile inspect FILE`: what becomes of a kernel: C++, PTX, SASS where a disassembler is found, registers."""

from __future__ import annotations

import click

from transpiler.cli import _work
from transpiler.cli.build import refuse_unknown
from transpiler.cli.console import echo, show_report, styled
from transpiler.cli.options import archs_type, only_source

PARTS = ("source", "ptx", "sass", "registers")


@click.command("inspect")
@click.argument("file", type=click.Path())
@click.option(
    "--arch", "archs", type=archs_type, help="Architectures; the GPU's of this machine, else sm_90, unless given."
)
@click.option("--show", "parts", multiple=True, type=click.Choice(PARTS), help="Only this part; may be repeated.")
@click.option("--line-info", is_flag=True, help="Keep the Python lines in PTX and SASS.")
def command(file: str, archs: tuple[str, ...] | None, parts: tuple[str, ...], line_info: bool) -> int:
    """Show the C++, the PTX, the machine code and the resources of the kernels in FILE."""
    chosen = archs or (_work.default_arch(),)
    wanted = parts or PARTS
    if set(wanted) != {"source"}:
        refuse_unknown(chosen)
    source = only_source(file)
    for arch in chosen:
        report, unit = _work.emit(source, arch=arch, line_info=line_info)
        show_report(report)
        if unit is None:
            return _work.status([report])
        for part in wanted:
            echo(styled(f"--- {part}" + ("" if part == "source" else f", {arch}"), bold=True))
            echo(_part(part, unit, arch, line_info).rstrip("\n") + "\n")
    return 0


def _part(part: str, unit: _work.Unit, arch: str, line_info: bool) -> str:
    if part == "source":
        return unit.source
    if part == "ptx":
        return _work.compile(unit, arch, "ptx", line_info=line_info).decode()
    if part == "registers":
        return _resources(unit, arch, line_info)
    tool = _work.disassembler()
    if tool is None:
        return "no nvdisasm or cuobjdump on the path: install the CUDA toolkit to see machine code"
    return _work.disassemble(tool, _work.compile(unit, arch, "cubin", line_info=line_info))


def _resources(unit: _work.Unit, arch: str, line_info: bool) -> str:
    """One line a kernel: what the machine code says, and the shared memory of the manifest."""
    from transpiler.cli.cubin import resources

    found = {r.kernel: r for r in resources(_work.compile(unit, arch, "cubin", line_info=line_info))}
    rows: list[str] = []
    for kernel in unit.manifest["kernels"]:
        r, shared = found[kernel["entry"]], kernel["shared"]
        dynamic = f" + {shared['dynamic']}" if shared["dynamic"] else ""
        rows.append(
            f"{r.kernel}: {r.registers} registers, {r.stack} bytes of stack, {shared['static']}{dynamic} bytes of shared memory, "
            f"{r.code} bytes of code"
        )
    return "\n".join(rows)
