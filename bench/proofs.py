"""How long proofs take, and how they are found.

In: kernel files (the samples and the prover's own cases unless some are named). Out: a table on standard output:
milliseconds and solver queries a kernel, the slowest ones by name, and how pairs of accesses were decided. Times are
of the processor, so that a busy machine disturbs them less.

    python bench/proofs.py [FILE ...]
"""

from __future__ import annotations

import statistics
import sys
import time
from collections import Counter
from pathlib import Path

from transpiler.confirm import Confirm
from transpiler.frontend import parse_module
from transpiler.ir import device
from transpiler.pipeline import KernelState, run_passes
from transpiler.prove import Proof, prove
from transpiler.source import Source

ROOT = Path(__file__).resolve().parents[1]
SHOWN = 10


def kernels(path: Path) -> list[device.Kernel]:
    """The lowered kernels of a file, without instances that need values."""
    module, _ = parse_module(Source.read(path))
    found = []
    for function in module.functions:
        if function.is_kernel:
            state, _ = run_passes(KernelState(module=module, function=function), upto="lower")
            if state.kernel is not None:
                found.append(state.kernel)
    return found


def timed(kernel: device.Kernel) -> tuple[Proof, float]:
    started = time.process_time()
    proof = prove(kernel, confirm=Confirm(kernel))
    return proof, (time.process_time() - started) * 1e3


def main() -> None:
    paths = [Path(p) for p in sys.argv[1:]]
    paths = paths or [*sorted(ROOT.glob("samples/simt/*.py")), *sorted(ROOT.glob("tests/prove/cases/*.py"))]
    rows = [(*timed(kernel), kernel.name) for path in paths for kernel in kernels(path)]
    times = sorted(ms for _, ms, _ in rows)
    verdicts = Counter(proof.verdict for proof, _, _ in rows)
    pairs: Counter[str] = Counter()
    for proof, _, _ in rows:
        pairs.update(dict(proof.pairs))
    print(f"{len(rows)} kernels: {', '.join(f'{n} {v}' for v, n in verdicts.most_common())}")
    p90 = times[int(0.9 * (len(times) - 1))]
    print(f"ms a kernel: median {statistics.median(times):.1f}, p90 {p90:.1f}, max {times[-1]:.1f}")
    print(
        f"solver queries: {sum(p.queries for p, _, _ in rows)}, kernels without: {sum(not p.queries for p, _, _ in rows)}"
    )
    print("pairs decided:", ", ".join(f"{how} {n}" for how, n in pairs.most_common()))
    for proof, ms, name in sorted(rows, key=lambda row: -row[1])[:SHOWN]:
        print(f"  {ms:8.1f} ms  {proof.queries:4} queries  {proof.verdict:8}  {name}")


if __name__ == "__main__":
    main()
