"""The formats that other programs read: exact JSON, SARIF's shape, GitHub's escapes."""

from __future__ import annotations

import json
from dataclasses import dataclass, field, replace

import pytest

from tests.diagnostics.support import race
from transpiler.diagnostics import Diagnostic, Edit, Fix, machine
from transpiler.source import Source, Span


@dataclass(frozen=True)
class Kernel:
    name: str = "tag"
    line: int = 2
    verdict: str = "refuted"
    contract: tuple[str, ...] = ("n <= len(x)",)
    disjoint: tuple[tuple[str, str], ...] = (("x", "y"),)
    assumptions: tuple[str, ...] = ()
    runtime_checks: tuple[str, ...] = ()
    instance: tuple[tuple[str, str], ...] = ()
    time_ms: float = 1.23456
    diagnostics: list[Diagnostic] = field(default_factory=lambda: [race()])


@dataclass(frozen=True)
class File:
    path: str = "tag.py"
    diagnostics: tuple[Diagnostic, ...] = ()
    kernels: tuple[Kernel, ...] = (Kernel(),)


def test_json_is_the_documented_one() -> None:
    assert machine.to_json([File()]) == {
        "schema": 1,
        "files": [
            {
                "path": "tag.py",
                "diagnostics": [],
                "kernels": [
                    {
                        "name": "tag",
                        "line": 2,
                        "verdict": "refuted",
                        "contract": ["n <= len(x)"],
                        "disjoint": [["x", "y"]],
                        "assumptions": [],
                        "runtime_checks": [],
                        "time_ms": 1.235,
                        "diagnostics": [
                            {
                                "code": "E0302",
                                "kind": "race-global",
                                "severity": "error",
                                "message": "`y[0]` is written by threads of two blocks",
                                "line": 5,
                                "column": 9,
                                "end_line": 5,
                                "end_column": 13,
                                "lines": [5, 5],
                                "labels": [
                                    {"line": 5, "column": 16, "message": "which reads this"},
                                    {"line": 5, "column": 23, "message": "and this"},
                                    {"line": 8, "column": 5, "message": "until here"},
                                ],
                                "help": "write `y[i]`",
                                "fixes": [],
                                "witness": {
                                    "launch": {
                                        "grid": [2, 1, 1],
                                        "block": [256, 1, 1],
                                        "scalars": {"n": 3},
                                        "shapes": {"x": [512]},
                                        "data": {"p": [1, 2]},
                                    },
                                    "threads": [
                                        {"block": [0, 0, 0], "thread": [0, 0, 0], "line": 5, "access": "write"},
                                        {"block": [1, 0, 0], "thread": [0, 0, 0], "line": 5, "access": "write"},
                                    ],
                                    "array": "y",
                                    "index": [0],
                                    "interval": "the whole kernel",
                                },
                            }
                        ],
                    }
                ],
            }
        ],
    }


def test_fixes_are_edits_at_places_in_the_file() -> None:
    source = Source("a\nb\u00e9(", "f.py")
    fix = Fix("close it", (Edit(Span(2, 3), "c"), Edit(Span(5, 5), ")")))
    found = Diagnostic(code="E0101", message="m", source=source, span=Span(2, 5), fixes=(fix,))
    assert machine.diagnostic_to_json(found)["fixes"] == [
        {
            "title": "close it",
            "edits": [
                {"line": 2, "column": 1, "end_line": 2, "end_column": 2, "text": "c"},
                {"line": 2, "column": 4, "end_line": 2, "end_column": 4, "text": ")"},
            ],
        }
    ]
    result = machine.to_sarif([File(diagnostics=(found,), kernels=())], "1")["runs"][0]["results"][0]
    assert result["fixes"] == [
        {
            "description": {"text": "close it"},
            "artifactChanges": [
                {
                    "artifactLocation": {"uri": "f.py"},
                    "replacements": [
                        {
                            "deletedRegion": {"startLine": 2, "startColumn": 1, "endLine": 2, "endColumn": 2},
                            "insertedContent": {"text": "c"},
                        },
                        {
                            "deletedRegion": {"startLine": 2, "startColumn": 4, "endLine": 2, "endColumn": 4},
                            "insertedContent": {"text": ")"},
                        },
                    ],
                }
            ],
        }
    ]


