"""Arguments of a call to parameters of a kernel.

In: a program and the arguments of a call. Out: all of them in the order of the parameters with defaults filled in, what they say
about themselves (`Given`), and refusals for those that are of the wrong kind.
Non-goals: dtypes, shapes and ranges of values (`runtime.shapes`, `runtime.scalars`).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from transpiler.errors import LaunchError
from transpiler.ir import device as d
from transpiler.runtime.arguments import ArrayArg, Unusable
from transpiler.runtime.dtypes import from_name, from_numpy
from transpiler.runtime.refusal import refusal
from transpiler.runtime.unit import MISSING, Given, Parameter, Program


def bind_arguments(program: Program, args: Sequence[Any], named: Mapping[str, Any]) -> tuple[Any, ...]:
    """All arguments in the order of the parameters."""
    parameters = program.parameters
    if len(args) > sum(not p.keyword_only for p in parameters):
        raise refusal(
            program, "E0801", f"takes {_arity(parameters)}, {len(args)} were given", help=_signature(parameters)
        )
    bound = dict(zip((p.name for p in parameters), args, strict=False))
    for name, value in named.items():
        if name in bound:
            raise refusal(program, "E0801", f"argument `{name}` was given twice")
        if all(p.name != name for p in parameters):
            raise refusal(program, "E0801", f"there is no parameter `{name}`", help=_signature(parameters))
        bound[name] = value
    missing = [p for p in parameters if p.name not in bound and p.default is MISSING]
    if missing:
        names = ", ".join(f"`{p.name}`" for p in missing)
        raise refusal(program, "E0801", f"takes {_arity(parameters)}; missing: {names}", span=missing[0].span)
    return tuple(bound.get(p.name, p.default) for p in parameters)


def _arity(parameters: Sequence[Parameter]) -> str:
    return f"{len(parameters)} argument{'' if len(parameters) == 1 else 's'}"


def _signature(parameters: Sequence[Parameter]) -> str:
    return f"the parameters are {', '.join(f'`{p.name}`' for p in parameters)}"


def unusable(program: Program, position: int, why: Unusable) -> LaunchError:
    """The refusal of an argument that is no device array."""
    parameter = program.parameters[min(position, len(program.parameters) - 1)]
    fix = why.help.format(name=parameter.name) if why.help else None
    return refusal(program, why.code, f"argument `{parameter.name}`: {why.reason}", span=parameter.span, help=fix)


def given_arguments(
    program: Program, args: Sequence[Any], arrays: Mapping[str, ArrayArg] | None = None
) -> dict[str, Given]:
    """What the arguments say about themselves. `arrays` are the device arrays among them; without, NumPy arrays count as such."""
    found: dict[str, Given] = {}
    for parameter, value in zip(program.parameters, args, strict=True):
        if arrays is not None and parameter.name in arrays:
            array = arrays[parameter.name]
            found[parameter.name] = Given("array", array.dtype, len(array.shape))
        elif arrays is None and hasattr(value, "shape") and hasattr(value, "__setitem__"):
            found[parameter.name] = Given("array", from_numpy(value.dtype), len(value.shape))
        else:
            found[parameter.name] = _given_scalar(value, parameter.is_const)
    return found


def _given_scalar(value: Any, is_const: bool) -> Given:
    if value is None:
        return Given("none")
    dtype = None
    kind = next((name for t, name in ((bool, "bool"), (int, "int"), (float, "float")) if isinstance(value, t)), None)
    if kind is None or type(value).__module__ == "numpy":
        dtype = from_name(type(value).__name__)
        kind = {"b": "float", "f": "float", "i": "int", "u": "int"}.get((dtype or "f")[0], "float")
        kind = "bool" if dtype == "bool" else kind
    return Given(kind, dtype, value=value if is_const else None)


def check_kinds(kernel: d.Kernel, arrays: Mapping[str, ArrayArg], values: Mapping[str, Any]) -> None:
    """Arrays where arrays are wanted, scalars where scalars are."""
    for param in kernel.params:
        is_array = isinstance(param, d.ArrayParam)
        if is_array and param.name not in arrays:
            text = f"`{param.name}` is an array of {param.dtype}, the argument is {_described(values[param.name])}"
            raise refusal(kernel, "E0817", text, span=param.span, help="check the order of the arguments")
        if not is_array and param.name in arrays:
            text = f"`{param.name}` is a scalar ({param.dtype}), the argument is {_described(values[param.name])}"
            raise refusal(kernel, "E0813", text, span=param.span, help=f"pass a number: `{param.name}.item()`")


def _described(value: Any) -> str:
    name = type(value).__name__
    return f"{name} {value!r}" if isinstance(value, (int, float, bool, type(None))) else name
