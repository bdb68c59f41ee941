"""From C++ text to a cubin, once a machine.

In: a compiled unit and an architecture. Out: the bytes of a cubin (or the text of its PTX), from the disk cache where it has
them. The key is everything that the bytes depend on: the text, the architecture, the options, our version and NVRTC's. Without
NVRTC there is E0901, which also says what the package of the kernel holds.
Non-goals: images of packages (`runtime.packaged`); finding NVRTC (`runtime.nvrtc`), loading (`runtime.device`).
"""

from __future__ import annotations

import json
from pathlib import PurePath

from transpiler.diagnostics import Diagnostic
from transpiler.errors import CompileError
from transpiler.runtime.cache import DiskCache
from transpiler.runtime.unit import CompiledUnit
from transpiler.version import VERSION


class Builder:
    """Builds units through a cache."""

    def __init__(self, cache: DiskCache | None = None) -> None:
        self.cache = DiskCache() if cache is None else cache

    def cubin(self, unit: CompiledUnit, arch: str) -> bytes:
        return self._build(unit, arch, "cubin")

    def ptx(self, unit: CompiledUnit, arch: str) -> str:
        return self._build(unit, arch, "ptx").decode()

    def _build(self, unit: CompiledUnit, arch: str, kind: str) -> bytes:
        from transpiler import target
        from transpiler.runtime import nvrtc

        if found := target.lacking(unit.kernel, arch):
            raise CompileError(found)
        try:
            key = json.dumps([kind, unit.cuda, arch, list(unit.options), VERSION, nvrtc.version()])
            built = self.cache.get(key)
            if built is None:
                built = nvrtc.compile(unit.cuda, arch=arch, kind=kind, options=unit.options)
                self.cache.put(key, built)
        except nvrtc.NvrtcMissing as reason:
            raise CompileError([_unbuildable(unit, arch, str(reason))]) from reason
        return built


def _unbuildable(unit: CompiledUnit, arch: str, reason: str) -> Diagnostic:
    kernel, package = unit.kernel, unit.package
    says = package.says if package else f"no machine code was packaged with {PurePath(kernel.source.path).name}"
    fix = (
        package.fix
        if package and package.fix
        else f"package it for {arch} (`archs` of [tool.transpiler] in pyproject.toml)"
    )
    return Diagnostic(
        code="E0901",
        message=f"`{kernel.name}` has to be built for {arch}: {says}, and {reason}",
        source=kernel.source,
        span=kernel.span,
        help=f"install NVRTC (`pip install nvidia-cuda-nvrtc-cu12`, or a CUDA toolkit), or {fix}",
    )
