"""Where the numbers of a launch stand: one list that is packed for CUDA and that conditions are evaluated on.

In: a compiled unit. Out: `Slots`: an index into the list for every C++ parameter (first, in their order, so that a prefix of
the list is what is packed) and for every other number that a condition, a grid or a shared array may name.
Non-goals: values.
"""

from __future__ import annotations

from dataclasses import dataclass

from transpiler.ir import device as d
from transpiler.ir.abi import AbiParam

Slot = tuple[str, str, int]
"""(kind, name, axis): `pointer`, `scalar`, `dim`, `extent`, `stride`, `failure`, or a launch dimension `gridDim`, `blockDim`."""


@dataclass(frozen=True, slots=True)
class Slots:
    index: dict[Slot, int]
    packed: int
    """How many of the leading slots are C++ parameters."""

    def __len__(self) -> int:
        return len(self.index)

    def __getitem__(self, slot: Slot) -> int:
        return self.index[slot]


def slots(kernel: d.Kernel, abi: tuple[AbiParam, ...]) -> Slots:
    """Slots of a kernel: its C++ parameters, then the rest."""
    order: dict[Slot, int] = {}
    for param in abi:
        order[(param.kind, param.name, param.axis or 0)] = len(order)
    packed = len(order)
    for param in kernel.params:
        if isinstance(param, d.ArrayParam):
            for axis in range(param.rank):
                order.setdefault(("extent", param.name, axis), len(order))
        else:
            order.setdefault(("scalar", param.name, 0), len(order))
    for dim in kernel.dims:
        order.setdefault(("dim", dim, 0), len(order))
    for name in ("gridDim", "blockDim"):
        for axis in range(3):
            order.setdefault((name, "", axis), len(order))
    return Slots(order, packed)
