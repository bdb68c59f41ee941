"""From the arguments of a launch to a kernel that is loaded on the device.

In: a program, what the arguments say about themselves, the launch configuration. Out: `Loaded`, compiled once a process and built
once a machine, or loaded from the package of the kernel. A caller's own grid and block need a proof of their own: the kernel
with that block and a free grid.
Non-goals: which kernel text (`api`), how a cubin is made (`runtime.build`).
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping
from typing import Any

from transpiler.errors import CompileError
from transpiler.runtime import packaged
from transpiler.runtime.driver import Driver, Function
from transpiler.runtime.plan import Configuration, Loaded, load
from transpiler.runtime.unit import CompiledUnit, Dim3, Given, Program

Build = Callable[[CompiledUnit, str], bytes]
"""From a unit and an architecture (`sm_90`) to a cubin."""


class Instances:
    """The instances of one kernel."""

    def __init__(self, driver: Driver, build: Build) -> None:
        self._driver = driver
        self._build = build
        self._lock = threading.RLock()
        self._units: dict[Any, CompiledUnit] = {}
        self._loaded: dict[tuple[CompiledUnit, int], Loaded] = {}

    def get(
        self, program: Program, given: Mapping[str, Given], config: Configuration, device: int
    ) -> tuple[Loaded, Configuration]:
        """The loaded kernel, and the configuration to plan with: the caller's, or none where the kernel's own must do."""
        with self._lock:
            unit, used = self._choose(program, given, config)
            return self._load(unit, device), used

    def unit(self, program: Program, given: Mapping[str, Given], block: Dim3 | None = None) -> CompiledUnit:
        """The compiled unit, once for each kind of arguments."""
        key = (tuple(sorted(given.items(), key=lambda item: item[0])), block)
        with self._lock:
            if key not in self._units:
                self._units[key] = program.instance(given, block)
            return self._units[key]

    def _choose(
        self, program: Program, given: Mapping[str, Given], config: Configuration
    ) -> tuple[CompiledUnit, Configuration]:
        if config.grid is None or config.block is None:
            return self.unit(program, given), config
        try:
            own = self.unit(program, given)
        except CompileError:
            return self.unit(program, given, config.block), config
        if _is_free(own, config.block):
            return own, config
        try:
            return self.unit(program, given, config.block), config
        except CompileError:
            if own.kernel.grid is None and own.kernel.domain is None:
                raise
            return own, Configuration(smem=config.smem)

    def _load(self, unit: CompiledUnit, device: int) -> Loaded:
        loaded = self._loaded.get((unit, device))
        if loaded is None:
            limits = self._driver.limits(device)
            function = self._load_packaged(unit, device, limits.arch)
            if function is None:
                function = self._driver.load(device, self._build(unit, limits.arch), unit.symbol)
            loaded = self._loaded[unit, device] = load(unit, function, limits, self._driver)
        return loaded

    def _load_packaged(self, unit: CompiledUnit, device: int, arch: str) -> Function | None:
        """The kernel from the first image of its package that the device takes."""
        source = unit.kernel.source
        for image in packaged.usable(unit.package.images if unit.package else (), arch):
            raw = packaged.content(image, source)
            if raw is None:
                continue
            try:
                return self._driver.load(device, raw, unit.symbol)
            except self._driver.errors as error:  # such as a driver older than the compiler
                packaged.warn(source, f"{image.path} cannot be loaded ({error})")
        return None


def _is_free(unit: CompiledUnit, block: Dim3) -> bool:
    """Whether the kernel as declared is proved for this block and every grid."""
    kernel = unit.kernel
    if kernel.grid is not None or kernel.domain is not None:
        return False
    return all(own is None or own == asked for own, asked in zip(kernel.block, block, strict=True))
