"""Emitted arithmetic and atomics on the device: the tables of tests/emit, against the same expectations."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache

import numpy as np
import pytest

from tests.emit import test_atomics, test_meaning
from tests.support import host_build
from transpiler.emit import EmittedUnit
from transpiler.ir.types import DType
from transpiler.runtime import nvrtc


@cache
def _module(source: str):
    import cupy

    capability = cupy.cuda.Device().compute_capability
    module = cupy.cuda.function.Module()
    module.load(nvrtc.compile(source, arch=f"sm_{capability}", options=("--fmad=false",)))
    return module


def launch(source: str, name: str, abi, arguments: dict, grid, block, **_: object) -> None:
    """As `host_build.run_on_host`, on the device."""
    import cupy

    held = {k: cupy.asarray(v.view(np.uint8)) for k, v in arguments.items() if isinstance(v, np.ndarray)}
    values = []
    for param in abi:
        given = arguments[param.name]
        values.append(held[param.name] if param.kind == "pointer" else np.int32(given))
    _module(source).get_function(name)((*grid, 1, 1)[:3], (*block, 1, 1)[:3], tuple(values))
    for key, array in held.items():
        arguments[key].view(np.uint8)[:] = array.get()


def run(unit: EmittedUnit, name: str, arrays: list[np.ndarray], out: DType, columns: int = 1) -> np.ndarray:
    entry = next(e for e in unit.entries if e.name == name)
    count = len(arrays[0])
    result = np.zeros(count * columns, test_meaning.NUMPY[out.name])
    arguments = {f"in{k}": a for k, a in enumerate(arrays)} | {"out": result, "n": count}
    launch(unit.source, name, entry.abi, arguments, (-(-count // 256),), (256,))
    return result


@pytest.mark.parametrize(
    "table",
    [
        test_meaning.test_data_integers_wrap,
        test_meaning.test_index_integers_are_exact,
        test_meaning.test_comparison_is_by_value,
        test_meaning.test_casts,
        test_meaning.test_floats,
        test_meaning.test_powers_of_floats,
        test_atomics.test_every_operation_of_every_dtype,
        test_atomics.test_many_threads_add_up,
    ],
    ids=lambda table: table.__name__,
)
def test_table(table: Callable[[pytest.MonkeyPatch], None], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(test_meaning, "run", run)
    monkeypatch.setattr(host_build, "run_on_host", launch)
    table(monkeypatch)
