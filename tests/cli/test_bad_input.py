"""Any bytes as a kernel file: an answer with a position, never an exception."""

from __future__ import annotations

import contextlib
import io
import json
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from transpiler.cli.app import run

SAMPLES = [p.read_bytes() for p in sorted((Path(__file__).parents[2] / "samples" / "simt").glob("*.py"))]


@st.composite
def mutated(draw: st.DrawFn) -> bytes:
    """A sample with a piece cut out, doubled, or replaced by something else."""
    text = draw(st.sampled_from(SAMPLES))
    start = draw(st.integers(0, len(text)))
    end = draw(st.integers(start, min(len(text), start + 60)))
    middle = draw(st.one_of(st.just(b""), st.just(text[start:end] * 2), st.binary(max_size=8), st.sampled_from(TOKENS)))
    return text[:start] + middle + text[end:]


TOKENS = [
    b"(",
    b")",
    b":",
    b"\n",
    b"    ",
    b"\t",
    b'"""',
    b"if ",
    b"N",
    b"0",
    b"-",
    b"\\\n",
    b"\xef\xbb\xbf",
    b"# coding: x\n",
]


def checked(path: Path) -> tuple[int, str]:
    out = io.StringIO()
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(io.StringIO()):
        status = run(["check", "--format", "json", str(path)])
    return status, out.getvalue()


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(content=st.one_of(st.binary(max_size=200), mutated()))
def test_any_bytes_get_an_answer(content: bytes, tmp_path: Path) -> None:
    path = tmp_path / "k.py"
    path.write_bytes(content)
    status, out = checked(path)
    assert status in (0, 1, 2), content
    (file,) = json.loads(out)["files"]
    for diagnostic in [*file["diagnostics"], *(d for k in file["kernels"] for d in k["diagnostics"])]:
        assert diagnostic["line"] >= 1
        assert diagnostic["column"] >= 1
        assert (diagnostic["end_line"], diagnostic["end_column"]) >= (diagnostic["line"], diagnostic["column"])
    errors = [d for d in file["diagnostics"] if d["severity"] == "error"]
    assert status != 0 or not errors


@pytest.mark.parametrize(
    "content", [b"", b"\n", b"#", b"\xef\xbb\xbf", b"pass", b"\x0c\n", b"\\", b"'''", b"(" * 5000, b"-" * 5000]
)
def test_the_smallest_and_the_oddest_files_get_an_answer(content: bytes, tmp_path: Path) -> None:
    (tmp_path / "k.py").write_bytes(content)
    assert checked(tmp_path / "k.py")[0] in (0, 1)
