"""What was found, for machines: JSON (schema 1), SARIF 2.1.0, GitHub annotations; and a witness read back from JSON.

In: `FileFacts` (what the pipeline says about each file). Out: plain data or text. Within a schema number fields are only added.
Non-goals: text for people (`render`).
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from pathlib import PurePath
from typing import Any, Protocol
from urllib.parse import quote

from transpiler.diagnostics.codes import CODES
from transpiler.diagnostics.model import Diagnostic, Fix, Severity, Thread, Witness
from transpiler.source import Source, Span

SCHEMA = 1


class KernelFacts(Protocol):
    """What is known about one kernel; `verdict` is `proved`, `refuted`, `unknown` or `error`."""

    @property
    def name(self) -> str: ...
    @property
    def line(self) -> int: ...
    @property
    def verdict(self) -> str: ...
    @property
    def contract(self) -> Sequence[str]: ...
    @property
    def disjoint(self) -> Sequence[Sequence[str]]: ...
    @property
    def assumptions(self) -> Sequence[str]: ...
    @property
    def runtime_checks(self) -> Sequence[str]: ...
    @property
    def instance(self) -> Sequence[tuple[str, str]]: ...
    @property
    def time_ms(self) -> float: ...
    @property
    def diagnostics(self) -> Sequence[Diagnostic]: ...


class FileFacts(Protocol):
    """What is known about one file: findings that belong to no kernel, and its kernels."""

    @property
    def path(self) -> str: ...
    @property
    def diagnostics(self) -> Sequence[Diagnostic]: ...
    @property
    def kernels(self) -> Sequence[KernelFacts]: ...


# --- JSON -------------------------------------------------------------------------------------------------


def to_json(files: Iterable[FileFacts]) -> dict[str, Any]:
    return {"schema": SCHEMA, "files": [_file(f) for f in files]}


def dumps(data: object) -> str:
    """JSON text as we write it everywhere: indented, in the order of the data, non-ASCII kept; NaN and infinities as strings."""
    return json.dumps(_finite(data), indent=2, ensure_ascii=False, allow_nan=False)


def diagnostic_to_json(diagnostic: Diagnostic) -> dict[str, Any]:
    return {
        "code": diagnostic.code,
        "kind": diagnostic.kind,
        "severity": diagnostic.severity.value,
        "message": diagnostic.message,
        **_place(diagnostic.source, diagnostic.span),
        "lines": list(diagnostic.all_lines),
        "labels": [{**_start(diagnostic.source, label.span), "message": label.message} for label in diagnostic.labels],
        "help": diagnostic.help,
        "fixes": [_fix(diagnostic.source, fix) for fix in diagnostic.fixes],
        "witness": witness_to_json(diagnostic.witness) if diagnostic.witness else None,
    }


def _fix(source: Source, fix: Fix) -> dict[str, Any]:
    """Places as of diagnostics; an edit that inserts ends where it starts."""
    return {
        "title": fix.title,
        "edits": [{**_place(source, edit.span), "text": edit.text} for edit in fix.edits],
    }


def _file(facts: FileFacts) -> dict[str, Any]:
    return {
        "path": facts.path,
        "diagnostics": [diagnostic_to_json(d) for d in facts.diagnostics],
        "kernels": [_kernel(k) for k in facts.kernels],
    }


def _kernel(facts: KernelFacts) -> dict[str, Any]:
    instance = {"instance": dict(facts.instance)} if facts.instance else {}
    return {
        "name": facts.name,
        **instance,
        "line": facts.line,
        "verdict": facts.verdict,
        "contract": [str(line) for line in facts.contract],
        "disjoint": [list(pair) for pair in facts.disjoint],
        "assumptions": [str(a) for a in facts.assumptions],
        "runtime_checks": [str(c) for c in facts.runtime_checks],
        "time_ms": round(facts.time_ms, 3),
        "diagnostics": [diagnostic_to_json(d) for d in facts.diagnostics],
    }


def _start(source: Source, span: Span) -> dict[str, int]:
    position = source.position(span.start)
    return {"line": position.line, "column": position.column}


def _place(source: Source, span: Span) -> dict[str, int]:
    """`end_column` is the column behind the last character."""
    end = source.position(max(span.start, span.end))
    return {**_start(source, span), "end_line": end.line, "end_column": end.column}


def _finite(data: Any) -> Any:
    """JSON has no NaN and no infinity: as strings, `"nan"`, `"inf"`, `"-inf"`, that `float` reads back."""
    if isinstance(data, dict):
        return {key: _finite(value) for key, value in data.items()}
    if isinstance(data, (list, tuple)):
        return [_finite(value) for value in data]
    if isinstance(data, float) and (data != data or data in (float("inf"), float("-inf"))):
        return str(data)
    return data


# --- witness ----------------------------------------------------------------------------------------------


def witness_to_json(witness: Witness) -> dict[str, Any]:
    launch = {"grid": None, "block": None, "scalars": {}, "shapes": {}, "data": {}} | dict(witness.launch)
    return {
        "launch": _plain(launch),
        "threads": [
            {"block": list(t.block), "thread": list(t.thread), "line": t.line, "access": t.access}
            for t in witness.threads
        ],
        "array": witness.array,
        "index": None if witness.index is None else list(witness.index),
        "interval": witness.interval,
    }


def witness_from_json(data: Any) -> Witness:
    """The inverse of `witness_to_json`. Raises `ValueError` with the reason where `data` is no witness."""
    launch = _field(data, "launch", dict)
    threads = tuple(
        Thread(
            _triple(thread, "block"),
            _triple(thread, "thread"),
            _field(thread, "line", int),
            _field(thread, "access", str),
        )
        for thread in _field(data, "threads", list)
    )
    tupled = dict(launch)
    for name in ("grid", "block"):
        if tupled.get(name) is not None:
            tupled[name] = _triple(launch, name)
    tupled["shapes"] = {k: tuple(v) for k, v in _field(launch, "shapes", dict).items()}
    index = data.get("index")
    return Witness(tupled, threads, data.get("array"), None if index is None else tuple(index), data.get("interval"))


def _field(data: Any, name: str, kind: type) -> Any:
    if not isinstance(data, dict) or not isinstance(data.get(name), kind):
        raise ValueError(f"a witness needs {name!r} ({kind.__name__})")
    return data[name]


def _triple(data: Any, name: str) -> tuple[int, int, int]:
    value = _field(data, name, list)
    if len(value) != 3 or not all(isinstance(v, int) for v in value):
        raise ValueError(f"{name!r} of a witness is three integers, x, y, z")
    return value[0], value[1], value[2]


def _plain(value: Any) -> Any:
    """Tuples as lists, NumPy scalars as numbers."""
    if isinstance(value, dict):
        return {str(k): _plain(v) for k, v in value.items()}
    if isinstance(value, (list, tuple)):
        return [_plain(v) for v in value]
    return value.item() if hasattr(value, "item") else value


# --- SARIF ------------------------------------------------------------------------------------------------


def to_sarif(files: Iterable[FileFacts], version: str) -> dict[str, Any]:
    found = [d for f in files for d in all_diagnostics(f)]
    rules = sorted({d.code for d in found})
    return {
        "$schema": "https://json.schemastore.org/sarif-2.1.0.json",
        "version": "2.1.0",
        "runs": [
            {
                "tool": {"driver": {"name": "transpile", "version": version, "rules": [_rule(code) for code in rules]}},
                "columnKind": "unicodeCodePoints",
                "results": [_result(d, rules.index(d.code)) for d in found],
            }
        ],
    }


def _rule(code: str) -> dict[str, Any]:
    from transpiler.diagnostics.explain import page

    title = CODES[code].title
    text = page(code) or title
    return {
        "id": code,
        "shortDescription": {"text": title},
        "help": {"text": text, "markdown": text},
        "properties": {"kind": CODES[code].kind},
    }


def _result(diagnostic: Diagnostic, rule: int) -> dict[str, Any]:
    text = diagnostic.message + (f"\n{diagnostic.help}" if diagnostic.help else "")
    result: dict[str, Any] = {
        "ruleId": diagnostic.code,
        "ruleIndex": rule,
        "level": diagnostic.severity.value,
        "message": {"text": text},
        "locations": [_location(diagnostic.source, diagnostic.span)],
    }
    if diagnostic.labels:
        result["relatedLocations"] = [
            {**_location(diagnostic.source, label.span), "message": {"text": label.message}}
            for label in diagnostic.labels
        ]
    if diagnostic.fixes:
        result["fixes"] = [_sarif_fix(diagnostic.source, fix) for fix in diagnostic.fixes]
    if diagnostic.witness:
        result["properties"] = {"witness": witness_to_json(diagnostic.witness)}
    return result


def _sarif_fix(source: Source, fix: Fix) -> dict[str, Any]:
    replacements = [
        {"deletedRegion": _region(source, edit.span), "insertedContent": {"text": edit.text}} for edit in fix.edits
    ]
    change = {"artifactLocation": {"uri": _uri(source.path)}, "replacements": replacements}
    return {"description": {"text": fix.title}, "artifactChanges": [change]}


def _location(source: Source, span: Span) -> dict[str, Any]:
    region = _region(source, span)
    return {"physicalLocation": {"artifactLocation": {"uri": _uri(source.path)}, "region": region}}


def _region(source: Source, span: Span) -> dict[str, int]:
    place = _place(source, span)
    return {
        "startLine": place["line"],
        "startColumn": place["column"],
        "endLine": place["end_line"],
        "endColumn": place["end_column"],
    }


def _uri(path: str) -> str:
    pure = PurePath(path)
    return pure.as_uri() if pure.is_absolute() else quote(pure.as_posix())


# --- GitHub -----------------------------------------------------------------------------------------------


def to_github(files: Iterable[FileFacts]) -> list[str]:
    """Workflow commands, one a finding: GitHub shows them on the lines of a pull request."""
    return [_annotation(d) for f in files for d in all_diagnostics(f)]


def _annotation(diagnostic: Diagnostic) -> str:
    command = {Severity.ERROR: "error", Severity.WARNING: "warning", Severity.NOTE: "notice"}[diagnostic.severity]
    place = _place(diagnostic.source, diagnostic.span)
    properties = {
        "file": PurePath(diagnostic.source.path).as_posix(),
        "line": place["line"],
        "endLine": place["end_line"],
        "col": place["column"],
        "endColumn": place["end_column"],
        "title": f"{diagnostic.code} {CODES[diagnostic.code].title}",
    }
    text = diagnostic.message + (f"\n{diagnostic.help}" if diagnostic.help else "")
    shown = ",".join(f"{name}={_escaped(str(value), property=True)}" for name, value in properties.items())
    return f"::{command} {shown}::{_escaped(text, property=False)}"


def _escaped(text: str, *, property: bool) -> str:
    text = text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")
    return text.replace(":", "%3A").replace(",", "%2C") if property else text


def all_diagnostics(facts: FileFacts) -> list[Diagnostic]:
    """The findings of a file and of its kernels."""
    return [*facts.diagnostics, *(d for kernel in facts.kernels for d in kernel.diagnostics)]
