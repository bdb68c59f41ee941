"""Mutation campaign: small faults planted in every kernel that is right, each answer of the prover held against the simulator.

In: the corpus beside the project (if it is there), the samples, the own cases of `tests/prove/cases`. Out: counts, and a line
for each kernel called proved that a launch which meets its contract shows to be faulty, or refuted with a witness that does not
replay.

    python -m tests.properties.mutate [--seed N] [--launches N] [--every N] [--only TEXT] [--first K] [-v]

Non-goals: judging one kernel (`oracle`).
"""

from __future__ import annotations

import argparse
import ast
import json
import sys
import time
import zlib
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, fields
from pathlib import Path
from typing import Any

from tests.properties.oracle import judge
from transpiler import pipeline
from transpiler.diagnostics import Severity
from transpiler.source import Source

ROOT = Path(__file__).resolve().parents[2]
CORPUS = ROOT.parent / "shared" / "cases"
OWN = ROOT / "tests" / "prove" / "cases"
SAMPLES = ROOT / "samples"

COMPARISONS = {
    "Lt": ("<=", ">"),
    "LtE": ("<",),
    "Gt": (">=", "<"),
    "GtE": (">",),
    "Eq": ("!=", ">="),
    "NotEq": ("==",),
}
OPERATORS = {
    "Add": "-",
    "Sub": "+",
    "Mult": "+",
    "FloorDiv": "%",
    "Mod": "//",
    "LShift": "+",
    "RShift": "<<",
    "BitAnd": "|",
    "BitOr": "&",
    "BitXor": "+",
}
SLOW_MS = 8_000
BATCH = 50
CRASHES = (ValueError, TypeError, LookupError, AttributeError, AssertionError, ArithmeticError, RecursionError)
"""What a bug of ours raises: a user's mistake is never raised."""

BARRIERS = ("syncthreads", "syncwarp", "sync", "threadfence", "threadfence_block", "threadfence_system")


@dataclass(frozen=True)
class Subject:
    """A kernel file to plant faults in; `launch` is that of its case."""

    name: str
    text: str
    launch: Mapping[str, Any] | None = None


@dataclass(frozen=True)
class Mutant:
    subject: Subject
    operator: str
    line: int
    text: str


@dataclass
class Counts:
    """What a campaign came to."""

    verdicts: Counter[str] = field(default_factory=Counter)
    operators: Counter[str] = field(default_factory=Counter)
    launches: int = 0
    idle: int = 0
    """Proved ones for which no launch was found."""
    replayed: int = 0
    unsound: list[str] = field(default_factory=list)
    unconfirmed: list[str] = field(default_factory=list)
    slow: list[str] = field(default_factory=list)
    crashed: list[str] = field(default_factory=list)

    def __add__(self, other: Counts) -> Counts:
        return Counts(**{f.name: getattr(self, f.name) + getattr(other, f.name) for f in fields(self)})

    @property
    def replay_rate(self) -> float:
        told = self.replayed + len(self.unconfirmed)
        return self.replayed / told if told else 1.0

    def __str__(self) -> str:
        verdicts = ", ".join(f"{n} {v}" for v, n in self.verdicts.most_common())
        return (
            f"{sum(self.verdicts.values())} kernels ({verdicts}), {self.launches} launches of proved ones ({self.idle} without), "
            f"{len(self.unsound)} unsound, {len(self.slow)} slow, {len(self.crashed)} crashed, "
            f"{self.replayed} of {self.replayed + len(self.unconfirmed)} witnesses replayed ({self.replay_rate:.1%})"
        )


# --- subjects ---------------------------------------------------------------------------------------------


def subjects() -> list[Subject]:
    """Every kernel file that is right, in a fixed order."""
    found: list[Subject] = []
    for folder in (CORPUS, OWN):
        if (folder / "cases.json").exists():
            for case in json.loads((folder / "cases.json").read_text()):
                if case["verdict"] == "safe":
                    found.append(Subject(case["file"], (folder / case["file"]).read_text(), case.get("launch")))
    for path in sorted(SAMPLES.glob("s*/*.py")):
        found.append(Subject(path.name, path.read_text()))
    return found


# --- mutants ----------------------------------------------------------------------------------------------


def mutants(subject: Subject) -> Iterator[Mutant]:
    """One planted fault each; the text keeps its lines."""
    tree = ast.parse(subject.text)
    starts = [0]
    for line in subject.text.encode().split(b"\n"):
        starts.append(starts[-1] + len(line) + 1)
    data = subject.text.encode()

    def replaced(node: ast.AST, text: str, operator: str) -> Mutant:
        at = starts[node.lineno - 1] + node.col_offset  # type: ignore[attr-defined]
        end = starts[node.end_lineno - 1] + node.end_col_offset  # type: ignore[attr-defined]
        return Mutant(subject, operator, node.lineno, (data[:at] + text.encode() + data[end:]).decode())  # type: ignore[attr-defined]

    def source(node: ast.AST) -> str:
        return ast.get_source_segment(subject.text, node) or ""

    for function in tree.body:
        if isinstance(function, ast.FunctionDef) and _decorated(function):
            for node in _nodes(function.body):
                for text, operator, place in _faults(node, source):
                    yield replaced(place, text, operator)


def _decorated(function: ast.FunctionDef) -> bool:
    names = {ast.unparse(x.func if isinstance(x, ast.Call) else x) for x in function.decorator_list}
    return bool(names & {"kernel", "device"})


def _nodes(body: Iterable[ast.stmt]) -> Iterator[ast.AST]:
    for statement in body:
        if isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Constant):
            continue
        yield from ast.walk(statement)


