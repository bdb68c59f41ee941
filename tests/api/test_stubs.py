"""Kernel files are clean under pyright with the stubs."""

import json
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]


@pytest.mark.skipif(find_spec("pyright") is None, reason="pyright is not installed")
def test_a_file_with_all_forms_is_clean(tmp_path: Path):
    (tmp_path / "typed_kernels.py").write_text((Path(__file__).parent / "typed_kernels.py").read_text())
    settings = {"pythonVersion": "3.12", "extraPaths": [str(ROOT)]}
    (tmp_path / "pyrightconfig.json").write_text(json.dumps(settings))
    command = [sys.executable, "-m", "pyright", "--pythonpath", sys.executable, "--outputjson", "-p", str(tmp_path)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if not done.stdout.startswith("{"):
        pytest.skip(f"pyright does not run here: {done.stderr[-200:]}")
    report = json.loads(done.stdout)
    assert report["summary"]["filesAnalyzed"] == 1
    assert [d["message"] for d in report["generalDiagnostics"]] == []
