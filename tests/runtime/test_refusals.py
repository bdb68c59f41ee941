"""Bad input of each kind: the code, the parameter's name in the text, nothing has run, and the next good launch works."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from tests.runtime import fakes
from tests.runtime.fakes import Bench, FakeArray, FakeDriver, FakeProgram, array
from transpiler.errors import LaunchError
from transpiler.ir import device as d
from transpiler.ir.types import BOOL, F64, I32, U32
from transpiler.runtime.plan import Configuration


class Exporter:
    """An array of another library."""

    def __init__(self, **interface: Any) -> None:
        base = {"shape": (8,), "typestr": "<f4", "data": (0x9000, False), "version": 3, "strides": None}
        self.__cuda_array_interface__ = base | interface


def good() -> tuple[Any, ...]:
    return 2.0, array(8), array(8)


def overlapping() -> tuple[Any, ...]:
    x = array(9)
    return 2.0, FakeArray(x.data, (8,), x.dtype, (4,)), array(8, at=x.data.ptr + 4)


def same_twice() -> tuple[Any, ...]:
    x = array(8)
    return 2.0, x, x


# (name, arguments of saxpy(a: f32, x: In[f32, N], y: InOut[f32, N]), code, words of the message)
SAXPY: list[tuple[str, Callable[[], tuple[Any, ...]], str, tuple[str, ...]]] = [
    ("too few", lambda: (2.0, array(8)), "E0801", ("3 arguments", "`y`")),
    ("too many", lambda: (*good(), 1), "E0801", ("3 arguments, 4 were given",)),
    ("dtype", lambda: (2.0, array(8, dtype="float64"), array(8)), "E0802", ("`x`", "f32", "f64", "astype('float32')")),
    ("no such dtype", lambda: (2.0, array(8, dtype="complex64"), array(8)), "E0802", ("`x`", "complex64")),
    ("rank", lambda: (2.0, array(2, 4), array(8)), "E0803", ("`x`", "1 axis", "2 axes", "(2, 4)")),
    ("rank 0", lambda: (2.0, array(), array(8)), "E0803", ("`x`", "0 axes")),
    ("NumPy array", lambda: (2.0, np.zeros(8, "float32"), array(8)), "E0804", ("`x`", "host", "cupy.asarray(x)")),
    ("list", lambda: (2.0, array(8), [1.0]), "E0804", ("`y`", "list", "cupy.asarray(y)")),
    ("dims", lambda: (2.0, array(8), array(9)), "E0805", ("`N`", "8 in `len(x)`", "9 in `len(y)`")),
    (
        "stride",
        lambda: (2.0, array(8, strides=(8,)), array(8)),
        "E0807",
        ("`x`", "C-contiguous", "ascontiguousarray(x)"),
    ),
    ("negative stride", lambda: (2.0, array(8, strides=(-4,)), array(8)), "E0807", ("`x`",)),
    ("overlap", overlapping, "E0808", ("`x`", "`y`", "writes `y`", "x.copy()")),
    ("one array twice", same_twice, "E0808", ("`x`", "`y`")),
    ("read-only", lambda: (2.0, array(8), Exporter(data=(0x9000, True))), "E0809", ("`y`", "read-only")),
    ("misaligned", lambda: (2.0, array(8, at=0x5002), array(8)), "E0811", ("`x`", "multiple of 4", "x.copy()")),
    ("device", lambda: (2.0, array(8, device=1), array(8)), "E0812", ("`x`", "device 1", "device 0")),
    ("string for a float", lambda: ("2", array(8), array(8)), "E0813", ("`a`", "str")),
    ("complex for a float", lambda: (2j, array(8), array(8)), "E0813", ("`a`", "complex")),
    ("too large for f32", lambda: (1e39, array(8), array(8)), "E0813", ("`a`", "1e+39", "f64")),
    ("array for a scalar", lambda: (array(1), array(8), array(8)), "E0813", ("`a`", "scalar", "a.item()")),
    ("None for a scalar", lambda: (None, array(8), array(8)), "E0813", ("`a`", "NoneType")),
    ("scalar for an array", lambda: (array(8), 2.0, array(8)), "E0813", ("`a`", "scalar")),
    ("number for an array", lambda: (2.0, 3.0, array(8)), "E0817", ("`x`", "float 3.0", "order of the arguments")),
    ("None for an array", lambda: (2.0, array(8), None), "E0817", ("`y`", "None")),
    ("any object", lambda: (2.0, array(8), object()), "E0817", ("`y`", "object")),
    ("masked array", lambda: (2.0, Exporter(mask=object()), array(8)), "E0817", ("`x`", "masked")),
    ("big-endian", lambda: (2.0, Exporter(typestr=">f4"), array(8)), "E0802", ("`x`", ">f4")),
]


@pytest.mark.parametrize(("arguments", "code", "words"), [row[1:] for row in SAXPY], ids=[row[0] for row in SAXPY])
def test_a_refused_launch_runs_nothing_and_leaves_no_trace(arguments: Any, code: str, words: tuple[str, ...]):
    bench = Bench(fakes.saxpy())
    for _ in range(3):  # now launches like these are recognised by the matcher
        bench(*good())
    for _ in range(2):
        with pytest.raises(LaunchError) as caught:
            bench(*arguments())
        assert caught.value.code == code
        assert isinstance(caught.value, (ValueError, TypeError))
        for word in words:
            assert word in str(caught.value)
    assert len(bench.launches) == 3
    bench(*good())
    assert len(bench.launches) == 4


def scalars(dtype: Any) -> d.Kernel:
    n = fakes.scalar_param("n", dtype)
    return fakes.kernel("fill", fakes.array_param("y", "out", fakes.const(8)), n, grid=(fakes.const(1),))


SCALARS = [
    (I32, 2**40, ("1099511627776", "i32", "`i64`")),
    (I32, -(2**31) - 1, ("i32",)),
    (U32, -1, ("-1", "u32", "i32")),
    (U32, 2**32, ("u32", "i64")),
    (I32, 2.5, ("float is no integer", "int(n)")),
    (I32, np.float32(2), ("float32 is no integer",)),
    (I32, "3", ("str is no integer",)),
    (I32, None, ("NoneType is no integer",)),
    (BOOL, 2, ("2 is no bool",)),
    (BOOL, 0.0, ("0.0", "True")),
    (F64, 10**400, ("f64",)),
]


@pytest.mark.parametrize(("dtype", "value", "words"), SCALARS)
def test_a_scalar_is_never_wrapped_or_truncated(dtype: Any, value: Any, words: tuple[str, ...]):
    bench = Bench(scalars(dtype))
    with pytest.raises(LaunchError) as caught:
        bench(array(8), value)
    assert caught.value.code == "E0813"
    for word in ("`n`", *words):
        assert word in str(caught.value)
    bench(array(8), 1)
    assert [launch.arguments[1] for launch in bench.launches] == [1]


@pytest.mark.parametrize(
    ("dtype", "value"),
    [(I32, 2**31 - 1), (I32, -(2**31)), (U32, 2**32 - 1), (U32, 0), (I32, np.int8(-3)), (BOOL, np.True_)],
)
def test_scalars_at_their_limits_pass(dtype: Any, value: Any):
    bench = Bench(scalars(dtype))
    bench(array(8), value)
    assert bench.launches[0].arguments[1] == value


# (name, grid, block, words)
CONFIGURATIONS = [
    ("block too large", (1, 1, 1), (2048, 1, 1), ("(2048, 1, 1)", "1024")),
    ("too many threads", (1, 1, 1), (512, 4, 1), ("2048 threads", "1024")),
    ("block z", (1, 1, 1), (1, 1, 128), ("64", "axis z")),
    ("no threads", (1, 1, 1), (0, 1, 1), ("below 1",)),
    ("grid y", (1, 70000, 1), (32, 1, 1), ("65535", "axis y", "axis x")),
    ("negative grid", (-1, 1, 1), (32, 1, 1), ("negative",)),
    ("2**31 threads", (2**25, 1, 1), (64, 1, 1), ("2**31", "grid-stride")),
]


@pytest.mark.parametrize(
    ("grid", "block", "words"), [c[1:] for c in CONFIGURATIONS], ids=[c[0] for c in CONFIGURATIONS]
)
def test_the_device_limit_is_named(grid: Any, block: Any, words: tuple[str, ...]):
    bench = Bench(fakes.saxpy())
    with pytest.raises(LaunchError) as caught:
        bench(*good(), config=Configuration(grid, block))
    assert caught.value.code == "E0814"
    for word in words:
        assert word in str(caught.value)
    assert bench.launches == []


def test_a_grid_barrier_needs_all_blocks_on_the_device():
    barrier = d.Barrier("grid", span=fakes.HERE)
    bench = Bench(fakes.saxpy(body=(barrier,)))
    bench(2.0, array(256 * 264), array(256 * 264))
    assert bench.driver.log[-1] == ("cooperative", 0)
    with pytest.raises(LaunchError, match="all 265 blocks on the device at once, 264 fit"):
        bench(2.0, array(256 * 265), array(256 * 265))


def test_too_many_argument_bytes():
    params = [fakes.scalar_param(f"s{i}", F64) for i in range(600)]
    kernel = fakes.kernel("many", *params, grid=(fakes.const(1),))
    with pytest.raises(LaunchError, match="4800 bytes, a launch can pass 4096"):
        Bench(kernel, FakeDriver())(*([1.0] * 600))


def test_a_fixed_extent_must_be_met():
    kernel = fakes.kernel("k", fakes.array_param("y", "out", fakes.const(32)), grid=(fakes.const(1),))
    with pytest.raises(LaunchError, match=r"E0805.*`len\(y\)` is declared as 32, the argument has 31"):
        Bench(kernel)(array(31))


def test_an_extent_can_be_computed_from_dims():
    shape = fakes.binary("+", fakes.dim("N"), fakes.const(1))
    x, y = fakes.array_param("x", "in", fakes.dim("N")), fakes.array_param("y", "out", shape)
    bench = Bench(fakes.kernel("k", y, x, dims=("N",), grid=(fakes.const(1),)))
    bench(array(9), array(8))
    with pytest.raises(LaunchError, match=r"`len\(y\)` is declared as 9"):
        bench(array(8), array(8))


def strided(order: str) -> Bench:
    shape = (fakes.dim("M"), fakes.dim("N"))
    x, y = fakes.array_param("x", "in", *shape, order=order), fakes.array_param("y", "out", *shape, order=order)
    return Bench(fakes.kernel("k", x, y, dims=("M", "N"), grid=(fakes.const(1),)))


def test_strided_parameters_take_views():
    bench = strided("strided")
    base = array(8, 8)
    left = array(8, 4, at=base.data.ptr, strides=(32, 4))
    right = array(8, 4, at=base.data.ptr + 16, strides=(32, 4))
    bench(left, right)
    assert len(bench.launches) == 1
    with pytest.raises(LaunchError, match="E0808"):
        bench(left, array(8, 4, at=base.data.ptr + 12, strides=(32, 4)))
    with pytest.raises(LaunchError, match=r"E0810.*`y`"):
        bench(left, array(8, 4, strides=(0, 4)))
    with pytest.raises(LaunchError, match=r"E0811.*no multiples of its item size"):
        bench(array(8, 4, strides=(30, 4)), array(8, 4))


def test_fortran_order_is_checked():
    bench = strided("F")
    bench(array(8, 4, strides=(4, 32)), array(8, 4, strides=(4, 32)))
    with pytest.raises(LaunchError, match=r"E0807.*not Fortran-contiguous"):
        bench(array(8, 4), array(8, 4))


def test_requires_points_at_the_condition():
    cond = fakes.less(fakes.binary("%", fakes.dim("N"), fakes.const(32)), fakes.const(0), "==")
    requirement = d.Requirement("N % 32 == 0", cond, span=fakes.Span(8, 20))
    bench = Bench(fakes.saxpy(requires=(requirement,)))
    bench(2.0, array(64), array(64))
    with pytest.raises(LaunchError, match=r"`requires` needs `N % 32 == 0`, but N = 65") as caught:
        bench(2.0, array(65), array(65))
    assert caught.value.diagnostic.span == requirement.span


def test_names_and_defaults():
    bench = Bench(FakeProgram(fakes.saxpy(), defaults={"a": 2.0}))
    x, y = array(8), array(8)
    assert bench.launcher.bind_arguments((1.0, x), {"y": y}) == (1.0, x, y)
    assert bench.launcher.bind_arguments((), {"y": y, "x": x}) == (2.0, x, y)
    with pytest.raises(LaunchError, match="no parameter `z`"):
        bench.launcher.bind_arguments((1.0, x, y), {"z": 1})
    with pytest.raises(LaunchError, match="`x` was given twice"):
        bench.launcher.bind_arguments((1.0, x), {"x": x, "y": y})


def test_refusals_pickle():
    import pickle

    with pytest.raises(LaunchError) as caught:
        Bench(fakes.saxpy())(2.0, array(8), array(9))
    again = pickle.loads(pickle.dumps(caught.value))
    assert (again.code, str(again)) == ("E0805", str(caught.value))
