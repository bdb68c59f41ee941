"""The process that proves: `python -P -m transpiler.lsp.worker`.

In: requests on standard input. Out: an answer to each on standard output, both as a length and a pickle; what a library prints
goes to standard error. It ends with its input. A bug of ours ends it with a traceback, which the client's log shows, and the
server starts another one.
Non-goals: versions, cancelling (the server ends the process).
"""

from __future__ import annotations

import os
import pickle
import sys
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any, BinaryIO

from transpiler import pipeline
from transpiler.records import record
from transpiler.repair import repaired
from transpiler.source import Source

LENGTH = 8


@record
class Prove:
    """Prove every kernel of a text; answered by a tuple of `KernelReport`, without IR."""

    source: Source
    open: Mapping[Path, Source]
    """The texts of other documents in the editor, by resolved path."""


@record
class Repair:
    """Try the proposals of findings; answered by the same reports with the fixes that help."""

    source: Source
    open: Mapping[Path, Source]
    kernels: tuple[pipeline.KernelReport, ...]


@record
class Emit:
    """Emit one kernel of a text; answered by `Emitted`."""

    source: Source
    open: Mapping[Path, Source]
    kernel: str


@record
class Emitted:
    """The C++ text of one kernel; None where it has an error. With `proved` false the text has a banner that says so."""

    kernel: str
    text: str | None
    proved: bool


Request = Prove | Repair | Emit


def read_from(open: Mapping[Path, Source]) -> Any:
    """Reads a file as the editor has it, else as the disk has it."""
    return lambda path: open.get(path) or Source.read(path)


def answer(request: Request) -> tuple[pipeline.KernelReport, ...] | Emitted:
    read = read_from(request.open)
    match request:
        case Prove():
            return tuple(map(_plain, pipeline.check(request.source, read=read).kernels))
        case Repair():
            return repaired(request.source, request.kernels, read)
        case Emit():
            return _emitted(request, pipeline.check(request.source, read=read, only=request.kernel))


def _emitted(request: Emit, report: pipeline.FileReport) -> Emitted:
    emittable = [k for k in report.kernels if k.kernel is not None]
    proved = all(k.verdict == "proved" for k in report.kernels)
    if not emittable or len(emittable) < len(report.kernels):
        return Emitted(request.kernel, None, proved=False)
    unit = pipeline.emit_reports(pipeline.unit_name(request.source.path), emittable, unchecked=not proved)
    return Emitted(request.kernel, unit.source, proved)


def _plain(report: pipeline.KernelReport) -> pipeline.KernelReport:
    """A report without the nodes of the IR, which are themselves and would be others on the far side."""
    proof = report.proof and replace(report.proof, checked_nodes=frozenset(), diagnostics=())
    return replace(report, kernel=None, proof=proof)


def packed(message: object) -> bytes:
    body = pickle.dumps(message)
    return len(body).to_bytes(LENGTH, "big") + body


def serve(requests: BinaryIO, answers: BinaryIO) -> None:
    while len(head := requests.read(LENGTH)) == LENGTH:
        request = pickle.loads(requests.read(int.from_bytes(head, "big")))
        answers.write(packed(answer(request)))
        answers.flush()


def main() -> None:
    answers = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)
    if hasattr(os, "nice"):
        os.nice(10)  # whoever types comes first
    serve(sys.stdin.buffer, answers)


if __name__ == "__main__":
    from transpiler.lsp import worker

    worker.main()  # not this module, whose classes would be those of `__main__`
