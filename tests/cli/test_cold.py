"""What a cold command loads: the time of a short command is the time of its imports."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
SAXPY = str(ROOT / "samples" / "simt" / "saxpy.py")
HEAVY = ("cupy", "numpy", "ml_dtypes", "z3", "rich", "lark", "asyncio", "email")


def loaded(*args: str, cwd: Path) -> set[str]:
    """The heavy packages that a command loads."""
    code = f"from transpiler.cli.app import run; import sys; run({list(args)!r}); print(*sys.modules, file=sys.stderr)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, cwd=cwd)
    return set(done.stderr.splitlines()[-1].split()) & set(HEAVY)


def test_emit_of_a_simple_kernel_loads_neither_solver_nor_numpy(tmp_path: Path) -> None:
    loaded("emit", SAXPY, "-o", "out", cwd=tmp_path)  # the parser's tables are in the cache from here on
    assert loaded("emit", SAXPY, "-o", "out", cwd=tmp_path) == set()


@pytest.mark.parametrize("args", [["--version"], ["explain", "E0302"], ["list", "codes"], ["new", "project"]])
def test_small_commands_load_nothing_heavy(args: list[str], tmp_path: Path) -> None:
    assert loaded(*args, cwd=tmp_path) == set()
