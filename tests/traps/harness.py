"""How a row of the trap table is stated and judged.

In: a kernel body, arrays by name, the dtypes of its results. Out: a `Case` (CPython says what is right, or the case itself
does) or a `Refused` (a code that has to be found). A case is run by the simulator, as C++ built by g++, and on a device
where there is one; all have to leave the same bits. Non-goals: the rows (`rows_*`), building C++ (`tests.support`).
"""

from __future__ import annotations

import functools
import textwrap
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from tests.strategies.cpython import dims_of, dtype_name, run_python
from tests.strategies.numbers import NUMPY, Num
from tests.support.kernels import PRELUDE, checked
from transpiler.diagnostics import Diagnostic
from transpiler.frontend import parse_module
from transpiler.ir import device
from transpiler.simulate import simulate
from transpiler.source import Source

Triple = tuple[int, int, int]
Arguments = Mapping[str, Any]
THREADS = 64


@dataclass(frozen=True, kw_only=True, eq=False)
class Case:
    """A kernel `k` of a file, and what it is given. Its results are the arrays in `results`.

    `expected` is what Python says where CPython cannot run the text; `warns` are the codes of the warnings that have to be there.
    """

    row: int
    title: str
    text: str
    arguments: Arguments
    results: tuple[str, ...]
    grid: Triple = (1, 1, 1)
    block: Triple = (1, 1, 1)
    expected: Mapping[str, np.ndarray] | None = None
    warns: tuple[str, ...] = ()
    ulps: int = 0
    """Of functions that a device computes within a bound of the CUDA guide."""
    printed: bool = False
    """What is printed is compared as well."""

    @property
    def id(self) -> str:
        return f"{self.row:02}-{self.title}"


@dataclass(frozen=True, kw_only=True, eq=False)
class Refused:
    """A text in which a code has to be found by a stage: `check` (front end and types), `prove`, or `run` (by the simulator)."""

    row: int
    title: str
    text: str
    code: str
    stage: str = "check"
    arguments: Arguments = field(default_factory=dict)
    grid: Triple = (1, 1, 1)
    block: Triple = (1, 1, 1)

    @property
    def id(self) -> str:
        return f"{self.row:02}-{self.title}"


# --- stating ----------------------------------------------------------------------------------------------