def _faults(node: ast.AST, source: Any) -> Iterator[tuple[str, str, ast.AST]]:
    """(new text, kind of fault, what it replaces)."""
    match node:
        case ast.Expr(value=ast.Call(func=ast.Attribute(attr=name))) if name in BARRIERS:
            yield "pass", "drop barrier", node
        case ast.Expr(value=ast.Call(func=ast.Name(id="requires"))):
            yield "pass", "drop requires", node
        case ast.Expr(value=ast.Call(func=ast.Name(id="invariant"))):
            yield "pass", "drop invariant", node
        case ast.Compare(left=left, ops=[op], comparators=[right]) if type(op).__name__ in COMPARISONS:
            for other in COMPARISONS[type(op).__name__]:
                yield f"{source(left)} {other} {source(right)}", "change comparison", node
            yield f"{source(left)} {source_of(op)} {source(right)} + 1", "shift bound", node
        case ast.If(test=test):
            yield "True", "remove guard", test
            yield f"not ({source(test)})", "negate guard", test
        case ast.Subscript(slice=index):
            for i in index.elts if isinstance(index, ast.Tuple) else [index]:
                if not isinstance(i, ast.Slice):
                    yield f"({source(i)}) + 1", "index + 1", i
                    yield f"({source(i)}) - 1", "index - 1", i
        case ast.BinOp(left=left, op=op, right=right) if type(op).__name__ in OPERATORS:
            yield f"(({source(left)}) {OPERATORS[type(op).__name__]} ({source(right)}))", "swap operator", node
        case ast.Call(func=ast.Name(id="range"), args=args):
            parts = [source(a) for a in args]
            parts = ["0", *parts] if len(parts) == 1 else parts
            parts = [*parts, "1"] if len(parts) == 2 else parts
            yield f"range({parts[0]}, ({parts[1]}) + 1, {parts[2]})", "bound + 1", node
            yield f"range(({parts[0]}) + 1, {parts[1]}, {parts[2]})", "start + 1", node
            yield f"range({parts[0]}, {parts[1]}, ({parts[2]}) * 2)", "change stride", node
            yield f"range({parts[0]}, {parts[1]}, ({parts[2]}) + 1)", "change stride", node
        case ast.Constant(value=int() as value) if not isinstance(value, bool) and value > 1:
            yield str(value + 1), "constant + 1", node
            yield str(value - 1), "constant - 1", node
        case ast.Attribute(value=ast.Attribute(attr="threadIdx"), attr="x"):
            yield "cuda.laneid", "lane for thread", node
        case ast.AugAssign(target=target, op=op, value=value) if type(op).__name__ in OPERATORS:
            yield f"{source(target)} {OPERATORS[type(op).__name__]}= {source(value)}", "swap operator", node


def source_of(op: ast.cmpop) -> str:
    return {"Lt": "<", "LtE": "<=", "Gt": ">", "GtE": ">=", "Eq": "==", "NotEq": "!="}[type(op).__name__]


# --- the campaign -----------------------------------------------------------------------------------------


def campaign(tried: Iterable[Mutant], seed: int, launches: int, say: Any = None) -> Counts:
    counts = Counts()
    for mutant in tried:
        where = f"{mutant.subject.name}:{mutant.line} {mutant.operator}"
        counts.operators[mutant.operator] += 1
        try:
            report = pipeline.check(Source(mutant.text, mutant.subject.name))
        except CRASHES as error:
            counts.crashed.append(f"{where}: {type(error).__name__} {error}")
            if say is not None:
                say(f"CRASH {counts.crashed[-1]}")
            continue
        for kernel in report.kernels:
            if kernel.time_ms > SLOW_MS:
                counts.slow.append(f"{where}: {kernel.time_ms:.0f} ms")
                if say is not None:
                    say(f"slow {counts.slow[-1]}")
        if any(x.severity is Severity.ERROR for x in report.diagnostics):
            counts.verdicts["error"] += 1
            continue
        for kernel in report.kernels:
            found = judge(kernel, seed ^ zlib.crc32(where.encode()), launches, mutant.subject.launch)
            counts.verdicts[found.verdict] += 1
            counts.launches += found.launches
            counts.idle += found.verdict == "proved" and not found.launches
            counts.replayed += found.replayed
            for kept, lines, what in (
                (counts.unsound, found.unsound, "UNSOUND"),
                (counts.unconfirmed, found.unconfirmed, "not confirmed"),
            ):
                for line in lines:
                    kept.append(f"{where}: {line}")
                    if say is not None:
                        say(f"{what} {kept[-1]}")
    return counts


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--launches", type=int, default=6, help="of each kernel called proved")
    parser.add_argument("--every", type=int, default=1, help="take every N-th mutant")
    parser.add_argument("--first", type=int, default=0, help="the first of them")
    parser.add_argument("--only", default="", help="kernels whose name holds this")
    options = parser.parse_args()
    started = time.perf_counter()
    chosen = [m for s in subjects() if options.only in s.name for m in mutants(s)][options.first :: options.every]
    counts = Counts()
    for at in range(0, len(chosen), BATCH):
        part = chosen[at : at + BATCH]
        counts = counts + campaign(part, options.seed, options.launches, lambda line: print(line, flush=True))
        elapsed = time.perf_counter() - started
        print(f"seed {options.seed}: {at + len(part)} of {len(chosen)} mutants, {counts}, {elapsed:.0f} s", flush=True)
    print(", ".join(f"{n} {o}" for o, n in counts.operators.most_common()))
    return int(bool(counts.unsound or counts.crashed) or counts.replay_rate < 0.95)


if __name__ == "__main__":
    sys.exit(main())
