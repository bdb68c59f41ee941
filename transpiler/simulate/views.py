"""Array arguments of device functions: a view of an array is a binding of the callee's name.

In: a `View` and the caller's names. Out: a `Binding` onto the same memory; a view of a view goes straight to the
memory.
Non-goals: bounds (an access through a view is checked against the view and the memory).
"""

from __future__ import annotations

import numpy as np

from transpiler.ir import device as ir
from transpiler.simulate.dtypes import Value
from transpiler.simulate.expressions import Activation, Evaluator
from transpiler.simulate.lanes import Lanes
from transpiler.simulate.loops import keep
from transpiler.simulate.memory import Axis, Binding, at


def bind_view(view: ir.View, evaluator: Evaluator, lanes: Lanes, env: Activation) -> Binding:
    base = env.arrays[view.array]
    items = iter(view.items)
    axes = [axis if axis.length is None else _narrowed(axis, next(items), evaluator, lanes, env) for axis in base.axes]
    return Binding(base.memory, tuple(axes), whole=base.whole and all(map(_same_axis, axes, base.axes)))


def _narrowed(axis: Axis, item: ir.Expr | ir.Range, evaluator: Evaluator, lanes: Lanes, env: Activation) -> Axis:
    def along(index: Value) -> Value:
        return keep(at(axis.start, lanes) + index * np.int64(axis.step), lanes)

    if isinstance(item, ir.Expr):
        return Axis(along(evaluator.value(item, lanes, env)), None)
    length = keep(np.maximum(evaluator.value(item.length, lanes, env), np.int64(0)), lanes)
    return Axis(along(evaluator.value(item.start, lanes, env)), length, axis.step * item.step)


def _same_axis(a: Axis, b: Axis) -> bool:
    """Both for all lanes alike, and equal."""
    if a.length is None or b.length is None or np.ndim(a.start) or np.ndim(a.length):
        return False
    return a.start == b.start and a.length == b.length and a.step == b.step
