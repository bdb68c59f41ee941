"""The header of a unit: a documented launcher and contract check for each kernel, in C++ and in C.

In: the kernels and their contracts. Out: the text of a header that any C or C++ compiler reads, with no CUDA header unless a
kernel takes f16 or bf16; prototypes of the kernels themselves show only to a CUDA compiler. Non-goals: the bodies (`host`).
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from pathlib import PurePath

from transpiler.emit import literals
from transpiler.emit.abi import abi
from transpiler.emit.functions import doc_lines
from transpiler.emit.helpers import reserved
from transpiler.emit.host import Launcher, half_headers, half_types, launchers
from transpiler.emit.names import FILE_SCOPE, Names
from transpiler.emit.python_text import python_text
from transpiler.emit.templates import render
from transpiler.emit.unit import entry_names
from transpiler.ir import device as d
from transpiler.ir.abi import AbiParam
from transpiler.ir.shared import SharedLayout, shared_layout


def emit_header(
    name: str, kernels: Sequence[d.Kernel], *, contracts: Mapping[d.Kernel, Sequence[str]] | None = None
) -> str:
    names = entry_names(kernels)
    identifier = re.sub(r"\W", "_", name)
    paths = dict.fromkeys(PurePath(kernel.source.path).name for kernel in kernels)
    params = {kernel: abi(kernel) for kernel in kernels}
    namespace = Names(FILE_SCOPE | reserved()).fresh(identifier, frozenset())
    hosts = {launcher.kernel: launcher for launcher in launchers(namespace, kernels, contracts or {})}
    return render(
        "header.h.j2",
        banner=[f"Kernels of {', '.join(map(literals.comment_keep, paths))}. Generated: edit that file, not this one."],
        guard=f"{identifier.upper()}_H",
        includes=half_headers(kernels),
        halves=half_types(kernels),
        namespace=namespace,
        kernels=[
            {
                "name": names[kernel],
                "comments": _comments(kernel, params[kernel], hosts[kernel].conditions),
                "parameters": [param.declaration for param in params[kernel]],
                "block": [extent or 0 for extent in kernel.block],
                **_host(hosts[kernel]),
            }
            for kernel in kernels
        ],
    )


def _host(launcher: Launcher) -> dict[str, object]:
    return {
        "launch": launcher.launch,
        "contract": launcher.contract,
        "c_launch": launcher.c_launch,
        "c_contract": launcher.c_contract,
        "host": [param.declaration for param in launcher.params],
        "c": [f"{kind} {name}" for kind, name in launcher.c_params],
    }


def _comments(kernel: d.Kernel, params: tuple[AbiParam, ...], contract: tuple[str, ...]) -> list[str]:
    passed = [param for param in params if param.kind in ("pointer", "scalar")]
    sections = [
        doc_lines(kernel.comments, kernel.doc),
        [f"Instance: {', '.join(f'{key} = {value}' for key, value in kernel.instance)}"] if kernel.instance else [],
        ["Parameters:", *(f"  {p.cpp_name}: {meaning(kernel, p)}" for p in passed)] if passed else [],
        ["A launch must meet:", *(f"  {line}" for line in contract)] if contract else [],
        _launch(kernel),
    ]
    lines: list[str] = []
    for section in sections:
        lines += ["", *section] if lines and section else section
    return [literals.comment_keep(line) for line in lines]


def meaning(kernel: d.Kernel, param: AbiParam) -> str:
    """What a parameter is, in the words of the kernel language."""
    match param.kind:
        case "pointer":
            array = kernel.arrays_by_name[param.name]
            word = {"in": "In", "out": "Out", "inout": "InOut", "atomic": "Atomic"}[array.ownership]
            shape = "".join(f", {python_text(extent)}" for extent in array.shape)
            order = {"F": ", FOrder", "strided": ", Strided"}.get(array.order, "")
            return f"{word}[{array.dtype}{shape}{order}]"
        case "scalar":
            return str(param.dtype)
        case "dim":
            return f"the dim {param.name}"
        case "extent":
            return f"{param.name}.shape[{param.axis}]"
        case "stride":
            return f"stride of axis {param.axis} of {param.name}, in elements"
    return "the failure buffer of run-time checks, 12 zeroed long longs"


def _launch(kernel: d.Kernel) -> list[str]:
    block = ", ".join(str(extent or "any") for extent in kernel.block)
    lines = [f"Block: ({block})"]
    if kernel.grid is not None:
        lines.append(f"Grid: ({', '.join(map(python_text, kernel.grid))})")
    if kernel.domain is not None:
        lines.append(f"Domain: ({', '.join(map(python_text, kernel.domain))})")
    if shared := shared_text(shared_layout(kernel)):
        lines.append(f"Dynamic shared memory in bytes: {shared}")
    return lines


def shared_text(layout: SharedLayout) -> str:
    """The bytes of the dynamic block, as a formula; empty when there is none."""
    terms = [" * ".join([str(a.dtype.itemsize), *(python_text(e, 2) for e in a.shape)]) for a in layout.dynamic]
    if layout.leftover is None:
        return " + ".join(terms)
    return f"({' + '.join(terms)} + 15) // 16 * 16 + smem" if terms else "smem"
