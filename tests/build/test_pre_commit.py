"""The hook of `.pre-commit-hooks.yaml`, run as pre-commit runs it: its entry, and behind it the names of the staged files."""

from __future__ import annotations

import re
import shlex
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
HEAD = """\
from transpiler import Dim, InOut, cuda, f32, kernel


class N(Dim): ...


@kernel(domain=N, block=256)
def scale(x: InOut[f32, N]):
    i = cuda.grid(1)
"""
GOOD = HEAD + "    if i < N:\n        x[i] = 2.0 * x[i]\n"
WRONG = HEAD + "    x[i] = 2.0 * x[i]\n"
PLAIN = """\
import os


def main(*names: str) -> None:
    with open(os.devnull) as file, open(names[0]) as other:
        match file.read(), other.read():
            case "", text if text:
                print(f"{text!r:>{len(names)}}")
"""

pytestmark = pytest.mark.skipif(shutil.which("git") is None, reason="needs git")


def hook() -> dict[str, str]:
    """The fields of the one hook; the file is as plain as YAML can be."""
    text = (ROOT / ".pre-commit-hooks.yaml").read_text(encoding="utf-8")
    assert text.count("- id:") == 1
    return dict(re.findall(r"^(?:- |  )(\w+): (.+)$", text, re.MULTILINE))


def run_hook(folder: Path, files: dict[str, str]) -> subprocess.CompletedProcess[str]:
    """Stage files in a new repository, and run the hook on what is staged."""
    for name, text in files.items():
        (folder / name).write_text(text, encoding="utf-8")
    git = ["git", "-C", str(folder)]
    subprocess.run([*git, "init", "--quiet"], check=True)
    subprocess.run([*git, "add", *files], check=True)
    named = subprocess.run([*git, "diff", "--cached", "--name-only"], check=True, capture_output=True, text=True)
    command, *words = shlex.split(hook()["entry"])
    assert command in tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]["scripts"]
    return subprocess.run(
        [sys.executable, "-m", "transpiler.cli", *words, *named.stdout.split()],
        cwd=folder,
        capture_output=True,
        text=True,
        check=False,
    )


def test_the_definition_is_complete() -> None:
    found = hook()
    assert (found["id"], found["language"], found["types"]) == ("transpile-check", "python", "[python]")


def test_proved_kernels_and_plain_files_pass(tmp_path: Path) -> None:
    done = run_hook(tmp_path, {"good.py": GOOD, "plain.py": PLAIN, "empty.py": ""})
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout == "good.py:8: scale: proved\n1 kernel: 1 proved\n"
    (tmp_path / "alone").mkdir()
    assert run_hook(tmp_path / "alone", {"plain.py": PLAIN}).returncode == 0


def test_a_wrong_kernel_fails_and_is_the_only_finding(tmp_path: Path) -> None:
    done = run_hook(tmp_path, {"good.py": GOOD, "plain.py": PLAIN, "wrong.py": WRONG})
    assert done.returncode == 1
    assert "error[E0501]" in done.stdout
    assert "--> wrong.py:10:5" in done.stdout
    assert "plain.py" not in done.stdout
