"""The fast stage says the same with what it remembers as without."""

from __future__ import annotations

from pathlib import Path

import pytest

from transpiler.lsp import analysis
from transpiler.lsp.analysis import analyse
from transpiler.source import Source

HEAD = "from transpiler import Dim, InOut, cuda, device, f32, kernel\n\nGAIN = 2\n\n\nclass N(Dim): ...\n\n\n"
DEVICE = "@device\ndef gain(v):\n    return v * GAIN\n\n\n"
KERNEL = """@kernel(domain=N, block=256)
def {}(x: InOut[f32, N]):
    i = cuda.grid(1)
    if i < N:
        x[i] = gain({})


"""
FIRST = KERNEL.format("first", "x[i]")
SECOND = KERNEL.format("second", "missing")


def said(result: analysis.Analysis) -> list[tuple]:
    return [(d.code, d.message, d.span, d.labels, d.source.text) for d in result.diagnostics]


@pytest.mark.parametrize(
    ("text", "typed"),
    [
        (HEAD + DEVICE + FIRST + SECOND, []),
        # the second one moves
        (HEAD + DEVICE + FIRST.replace("    if", "    # it\n    if") + SECOND, ["first"]),
        (HEAD + DEVICE + FIRST + SECOND.replace("missing", "absent"), ["second"]),
        (HEAD + DEVICE + FIRST + "\n" + SECOND, ["first", "second"]),  # what stands between them has changed
        (HEAD + DEVICE + SECOND, ["second"]),
        (HEAD.replace("GAIN = 2", "GAIN = [2]") + DEVICE + FIRST + SECOND, ["first", "second"]),
        (HEAD + DEVICE.replace("GAIN", "gone") + FIRST + SECOND, ["first", "second"]),
        (HEAD + FIRST + SECOND, ["first", "second"]),
    ],
)
def test_only_what_has_changed_is_typed_anew(monkeypatch: pytest.MonkeyPatch, text: str, typed: list[str]) -> None:
    before = analyse(Source(HEAD + DEVICE + FIRST + SECOND, "k.py"))
    fresh = said(analyse(Source(text, "k.py")))
    seen: list[str] = []
    known = analysis._known
    monkeypatch.setattr(analysis, "_known", lambda module, kernel: seen.append(kernel.name) or known(module, kernel))
    assert said(analyse(Source(text, "k.py"), before=before)) == fresh
    assert seen == typed


def test_a_finding_outside_of_its_kernel_is_not_remembered() -> None:
    """What a device function does wrong is found through the kernels that call it, wherever it stands by then."""
    wrong = DEVICE.replace("GAIN", "gone")
    before = analyse(Source(HEAD + FIRST + wrong, "k.py"))
    longer = HEAD + FIRST.replace("    if", "    # a comment\n    if") + wrong
    (found,) = analyse(Source(longer, "k.py"), before=before).diagnostics
    assert longer[found.span.start : found.span.end] == "gone"


def test_an_imported_file_counts(tmp_path: Path) -> None:
    path = tmp_path / "k.py"
    path.write_text("")
    (tmp_path / "sizes.py").write_text("GAIN = 2\n")
    text = "from sizes import GAIN\n" + HEAD.replace("GAIN = 2\n", "") + DEVICE + FIRST
    before = analyse(Source(text, str(path)))
    assert said(before) == []
    (tmp_path / "sizes.py").write_text("GAIN = [2]\n")
    assert [d.code for d in analyse(Source(text, str(path)), before=before).diagnostics] == ["E0221"]


def test_findings_of_several_instances_are_said_once() -> None:
    text = HEAD.replace("Dim,", "Dim, DType, f16,").replace(
        "class N", "class T(DType, of=(f16, f32)): ...\n\n\nclass N"
    )
    kernel = SECOND.replace("InOut[f32", "InOut[T").replace("gain(missing)", "missing")
    assert len(analyse(Source(text + kernel, "k.py")).diagnostics) == 1
