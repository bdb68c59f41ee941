"""What `emit` and `build` write for a kernel file, beside the kernels themselves.

In: an emitted unit. Out: names and contents of its files; the rule of a depfile; files on disk, the unchanged ones left alone.
Non-goals: machine code (`_work`), reading (`files`).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

from transpiler.ahead import work
from transpiler.ahead.files import write
from transpiler.diagnostics.machine import dumps


def unit_files(unit: work.Unit, embed: str | None, archs: Sequence[str], *, line_info: bool) -> dict[str, str | bytes]:
    """The kernels, the header, the manifest; with `embed` the launchers and what they need."""
    from transpiler.emit import emit_images, emit_launch, support

    out: dict[str, str | bytes] = {
        f"{unit.name}.cu": unit.source,
        f"{unit.name}.h": unit.header,
        f"{unit.name}.json": dumps(unit.manifest) + "\n",
    }
    if embed is not None:
        entries = unit.emitted.entries
        contracts = {entry.kernel: entry.contract for entry in entries}
        kernels = [entry.kernel for entry in entries]
        out[f"{unit.name}_launch.cpp"] = emit_launch(
            unit.name, unit.emitted.name, kernels, contracts=contracts, embed=embed
        )
    if embed in ("cubin", "ptx"):
        images = [(arch, work.compile(unit, arch, embed, line_info=line_info)) for arch in archs]
        out[f"{unit.name}_images.inc"] = emit_images(images)
    if embed == "source":
        out[f"{unit.name}.options"] = " ".join(work.nvcc_options(unit, line_info=line_info)) + "\n"
    return {**out, **support(embed)}


def write_changed(folder: Path, contents: Mapping[str, str | bytes], *, always: str = "") -> None:
    """Write the files that differ from what is there, so that nothing is built again for nothing; `always` is written anyway."""
    raw = {name: text.encode() if isinstance(text, str) else text for name, text in contents.items()}
    write(
        {folder / name: content for name, content in raw.items() if name == always or not _is(folder / name, content)}
    )


def _is(path: Path, content: bytes) -> bool:
    try:
        return path.stat().st_size == len(content) and path.read_bytes() == content
    except OSError:
        return False


def depfile(target: Path, inputs: Iterable[str]) -> str:
    """A rule for Make and Ninja: `target` is made from these files and from this version of the tool."""
    import transpiler.version

    paths = [*inputs, str(transpiler.version.__file__)]
    rest = " \\\n  ".join(_escaped(str(Path(path).absolute())) for path in dict.fromkeys(paths))
    return f"{_escaped(str(target.absolute()))}: \\\n  {rest}\n"


def _escaped(path: str) -> str:
    return path.replace("\\", "/").replace("$", "$$").replace("#", "\\#").replace(" ", "\\ ")
