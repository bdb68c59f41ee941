"""Row 86: the same text gives the same C++, byte for byte, whatever the process."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PROGRAM = """
import sys
from pathlib import Path
from tests.strategies.host import emitted
from tests.support.kernels import PRELUDE
from transpiler.check import check_kernel
from transpiler.frontend import parse_module
from transpiler.lower import lower_kernel
from transpiler.source import Source
for name in sys.argv[1:]:
    module, _ = parse_module(Source(Path(name).read_text(), Path(name).name))
    for function in module.functions:
        if function.is_kernel:
            typed, _ = check_kernel(module, function)
            if typed is not None:
                print(emitted(lower_kernel(typed))[0])
"""


@pytest.mark.parametrize("names", [("saxpy.py", "block_reduce.py", "matmul.py", "scan.py", "histogram.py")])
def test_output_does_not_depend_on_the_process(names: tuple[str, ...]) -> None:
    paths = [str(ROOT / "samples" / "simt" / name) for name in names]
    texts = set()
    for seed in ("0", "1", "77"):
        done = subprocess.run(
            [sys.executable, "-c", PROGRAM, *paths],
            cwd=ROOT,
            env={"PYTHONHASHSEED": seed, "PYTHONPATH": str(ROOT)},
            capture_output=True,
            text=True,
            check=True,
        )
        texts.add(done.stdout)
    assert len(texts) == 1
    assert texts.pop().count("__global__") == len(names)
