"""The manifest of a unit: what a program needs to launch its kernels, as data.

In: an emitted unit. Out: a dict of plain values for JSON, schema 1: fields are only ever added within a schema.
Non-goals: files; the proofs behind the contract.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict
from pathlib import PurePath
from typing import Any

from transpiler.emit.header import meaning, shared_text
from transpiler.emit.host import Launcher, launchers
from transpiler.emit.python_text import python_text
from transpiler.emit.unit import EmittedUnit, Entry
from transpiler.ir import device as d
from transpiler.ir.abi import FAILURE_WORDS, AbiParam

SCHEMA = 1


def manifest(
    name: str,
    kernels: Sequence[d.Kernel],
    emitted: EmittedUnit,
    *,
    contracts: Mapping[d.Kernel, Sequence[str]] | None = None,
) -> dict[str, Any]:
    hosts = {launcher.kernel: launcher for launcher in launchers(emitted.name, kernels, contracts or {})}
    return {
        "schema": SCHEMA,
        "unit": name,
        "namespace": emitted.name,
        "includes": list(emitted.includes),
        "kernels": [
            _kernel(emitted.entry(kernel), list((contracts or {}).get(kernel, emitted.entry(kernel).contract)))
            | {"launcher": _launcher(hosts[kernel])}
            for kernel in kernels
        ],
    }


def _kernel(entry: Entry, contract: list[str]) -> dict[str, Any]:
    kernel = entry.kernel
    return {
        "name": kernel.name,
        "entry": entry.name,
        "source": PurePath(kernel.source.path).name,
        "line": kernel.source.line(kernel.span.start),
        "doc": kernel.doc,
        "instance": dict(kernel.instance),
        "parameters": [_parameter(kernel, param) for param in entry.abi],
        "block": list(kernel.block),
        "axes": kernel.axes,
        "grid": None if kernel.grid is None else [python_text(e) for e in kernel.grid],
        "domain": None if kernel.domain is None else [python_text(e) for e in kernel.domain],
        "requires": [requirement.text for requirement in kernel.requires],
        "contract": contract,
        "shared": {
            "static": entry.shared.static_bytes,
            "dynamic": shared_text(entry.shared) or None,
            "arrays": [
                {
                    "name": array.name,
                    "dtype": str(array.dtype),
                    "shape": [python_text(extent) for extent in array.shape],
                    "dynamic": array in entry.shared.dynamic or array is entry.shared.leftover,
                }
                for array in kernel.arrays
                if isinstance(array, d.SharedArray)
            ],
        },
        "checks": [{**asdict(site), "path": PurePath(site.path).name} for site in entry.sites],
        "failure_words": FAILURE_WORDS if any(param.kind == "failure" for param in entry.abi) else 0,
        "options": asdict(kernel.options),
    }


def _launcher(launcher: Launcher) -> dict[str, Any]:
    """The functions that check and launch: `parameters` are those of the `extern "C"` ones, in order."""
    abi = {param.name: param for param in launcher.abi if param.kind in ("pointer", "scalar")}
    parameters: list[dict[str, Any]] = []
    for param in launcher.params:
        (kind, name), *sizes = param.c
        about = meaning(launcher.kernel, abi[param.python])
        parameters.append({"type": kind, "name": name, "python": param.python, "meaning": about})
        rank = param.array.rank if param.array is not None else 0
        for position, (size_kind, size_name) in enumerate(sizes):
            word = "extent" if position < rank else "stride in elements"
            what = f"{word} of axis {position % rank} of {param.python}"
            parameters.append({"type": size_kind, "name": size_name, "python": param.python, "meaning": what})
    for kind, name in launcher.c_params[len(parameters) :]:
        about = "stream, grid, block; null for the kernel's own" if name == "options" else "the outcome; may be null"
        parameters.append({"type": kind, "name": name, "python": None, "meaning": about})
    return {
        "cpp": {"launch": launcher.launch, "contract": launcher.contract},
        "c": {"launch": launcher.c_launch, "contract": launcher.c_contract},
        "parameters": parameters,
        "returns": "a code of enum transpiler_code; 0 is success",
    }


def _parameter(kernel: d.Kernel, param: AbiParam) -> dict[str, Any]:
    out: dict[str, Any] = {
        "kind": param.kind,
        "type": param.cpp_type,
        "name": param.cpp_name,
        "python": param.name or None,
        "axis": param.axis,
        "dtype": None if param.dtype is None else str(param.dtype),
        "meaning": meaning(kernel, param),
    }
    if param.kind == "pointer":
        array = kernel.arrays_by_name[param.name]
        out |= {"ownership": array.ownership, "order": array.order, "shape": [python_text(e) for e in array.shape]}
    return out
