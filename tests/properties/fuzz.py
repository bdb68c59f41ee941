"""The property tests without end: `python -m tests.properties.fuzz --seconds 3600`.

In: a time limit, a first seed, which oracles. Out: counts every half minute, and for each mismatch its seed and kernel; the exit
status is 1 if there was one. A mismatch is seen again with `--seed SEED --count 1`.
"""

from __future__ import annotations

import argparse
import sys
import time
import warnings
from collections import Counter
from collections.abc import Callable

from tests.properties.oracles import Mismatch, Outcome, judge_by_host, judge_by_prover, judge_by_python
from tests.strategies.kernels import random_cooperative, random_scalar
from tests.support import host_build

BATCH = 24


def by_python(seed: int) -> Outcome:
    return judge_by_python(random_scalar(seed))


def by_prover(seed: int) -> Outcome:
    return judge_by_prover(random_cooperative(seed))


def by_host(seed: int) -> Outcome:
    return judge_by_host([random_cooperative(seed) if seed % 2 else random_scalar(seed)])[0]


ORACLES: dict[str, Callable[[int], Outcome]] = {"python": by_python, "prover": by_prover, "host": by_host}


def main() -> int:
    args = arguments()
    warnings.simplefilter("ignore")
    names = [n for n in args.oracle or ORACLES if n != "host" or host_build.available()]
    print(f"oracles: {', '.join(names)}; seeds from {args.seed}", flush=True)
    counts: Counter[str] = Counter()
    failures: list[str] = []
    started = shown = time.monotonic()
    seed = args.seed
    while time.monotonic() - started < args.seconds and (args.count is None or seed < args.seed + args.count):
        for name in names:
            if name == "host":
                if (seed - args.seed) % BATCH == 0:
                    last = seed + BATCH if args.count is None else min(seed + BATCH, args.seed + args.count)
                    host_batch(range(seed, last), counts, failures)
                continue
            judge(name, seed, counts, failures)
        seed += 1
        if time.monotonic() - shown > 30:
            shown = time.monotonic()
            print(f"{shown - started:6.0f} s, seed {seed}: {summary(counts)}", flush=True)
    print(f"{seed - args.seed} seeds from {args.seed} in {time.monotonic() - started:.0f} s: {summary(counts)}")
    for failure in failures:
        print(f"open: {failure}")
    return 1 if failures else 0


def judge(name: str, seed: int, counts: Counter[str], failures: list[str]) -> None:
    try:
        counts[f"{name} {ORACLES[name](seed).value}"] += 1
    except Mismatch as error:
        report(name, seed, str(error), counts, failures)
    except Exception as error:  # a crash of ours is a finding, and the run goes on
        report(name, seed, f"{type(error).__name__}: {error}", counts, failures)


def host_batch(seeds: range, counts: Counter[str], failures: list[str]) -> None:
    """Kernels built together; where one is wrong, each alone."""
    kernels = [random_cooperative(seed) if seed % 2 else random_scalar(seed) for seed in seeds]
    try:
        for outcome in judge_by_host(kernels):
            counts[f"host {outcome.value}"] += 1
    except Exception:  # found again below, with its seed
        for seed in seeds:
            judge("host", seed, counts, failures)


def report(name: str, seed: int, words: str, counts: Counter[str], failures: list[str]) -> None:
    counts[f"{name} MISMATCH"] += 1
    failures.append(f"{name} seed {seed}: {words.splitlines()[0][:300]}")
    print(f"--- {name}, seed {seed}\n{words}\n", flush=True)


def summary(counts: Counter[str]) -> str:
    return ", ".join(f"{name} {count}" for name, count in sorted(counts.items())) or "nothing yet"


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description="Draw kernels and let the oracles judge them.")
    parser.add_argument("--seconds", type=float, default=float("inf"), help="stop after so many seconds")
    parser.add_argument("--seed", type=int, default=1_000_000, help="the first seed")
    parser.add_argument("--count", type=int, help="how many seeds")
    parser.add_argument("--oracle", choices=ORACLES, action="append", help="only this one (may be repeated)")
    return parser.parse_args()


if __name__ == "__main__":
    sys.exit(main())
