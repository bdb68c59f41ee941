"""What the environment asks of launches."""

from __future__ import annotations

import subprocess
import sys

import pytest

from tests.runtime import fakes
from tests.runtime.fakes import Bench, FakeDriver, FakeError, array
from transpiler.errors import DeviceError
from transpiler.runtime import launch as launches
from transpiler.runtime.program import FileProgram
from transpiler.runtime.unit import Given
from transpiler.source import Source

TEXT = """from transpiler import Out, cuda, i32, kernel
@kernel(grid=1, block=32)
def ramp(out: Out[i32, 32]):
    i = cuda.threadIdx.x
    out[i] = i
"""


def test_sanitized_kernels_know_their_python_lines(monkeypatch: pytest.MonkeyPatch):
    given = {"out": Given("array", "i32", 1)}
    plain = FileProgram.read(Source(TEXT, "ramp.py"), "ramp").instance(given, None)
    monkeypatch.setenv("TRANSPILER_SANITIZE", "1")
    sanitized = FileProgram.read(Source(TEXT, "ramp.py"), "ramp").instance(given, None)
    assert '#line 5 "ramp.py"' in sanitized.cuda
    assert "-lineinfo" in sanitized.options
    assert "#line" not in plain.cuda
    assert "-lineinfo" not in plain.options


@pytest.mark.parametrize(("value", "expected"), [("", "False"), ("0", "False"), ("1", "True")])
def test_transpiler_sync_is_read_once(value: str, expected: str):
    code = "from transpiler.runtime.launch import SYNC; print(SYNC)"
    done = subprocess.run([sys.executable, "-c", code], env={"TRANSPILER_SYNC": value}, capture_output=True, text=True)
    assert done.stdout.strip() == expected, done.stderr


def test_with_sync_each_launch_waits_and_names_itself(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(launches, "SYNC", True)
    bench = Bench(fakes.saxpy())
    bench(2.0, array(8), array(8))
    assert bench.driver.log[-2:] == [("launch", 0), ("synchronize", 0)]

    def fails(stream: int) -> None:
        raise FakeError("illegal address")

    driver = FakeDriver()
    driver.synchronize = fails  # type: ignore[method-assign]
    with pytest.raises(DeviceError, match="`saxpy` failed on the device: illegal address"):
        Bench(fakes.saxpy(), driver)(2.0, array(8), array(8))
