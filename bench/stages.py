"""Where the time of `transpile emit` goes: lines a second of each stage, NVRTC's time for what is emitted, peak memory.

    python bench/stages.py

Files of 100, 1,000 and 10,000 lines of many small kernels; the figures of a column should not fall from row to row. Processor
time, in this process. Emission leaves the prover out (`unchecked`), which has a benchmark of its own. No GPU is needed.
"""

from __future__ import annotations

import resource
import statistics
import time
from pathlib import Path

from transpiler import pipeline
from transpiler.check import check_kernel
from transpiler.emit import emit_unit
from transpiler.frontend import parse_module
from transpiler.ir import device
from transpiler.lower import lower_kernel
from transpiler.runtime import nvrtc
from transpiler.source import Source

SAXPY = Path(__file__).resolve().parent.parent / "samples" / "simt" / "saxpy.py"
HEAD = "from transpiler import Dim, In, InOut, cuda, f32, kernel\n\n\nclass N(Dim): ...\n\n\n"
KERNEL = """\
@kernel(domain=N, block=256)
def k{}(a: f32, x: In[f32, N], y: InOut[f32, N]):
    i = cuda.grid(1)
    if i < N:
        t = x[i] * (a + 1.0) if a > 2.0 else -x[i]
        for j in range(0, 16, 2):
            t = t * a - 0.5 * j
        y[i] = cuda.fma(a, t, y[i])
"""


def _clock(work) -> tuple[float, object]:
    started = time.process_time()
    result = work()
    return time.process_time() - started, result


def _typed(source: Source) -> list[device.Kernel]:
    module, _ = parse_module(source)
    states = (check_kernel(module, function, {})[0] for function in module.functions if function.is_kernel)
    return [lower_kernel(typed) for typed in states if typed is not None]


def main() -> None:
    print(f"{'lines':>8} {'parse l/s':>12} {'to IR l/s':>12} {'emit l/s':>12} {'peak MB':>9}")
    for count in (100, 1_000, 10_000):
        kernels = count // KERNEL.count("\n")
        text = HEAD + "\n\n".join(KERNEL.format(k) for k in range(kernels))
        source, lines = Source(text), text.count("\n")
        parse, _ = _clock(lambda source=source: parse_module(source))
        build, built = _clock(lambda source=source: _typed(source))
        emit, _ = _clock(lambda built=built: emit_unit("bench", built))
        peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
        print(f"{lines:8,} {lines / parse:12,.0f} {lines / build:12,.0f} {lines / emit:12,.0f} {peak:9,.0f}")
    _, unit = pipeline.emit(Source.read(SAXPY))
    assert unit is not None
    nvrtc.compile(unit.source, arch="sm_90a", kind="cubin")  # loads the library
    times = [_wall(unit.source) for _ in range(9)]
    print(f"NVRTC, emitted saxpy to an sm_90a cubin: median {statistics.median(times):.1f} ms")


def _wall(text: str) -> float:
    started = time.perf_counter()
    nvrtc.compile(text, arch="sm_90a", kind="cubin")
    return (time.perf_counter() - started) * 1e3


if __name__ == "__main__":
    main()
