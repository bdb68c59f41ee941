"""A unit of CUDA C++: kernels that are compiled together, the device functions, constants and helpers that they share.

In: kernels with their ranges and contracts. Out: `EmittedUnit`: the text, and for each kernel its C name, parameters,
recorded checks and shared memory. Everything stands in a namespace of the unit's name; kernels have C linkage in it,
so their names stay plain.
Non-goals: files (`cli`), compilation (`runtime.nvrtc`).
"""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping, Sequence
from pathlib import PurePath

from transpiler.emit import literals, walk
from transpiler.emit.cpp_types import HALF_HEADERS, is_half
from transpiler.emit.functions import Emitter, Site, Unit, doc_lines
from transpiler.emit.helpers import reserved
from transpiler.emit.names import FILE_SCOPE, Names
from transpiler.emit.templates import render
from transpiler.ir import device as d
from transpiler.ir.abi import AbiParam
from transpiler.ir.shared import SharedLayout, shared_layout
from transpiler.prove.ranges import ranges as compute_ranges
from transpiler.records import record


@record
class EmitOptions:
    line_info: bool = False
    """`#line` directives, so that tools speak of Python lines."""
    unchecked: bool = False
    """The kernels are not proved; the banner says so."""
    arch: str | None = None
    """The text is the same for every architecture; kept for the manifest."""


@record
class Entry:
    """A kernel of a unit: `name` is its C name."""

    kernel: d.Kernel
    name: str
    abi: tuple[AbiParam, ...]
    sites: tuple[Site, ...]
    shared: SharedLayout
    contract: tuple[str, ...]


@record
class EmittedUnit:
    name: str
    """The namespace."""
    source: str
    entries: tuple[Entry, ...]
    includes: tuple[str, ...]

    def entry(self, kernel: d.Kernel) -> Entry:
        return next(entry for entry in self.entries if entry.kernel is kernel)


def emit_unit(
    name: str,
    kernels: Sequence[d.Kernel],
    *,
    ranges: Mapping[d.Kernel, d.Ranges] | None = None,
    contracts: Mapping[d.Kernel, Sequence[str]] | None = None,
    runtime_checks: Mapping[d.Kernel, Collection[d.Node]] | None = None,
    options: EmitOptions | None = None,
) -> EmittedUnit:
    """Emit kernels as one unit.

    `ranges` and `contracts` are by kernel; ranges that are missing are computed. `runtime_checks` holds, by kernel, the
    accesses and asserts that are checked on the device; where it is missing, every assert and no access.
    """
    options = options or EmitOptions()
    line_info = options.line_info or any(kernel.options.line_info for kernel in kernels)
    unit = Unit(names=Names(FILE_SCOPE | reserved()), line_info=line_info)
    names = entry_names(kernels)
    namespace = unit.names.fresh(re.sub(r"\W", "_", name), ())
    texts: list[str] = []
    entries: list[Entry] = []
    for kernel in kernels:
        include_half_types(unit, kernel)
        contract = tuple((contracts or {}).get(kernel, ()))
        known = (ranges or {}).get(kernel) or compute_ranges(kernel)
        shown, params = Emitter(unit, kernel, known, (runtime_checks or {}).get(kernel)).kernel_text(
            names[kernel], kernel_comments(kernel, contract)
        )
        texts.append(shown)
        entries.append(Entry(kernel, names[kernel], params, (), shared_layout(kernel), contract))
    functions = [*unit.functions.values(), *texts]
    source = render(
        "unit.cu.j2",
        banner=banner(kernels, options),
        includes=tuple(unit.helpers.includes),
        namespace=namespace,
        constants=unit.constants.lines,
        helpers=unit.helpers.texts("\n".join(functions)),
        functions=functions,
    )
    sites = tuple(unit.sites.found.values())
    entries = [Entry(e.kernel, e.name, e.abi, sites, e.shared, e.contract) for e in entries]
    return EmittedUnit(namespace, source, tuple(entries), tuple(unit.helpers.includes))


def entry_names(kernels: Sequence[d.Kernel]) -> dict[d.Kernel, str]:
    """The C names: the kernel's own, with the values of its instance behind it, different from each other."""
    names = Names(FILE_SCOPE | reserved())
    out: dict[d.Kernel, str] = {}
    for kernel in kernels:
        values = [re.sub(r"\W", "_", value.replace("-", "m").replace(".", "p")) for _, value in kernel.instance]
        out[kernel] = names.claim("_".join([kernel.name, *values]))
    return out


def include_half_types(unit: Unit, kernel: d.Kernel) -> None:
    """Half types are the only ones that need a header of the toolkit."""
    types: set[object] = set()
    for function in (kernel, *kernel.functions):
        types |= {array.dtype for array in function.arrays}
        types |= {getattr(param, "dtype", None) for param in function.params}
        types |= {local.type for stmt in walk.statements(function.body) for local in walk.targets(stmt)}
        types |= {node.type for node in walk.everything(function.body) if isinstance(node, d.Expr)}
    for name in sorted({t.name for t in types if is_half(t)}, reverse=True):  # type: ignore[attr-defined]
        unit.helpers.include(HALF_HEADERS[name])


def kernel_comments(kernel: d.Kernel, contract: Sequence[str]) -> list[str]:
    """What stands above a kernel: its own comments and docstring, its instance, and what a launch must meet."""
    out = doc_lines(kernel.comments, kernel.doc)
    facts = [f"Instance: {', '.join(f'{key} = {value}' for key, value in kernel.instance)}"] if kernel.instance else []
    facts += [f"Launch contract: {line}" for line in contract]
    return [*out, *([""] if out and facts else []), *map(literals.comment_keep, facts)]


def banner(kernels: Sequence[d.Kernel], options: EmitOptions) -> list[str]:
    """The head of the file: where it comes from, and what is unusual about it."""
    paths = dict.fromkeys(PurePath(kernel.source.path).name for kernel in kernels)
    out = [f"Generated from {', '.join(map(literals.comment_keep, paths))}. Edit that file, not this one."]
    if options.unchecked:
        out.append("UNCHECKED: not shown to be free of races, in bounds or uniform at barriers.")
    fast = [kernel.name for kernel in kernels if kernel.options.fast_math]
    if fast:
        out.append(f"FAST MATH: {', '.join(fast)} must be built with --use_fast_math: results are not IEEE.")
    unfused = [kernel.name for kernel in kernels if kernel.options.fma == "off"]
    if unfused:
        out.append(
            f"No fused multiply-add: {', '.join(unfused)} must be built with --fmad=false, which rounds each operation."
        )
    return out
