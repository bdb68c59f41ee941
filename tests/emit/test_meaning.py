"""Every operator at every width: the emitted C++, run on the host under the undefined-behaviour sanitizer, against Python.

One unit a group of dtypes holds one kernel an operation, `out[i] = a[i] op b[i]`; the operands meet all sign pairs and ends of
range. NVRTC must accept the same units.
"""

from __future__ import annotations

import math
import operator
from collections.abc import Callable, Iterator
from itertools import product

import ml_dtypes
import numpy as np
import pytest

from tests.support import host_build
from tests.support.device_ir import (
    array,
    binary,
    cast,
    compare,
    const,
    if_,
    kernel,
    launch,
    load,
    scalar,
    store,
    unary,
    var,
)
from transpiler.emit import EmittedUnit, emit_unit
from transpiler.ir import device as d
from transpiler.ir.types import BF16, BOOL, DTYPES, F16, F32, F64, I64, INDEX, DType
from transpiler.runtime import nvrtc

pytestmark = pytest.mark.skipif(not host_build.available(), reason="needs g++ on Linux")

SANITIZED = (*(flag for flag in host_build.FLAGS if flag != "-O1"), "-O0", "-fsanitize=undefined")
INTEGERS = [t for t in DTYPES.values() if t.is_integer]
FLOATS = [F32, F64, F16, BF16]
NUMPY = {t.name: np.dtype(f"{t.kind}{t.bits}") for t in INTEGERS} | {
    "bool": np.dtype(np.bool_),
    "f16": np.dtype(np.float16),
    "bf16": np.dtype(ml_dtypes.bfloat16),
    "f32": np.dtype(np.float32),
    "f64": np.dtype(np.float64),
}

PYTHON: dict[str, Callable] = {
    "+": operator.add,
    "-": operator.sub,
    "*": operator.mul,
    "//": operator.floordiv,
    "%": operator.mod,
    "&": operator.and_,
    "|": operator.or_,
    "^": operator.xor,
    "min": min,
    "max": max,
    "<<": operator.lshift,
    ">>": operator.rshift,
    "**": operator.pow,
}
COMPARE = {
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
    "==": operator.eq,
    "!=": operator.ne,
}


