"""The launch that is like the last one, recognised by straight-line code.

In: a plan that has been used before. Out: a function from the arguments of a call to what is packed, or None. It is written for
the plan's own dtypes, shapes and ranges, so that a repeated launch neither builds a key nor walks tables. A yes is final; a no
says nothing: the general path decides, and explains. So this module can make launches faster, never more permissive.
Non-goals: arrays of other libraries than CuPy and PyTorch; conditions on scalars (the launch checks them for both paths).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from transpiler.ir import device as d
from transpiler.runtime.plan import Plan

Matcher = Callable[[tuple[Any, ...]], tuple[Any, ...] | None]


def matcher(plan: Plan, args: tuple[Any, ...], array_type: type, device: int) -> Matcher | None:
    """Straight-line code for launches with arguments like these; None where the plan is not that simple."""
    code = _Code(plan, args, array_type, device)
    return code.function() if code.simple else None


class _Code:
    """The lines of one matcher and the constants that they name."""

    def __init__(self, plan: Plan, args: tuple[Any, ...], array_type: type, device: int) -> None:
        self.plan = plan
        self.args = args
        self.constants: dict[str, Any] = {"A": array_type, "type": type, "len": len, "DEVICE": device}
        self.kept = plan.keep if plan.keep is not None else tuple(range(len(args)))
        params = plan.unit.kernel.params
        self.arrays = [a for a, p in zip(self.kept, params, strict=True) if isinstance(p, d.ArrayParam)]
        self.tensors = {a for a in self.arrays if type(args[a]).__module__ == "torch"}
        if self.tensors:
            self.constants["B"] = type(args[min(self.tensors)])
        self.simple = all(type(args[a]) is array_type or a in self.tensors for a in self.arrays) and all(
            type(value) in (bool, int, float) or value is None or a in self.arrays for a, value in enumerate(args)
        )

    def function(self) -> Matcher:
        names = "".join(f"a{i}, " for i in range(len(self.args)))
        lines = ["def match(args):", f"    if len(args) != {len(self.args)}: return None"]
        lines += [f"    {names}= args"] if names else []
        lines += [f"    if {test}: return None" for test in self._tests_of_values()]
        for i in self.arrays:
            if i in self.tensors:
                lines += [f"    p{i} = a{i}.data_ptr()", f"    if a{i}.get_device() != DEVICE: return None"]
            else:
                lines += [
                    f"    d{i} = a{i}.data",
                    f"    p{i} = d{i}.ptr",
                    f"    if d{i}.device_id != DEVICE: return None",
                ]
        lines += [f"    if {test}: return None" for test in self._tests_of_pointers()]
        packed = "".join(f"{'p' if i in self.arrays else 'a'}{i}, " for i in self.kept)
        lines.append(f"    return ({packed})")
        space: dict[str, Any] = {"__builtins__": {}, **self.constants}
        exec(compile("\n".join(lines), "<matcher>", "exec"), space)
        return space["match"]

    def _constant(self, name: str, value: Any) -> str:
        self.constants[name] = value
        return name

    def _tests_of_values(self) -> list[str]:
        """What makes a call differ in the kind, dtype, shape or layout of an argument, or in the range of a scalar."""
        tests: list[str] = []
        steps = {self.kept[step[0]]: step for step in self.plan.scalar_steps}
        for i, value in enumerate(self.args):
            if i in self.arrays:
                kind_name = "B" if i in self.tensors else "A"
                tests.append(
                    f"type(a{i}) is not {kind_name} or a{i}.dtype is not {self._constant(f'T{i}', value.dtype)}"
                )
                tests.append(f"a{i}.shape != {self._constant(f'S{i}', value.shape)}")
                if i in self.tensors:
                    tests.append(f"a{i}.stride() != {self._constant(f'R{i}', value.stride())}")
                elif value._c_contiguous:
                    tests.append(f"not a{i}._c_contiguous")
                else:
                    tests.append(f"a{i}.strides != {self._constant(f'R{i}', value.strides)}")
            elif i in steps:
                _, kind, low, high, _ = steps[i]
                kind_name, low_name = self._constant(f"K{i}", kind), self._constant(f"L{i}", low)
                tests.append(
                    f"type(a{i}) is not {kind_name} or not {low_name} <= a{i} <= {self._constant(f'H{i}', high)}"
                )
            else:
                kind_name = self._constant(f"K{i}", type(value))
                tests.append(f"type(a{i}) is not {kind_name} or a{i} != {self._constant(f'V{i}', value)}")
        return tests

    def _tests_of_pointers(self) -> list[str]:
        pointer = {position: f"p{self.kept[position]}" for position in range(len(self.kept))}
        tests = [f"{pointer[position]} & {mask}" for position, mask in self.plan.aligned]
        for i, i_low, i_high, j, j_low, j_high in self.plan.pairs:
            first, second = pointer[i], pointer[j]
            tests.append(f"{first} + {i_low} < {second} + {j_high} and {second} + {j_low} < {first} + {i_high}")
        return tests
