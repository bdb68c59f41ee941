"""What architectures lack, and where that is said."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.support.kernels import lowered
from transpiler.cli.app import run
from transpiler.target import lacking, number

SUM = "@kernel(block=64)\ndef k(f: Atomic[{}, 1]):\n    cuda.atomic.{}(f, 0, 1)\n"


@pytest.mark.parametrize(("arch", "expected"), [("sm_50", 50), ("sm_90a", 90), ("sm_100f", 100), ("compute_121", 121)])
def test_numbers(arch: str, expected: int) -> None:
    assert number(arch) == expected


def test_no_architecture() -> None:
    with pytest.raises(ValueError, match="gfx90"):
        number("gfx90")


@pytest.mark.parametrize(
    ("dtype", "op", "too_old", "enough"),
    [
        ("f64", "add", "sm_52", "sm_60"),
        ("f64", "sub", "sm_52", "sm_60"),
        ("f16", "add", "sm_61", "sm_70"),
        ("bf16", "add", "sm_61", "sm_70"),
    ],
)
def test_atomic_sums(dtype: str, op: str, too_old: str, enough: str) -> None:
    kernel = lowered(SUM.format(dtype, op))
    (found,) = lacking(kernel, too_old)
    assert found.code == "E0701"
    assert enough in found.message
    assert lacking(kernel, enough) == []


@pytest.mark.parametrize(("dtype", "op"), [("i32", "add"), ("f32", "add"), ("f64", "max"), ("u64", "min")])
def test_what_every_architecture_has(dtype: str, op: str) -> None:
    assert lacking(lowered(SUM.format(dtype, op)), "sm_50") == []


def test_an_intrinsic_of_a_device_function() -> None:
    kernel = lowered(
        "@device\ndef f(v: i32):\n    return cuda.match_any_sync(0xFFFFFFFF, v)\n\n"
        "@kernel(block=32)\ndef k(y: Out[u32, N]):\n    v = f(1)\n    if cuda.grid(1) < N:\n        y[cuda.grid(1)] = v\n"
    )
    (found,) = lacking(kernel, "sm_60")
    assert "match_any_sync" in found.message
    assert lacking(kernel, "sm_70") == []


def test_a_build_says_so_and_writes_nothing(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "sum64.py"
    file.write_text("from transpiler import Atomic, cuda, f64, kernel\n\n" + SUM.format("f64", "add"))
    out = tmp_path / "out"
    assert run(["build", str(file), "--arch", "sm_52", "-o", str(out)]) == 1
    assert "E0701" in "".join(capsys.readouterr())
    assert not out.exists() or not list(out.iterdir())
