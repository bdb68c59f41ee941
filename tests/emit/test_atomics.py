"""Atomics of every operation and dtype: accepted by NVRTC, and right on the host."""

from __future__ import annotations

from itertools import product

import ml_dtypes
import numpy as np
import pytest

from tests.emit.test_meaning import NUMPY, one_library
from tests.support import host_build
from tests.support.device_ir import array, atomic, const, kernel, launch, load, local, store, var
from transpiler.emit import emit_unit
from transpiler.ir import device as d
from transpiler.ir.types import BF16, BOOL, DTYPES, F16, INDEX, DType
from transpiler.runtime import nvrtc

pytestmark = pytest.mark.skipif(not host_build.available(), reason="needs g++ on Linux")

BITWISE = ("and", "or", "xor", "inc", "dec")
ORDERED = ("add", "sub", "min", "max", "exch", "load", "store", "cas")
CASES = [(op, t) for op in BITWISE for t in DTYPES.values() if t.is_integer]
CASES += [(op, t) for op in ORDERED for t in DTYPES.values() if t is not BOOL]


def one(op: str, dtype: DType, order: str = "relaxed", scope: str = "device") -> d.Kernel:
    """`old[0] = op(cell[1], 3)`; `cas` expects 5."""
    cell, old = array("cell", dtype, ownership="atomic"), array("old", dtype, ownership="out")
    t, at = local("t", dtype), const(1)
    value = const(3.0 if dtype.is_float else 3, dtype)
    operands = {"load": [], "cas": [const(5.0 if dtype.is_float else 5, dtype), value]}.get(op, [value])
    target = None if op == "store" else t
    body: list[d.Stmt] = [atomic(target, op, cell, at, *operands, order=order, scope=scope)]
    if target is not None:
        body.append(store(old, const(0), var(t)))
    return kernel([cell, old], body, name=f"{op}_{dtype}_{order}_{scope}", block=(1, 1, 1))


MEANING = {
    "add": lambda a: a + 3,
    "sub": lambda a: a - 3,
    "min": lambda a: min(a, 3),
    "max": lambda a: max(a, 3),
    "exch": lambda a: 3,
    "store": lambda a: 3,
    "load": lambda a: a,
    "cas": lambda a: 3 if a == 5 else a,
    "and": lambda a: a & 3,
    "or": lambda a: a | 3,
    "xor": lambda a: a ^ 3,
    "inc": lambda a: 0 if a >= 3 else a + 1,
    "dec": lambda a: 3 if a == 0 or a > 3 else a - 1,
}


def test_every_operation_of_every_dtype(monkeypatch: pytest.MonkeyPatch) -> None:
    unit = emit_unit("atomics", [one(op, t) for op, t in CASES])
    assert nvrtc.compile(unit.source, arch="sm_90")
    one_library(unit, monkeypatch)
    for (op, t), entry in zip(CASES, unit.entries, strict=True):
        for start in (0, 2, 5, 7):
            cell = np.array([11, start, 13, 17], NUMPY[t.name])
            old = np.zeros(1, cell.dtype)
            host_build.run_on_host(
                unit.source, entry.name, entry.abi, {"cell": cell, "old": old}, (1,), (1,), namespace=unit.name
            )
            after = MEANING[op](start)
            wrapped = np.array(after % (1 << t.bits) if t.kind == "uint" else after).astype(cell.dtype)
            expected = [11, float(wrapped), 13, 17]
            assert [float(v) for v in cell] == expected, (op, t.name, start)
            assert op == "store" or float(old[0]) == start


def test_orders_and_scopes_compile_and_fence() -> None:
    orders = ("relaxed", "acquire", "release", "acq_rel", "seq_cst")
    scopes = ("block", "device", "system")
    unit = emit_unit("orders", [one("add", DTYPES["i32"], *pair) for pair in product(orders, scopes)])
    assert nvrtc.compile(unit.source, arch="sm_70")
    bodies = {e.name: unit.source.split(f" {e.name}(")[1].split("\n}\n")[0] for e in unit.entries}
    for (order, scope), (before, behind) in {
        ("relaxed", "device"): (0, 0),
        ("acquire", "block"): (0, 1),
        ("release", "system"): (1, 0),
        ("seq_cst", "device"): (1, 1),
    }.items():
        fence = {"block": "__threadfence_block();", "device": "__threadfence();", "system": "__threadfence_system();"}[
            scope
        ]
        head, tail = bodies[f"add_i32_{order}_{scope}"].split("atomicAdd")
        assert (head.count(fence), tail.count(fence)) == (before, behind)


def test_loops_of_system_scope_compare_and_swap_in_it() -> None:
    unit = emit_unit(
        "scopes",
        [
            one("min", DTYPES["f32"], scope="system"),
            one("add", F16, scope="system"),
            one("cas", F16, scope="system"),
            one("add", F16),
            one("min", F16),
        ],
    )
    assert nvrtc.compile(unit.source, arch="sm_90")
    assert "atomic_update_system<atomic_min_op>(&cell[1], 3.0f)" in unit.source
    assert "atomic_update_system<atomic_add_op>(&cell[1], __float2half(3.0f))" in unit.source
    assert "atomic_compare_exchange_system(&cell[1]," in unit.source
    assert "= atomicAdd(&cell[1], __float2half(3.0f))" in unit.source
    assert unit.source.count("atomicCAS(") == 1


def test_many_threads_add_up(monkeypatch: pytest.MonkeyPatch) -> None:
    kernels = []
    for t in (DTYPES["i32"], DTYPES["i64"], DTYPES["u8"], F16, BF16, DTYPES["f64"]):
        cell = array("cell", t, ownership="atomic")
        amount = const(1.0 if t.is_float else 1, t)
        kernels.append(
            kernel([cell], [atomic(None, "add", cell, const(1), amount)], name=f"count_{t}", block=(64, 1, 1))
        )
    unit = emit_unit("count", kernels)
    one_library(unit, monkeypatch)
    for entry in unit.entries:
        dtype = NUMPY[entry.name.removeprefix("count_")]
        cell = np.zeros(3, dtype)
        host_build.run_on_host(unit.source, entry.name, entry.abi, {"cell": cell}, (2,), (64,), namespace="count")
        assert [float(v) for v in cell.astype(np.float64)] == [0, 128, 0]


def test_bf16_values_are_those_of_numpy() -> None:
    x, y = array("x", BF16), array("y", BF16, ownership="out")
    i = launch("grid")
    assert i.type == INDEX
    unit = emit_unit("copy", [kernel([x, y], [store(y, i, load(x, i))], name="copy", block=(4, 1, 1))])
    given = np.array([0.1, -2.5, 3e38, 1e-40]).astype(ml_dtypes.bfloat16)
    result = np.zeros_like(given)
    host_build.run_on_host(unit.source, "copy", unit.entries[0].abi, {"x": given, "y": result}, (1,), (4,))
    assert result.tobytes() == given.tobytes()
