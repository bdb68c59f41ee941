"""What a launch costs on the host: microseconds from call to return, beside other ways to launch the same kernel.

Prints one row a way: `python bench/launch_cost.py`. Every way that imports is measured in one run, interleaved, on small
arrays, so that the device is never the limit. The figure is the median of many short bursts.
"""

from __future__ import annotations

import statistics
import sys
import time
from collections.abc import Callable
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))

BURST, ROUNDS, SIZE = 200, 60, 1024


def ours() -> dict[str, Callable[[], object]]:
    import cupy as cp

    from tests.gpu.gpu_kernels import saxpy

    x, y = cp.ones(SIZE, "f4"), cp.zeros(SIZE, "f4")
    bound = saxpy.bind(2.0, x, y)
    return {
        "k(...)": lambda: saxpy(2.0, x, y),
        "k[grid, block](...)": lambda: saxpy[4, 256](2.0, x, y),
        "k.bind(...)()": bound,
    }


def raw_kernel() -> dict[str, Callable[[], object]]:
    import cupy as cp
    import numpy as np

    text = """extern "C" __global__ void saxpy(float a, const float* x, float* y, long long n) {
        long long i = blockIdx.x * 256LL + threadIdx.x; if (i < n) y[i] = a * x[i] + y[i]; }"""
    kernel = cp.RawKernel(text, "saxpy")
    x, y, a, n = cp.ones(SIZE, "f4"), cp.zeros(SIZE, "f4"), np.float32(2), np.int64(SIZE)
    return {"CuPy RawKernel": lambda: kernel((4,), (256,), (a, x, y, n))}


def cupyx_jit() -> dict[str, Callable[[], object]]:
    import cupy as cp

    from bench.peers.jit_saxpy import saxpy  # type: ignore[import-not-found]

    x, y = cp.ones(SIZE, "f4"), cp.zeros(SIZE, "f4")
    return {"cupyx.jit": lambda: saxpy[4, 256](cp.float32(2), x, y, SIZE)}


def triton() -> dict[str, Callable[[], object]]:
    import torch

    from bench.peers.triton_launch import saxpy  # type: ignore[import-not-found]

    x, y = torch.ones(SIZE, device="cuda"), torch.zeros(SIZE, device="cuda")
    return {"Triton": lambda: saxpy[(4,)](2.0, x, y, SIZE, BLOCK=256)}


def torch_add() -> dict[str, Callable[[], object]]:
    import torch

    x, y = torch.ones(SIZE, device="cuda"), torch.zeros(SIZE, device="cuda")
    return {"torch.add(out=)": lambda: torch.add(y, x, alpha=2.0, out=y)}


def torch_arguments() -> dict[str, Callable[[], object]]:
    import torch

    from tests.gpu.gpu_kernels import saxpy

    x, y = torch.ones(SIZE, device="cuda"), torch.zeros(SIZE, device="cuda")
    return {"k(...) on tensors": lambda: saxpy(2.0, x, y)}


def numba_cuda() -> dict[str, Callable[[], object]]:
    import numpy as np
    from numba import cuda

    @cuda.jit
    def saxpy(a, x, y):
        i = cuda.grid(1)
        if i < x.size:
            y[i] = a * x[i] + y[i]

    x, y = cuda.to_device(np.ones(SIZE, "f4")), cuda.to_device(np.zeros(SIZE, "f4"))
    return {"numba-cuda": lambda: saxpy[4, 256](np.float32(2), x, y)}


def captured(launch: Callable[[], object]) -> float:
    """Microseconds a kernel in a replayed graph of a thousand launches."""
    import cupy as cp

    launch()
    stream = cp.cuda.Stream(non_blocking=True)
    cp.cuda.Device().synchronize()
    with stream:
        stream.begin_capture()
        for _ in range(1000):
            launch()
        graph = stream.end_capture()
    graph.launch(stream)
    stream.synchronize()
    started = time.perf_counter()
    for _ in range(20):
        graph.launch(stream)
    stream.synchronize()
    return (time.perf_counter() - started) / 20_000 * 1e6


def measure(ways: dict[str, Callable[[], object]]) -> dict[str, float]:
    import cupy as cp

    times: dict[str, list[float]] = {name: [] for name in ways}
    for call in ways.values():
        for _ in range(20):
            call()
    cp.cuda.Device().synchronize()
    for _ in range(ROUNDS):
        for name, call in ways.items():
            started = time.perf_counter()
            for _ in range(BURST):
                call()
            times[name].append((time.perf_counter() - started) / BURST * 1e6)
            cp.cuda.Device().synchronize()
    return {name: statistics.median(values) for name, values in times.items()}


def main() -> None:
    ways: dict[str, Callable[[], object]] = {}
    for make in (ours, raw_kernel, cupyx_jit, triton, torch_add, torch_arguments, numba_cuda):
        try:
            made = make()
            for call in made.values():
                call()
        except (ImportError, AttributeError) as error:  # not installed, or not made for the NumPy that is
            print(f"not here: {make.__name__}: {error}")
        else:
            ways |= made
    for name, microseconds in measure(ways).items():
        print(f"{name:24s} {microseconds:7.2f} us")
    for name in ("k(...)", "CuPy RawKernel"):
        print(f"{name + ' in a graph':24s} {captured(ways[name]):7.2f} us")


if __name__ == "__main__":
    main()
