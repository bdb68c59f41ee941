"""Distributions built from this checkout, and environments that hold them and little else.

In: folders. Out: files that `build` made; the Python of a virtual environment. With `--no-isolation` nothing is downloaded:
builds happen in the environment of the tests, and dependencies are borrowed from it by name.
"""

from __future__ import annotations

import shutil
import subprocess
import sys
import sysconfig
import venv
from collections.abc import Sequence
from pathlib import Path

ROOT = Path(__file__).parents[2]
_MADE = shutil.ignore_patterns(".*", "__pycache__", "build", "dist", "*.egg-info", "node_modules")


def build(source: Path, out: Path, scratch: Path, *options: str) -> subprocess.CompletedProcess[str]:
    """`python -m build` of a copy of a tree: setuptools works in the source tree, where other tests may be at work as well."""
    tree = scratch / "source"
    shutil.copytree(source, tree, ignore=_MADE)
    command = [sys.executable, "-m", "build", *options, "--outdir", str(out), str(tree)]
    return subprocess.run(command, capture_output=True, text=True, check=False)


def environment(folder: Path, wheels: Sequence[Path], borrowed: Sequence[str] = ()) -> Path:
    """The Python of a new environment with these wheels; of our dependencies it has those named, as links."""
    venv.create(folder)
    python = next(p for p in (folder / "bin" / "python", folder / "Scripts" / "python.exe") if p.exists())
    pip = [sys.executable, "-m", "pip", "--python", str(python), "install", "--quiet", "--no-deps", "--no-index"]
    subprocess.run([*pip, *map(str, wheels)], check=True, capture_output=True)
    ours, theirs = Path(sysconfig.get_path("purelib")), site_packages(python)
    for name in borrowed:
        for path in (ours / name, ours / f"{name}.libs"):
            if path.exists():
                (theirs / path.name).symlink_to(path)
    return python


def site_packages(python: Path) -> Path:
    query = "import sysconfig; print(sysconfig.get_path('purelib'))"
    done = subprocess.run([python, "-I", "-c", query], check=True, capture_output=True, text=True)
    return Path(done.stdout.strip())
