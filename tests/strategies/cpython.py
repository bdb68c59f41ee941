"""Kernel files run by CPython itself, one thread after the other: the meaning that simulator and C++ are held to.

In: the text of a kernel file, NumPy arrays and scalars by name, a grid and a block. Out: the arrays as Python leaves them,
and what was printed. The text runs as it stands; only the words that it imports from `transpiler` are stand-ins, and array
elements are `numbers.Num`. Threads run one by one in ascending order, so a kernel may exchange nothing between threads but
by atomics. Non-goals: shared memory of more than one thread, barriers that wait, collectives.
"""

from __future__ import annotations
import __future__

import ast
import contextlib
import io
import math
from collections.abc import Mapping
from types import SimpleNamespace
from typing import Any

import numpy as np

from tests.strategies import numbers
from tests.strategies.numbers import NUMPY, Num, convert, largest, smallest, stored, whole


class PyArray:
    """An array whose elements are `Num`; slices and rows are views."""

    def __init__(self, data: np.ndarray, dtype: str) -> None:
        self.data, self.name = data, dtype

    def __len__(self) -> int:
        return len(self.data)

    @property
    def shape(self) -> tuple[int, ...]:
        return self.data.shape

    @property
    def size(self) -> int:
        return self.data.size

    @property
    def ndim(self) -> int:
        return self.data.ndim

    @property
    def dtype(self) -> DTypeWord:
        return DTypeWord(self.name)

    def __getitem__(self, index: Any) -> Any:
        found = self.data[_plain(index)]
        if isinstance(found, np.ndarray) and found.ndim:
            return PyArray(found, self.name)
        return loaded(found, self.name)

    def __setitem__(self, index: Any, value: Any) -> None:
        kept = stored(value, self.name)
        self.data[_plain(index)] = kept.value if isinstance(kept, Num) else kept


def loaded(value: Any, dtype: str) -> Any:
    if dtype == "bool_":
        return bool(value)
    return Num(dtype, int(value) if numbers.is_int(dtype) else float(value))


def _plain(index: Any) -> Any:
    if isinstance(index, tuple):
        return tuple(_plain(item) for item in index)
    return index if isinstance(index, slice) else int(index)


class DTypeWord:
    """`f32`: a cast, and the name of a dtype in allocations."""

    def __init__(self, name: str) -> None:
        self.name = name

    def __call__(self, value: Any) -> Any:
        return convert(value, self.name)

    def stored(self, value: Any) -> Any:
        return stored(value, self.name)


def _array(shape: Any, dtype: DTypeWord, *, fill: Any = 0) -> PyArray:
    data = np.zeros(_plain(shape), NUMPY[dtype.name])
    array = PyArray(data, dtype.name)
    for at in np.ndindex(data.shape):
        array[at] = fill
    return array


def _array_like(values: Any, dtype: DTypeWord | None = None) -> PyArray:
    name = dtype.name if dtype else "f32" if any(isinstance(v, float) for v in values) else "i32"
    return PyArray(np.array(values, NUMPY[name]), name)


def _atomic(combine: Any) -> Any:
    def apply(array: PyArray, index: Any, *operands: Any, **_words: Any) -> Any:
        old = array[index]
        array[index] = combine(old, *operands)
        return old

    return apply


ATOMICS = SimpleNamespace(
    add=_atomic(lambda old, v: old + v), sub=_atomic(lambda old, v: old - v), min=_atomic(smallest), max=_atomic(largest),
    exch=_atomic(lambda old, v: v), cas=_atomic(lambda old, expected, v: v if old == expected else old),
    and_=_atomic(lambda old, v: old & v), or_=_atomic(lambda old, v: old | v), xor=_atomic(lambda old, v: old ^ v),
)  # fmt: skip


def _cuda(grid: tuple[int, int, int], block: tuple[int, int, int], at: tuple[int, ...], thread: tuple[int, ...]) -> Any:
    def axes(n: int, values: list[int]) -> Any:
        return values[0] if n == 1 else tuple(values[:n])

    def triple(values: tuple[int, ...]) -> SimpleNamespace:
        return SimpleNamespace(x=values[0], y=values[1], z=values[2])

    return SimpleNamespace(
        threadIdx=triple(thread), blockIdx=triple(at), blockDim=triple(block), gridDim=triple(grid), warpsize=32,
        laneid=(thread[0] + block[0] * (thread[1] + block[1] * thread[2])) % 32,
        grid=lambda n: axes(n, [b * d + t for b, d, t in zip(at, block, thread, strict=True)]),
        gridsize=lambda n: axes(n, [g * d for g, d in zip(grid, block, strict=True)]),
        syncthreads=lambda: None, syncwarp=lambda mask=0: None, threadfence=lambda: None,
        shared=SimpleNamespace(array=_array), local=SimpleNamespace(array=_array),
        const=SimpleNamespace(array_like=_array_like), atomic=ATOMICS,
    )  # fmt: skip


