"""Parse throughput: 100, 1,000 and 10,000 lines of kernels, as one long kernel and as many short ones.

Run: `python bench/parse.py`. Prints lines a second of processor time; the figures of a column should not fall from row to row.
"""

from __future__ import annotations

import time

from transpiler.frontend import parse_module
from transpiler.frontend.tables import build, grammar_text
from transpiler.source import Source

HEAD = "from transpiler import Dim, In, InOut, cuda, f32, kernel\n\nclass N(Dim): ...\n\n"
KERNEL = "@kernel(domain=N, block=256)\ndef k{}(a: f32, x: In[f32, N], y: InOut[f32, N]):\n    i = cuda.grid(1)\n"
BODY = """\
    if i < N and x[i] > 0.0:
        for j in range(0, 16, 2):
            y[i] += a * x[(i + j) % N] - 0.5  # weigh
        t = x[i] * (a + 1.0) if a > 2.0 else -x[i]
    else:
        t = 0.0
    y[i] = cuda.fma(a, t, y[i])
"""


def text(lines: int, *, kernels: bool) -> str:
    parts = [HEAD]
    count = 4
    while count < lines:
        if kernels or count == 4:
            parts.append(KERNEL.format(count))
            count += 3
        parts.append(BODY)
        count += 7
    return "".join(parts)


def seconds(source: Source) -> float:
    best = 1e9
    for _ in range(3):
        start = time.process_time()
        _, diagnostics = parse_module(source)
        best = min(best, time.process_time() - start)
        assert not diagnostics
    return best


def main() -> None:
    start = time.process_time()
    build(grammar_text())
    print(f"tables from the grammar   {(time.process_time() - start) * 1e3:8.1f} ms")
    print(f"{'lines':>8} {'one kernel':>14} {'many kernels':>14}")
    for lines in (100, 1_000, 10_000):
        one, many = (seconds(Source(text(lines, kernels=kernels))) for kernels in (False, True))
        print(f"{lines:8,} {lines / one:9,.0f} l/s {lines / many:10,.0f} l/s")


if __name__ == "__main__":
    main()
