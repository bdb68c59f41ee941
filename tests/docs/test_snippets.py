"""What the documentation shows is what happens."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests.docs.session import ROOT, Command, commands, files, matches, run

PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]
LINKED = [*PAGES, ROOT / "ARCHITECTURE.md", ROOT / "CONTRIBUTING.md", ROOT / "CHANGELOG.md"]


@pytest.mark.parametrize("page", PAGES, ids=lambda p: p.name)
def test_commands_print_what_the_page_shows(page: Path, tmp_path: Path) -> None:
    text = page.read_text(encoding="utf-8")
    for name, content in files(text).items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(content, encoding="utf-8")
    for command in commands(text):
        printed = run(command, tmp_path)
        if command.output is not None:
            assert matches(command.output, printed), f"$ {command.line}\n{printed}"


@pytest.mark.parametrize("page", PAGES, ids=lambda p: p.name)
def test_kernels_of_the_page_are_proved(page: Path, tmp_path: Path) -> None:
    """Every Python block with a kernel, but those that a page shows failing."""
    text = page.read_text(encoding="utf-8")
    failing = {word for c in commands(text) if c.status for word in c.line.split()}
    named = set(files(text).values())
    shown = [m for m in re.findall(r"^```python\n(.*?)^```", text, re.MULTILINE | re.DOTALL) if "@kernel" in m]
    wanted = [block for block in shown if block not in named] + [t for n, t in files(text).items() if n not in failing]
    for number, block in enumerate(block for block in wanted if "@kernel" in block):
        (tmp_path / f"block{number}.py").write_text(block, encoding="utf-8")
        run(Command(f"transpile check block{number}.py", None, 0), tmp_path)


@pytest.mark.parametrize("page", LINKED, ids=lambda p: p.name)
def test_links_lead_somewhere(page: Path) -> None:
    text = page.read_text(encoding="utf-8")
    for target in re.findall(r"\]\((?!https?:)([^)#\s]+)(?:#[^)]*)?\)", text):
        assert (page.parent / target).exists(), target


def test_paths_and_tests_named_in_architecture_exist() -> None:
    text = (ROOT / "ARCHITECTURE.md").read_text(encoding="utf-8")
    for path in re.findall(r"`(tests/[\w/.]+)", text):
        assert (ROOT / path).exists(), path
    here = (ROOT / "tests" / "test_architecture.py").read_text(encoding="utf-8")
    for name in re.findall(r"`(?:tests/test_architecture\.py::)?(test_\w+)`", text):
        assert f"def {name}(" in here, name
    code_map = text.partition("## Code map")[2].partition("## Invariants")[0]
    rows = re.findall(r"^\| (`.*?) \|", code_map, re.MULTILINE)
    named = {room.rstrip("/") for row in rows for room in re.findall(r"`([\w.]+/?)`", row)}
    there = {p.name for p in (ROOT / "transpiler").iterdir() if p.suffix == ".py" or (p / "__init__.py").exists()}
    assert named == (there - {"__init__.py"}) | {"grammar", "templates"}


def test_the_emitted_text_in_the_readme_is_what_is_emitted(tmp_path: Path) -> None:
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    (tmp_path / "saxpy.py").write_text(files(text)["saxpy.py"], encoding="utf-8")
    (shown,) = re.findall(r"^```cuda\n(.*?)^```", text, re.MULTILINE | re.DOTALL)
    assert run(Command("transpile emit saxpy.py", None, 0), tmp_path) == shown


def test_every_command_has_a_row() -> None:
    from transpiler.cli.app import COMMANDS

    text = (ROOT / "docs" / "commands.md").read_text(encoding="utf-8")
    assert {
        row.split()[0] for row in re.findall(r"^\| `([^`]+)`", text.partition("## Exit status")[0], re.MULTILINE)
    } == set(COMMANDS)