def values_of(dtype: DType) -> list[int]:
    edges = [0, 1, 2, 3, 7, -1, -2, -3, -8, dtype.min, dtype.min + 1, dtype.max, dtype.max - 1, dtype.max // 2]
    return sorted({v for v in edges if dtype.min <= v <= dtype.max})


def wrap(value: int, dtype: DType) -> int:
    size = 1 << dtype.bits
    value %= size
    return value - size if dtype.kind == "int" and value >= size // 2 else value


def pairs(op: str, dtype: DType) -> list[tuple[int, int]]:
    right = values_of(dtype)
    if op in ("<<", ">>"):
        right = [s for s in (0, 1, 3, dtype.bits - 1) if s <= dtype.max]
    if op == "**":
        right = [0, 1, 2, 5]
    if op in ("//", "%"):
        right = [v for v in right if v != 0]
    return list(product(values_of(dtype), right))


def elementwise(name: str, dtypes: tuple[DType, ...], out: DType, value: Callable[..., d.Expr]) -> d.Kernel:
    """`out[i] = value(a[i], b[i])` for `i < n`."""
    inputs = [array(f"in{k}", dtype) for k, dtype in enumerate(dtypes)]
    result = array("out", out, ownership="out")
    n, i = scalar("n"), launch("grid")
    loads = [load(a, i) for a in inputs]
    body: list[d.Stmt] = [if_(compare("<", i, var(n)), [store(result, i, value(*loads))])]
    return kernel([*inputs, result, n], body, name=name)


def run(unit: EmittedUnit, name: str, arrays: list[np.ndarray], out: DType, columns: int = 1) -> np.ndarray:
    entry = next(e for e in unit.entries if e.name == name)
    count = len(arrays[0])
    result = np.zeros(count * columns, NUMPY[out.name])
    arguments = {f"in{k}": a for k, a in enumerate(arrays)} | {"out": result, "n": count}
    grid = (-(-count // 256),)
    host_build.run_on_host(unit.source, name, entry.abi, arguments, grid, (256,), namespace=unit.name, flags=SANITIZED)
    return result


def build(kernels: list[d.Kernel]) -> EmittedUnit:
    """The unit, accepted by NVRTC, with all its kernels in one host library."""
    unit = emit_unit("meaning", kernels)
    assert nvrtc.compile(unit.source, arch="sm_90")
    return unit


@pytest.fixture
def no_undefined_behaviour(capfd: pytest.CaptureFixture[str]) -> Iterator[None]:
    yield
    assert "runtime error" not in capfd.readouterr().err


def one_library(unit: EmittedUnit, monkeypatch: pytest.MonkeyPatch) -> None:
    """Give every entry of a unit its launcher in one library: one build, not one an entry."""
    text = host_build.host_text(unit.source, [(unit.name, e.name, e.abi) for e in unit.entries])
    monkeypatch.setattr(host_build, "host_text", lambda *_: text)


UNARY = {"-": "negate", "~": "invert", "abs": "absolute"}
UNARY_PYTHON: dict[str, Callable] = {"-": operator.neg, "~": operator.invert, "abs": abs}
NAMES = {op: f"op{k}" for k, op in enumerate(PYTHON)} | UNARY


@pytest.mark.usefixtures("no_undefined_behaviour")
def test_data_integers_wrap(monkeypatch: pytest.MonkeyPatch) -> None:
    kernels = []
    for t in INTEGERS:
        for op, name in NAMES.items():
            if name in UNARY.values():
                kernels.append(elementwise(f"{name}_{t}", (t,), t, lambda a, op=op: unary(op, a)))
            else:
                kernels.append(elementwise(f"{name}_{t}", (t, t), t, lambda a, b, op=op: binary(op, a, b)))
    unit = build(kernels)
    one_library(unit, monkeypatch)
    for t in INTEGERS:
        for op, name in NAMES.items():
            cases = [(a,) for a in values_of(t)] if name in UNARY.values() else pairs(op, t)
            meaning = UNARY_PYTHON[op] if name in UNARY.values() else PYTHON[op]
            columns = [np.array(column, NUMPY[t.name]) for column in zip(*cases, strict=True)]
            found = run(unit, f"{name}_{t}", columns, t)
            assert found.tolist() == [wrap(meaning(*case), t) for case in cases], (op, t.name)


@pytest.mark.usefixtures("no_undefined_behaviour")
def test_index_integers_are_exact(monkeypatch: pytest.MonkeyPatch) -> None:
    """Operands of any dtype as index integers: the result is the mathematical one, in 64 bits where it needs them."""
    dtypes = [t for t in INTEGERS if t.name != "u64"]
    kernels = []
    for t in dtypes:
        for op, name in NAMES.items():
            if name in UNARY.values():
                kernels.append(
                    elementwise(f"{name}_{t}", (t,), I64, lambda a, op=op: cast(unary(op, cast(a, INDEX)), I64))
                )
                continue
            kernels.append(
                elementwise(
                    f"{name}_{t}",
                    (t, t),
                    I64,
                    lambda a, b, op=op: cast(binary(op, cast(a, INDEX), cast(b, INDEX)), I64),
                )
            )
    unit = build(kernels)
    one_library(unit, monkeypatch)
    for t in dtypes:
        for op, name in NAMES.items():
            cases = [(a,) for a in values_of(t)] if name in UNARY.values() else pairs(op, t)
            meaning = UNARY_PYTHON[op] if name in UNARY.values() else PYTHON[op]
            cases = [case for case in cases if I64.min <= meaning(*case) <= I64.max]
            columns = [np.array(column, NUMPY[t.name]) for column in zip(*cases, strict=True)]
            found = run(unit, f"{name}_{t}", columns, I64)
            assert found.tolist() == [meaning(*case) for case in cases], (op, t.name)


@pytest.mark.usefixtures("no_undefined_behaviour")
def test_comparison_is_by_value(monkeypatch: pytest.MonkeyPatch) -> None:
    names = {pair: f"c{k}" for k, pair in enumerate(product(INTEGERS, INTEGERS))}
    unit = build([all_comparisons(name, *pair) for pair, name in names.items()])
    one_library(unit, monkeypatch)
    for (a, b), name in names.items():
        cases = list(product(values_of(a), values_of(b)))
        left = np.array([x for x, _ in cases], NUMPY[a.name])
        right = np.array([y for _, y in cases], NUMPY[b.name])
        expected = [[meaning(x, y) for meaning in COMPARE.values()] for x, y in cases]
        found = run(unit, name, [left, right], BOOL, columns=len(COMPARE))
        assert found.reshape(-1, len(COMPARE)).tolist() == expected, (a.name, b.name)


def all_comparisons(name: str, a: DType, b: DType) -> d.Kernel:
    """Row `i` of the result holds every comparison of `in0[i]` and `in1[i]`."""
    inputs = [array("in0", a), array("in1", b)]
    result = array("out", BOOL, ownership="out")
    n, i = scalar("n"), launch("grid")
    left, right = (load(x, i) for x in inputs)
    row = binary("*", i, const(len(COMPARE)))
    stores: list[d.Stmt] = [
        store(result, binary("+", row, const(k)), compare(op, left, right)) for k, op in enumerate(COMPARE)
    ]
    return kernel([*inputs, result, n], [if_(compare("<", i, var(n)), stores)], name=name)


FLOAT_EDGES = [
    0.0, -0.0, 1.0, -1.0, 0.5, -0.5, 1.5, 2.5, -2.5, 3.0, -3.0, 7.25, 0.1, -0.1, 1e-3, 126.75, 128.0, 255.5, 300.0, 32767.5,
    65504.0, -65504.0, 2147483648.0, -2147483648.0, 4294967296.0, 9.3e18, -9.3e18, 1.9e19, math.inf, -math.inf, math.nan,
]  # fmt: skip


def floats_of(dtype: DType) -> np.ndarray:
    with np.errstate(over="ignore"):
        return np.array(FLOAT_EDGES, np.float64).astype(NUMPY[dtype.name])


def saturated(value: float, dtype: DType) -> int:
    if math.isnan(value):
        return 0
    if math.isinf(value):
        return dtype.max if value > 0 else dtype.min
    return min(max(math.trunc(value), dtype.min), dtype.max)


@pytest.mark.usefixtures("no_undefined_behaviour")
def test_casts(monkeypatch: pytest.MonkeyPatch) -> None:
    combinations = [(a, b) for a, b in product(DTYPES.values(), DTYPES.values()) if a is not b]
    names = {case: f"c{k}" for k, case in enumerate(combinations)}
    unit = build([elementwise(n, (a,), b, lambda x, b=b: cast(x, b)) for (a, b), n in names.items()])
    one_library(unit, monkeypatch)
    for (a, b), name in names.items():
        given = (
            np.array([False, True])
            if a == BOOL
            else floats_of(a)
            if a.is_float
            else np.array(values_of(a), NUMPY[a.name])
        )
        found = run(unit, name, [given], b)
        with np.errstate(all="ignore"):
            if a.is_float and b.is_integer:
                expected = np.array([saturated(float(v), b) for v in given], NUMPY[b.name])
            elif b.name in ("f16", "bf16") and a.name != "f64":
                expected = given.astype(np.float32).astype(NUMPY[b.name])
            else:
                expected = given.astype(NUMPY[b.name])
        np.testing.assert_array_equal(plain(found), plain(expected), err_msg=f"{a} to {b}")


def plain(values: np.ndarray) -> np.ndarray:
    """bf16 as f32: NumPy does not know that a NaN of a foreign dtype is one."""
    return values.astype(np.float32) if values.dtype == NUMPY["bf16"] else values


def float_meaning(op: str, a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """The result in the operands' dtype; `//` and `%` are NumPy's, which are CPython's in that precision."""
    if op in ("min", "max"):
        return np.where(b < a if op == "min" else b > a, b, a)
    if op in ("//", "%") and a.itemsize == 2:
        return float_meaning(op, a.astype(np.float32), b.astype(np.float32)).astype(a.dtype)
    return {"+": np.add, "-": np.subtract, "*": np.multiply, "/": np.divide, "//": np.floor_divide, "%": np.mod}[op](
        a, b
    )


@pytest.mark.usefixtures("no_undefined_behaviour")
def test_floats(monkeypatch: pytest.MonkeyPatch) -> None:
    operations = ["+", "-", "*", "/", "//", "%", "min", "max"]
    names = {op: f"op{k}" for k, op in enumerate(operations)}
    kernels = []
    for t in FLOATS:
        kernels += [elementwise(f"{n}_{t}", (t, t), t, lambda a, b, op=op: binary(op, a, b)) for op, n in names.items()]
        kernels += [
            elementwise(f"{n}_{t}", (t,), t, lambda a, op=op: unary(op, a)) for op, n in UNARY.items() if op != "~"
        ]
    unit = build(kernels)
    one_library(unit, monkeypatch)
    for t in FLOATS:
        edges = floats_of(t)
        cases = list(product(edges, edges))
        left, right = (np.array(column, NUMPY[t.name]) for column in zip(*cases, strict=True))
        for op, name in names.items():
            with np.errstate(all="ignore"):
                expected = float_meaning(op, left, right)
            found = run(unit, f"{name}_{t}", [left, right], t)
            np.testing.assert_array_equal(plain(found), plain(expected), err_msg=f"{op} {t}")
            zeros = (expected == 0) & np.isfinite(left.astype(np.float64))
            signs = np.signbit(found[zeros]), np.signbit(expected[zeros])
            np.testing.assert_array_equal(*signs, err_msg=f"sign of {op} {t}")
        np.testing.assert_array_equal(plain(run(unit, f"negate_{t}", [edges], t)), plain(-edges))
        np.testing.assert_array_equal(plain(run(unit, f"absolute_{t}", [edges], t)), plain(abs(edges)))


def test_powers_of_floats(monkeypatch: pytest.MonkeyPatch) -> None:
    unit = build(
        [elementwise(f"p{k}", (F32,), F32, lambda a, k=k: binary("**", a, const(float(k), F32))) for k in (2, 3, 5)]
    )
    one_library(unit, monkeypatch)
    x = np.array([0.5, -1.25, 3.0, -0.0, 1e-3], np.float32)
    for k in (2, 3, 5):
        np.testing.assert_allclose(run(unit, f"p{k}", [x], F32), x**k, rtol=3e-7)
