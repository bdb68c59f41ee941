"""Cold compile of one kernel as a whole process: `transpile emit` against Triton and cuTile.

    python bench/cold_start.py [--peers PYTHON] [--rounds 7]

`--peers` is a Python that has the peers (`triton`, `cuda-tile[tileiras]`); without it they are looked for in this one. Rounds are
interleaved: each round starts every tool once with empty caches of its own (ours keeps its parser tables, as after the first use;
the row `no tables` counts the first use too). Prints medians and ratios. No GPU is needed.
"""

from __future__ import annotations

import argparse
import os
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

HERE = Path(__file__).resolve().parent
SAMPLE = HERE.parent / "samples" / "simt" / "saxpy.py"


def _seconds(command: list[str], **environment: str) -> float | None:
    """Wall time of a process; None where it fails."""
    started = time.perf_counter()
    done = subprocess.run(command, capture_output=True, env={**os.environ, **environment}, check=False)
    return time.perf_counter() - started if done.returncode == 0 else None


def _round(peers: str, cache: str) -> dict[str, float | None]:
    emit = [sys.executable, "-m", "transpiler.cli", "emit", str(SAMPLE)]
    with tempfile.TemporaryDirectory() as scratch:
        return {
            "transpile emit": _seconds([*emit, "-o", scratch + "/a"], XDG_CACHE_HOME=cache),
            "transpile emit, no tables": _seconds([*emit, "-o", scratch + "/b"], XDG_CACHE_HOME=scratch),
            "triton": _seconds([peers, str(HERE / "peers" / "triton_saxpy.py")], TRITON_CACHE_DIR=scratch + "/c"),
            "cutile": _seconds([peers, str(HERE / "peers" / "cutile_saxpy.py")], CUDA_TILE_CACHE_DIR=scratch + "/d"),
        }


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--peers", default=sys.executable)
    options.add_argument("--rounds", type=int, default=7)
    chosen = options.parse_args()
    with tempfile.TemporaryDirectory() as cache:
        _round(chosen.peers, cache)  # warms the file cache and our tables
        rounds = [_round(chosen.peers, cache) for _ in range(chosen.rounds)]
    ours = statistics.median(r["transpile emit"] or float("nan") for r in rounds)
    print(f"{'cold compile of saxpy':28} {'median s':>9} {'times ours':>11}")
    for name in rounds[0]:
        times = [r[name] for r in rounds]
        known = [t for t in times if t is not None]
        if len(known) < len(times):
            print(f"{name:28} {'fails or is not installed':>21}")
            continue
        median = statistics.median(known)
        print(f"{name:28} {median:9.3f} {median / ours:11.2f}")


if __name__ == "__main__":
    main()