def _math() -> SimpleNamespace:
    def root(x: Any) -> Num:
        value = convert(x, "f32") if not isinstance(x, Num) else x
        return Num(value.dtype, numbers.round_to(math.sqrt(value.value) if value.value >= 0 else math.nan, value.dtype))

    return SimpleNamespace(
        pi=math.pi, e=math.e, tau=math.tau, inf=math.inf, nan=math.nan, sqrt=root, fabs=abs,
        floor=lambda x: whole(x, math.floor), ceil=lambda x: whole(x, math.ceil), trunc=lambda x: whole(x, math.trunc),
        isnan=lambda x: math.isnan(x.value), isinf=lambda x: math.isinf(x.value), isfinite=lambda x: math.isfinite(x.value),
    )  # fmt: skip


class _Word:
    """Ownership words, which stand in annotations only, and decorators, which give the function back."""

    def __call__(self, *_args: Any, **_keywords: Any) -> Any:
        return lambda function: function


def _int(value: Any = 0) -> Any:
    if isinstance(value, Num) and not numbers.is_int(value.dtype):
        return convert(value, "i64" if value.dtype == "f64" else "i32")
    return int(value) if isinstance(value, float) else value


def _words() -> dict[str, Any]:
    nothing = {name: lambda *_args, **_keywords: None for name in ("requires", "invariant", "trust", "ordered")}
    ownership = {name: _Word() for name in ("In", "Out", "InOut", "Atomic", "Const", "Strided", "FOrder")}
    return {
        **{name: DTypeWord(name) for name in NUMPY}, **nothing, **ownership,
        "kernel": _Word(), "device": lambda function: function, "Dim": type("Dim", (), {}),
        "unroll": lambda items, count=0: items, "np": np, "math": _math(),
        "min": smallest, "max": largest, "int": _int, "float": lambda x: convert(x, "f32"),
    }  # fmt: skip


class _Annotated(ast.NodeTransformer):
    """A local with an annotation keeps its dtype: its assignments store into it. Python takes no notice of annotations."""

    def visit_FunctionDef(self, node: ast.FunctionDef) -> ast.AST:
        self.typed = {
            n.target.id: n.annotation
            for n in ast.walk(node)
            if isinstance(n, ast.AnnAssign) and isinstance(n.target, ast.Name)
        }
        return self.generic_visit(node)

    def visit_AnnAssign(self, node: ast.AnnAssign) -> ast.AST:
        if (
            node.value is None
            or not isinstance(node.target, ast.Name)
            or node.target.id not in getattr(self, "typed", ())
        ):
            return node
        return ast.Assign([node.target], self._stored(node.target.id, node.value))

    def visit_Assign(self, node: ast.Assign) -> ast.AST:
        target = node.targets[0]
        if len(node.targets) == 1 and isinstance(target, ast.Name) and target.id in getattr(self, "typed", ()):
            node.value = self._stored(target.id, node.value)
        return node

    def visit_AugAssign(self, node: ast.AugAssign) -> ast.AST | list[ast.AST]:
        if not isinstance(node.target, ast.Name) or node.target.id not in getattr(self, "typed", ()):
            return node
        name = node.target.id
        return [node, ast.Assign([ast.Name(name, ast.Store())], self._stored(name, ast.Name(name, ast.Load())))]

    def _stored(self, name: str, value: ast.expr) -> ast.expr:
        return ast.Call(ast.Attribute(self.typed[name], "stored", ast.Load()), [value], [])


def dims_of(text: str, name: str, arguments: Mapping[str, Any]) -> dict[str, int]:
    """The named extents of the arrays of a kernel."""
    function = next(
        n for n in ast.parse(text.removeprefix("\ufeff")).body if isinstance(n, ast.FunctionDef) and n.name == name
    )
    dims: dict[str, int] = {}
    for param in function.args.args:
        items = param.annotation.slice if isinstance(param.annotation, ast.Subscript) else None
        parts = items.elts[1:] if isinstance(items, ast.Tuple) else []
        value = arguments.get(param.arg)
        for axis, part in enumerate(parts):
            if isinstance(part, ast.Name) and part.id != "int" and isinstance(value, np.ndarray) and axis < value.ndim:
                dims[part.id] = value.shape[axis]
    return dims


def dtype_name(array: np.ndarray) -> str:
    return next(name for name, dtype in NUMPY.items() if np.dtype(dtype) == array.dtype)


def run_python(
    text: str,
    name: str,
    arguments: Mapping[str, Any],
    grid: tuple[int, int, int] = (1, 1, 1),
    block: tuple[int, int, int] = (1, 1, 1),
) -> str:
    """Call the kernel once for each thread; arrays are changed in place. Returns what was printed.

    Signed scalar arguments are plain ints, others are `Num`: give them so.
    """
    names = _words()
    tree = ast.parse(text)
    tree.body = [n for n in tree.body if not isinstance(n, ast.Import | ast.ImportFrom)]
    tree = ast.fix_missing_locations(_Annotated().visit(tree))
    exec(compile(tree, "kernels.py", "exec", flags=__future__.annotations.compiler_flag), names)
    names.update(dims_of(text, name, arguments))
    given = {k: PyArray(v, dtype_name(v)) if isinstance(v, np.ndarray) else v for k, v in arguments.items()}
    shown = io.StringIO()
    with contextlib.redirect_stdout(shown), np.errstate(all="ignore"):
        for at in np.ndindex(grid[::-1]):
            for thread in np.ndindex(block[::-1]):
                names["cuda"] = _cuda(grid, block, at[::-1], thread[::-1])
                names[name](**given)
    return shown.getvalue()
