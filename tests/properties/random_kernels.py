"""Random-kernel campaign: what the prover says of kernels drawn from seeds, held against the simulator.

In: seeds. Out: counts, and the seed of each kernel called proved that some launch shows to be faulty. The kernels are short ones
drawn freely (`meeting`); those of the simulator's strategies are judged by `fuzz`.

    python -m tests.properties.random_kernels [--start SEED] [--count N] [--launches N]

Non-goals: judging one kernel (`oracle`).
"""

from __future__ import annotations

import argparse
import random
import sys
import time
from collections.abc import Iterable, Iterator

from tests.properties.mutate import Counts, Mutant, Subject, campaign
from tests.strategies.meeting import meeting_kernel

BATCH = 250


def text_of(seed: int) -> str:
    return meeting_kernel(random.Random(seed))


def kernels(seeds: Iterable[int]) -> Iterator[Mutant]:
    for seed in seeds:
        text = text_of(seed)
        yield Mutant(Subject(f"seed {seed}", text), "drawn", 1, text)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--start", type=int, default=0)
    parser.add_argument("--count", type=int, default=10_000)
    parser.add_argument("--launches", type=int, default=6, help="of each kernel called proved")
    options = parser.parse_args()
    started = time.perf_counter()
    counts = Counts()
    for first in range(options.start, options.start + options.count, BATCH):
        seeds = range(first, min(first + BATCH, options.start + options.count))
        counts = counts + campaign(kernels(seeds), 0, options.launches, lambda line: print(line, flush=True))
        print(f"seeds {options.start} .. {seeds[-1]}: {counts}, {time.perf_counter() - started:.0f} s", flush=True)
    return int(bool(counts.unsound or counts.crashed) or counts.replay_rate < 0.95)


if __name__ == "__main__":
    sys.exit(main())
