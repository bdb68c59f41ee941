"""The emitted C++, built by g++ against the host stand-ins, leaves what the simulator leaves: generated kernels and samples."""

from __future__ import annotations

import os
from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tests.properties.oracles import Outcome, copied, judge_by_host
from tests.strategies.host import build_kernels
from tests.strategies.kernels import random_cooperative, random_scalar
from tests.support import host_build
from tests.traps.harness import different
from transpiler.check import check_kernel, instances_of
from transpiler.cli.data import make_up
from transpiler.frontend import parse_module
from transpiler.intrinsics.entry import Intrinsic
from transpiler.ir import device
from transpiler.ir.types import IndexType
from transpiler.ir.walk import walk
from transpiler.lower import lower_kernel
from transpiler.prove import prove
from transpiler.simulate import simulate
from transpiler.source import Source

pytestmark = pytest.mark.skipif(not host_build.available(), reason="needs g++")

SAMPLES = sorted((Path(__file__).parents[2] / "samples" / "simt").glob("*.py"))
COUNT = int(os.environ.get("ORACLE_KERNELS", "48"))


def test_scalar_kernels() -> None:
    outcomes = Counter(judge_by_host([random_scalar(seed) for seed in range(COUNT // 2)]))
    assert outcomes[Outcome.EQUAL] > COUNT // 4


def test_kernels_whose_threads_meet() -> None:
    outcomes = Counter(judge_by_host([random_cooperative(seed) for seed in range(COUNT)]))
    assert outcomes[Outcome.EQUAL] > COUNT // 4


def kernels_of(path: Path) -> list[device.Kernel]:
    module, found = parse_module(Source(path.read_text(), path.name))
    assert not found
    kernels: list[device.Kernel] = []
    for function in module.functions:
        for instance in instances_of(module, function)[0] if function.is_kernel else ():
            typed, found = check_kernel(module, function, instance)
            assert typed is not None, found
            kernels.append(lower_kernel(typed))
    return kernels


def approximate(kernel: device.Kernel) -> bool:
    """Whether a function of the kernel is computed within a bound only, or a float sum depends on the order of threads."""
    bodies = (kernel.body, *(f.body for f in kernel.functions))
    return any(_approximate(node) for body in bodies for stmt in body for node in walk(stmt))


def _approximate(node: device.Node) -> bool:
    match node:
        case device.Atomic():
            return node.array.dtype.is_float
        case device.Binary(op="**"):
            return not isinstance(node.type, IndexType) and node.type.is_float
        case device.Call() | device.CallStmt():
            name = node.callee.name
            return isinstance(node.callee, Intrinsic) and name.startswith("math.") and name != "math.sqrt"
    return False


@pytest.mark.parametrize("path", SAMPLES, ids=lambda path: path.stem)
def test_samples(path: Path) -> None:
    for kernel in kernels_of(path):
        made = make_up(kernel, prove(kernel).contract)
        right, got = copied(made.arguments), copied(made.arguments)
        report = simulate(kernel, right, grid=made.grid, block=made.block)
        assert report.ok, [d.message for d in report.diagnostics]
        (built,) = build_kernels([kernel])
        dims = {name: int(value) for name, value in made.numbers.items() if name in kernel.dims}
        assert built.run(got, made.grid, made.block, dims) is None
        for name, value in right.items():
            if isinstance(value, np.ndarray):
                agree(kernel, name, got[name], value)


def agree(kernel: device.Kernel, name: str, got: Any, right: Any) -> None:
    if approximate(kernel):
        np.testing.assert_allclose(
            got.astype(np.float64), right.astype(np.float64), rtol=1e-2 if got.itemsize == 2 else 1e-5, atol=1e-6
        )
    else:
        assert not different(got, right).any(), name
