"""Latency of the language server: from a change of a 300-line kernel file to its first findings, on a real server over its pipes.

Run: `python bench/editor.py [--lines 300] [--rounds 40]`. The file is put together from the kernels of samples/simt. Every change
breaks or mends a name in the middle of the file, so that each answer differs from the one before; four ways of typing:

    one at a time        the server is idle, as after a pause in which the proof ended
    outside of kernels   as before, with a constant that changes too: every kernel is typed anew
    while it proves      the change comes when the proof of the last version has been going on for a moment
    in bursts            eight changes at once; counted is the last one, and nothing else is answered with findings after it

The bar for all of them is a median below 150 ms. The last row is the pause and the proof of the whole file.
"""

from __future__ import annotations

import argparse
import re
import statistics
import sys
import time
from collections.abc import Callable
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))

from tests.lsp.client import Client  # noqa: E402

URI = "file:///nowhere/many.py"
BAR = 150.0
PROVING = 0.35
"""Seconds after a change: more than the quiet time of the server."""


def kernels() -> list[str]:
    """The kernels of the samples, with their module constants under names of their own."""
    found: list[str] = []
    for number, path in enumerate(sorted((ROOT / "samples" / "simt").glob("*.py"))):
        text = path.read_text(encoding="utf-8")
        body = text[text.index("\nfrom transpiler import") : text.index("\ndef main")]
        lines = [line for line in body.split("\n") if not line.startswith(("from ", "import "))]
        body = "\n".join(lines).strip("\n")
        for name in set(re.findall(r"^([A-Z_]+) = |^class (\w+)\(D", body, re.MULTILINE)):
            body = re.sub(rf"\b{name[0] or name[1]}\b", f"{name[0] or name[1]}{number}", body)
        found.append(body)
    return found


def file_of(lines: int) -> str:
    """A file of about so many lines."""
    import transpiler

    names = ", ".join(sorted(name for name in transpiler.__all__ if name != "bool_"))
    text = f"import math\n\nfrom transpiler import {names}\n"
    parts = kernels()
    count = 0
    while text.count("\n") < lines:
        part = parts[count % len(parts)]
        text += f"\n\n{part}\n"
        count += 1
    return text


def measured(rounds: int, change: Callable[[int], float]) -> list[float]:
    change(0)
    return [change(n) * 1e3 for n in range(1, rounds + 1)]


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--lines", type=int, default=300)
    options.add_argument("--rounds", type=int, default=40)
    chosen = options.parse_args()
    fine = file_of(chosen.lines)
    middle = fine.index("cuda.", len(fine) // 2)
    broken = fine[:middle] + "cuds." + fine[middle + 5 :]
    client = Client()
    client.initialize()
    client.open(URI, fine)
    assert client.published(URI) == []
    client.published(URI)  # the first proof, with a worker that has just been started

    def until_answer(n: int) -> float:
        started = time.perf_counter()
        client.change(URI, broken if n % 2 else fine)
        assert bool(client.published(URI)) == bool(n % 2)
        return time.perf_counter() - started

    def idle(n: int) -> float:
        took = until_answer(n)
        client.silent(0.05)
        return took

    def outside(n: int) -> float:
        started = time.perf_counter()
        client.change(URI, (broken if n % 2 else fine) + f"\n\nUNUSED = {n}\n")
        assert bool(client.published(URI)) == bool(n % 2)
        took = time.perf_counter() - started
        client.silent(0.05)
        return took

    def proving(n: int) -> float:
        client.change(URI, fine + "\n" * (n % 3))
        time.sleep(PROVING)
        return until_answer(1)

    def burst(n: int) -> float:
        for k in range(8):
            client.change(URI, fine + "#" * k)
        return until_answer(1)

    def proof(n: int) -> float:
        started = time.perf_counter()
        client.change(URI, fine + "\n" * (n % 3))
        client.published(URI)
        client.published(URI)
        return time.perf_counter() - started

    rows = {
        "one at a time": measured(chosen.rounds, idle),
        "outside of kernels": measured(chosen.rounds, outside),
        "while it proves": measured(chosen.rounds, proving),
        "in bursts": measured(chosen.rounds, burst),
        "pause and proof": measured(max(chosen.rounds // 8, 3), proof),
    }
    assert client.close() == 0
    count = fine.count("@kernel")
    print(f"{f'{fine.count(chr(10))} lines, {count} kernels':24} {'median ms':>10} {'p90 ms':>8} {'max ms':>8}")
    for name, times in rows.items():
        ordered = sorted(times)
        p90 = ordered[min(len(ordered) - 1, int(len(ordered) * 0.9))]
        print(f"{name:24} {statistics.median(times):10.0f} {p90:8.0f} {ordered[-1]:8.0f}")
    slow = [name for name, times in rows.items() if name != "pause and proof" and statistics.median(times) >= BAR]
    print(f"bar: median below {BAR:.0f} ms: {'missed ' + ', '.join(slow) if slow else 'met'}")


if __name__ == "__main__":
    main()