def elementwise(
    row: int,
    title: str,
    body: str,
    inputs: Arguments,
    outputs: Mapping[str, Any],
    *,
    before: str = "",
    options: str = 'fma="off"',
    **more: Any,
) -> Case:
    """One thread an element: `body` stands behind the guard `i < N` and reads `inputs[name][i]`.

    `outputs` gives dtypes (one element a thread), or pairs of a dtype and a number of rows (`out[row, i]`).
    """
    length = next(len(v) for v in inputs.values() if isinstance(v, np.ndarray))
    arguments: dict[str, Any] = dict(inputs)
    params = [_param(name, value) for name, value in inputs.items()]
    for name, kind in outputs.items():
        dtype, rows = kind if isinstance(kind, tuple) else (kind, None)
        arguments[name] = np.zeros(length if rows is None else (rows, length), NUMPY[dtype])
        params.append(f"{name}: InOut[{dtype}, {'' if rows is None else f'{rows}, '}N]")
    inner = textwrap.indent(textwrap.dedent(body).strip(), " " * 8)
    extra = f", {options}" if options else ""
    text = (
        f"{textwrap.dedent(before)}\n@kernel(domain=N, block={THREADS}{extra})\ndef k({', '.join(params)}):\n"
        f"    i = cuda.grid(1)\n    if i < N:\n{inner}\n"
    )
    blocks = -(-length // THREADS)
    return Case(
        row=row,
        title=title,
        text=PRELUDE + text,
        arguments=arguments,
        results=tuple(outputs),
        grid=(blocks, 1, 1),
        block=(THREADS, 1, 1),
        **more,
    )


def _param(name: str, value: Any) -> str:
    if isinstance(value, np.ndarray):
        return f"{name}: In[{dtype_name(value)}, N]"
    if isinstance(value, Num):
        return f"{name}: {value.dtype}"
    return f"{name}: {'bool_' if isinstance(value, bool) else 'i32'}"


SAY = """
@device
def say(t: InOut[i64, int], d: i64):
    t[0] = t[0] * 10 + d
    return d
"""
"""Appends a digit to `t[0]` and returns it: a wrong order, a lost or a repeated evaluation shows as another number."""


def single(row: int, title: str, body: str, *, before: str = SAY, params: str = "", **more: Any) -> Case:
    """One thread with the same arrays for every case: `x` and `g` to read, `y`, `h` and `t` for results, `n == 1`."""
    arguments = {
        "x": np.array([7, -7, 3, 12, 0, 2147483647, -2147483648, 1], np.int32),
        "g": np.array([1.5, -2.5, np.nan, 0.1, -0.0, 0.5, 1e30, 3.0], np.float32),
        "y": np.zeros(8, np.int32),
        "h": np.zeros(8, np.float32),
        "t": np.zeros(8, np.int64),
        "n": 1,
        **more.pop("arguments", {}),
    }
    header = "x: In[i32, int], g: In[f32, int], y: InOut[i32, int], h: InOut[f32, int], t: InOut[i64, int], n: i32"
    inner = textwrap.indent(textwrap.dedent(body).strip(), "    ")
    signature = header + (f", {params}" if params else "")
    text = f'{textwrap.dedent(before)}\n@kernel(block=1, fma="off")\ndef k({signature}):\n{inner}\n'
    return Case(row=row, title=title, text=PRELUDE + text, arguments=arguments, results=("y", "h", "t"), **more)


def refused(
    row: int, title: str, body: str, code: str, *, before: str = "", params: str = "", stage: str = "check"
) -> Refused:
    """A body that has to be refused, with the parameters of `single` and an array `out` of f32."""
    signature = (
        "x: In[i32, N], g: In[f32, N], u: In[u32, N], flags: In[bool_, N], y: InOut[i32, N], out: InOut[f32, N], "
        "n: i32, m: u32, s: f32" + (f", {params}" if params else "")
    )
    inner = textwrap.indent(textwrap.dedent(body).strip(), " " * 8)
    text = (
        f"{textwrap.dedent(before)}\n@kernel(domain=N, block=64)\ndef k({signature}):\n"
        f"    i = cuda.grid(1)\n    if i < N:\n{inner}\n"
    )
    return Refused(row=row, title=title, text=PRELUDE + text, code=code, stage=stage)


def fault(case: Case, code: str) -> Refused:
    """A case whose arguments make it fail: the simulator has to say so with this code."""
    return Refused(
        row=case.row,
        title=case.title,
        text=case.text,
        code=code,
        stage="run",
        arguments=case.arguments,
        grid=case.grid,
        block=case.block,
    )


# --- judging ----------------------------------------------------------------------------------------------


@functools.cache
def front(text: str) -> tuple[device.Kernel | None, list[Diagnostic]]:
    """The first kernel of a text and all that the front end and the types have to say."""
    module, found = parse_module(Source(text, "kernels.py"))
    if any(d.code.startswith("E") for d in found):
        return None, found
    kernels, more = checked(module)
    return (kernels[0] if kernels else None), [*found, *more]


def kernel_of(case: Case) -> device.Kernel:
    kernel, found = front(case.text)
    errors = [f"{d.code} {d.message}" for d in found if d.code.startswith("E")]
    assert not errors, errors
    assert kernel is not None
    return kernel


def dims(case: Case) -> dict[str, int]:
    return dims_of(case.text, kernel_of(case).name, case.arguments)


def copied(arguments: Arguments) -> dict[str, Any]:
    return {k: v.copy(order="K") if isinstance(v, np.ndarray) else v for k, v in arguments.items()}


def plain(arguments: Arguments) -> dict[str, Any]:
    """Arguments for a launch: a `Num` is a NumPy scalar there."""
    return {k: NUMPY[v.dtype](v.value) if isinstance(v, Num) else v for k, v in arguments.items()}


@functools.cache
def expectation(case: Case) -> tuple[dict[str, np.ndarray], str]:
    """The results that are right, and what is printed."""
    if case.expected is not None:
        return dict(case.expected), ""
    arguments = copied(case.arguments)
    printed = run_python(case.text, "k", arguments, case.grid, case.block)
    return {name: arguments[name] for name in case.results}, printed


@functools.cache
def simulated(case: Case) -> tuple[dict[str, np.ndarray], str]:
    arguments = plain(copied(case.arguments))
    report = simulate(kernel_of(case), arguments, grid=case.grid, block=case.block)
    assert report.ok, [f"{d.code} {d.message}" for d in report.diagnostics]
    return {name: arguments[name] for name in case.results}, report.printed


def compare(case: Case, who: str, got: Mapping[str, np.ndarray], right: Mapping[str, np.ndarray]) -> None:
    """Bit for bit; one NaN is as good as another, and functions may differ by `ulps`."""
    for name in case.results:
        differ = different(got[name], right[name], case.ulps)
        if differ.any():
            raise AssertionError(
                "\n".join(
                    [
                        f"{case.id}: {who} differs in {int(differ.sum())} elements",
                        *shown(case, name, differ, got, right),
                    ]
                )
            )


def different(a: np.ndarray, b: np.ndarray, ulps: int = 0) -> np.ndarray:
    assert a.dtype == b.dtype
    assert a.shape == b.shape
    kind = np.dtype(f"u{a.dtype.itemsize}")
    same = a.view(kind) == b.view(kind)
    if a.dtype.kind in "fV":
        with np.errstate(all="ignore"):
            wide_a, wide_b = a.astype(np.float64), b.astype(np.float64)
        same |= np.isnan(wide_a) & np.isnan(wide_b)
        if ulps:
            with np.errstate(all="ignore"):
                same |= np.abs(wide_a - wide_b) <= ulps * np.spacing(np.abs(b)).astype(np.float64)
    return ~same


def shown(
    case: Case, name: str, differ: np.ndarray, got: Mapping[str, np.ndarray], right: Mapping[str, np.ndarray]
) -> list[str]:
    lines = []
    for at in np.argwhere(differ)[:6]:
        index = tuple(int(k) for k in at)
        given = {
            k: v[index[-1]]
            for k, v in case.arguments.items()
            if isinstance(v, np.ndarray) and v.ndim == 1 and k not in case.results and index[-1] < len(v)
        }
        words = ", ".join(f"{k}={v}" for k, v in given.items())
        lines.append(f"  {name}{list(index)} is {got[name][index]}, right is {right[name][index]}, of {words}")
    return lines


def codes(text: str) -> list[str]:
    return [d.code for d in front(text)[1]]
