"""The command line as a whole: exit statuses, what each command prints, what it leaves alone."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from tests.cli import fabricated
from tests.diagnostics.support import TEXT
from transpiler.cli import _work, app, console
from transpiler.cli.app import COMMANDS, run
from transpiler.diagnostics.codes import CODES
from transpiler.source import Source
from transpiler.version import VERSION


@pytest.fixture
def kernel_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    """A file `tag.py` in the current folder, which the fabricated pipeline proves."""
    monkeypatch.chdir(tmp_path)
    Path("tag.py").write_text(TEXT)
    monkeypatch.setattr(_work, "check", lambda source, **options: fabricated.File(source))
    monkeypatch.setattr(_work, "emit", lambda source, **options: (fabricated.File(source), fabricated.Unit()))
    return "tag.py"


@pytest.fixture
def refuted_file(kernel_file: str, monkeypatch: pytest.MonkeyPatch) -> str:
    monkeypatch.setattr(_work, "check", lambda source, **options: fabricated.refuted(source))
    monkeypatch.setattr(_work, "emit", lambda source, **options: (fabricated.refuted(source), None))
    return kernel_file


# --- check ------------------------------------------------------------------------------------------------


def test_check_says_what_is_proved(kernel_file: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["check", kernel_file]) == 0
    assert capsys.readouterr().out == "tag.py:2: tag: proved\n1 kernel: 1 proved\n"


def test_check_v_shows_contract_and_proof(kernel_file: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["check", "-v", kernel_file]) == 0
    assert capsys.readouterr().out == (
        "tag.py:2: tag: proved\n"
        "  contract        n <= len(x)\n"
        "                  n <= len(y)\n"
        "  disjoint        x and y\n"
        "  accesses        line 5: read x, in bounds: interval, by n <= len(x)\n"
        "                  line 5: write y, in bounds: syntactic\n"
        "  races           pairs of accesses shown disjoint: 2 syntactic\n"
        "  time            12 ms\n"
        "1 kernel: 1 proved\n"
    )


def test_check_shows_findings_and_fails(refuted_file: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["check", refuted_file]) == 1
    out = capsys.readouterr().out
    assert out.startswith("error[E0302]: ")
    assert out.endswith("tag.py:2: tag: refuted\n1 kernel: 1 refuted\n")


def test_check_prints_json_alone_whatever_is_wrong(refuted_file: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["check", "--format", "json", refuted_file, "missing.py"]) == 2
    captured = capsys.readouterr()
    data = json.loads(captured.out)
    assert [f["path"] for f in data["files"]] == ["tag.py", "missing.py"]
    assert data["files"][1]["diagnostics"][0]["code"] == "E0199"
    assert captured.err == ""


def test_check_writes_sarif_and_github(refuted_file: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["check", "--format", "sarif", refuted_file]) == 1
    assert json.loads(capsys.readouterr().out)["runs"][0]["results"][0]["ruleId"] == "E0302"
    assert run(["check", "--format", "github", refuted_file]) == 1
    assert capsys.readouterr().out.startswith("::error file=tag.py,line=5,")


def test_check_passes_its_options_on(kernel_file: str, monkeypatch: pytest.MonkeyPatch) -> None:
    seen: dict[str, object] = {}

    def check(source: Source, **options: object) -> fabricated.File:
        seen.update(options)
        return fabricated.File(source)

    monkeypatch.setattr(_work, "check", check)
    assert run(["check", "--deny-trust", kernel_file]) == 0
    assert seen == {"deny_trust": True}


# --- emit -------------------------------------------------------------------------------------------------


def test_emit_writes_the_kernels_their_header_and_a_manifest(
    kernel_file: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(["emit", kernel_file, "-o", "out/deep"]) == 0
    assert {p.name for p in Path("out/deep").iterdir()} == {"tag.cu", "tag.h", "tag.json", "transpiler_runtime.h"}
    assert json.loads(Path("out/deep/tag.json").read_text()) == {"schema": 1, "kernels": []}
    assert capsys.readouterr().out.split("\n")[0] == str(Path("out/deep/tag.cu"))


def test_emit_without_a_folder_prints_the_source(kernel_file: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["emit", kernel_file]) == 0
    assert capsys.readouterr().out == "__global__ void tag();\n"


def test_emit_of_a_failing_file_leaves_its_old_outputs(
    kernel_file: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(["emit", kernel_file, "-o", "out"]) == 0
    capsys.readouterr()
    monkeypatch.setattr(_work, "emit", lambda source, **options: (fabricated.refuted(source), None))
    assert run(["emit", kernel_file, "-o", "out"]) == 1
    assert Path("out/tag.cu").read_text() == "__global__ void tag();\n"
    captured = capsys.readouterr()
    assert captured.out == ""
    assert "error[E0302]" in captured.err


def test_emit_goes_on_after_a_file_that_cannot_be_read(kernel_file: str) -> None:
    assert run(["emit", "missing.py", kernel_file, "-o", "out"]) == 2
    assert Path("out/tag.cu").exists()


def test_emit_refuses_two_files_of_one_name(kernel_file: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["emit", "tag.py", "other/tag.py", "-o", "out"]) == 2
    assert "same names" in capsys.readouterr().err


# --- explain, list ----------------------------------------------------------------------------------------


@pytest.mark.parametrize("code", ["E0302", "e0302", " E0302"])
def test_explain_prints_the_page(code: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["explain", code]) == 0
    assert capsys.readouterr().out.startswith("# E0302: ")


def test_explain_sets_the_page_off_on_a_terminal(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.delenv("NO_COLOR", raising=False)
    monkeypatch.setenv("FORCE_COLOR", "1")
    assert run(["explain", "E0302"]) == 0
    out = capsys.readouterr().out
    assert "\x1b[" in out
    assert "```" not in out


def test_explain_of_an_unknown_code_names_what_is_near(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["explain", "E0332"]) == 2
    err = capsys.readouterr().err
    assert "no code 'E0332'" in err
    assert "E0302" in err
    assert run(["explain", "../../secret"]) == 2


def test_list_codes_has_every_code(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["list", "codes"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert [line[:5] for line in lines] == sorted(CODES)


# --- the whole --------------------------------------------------------------------------------------------


def test_every_command_has_help(capsys: pytest.CaptureFixture[str]) -> None:
    for name in COMMANDS:
        assert run([name, "--help"]) == 0
        assert f"transpile {name}" in capsys.readouterr().out
    assert run(["--help"]) == 0
    out = capsys.readouterr().out
    assert all(f"\n  {name} " in out for name in COMMANDS)


def test_the_version_is_the_one_of_the_package(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["--version"]) == 0
    assert capsys.readouterr().out == f"transpile {VERSION}\n"


@pytest.mark.parametrize(
    "args", [["nonsense"], ["check"], ["check", "--format", "xml", "x.py"], ["--nonsense"], ["explain"]]
)
def test_wrong_usage_is_status_2(args: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    assert run(args) == 2
    assert "Error" in capsys.readouterr().err


def test_a_bug_of_ours_is_reported_in_a_file(
    kernel_file: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    def fail(source: Source, **options: object) -> None:
        raise ZeroDivisionError("a bug")

    monkeypatch.setattr(_work, "check", fail)
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    assert run(["check", kernel_file]) == 70
    captured = capsys.readouterr()
    assert "internal error: ZeroDivisionError: a bug" in captured.err
    assert "Traceback" not in captured.err
    path = Path(captured.err.splitlines()[-1].strip())
    report = path.read_text()
    assert "Traceback" in report
    assert "ZeroDivisionError: a bug" in report
    assert f"transpile {VERSION}" in report
    assert "['check', 'tag.py']" in report


def test_control_c_stops_without_a_traceback(kernel_file: str, monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupt(source: Source, **options: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(_work, "check", interrupt)
    assert run(["check", kernel_file]) == 130


def test_a_reader_that_goes_away_is_no_error() -> None:
    process = subprocess.Popen(
        [sys.executable, "-m", "transpiler.cli", "list", "codes"], stdout=subprocess.PIPE, stderr=subprocess.PIPE
    )
    assert process.stdout is not None
    process.stdout.close()
    assert process.stderr is not None
    assert process.stderr.read() == b""
    process.wait()


def test_an_encoding_that_lacks_a_character_is_no_error(tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "transpiler.cli", "check", "ä.py"],
        capture_output=True,
        cwd=tmp_path,
        env={"PYTHONIOENCODING": "ascii", "PYTHONPATH": str(Path(app.__file__).parents[2])},
    )
    assert done.returncode == 2
    assert b"\\xe4.py" in done.stdout
    assert b"Traceback" not in done.stderr


@pytest.mark.parametrize(
    ("environment", "expected"),
    [
        ({}, False),
        ({"FORCE_COLOR": "1"}, True),
        ({"FORCE_COLOR": "1", "NO_COLOR": "1"}, False),
        ({"NO_COLOR": ""}, False),
    ],
)
def test_colour_is_asked_of_the_environment(
    environment: dict[str, str], expected: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("NO_COLOR", "FORCE_COLOR"):
        monkeypatch.delenv(name, raising=False)
    for name, value in environment.items():
        monkeypatch.setenv(name, value)
    assert console.use_color(sys.stdout) is expected


def test_a_terminal_gets_colour_unless_it_is_dumb(monkeypatch: pytest.MonkeyPatch) -> None:
    class Terminal:
        def isatty(self) -> bool:
            return True

    for name in ("NO_COLOR", "FORCE_COLOR"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("TERM", "xterm")
    assert console.use_color(Terminal())  # type: ignore[arg-type]
    monkeypatch.setenv("TERM", "dumb")
    assert not console.use_color(Terminal())  # type: ignore[arg-type]


def test_shells_can_complete_commands_and_codes() -> None:
    done = subprocess.run(
        [sys.executable, "-m", "transpiler.cli"],
        capture_output=True,
        text=True,
        env={"_TRANSPILE_COMPLETE": "bash_complete", "COMP_WORDS": "transpile explain E030", "COMP_CWORD": "2"},
        cwd=Path(app.__file__).parents[2],
    )
    assert "plain,E0302" in done.stdout.splitlines()


def test_help_imports_none_of_the_heavy_packages() -> None:
    code = (
        "import sys; from transpiler.cli.app import run; run(['--help']); run(['explain', 'E0302'])\n"
        "print(sorted(set(sys.modules) & {'rich', 'cupy', 'numpy', 'z3', 'jinja2', 'lark'}), file=sys.stderr)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert done.stderr == "[]\n"
