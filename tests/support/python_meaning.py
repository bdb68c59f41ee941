"""The same kernel text run by CPython and by the simulator, with one thread: lowering must keep Python's meaning.

CPython runs the text on NumPy scalars, whose promotion of literals and whose wrapping is that of the kernel language. `cuda` is
a stand-in for a launch of one thread. Where our types differ from NumPy's by rule (`i32 / i32`,
`i32 + f32`) a text says so by a cast.
"""

from __future__ import annotations
import __future__

import math
from types import SimpleNamespace
from typing import Any

import numpy as np

from tests.support.kernels import PRELUDE, lowered
from transpiler.simulate import simulate

_DTYPES = {
    "bool_": np.bool_, "i8": np.int8, "i16": np.int16, "i32": np.int32, "i64": np.int64,
    "u8": np.uint8, "u16": np.uint16, "u32": np.uint32, "u64": np.uint64,
    "f16": np.float16, "f32": np.float32, "f64": np.float64,
}  # fmt: skip
_ZERO, _ONE = SimpleNamespace(x=0, y=0, z=0), SimpleNamespace(x=1, y=1, z=1)


def _atomic(combine: Any) -> Any:
    def apply(array: Any, index: Any, *operands: Any, **_words: Any) -> Any:
        old = array[index]
        array[index] = combine(old, *operands)
        return old

    return apply


def _array(shape: Any, dtype: Any, *, fill: Any = None) -> np.ndarray:
    return np.zeros(shape, dtype) if fill is None else np.full(shape, fill, dtype)


_CUDA = SimpleNamespace(
    threadIdx=_ZERO, blockIdx=_ZERO, blockDim=_ONE, gridDim=_ONE, laneid=0, warpsize=32,
    grid=lambda n: 0 if n == 1 else (0,) * n,
    gridsize=lambda n: 1 if n == 1 else (1,) * n,
    syncthreads=lambda: None,
    shared=SimpleNamespace(array=_array),
    local=SimpleNamespace(array=_array),
    const=SimpleNamespace(array_like=lambda values, dtype=None: np.array(values, dtype or _default(values))),
    atomic=SimpleNamespace(
        add=_atomic(lambda old, v: old + v), sub=_atomic(lambda old, v: old - v),
        max=_atomic(lambda old, v: max(old, v)), exch=_atomic(lambda old, v: v),
        cas=_atomic(lambda old, expected, v: v if old == expected else old),
    ),
)  # fmt: skip


def _default(values: Any) -> type:
    return np.float32 if np.array(values).dtype.kind == "f" else np.int32


class _Word:
    """Ownership words and dims in annotations, which are not evaluated; decorators that give the function back."""

    def __call__(self, *_args: Any, **_keywords: Any) -> Any:
        return lambda function: function


def run_python(text: str, arguments: dict[str, Any]) -> None:
    """Call the kernel `k` of the text in CPython; arrays are changed in place."""
    names: dict[str, Any] = {
        **_DTYPES, "cuda": _CUDA, "kernel": _Word(), "device": lambda function: function, "np": np, "math": math,
        "Dim": type("Dim", (), {}), "unroll": lambda items, count=0: items, "requires": lambda *_conditions: None,
        "invariant": lambda _condition: None,
    }  # fmt: skip
    code = compile(text, "kernels.py", "exec", flags=__future__.annotations.compiler_flag)
    with np.errstate(all="ignore"):
        exec(code, names)
        names["k"](**arguments)


def run_simulated(text: str, arguments: dict[str, Any]) -> None:
    report = simulate(lowered(text), arguments, grid=(1, 1, 1), block=(1, 1, 1))
    assert report.ok, [f"{d.code} {d.message}" for d in report.diagnostics]


def agree(text: str, **arguments: Any) -> dict[str, Any]:
    """Run both ways on copies and compare every array bit by bit; gives the arrays as CPython left them."""
    ours = {name: value.copy() if isinstance(value, np.ndarray) else value for name, value in arguments.items()}
    theirs = {name: value.copy() if isinstance(value, np.ndarray) else value for name, value in arguments.items()}
    run_python(text, theirs)
    run_simulated(text, ours)
    for name, value in theirs.items():
        if isinstance(value, np.ndarray):
            assert ours[name].tobytes() == value.tobytes(), f"{name}: simulated {ours[name]}, Python {value}"
    return theirs


__all__ = ["PRELUDE", "agree", "run_python", "run_simulated"]
