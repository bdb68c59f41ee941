"""Arguments of a simulated launch: NumPy arrays and numbers, by parameter name.

In: a kernel and a mapping from names to arguments. Out: `Arguments`: memory for each array parameter (the very
arrays, changed in place as on the device), scalars of their types, dims; or diagnostics with the codes of a real
launch.
Non-goals: grid and contract (`launch`).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from itertools import combinations
from typing import Any

import numpy as np

from transpiler.diagnostics.model import Diagnostic
from transpiler.ir import device as ir
from transpiler.simulate.dtypes import Value, numpy_dtype
from transpiler.simulate.expressions import scalar_of
from transpiler.simulate.memory import Memory
from transpiler.simulate.program import Program
from transpiler.simulate.shadow import Shadow

_SHOWN_ELEMENTS = 64
"""Arrays up to this size are kept in witnesses as they were before the launch."""


@dataclass(slots=True, eq=False)
class Arguments:
    kernel: ir.Kernel
    memories: dict[ir.ArrayParam, Memory] = field(default_factory=dict)
    scalars: dict[ir.ScalarParam, Value] = field(default_factory=dict)
    dims: dict[str, np.int64] = field(default_factory=dict)
    diagnostics: list[Diagnostic] = field(default_factory=list)

    def refuse(self, code: str, message: str, node: ir.Node | None = None, help: str | None = None) -> None:
        self.diagnostics.append(
            Diagnostic(
                code=code, message=message, source=self.kernel.source, span=(node or self.kernel).span, help=help
            )
        )

    def describe(self) -> dict[str, Any]:
        """Scalars, shapes and small contents, as a witness holds them."""
        arrays = {param.name: memory.data for param, memory in self.memories.items()}
        small = {name: data.ravel().tolist() for name, data in arrays.items() if 0 < data.size <= _SHOWN_ELEMENTS}
        return {
            "scalars": {param.name: value.item() for param, value in self.scalars.items()},
            "shapes": {name: list(data.shape) for name, data in arrays.items()},
            "data": {
                name: [float(v) if not isinstance(v, int | float) else v for v in values]
                for name, values in small.items()
            },
        }


def bind(program: Program, given: Mapping[str, Any], watched: bool) -> Arguments:
    kernel = program.kernel
    arguments = Arguments(kernel)
    names = {param.name for param in kernel.params} | program.dims
    unknown = sorted(set(given) - names)
    if unknown:
        arguments.refuse(
            "E0801",
            f"`{kernel.name}` has no parameter {_names(unknown)}",
            help=f"its parameters are {_names([p.name for p in kernel.params])}",
        )
    for param in kernel.params:
        if param.name in given:
            value = given[param.name]
        elif isinstance(param, ir.ScalarParam) and param.default is not None:
            value = param.default
        else:
            arguments.refuse("E0801", f"`{kernel.name}` needs an argument for `{param.name}`", param)
            continue
        if isinstance(param, ir.ArrayParam):
            _bind_array(program, arguments, param, value, watched)
        else:
            _bind_scalar(arguments, param, value)
    arguments.dims.update({name: np.int64(given[name]) for name in program.dims if name in given})
    _bind_dims(arguments)
    for name in sorted(program.dims):
        if not arguments.diagnostics and name not in arguments.dims:
            arguments.refuse("E0805", f"no array tells the extent of `{name}`", help=f"give `{name}` itself")
    _refuse_overlap(arguments)
    return arguments


def _names(names: list[str]) -> str:
    return ", ".join(f"`{name}`" for name in names)


def _bind_array(program: Program, arguments: Arguments, param: ir.ArrayParam, value: Any, watched: bool) -> None:
    if not isinstance(value, np.ndarray):
        arguments.refuse("E0817", f"`{param.name}` takes a NumPy array, not {type(value).__name__}", param)
        return
    if value.dtype != numpy_dtype(param.dtype):
        arguments.refuse(
            "E0802",
            f"`{param.name}` takes {param.dtype}, the array is {value.dtype}",
            param,
            f"convert it: `{param.name}.astype(...)`",
        )
        return
    if value.ndim != param.rank:
        arguments.refuse("E0803", f"`{param.name}` has {param.rank} axes, the array has {value.ndim}", param)
        return
    changed = param in program.changed
    if changed and not value.flags.writeable:
        arguments.refuse("E0809", f"the array for `{param.name}` is read-only, and the kernel writes it", param)
        return
    blank = param.ownership == "out" and watched
    shadow = Shadow(value.size) if watched and (changed or blank) else None
    arguments.memories[param] = Memory(param, "global", value, value.shape, shadow=shadow, blank=blank)


def _bind_scalar(arguments: Arguments, param: ir.ScalarParam, value: Any) -> None:
    dtype = param.dtype
    if isinstance(value, np.ndarray) or not isinstance(value, int | float | bool | np.generic):
        arguments.refuse("E0813", f"`{param.name}` takes one {dtype}, not {type(value).__name__}", param)
        return
    number: Any = value.item() if isinstance(value, np.generic) else value
    whole = isinstance(number, int)
    if (dtype.is_integer and not (whole and dtype.min <= number <= dtype.max)) or (
        dtype.kind == "bool" and number not in (0, 1)
    ):
        arguments.refuse("E0813", f"`{param.name}` is {dtype}, which cannot hold {number}", param)
        return
    arguments.scalars[param] = scalar_of(float(number) if dtype.is_float else number, param.type)


def _bind_dims(arguments: Arguments) -> None:
    """A named dim is what was given, or the extent of the axis that first shows it; others have to agree, constants too."""
    shown_by = dict.fromkeys(arguments.dims, "its own argument")
    for param, memory in arguments.memories.items():
        for axis, (extent, size) in enumerate(zip(param.shape, memory.shape, strict=True)):
            where = f"axis {axis} of `{param.name}`"
            if isinstance(extent, ir.DimRef):
                known = arguments.dims.setdefault(extent.name, np.int64(size))
                first = shown_by.setdefault(extent.name, where)
                if known != size:
                    arguments.refuse("E0805", f"`{extent.name}` is {known} by {first}, and {size} by {where}", param)
            elif isinstance(extent, ir.Const) and extent.value != size:
                arguments.refuse("E0805", f"{where} has to be {extent.value}, and is {size}", param)


def _refuse_overlap(arguments: Arguments) -> None:
    for (param, memory), (other, other_memory) in combinations(arguments.memories.items(), 2):
        both_read = param.ownership == other.ownership == "in"
        if not both_read and memory.size and other_memory.size and np.may_share_memory(memory.data, other_memory.data):
            arguments.refuse(
                "E0808", f"the arrays for `{param.name}` and `{other.name}` overlap, and not both are only read", other
            )
