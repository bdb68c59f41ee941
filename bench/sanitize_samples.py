"""Every sample on a GPU: plainly, then under the four tools of compute-sanitizer.

    python bench/sanitize_samples.py [--jobs 8] [SAMPLE ...]

Prints one row a sample: `ok` or what failed, and per tool the number of errors that it found (0 is clean). The simulator decides
nothing here: without a GPU the samples are simulated and the tools find nothing, which the table says.
"""

from __future__ import annotations

import argparse
import re
import shutil
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

TOOLS = ("memcheck", "racecheck", "initcheck", "synccheck")
SAMPLES = Path(__file__).resolve().parent.parent / "samples"


def _run(command: list[str]) -> tuple[int, str]:
    with tempfile.TemporaryDirectory() as scratch:
        try:
            done = subprocess.run(command, capture_output=True, text=True, cwd=scratch, timeout=240, check=False)
        except subprocess.TimeoutExpired:
            return 1, "timed out"
    return done.returncode, done.stdout + done.stderr


def plain(sample: Path) -> str:
    code, text = _run([sys.executable, str(sample)])
    if code:
        return "FAILED: " + text.strip().splitlines()[-1][:60]
    return "ok" if "ran on the GPU" in text else "ok (simulated)"


def sanitized(sample: Path, tool: str) -> str:
    code, text = _run(["compute-sanitizer", "--tool", tool, "--error-exitcode", "86", sys.executable, str(sample)])
    found = re.search(r"(?:ERROR|RACECHECK) SUMMARY: (\d+)", text)
    if found is None:
        return "no summary: " + (text.strip().splitlines() or ["?"])[-1][:40]
    return found[1] if code in (0, 86) else f"{found[1]}, exit {code}"


def main() -> int:
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("samples", nargs="*", type=Path)
    options.add_argument("--jobs", type=int, default=8)
    chosen = options.parse_args()
    samples = [s.resolve() for s in chosen.samples] or sorted([*SAMPLES.glob("simt/*.py"), *SAMPLES.glob("safe/*.py")])
    tools = TOOLS if shutil.which("compute-sanitizer") else ()
    with ThreadPoolExecutor(chosen.jobs) as pool:
        runs = [(s, pool.submit(plain, s), [pool.submit(sanitized, s, t) for t in tools]) for s in samples]
        print(f"{'sample':24} {'run':16} " + " ".join(f"{t:>10}" for t in tools))
        clean = True
        for sample, run, checks in runs:
            row = [c.result() for c in checks]
            clean = clean and run.result().startswith("ok") and all(r == "0" for r in row)
            print(f"{sample.stem:24} {run.result():16} " + " ".join(f"{r:>10}" for r in row), flush=True)
    print("all clean" if clean else "NOT CLEAN")
    return 0 if clean else 1


if __name__ == "__main__":
    sys.exit(main())
