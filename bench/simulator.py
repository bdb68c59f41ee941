"""How fast the simulator is: thread-statements a second and memory, race detector on and off.

Usage: `python bench/simulator.py [--json]`. The bar is 5 million thread-statements a second on one core for saxpy with
the detector on, and shadow memory linear in the arrays. Figures are the best of three runs; memory is what a launch
allocates beyond its arrays, at its peak.
"""

from __future__ import annotations

import argparse
import json
import sys
import tracemalloc
from collections.abc import Callable
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from transpiler.check import check_kernel
from transpiler.frontend import parse_module
from transpiler.ir import device
from transpiler.lower import lower_kernel
from transpiler.simulate import simulate
from transpiler.source import Source

KERNELS = """
from transpiler import Atomic, Dim, In, InOut, Out, cuda, f32, i32, kernel, requires


class N(Dim): ...


class M(Dim): ...


@kernel(domain=N, block=256)
def saxpy(a: f32, x: In[f32, N], y: InOut[f32, N]):
    i = cuda.grid(1)
    if i < N:
        y[i] = a * x[i] + y[i]


@kernel(domain=(N, M), block=(32, 8))
def stencil(a: In[f32, M, N], b: Out[f32, M, N]):
    j, i = cuda.grid(2)
    if 0 < i < M - 1 and 0 < j < N - 1:
        b[i, j] = 0.25 * (a[i - 1, j] + a[i + 1, j] + a[i, j - 1] + a[i, j + 1])


@kernel(domain=N, block=256)
def block_sums(x: In[f32, N], sums: Out[f32, int]):
    requires(len(sums) >= cuda.gridDim.x)
    part = cuda.shared.array(256, f32)
    i, t = cuda.grid(1), cuda.threadIdx.x
    part[t] = x[i] if i < N else 0.0
    cuda.syncthreads()
    for half in (128, 64, 32, 16, 8, 4, 2, 1):
        if t < half:
            part[t] += part[t + half]
        cuda.syncthreads()
    if t == 0:
        sums[cuda.blockIdx.x] = part[0]


@kernel(domain=(N, N), block=(16, 16))
def matmul(a: In[f32, N, N], b: In[f32, N, N], c: Out[f32, N, N]):
    requires(N % 16 == 0)
    left, right = cuda.shared.array((16, 16), f32), cuda.shared.array((16, 16), f32)
    tx, ty = cuda.threadIdx.x, cuda.threadIdx.y
    column, row = cuda.grid(2)
    total = 0.0
    for k in range(0, N, 16):
        left[ty, tx] = a[row, k + tx]
        right[ty, tx] = b[k + ty, column]
        cuda.syncthreads()
        for m in range(16):
            total += left[ty, m] * right[m, tx]
        cuda.syncthreads()
    c[row, column] = total


@kernel(domain=N, block=256)
def histogram(x: In[i32, N], bins: Atomic[i32, 64]):
    i = cuda.grid(1)
    if i < N:
        cuda.atomic.add(bins, x[i] & 63, 1)
"""


def _floats(*shape: int) -> np.ndarray:
    return np.ones(shape, np.float32)


LAUNCHES: dict[str, Callable[[], dict[str, Any]]] = {
    "saxpy": lambda: {"a": 2.0, "x": _floats(1 << 21), "y": _floats(1 << 21)},
    "stencil": lambda: {"a": _floats(1024, 1024), "b": _floats(1024, 1024)},
    "block_sums": lambda: {"x": _floats(1 << 19), "sums": _floats(1 << 11)},
    "matmul": lambda: {"a": _floats(192, 192), "b": _floats(192, 192), "c": _floats(192, 192)},
    "histogram": lambda: {"x": np.arange(1 << 19, dtype=np.int32) * 7, "bins": np.zeros(64, np.int32)},
}


@dataclass(frozen=True)
class Figures:
    """`mega` counts thread-statements a second in millions; memory is in bytes for each byte of the arrays."""

    kernel: str
    threads: int
    mega: float
    mega_undetected: float
    memory: float


def kernels() -> dict[str, device.Kernel]:
    module, _ = parse_module(Source(KERNELS, "bench.py"))
    lowered = {}
    for function in module.functions:
        typed, diagnostics = check_kernel(module, function)
        assert typed is not None, diagnostics
        lowered[function.name] = lower_kernel(typed)
    return lowered


def measure(kernel: device.Kernel, arguments: Callable[[], dict[str, Any]]) -> Figures:
    def best(detect: bool) -> tuple[float, int]:
        reports = [simulate(kernel, arguments(), detect=detect) for _ in range(3)]
        assert all(report.ok for report in reports), reports[0].diagnostics
        return max(r.statements / r.seconds for r in reports) / 1e6, reports[0].threads

    (mega, threads), (undetected, _) = best(True), best(False)
    given = arguments()
    tracemalloc.start()
    simulate(kernel, given)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    held = sum(value.nbytes for value in given.values() if isinstance(value, np.ndarray))
    return Figures(kernel.name, threads, round(mega, 1), round(undetected, 1), round(peak / held, 1))


def main() -> int:
    parser = argparse.ArgumentParser(description=str(__doc__).partition("\n")[0])
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    found = [measure(kernel, LAUNCHES[name]) for name, kernel in kernels().items()]
    if options.json:
        print(json.dumps([asdict(figures) for figures in found], indent=2))
    else:
        print(f"{'kernel':12} {'threads':>9} {'M statements/s':>15} {'undetected':>11} {'memory / arrays':>16}")
        for f in found:
            print(f"{f.kernel:12} {f.threads:>9} {f.mega:>15} {f.mega_undetected:>11} {f.memory:>16}")
    return 0 if found[0].mega >= 5.0 else 1


if __name__ == "__main__":
    sys.exit(main())