def test_a_finding_without_lines_speaks_of_its_own_and_has_no_witness() -> None:
    data = machine.diagnostic_to_json(
        Diagnostic(code="E0101", message="m", source=Source("a\nbé(", "f.py"), span=Span(2, 5))
    )
    assert (data["lines"], data["line"], data["column"], data["end_column"]) == ([2], 2, 1, 4)
    assert data["witness"] is None
    assert data["help"] is None


def test_numbers_that_json_lacks_become_strings() -> None:
    assert json.loads(machine.dumps({"a": [float("nan"), float("inf"), -float("inf"), 1.5]})) == {
        "a": ["nan", "inf", "-inf", 1.5]
    }


def test_a_witness_survives_the_round_trip() -> None:
    witness = race().witness
    assert witness is not None
    assert machine.witness_from_json(json.loads(machine.dumps(machine.witness_to_json(witness)))) == replace(
        witness, launch=witness.launch | {"data": {"p": [1, 2]}}
    )


@pytest.mark.parametrize(
    ("data", "reason"),
    [
        ([], "launch"),
        ({"launch": {}}, "threads"),
        (
            {"launch": {"shapes": {}}, "threads": [{"block": [0, 0], "thread": [0, 0, 0], "line": 1, "access": "r"}]},
            "block",
        ),
        ({"launch": {"shapes": {}}, "threads": [{"block": [0, 0, 0], "thread": [0, 0, "x"], "line": 1}]}, "thread"),
        ({"launch": {"shapes": {}}, "threads": [{"block": [0, 0, 0], "thread": [0, 0, 0]}]}, "line"),
        ({"launch": {"shapes": {}, "grid": 3}, "threads": []}, "grid"),
    ],
)
def test_what_is_no_witness_is_refused_by_name(data: object, reason: str) -> None:
    with pytest.raises(ValueError, match=reason):
        machine.witness_from_json(data)


def test_sarif_has_rules_regions_and_related_places() -> None:
    sarif = machine.to_sarif(
        [File(path="a b/tag.py", kernels=(Kernel(diagnostics=[race(_at("a b/tag.py"))]),))], "1.2.3"
    )
    run = sarif["runs"][0]
    assert sarif["version"] == "2.1.0"
    assert run["tool"]["driver"]["version"] == "1.2.3"
    assert [rule["id"] for rule in run["tool"]["driver"]["rules"]] == ["E0302"]
    (result,) = run["results"]
    place = result["locations"][0]["physicalLocation"]
    assert place["artifactLocation"]["uri"] == "a%20b/tag.py"
    assert place["region"] == {"startLine": 5, "startColumn": 9, "endLine": 5, "endColumn": 13}
    assert (result["level"], result["ruleIndex"]) == ("error", 0)
    assert len(result["relatedLocations"]) == 3
    assert result["properties"]["witness"]["array"] == "y"
    json.dumps(sarif)


def test_github_annotations_escape_what_would_end_them() -> None:
    source = Source("abc", "a,b:c.py")
    diagnostic = Diagnostic(code="E0101", message="50% of\nit", source=source, span=Span(0, 2), help="do: this")
    (line,) = machine.to_github([File(path="a,b:c.py", diagnostics=(diagnostic,), kernels=())])
    assert line == (
        "::error file=a%2Cb%3Ac.py,line=1,endLine=1,col=1,endColumn=3,title=E0101 not valid syntax::50%25 of%0Ait%0Ado: this"
    )


def _at(path: str) -> Source:
    from tests.diagnostics.support import TEXT

    return Source(TEXT, path)


def test_an_instance_of_a_generic_kernel_says_which() -> None:
    (kernel,) = machine.to_json([File(kernels=(Kernel(instance=(("T", "f16"),)),))])["files"][0]["kernels"]
    assert kernel["instance"] == {"T": "f16"}
