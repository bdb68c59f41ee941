"""How the prover's time grows, and whether its answers are the same on every run.

In: the corpus beside the project, or the prover's own cases where it is not there. Out: three tables on standard output:

* milliseconds a kernel over the corpus: median, p90, max (bars: 30, 100, 2000);
* the time of one kernel as accesses are added: each with an array of its own, each in an interval of its own (linear), and
  all to one array in one interval (bar: 5 s at 256);
* answers of five processes with other hash seeds, every other one in reverse order: equal byte by byte, `time_ms` apart.

Times are of the processor. `python bench/prover.py [--runs N]`
"""

from __future__ import annotations

import argparse
import hashlib
import json
import os
import statistics
import subprocess
import sys
import time
from dataclasses import replace
from pathlib import Path

from transpiler import pipeline
from transpiler.diagnostics.machine import diagnostic_to_json
from transpiler.source import Source

ROOT = Path(__file__).resolve().parents[1]
CORPUS = ROOT.parent / "shared" / "cases"
OWN = ROOT / "tests" / "prove" / "cases"
COUNTS = (16, 32, 64, 128, 256)
HEAD = "from transpiler import In, InOut, Out, cuda, f32, i8, i32, kernel\n\n\n@kernel(block=64)\n"


def files() -> list[Path]:
    return sorted((CORPUS if CORPUS.exists() else OWN).glob("*.py"))


def seconds(source: Source) -> tuple[str, float]:
    """The verdict on the first kernel, and the time of its check."""
    started = time.process_time()
    report = pipeline.check(source).kernels[0]
    return report.verdict, time.process_time() - started


# --- the tables -------------------------------------------------------------------------------------------


def corpus() -> None:
    pipeline.check(Source.read(files()[0]))  # loads the solver
    times = sorted(seconds(Source.read(path))[1] * 1e3 for path in files())
    p90 = times[int(0.9 * (len(times) - 1))]
    print(f"{len(times)} kernels: median {statistics.median(times):.1f} ms, p90 {p90:.1f} ms, max {times[-1]:.1f} ms")


def own_arrays(n: int) -> str:
    params = ", ".join(f"a{k}: Out[f32, int]" for k in range(n))
    return f"{HEAD}def k({params}):\n    i = cuda.grid(1)\n" + "".join(f"    a{k}[i] = 1.0\n" for k in range(n))


def own_intervals(n: int) -> str:
    body = "".join("    s[tx ^ 1] = 1.0\n    cuda.syncthreads()\n" for _ in range(n))
    return f"{HEAD}def k(n: i32):\n    s = cuda.shared.array(64, f32)\n    tx = cuda.threadIdx.x\n{body}"


def one_interval(n: int) -> str:
    body = "".join(f"    s[tx + {64 * k}] = 1\n" for k in range(n))
    return f"{HEAD}def k(n: i32):\n    s = cuda.shared.array({64 * n}, i8)\n    tx = cuda.threadIdx.x\n{body}"


def scaling() -> None:
    print(f"{'accesses':>24}" + "".join(f"{n:>9}" for n in COUNTS))
    for name, text in (("own array", own_arrays), ("own interval", own_intervals), ("one interval", one_interval)):
        row = [seconds(Source(text(n), f"{name}.py")) for n in COUNTS]
        assert {verdict for verdict, _ in row} == {"proved"}, row
        print(f"{name:>24}" + "".join(f"{s:8.2f}s" for _, s in row))


# --- the same answer every time ---------------------------------------------------------------------------


def answers(paths: list[Path]) -> dict[str, str]:
    """A digest of everything that is said of each file, times apart."""
    found = {}
    for path in paths:
        told = []
        for k in pipeline.check(Source(path.read_text(), path.name)).kernels:
            proof = repr(replace(k.proof, time_ms=0.0, checked_nodes=frozenset())) if k.proof is not None else ""
            told.append([k.verdict, k.contract, [diagnostic_to_json(d) for d in k.diagnostics], proof])
        found[path.name] = hashlib.sha256(json.dumps(told, default=str).encode()).hexdigest()
    return found


def determinism(runs: int, paths: list[Path]) -> bool:
    """Whether processes with other hash seeds, and the files in reverse order, give the same digests."""
    told = []
    for run in range(runs):
        names = [str(p) for p in (paths[::-1] if run % 2 else paths)]
        command = [sys.executable, __file__, "--answers", *names]
        env = os.environ | {"PYTHONHASHSEED": str(run)}
        told.append(json.loads(subprocess.run(command, check=True, capture_output=True, env=env).stdout))
    differ = sorted(name for name in told[0] if len({t[name] for t in told}) > 1)
    print(f"{runs} processes, {len(paths)} files: " + (f"differ: {differ}" if differ else "the same answers"))
    return not differ


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--runs", type=int, default=5)
    parser.add_argument("--answers", nargs="*", help="print digests for these files")
    options = parser.parse_args()
    if options.answers is not None:
        print(json.dumps(answers([Path(p) for p in options.answers])))
        return 0
    corpus()
    scaling()
    return int(not determinism(options.runs, files()))


if __name__ == "__main__":
    sys.exit(main())
