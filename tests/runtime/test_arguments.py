"""Arrays of other libraries, by what they export."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import ml_dtypes
import numpy as np
import pytest

from tests.runtime import fakes
from tests.runtime.fakes import Bench, FakeDriver, array
from transpiler.errors import LaunchError
from transpiler.runtime import dtypes
from transpiler.runtime.arguments import (
    ArrayArg,
    Unusable,
    c_strides,
    f_strides,
    is_array_like,
    read_array,
    same_layout,
)


class Exporter:
    """Something with `__cuda_array_interface__`, such as Numba's arrays."""

    def __init__(self, **interface: Any) -> None:
        base = {"shape": (8,), "typestr": "<f4", "data": (0x9000, False), "version": 3, "strides": None}
        self.__cuda_array_interface__ = base | interface


class Tensor:
    """What a launch asks of a PyTorch tensor."""

    def __init__(
        self, shape=(8,), dtype="torch.float32", stride=(1,), device=0, pointer=0xA000, layout="torch.strided"
    ) -> None:
        self.shape, self.dtype, self._stride, self._pointer = shape, dtype, stride, pointer
        self.is_cuda = device is not None
        self.device = SimpleNamespace(index=device) if self.is_cuda else "cpu"
        self.layout = layout

    def data_ptr(self) -> int:
        return self._pointer

    def element_size(self) -> int:
        return 4

    def get_device(self) -> int:
        return self.device.index

    def stride(self) -> tuple[int, ...]:
        return self._stride

    def is_contiguous(self) -> bool:
        return tuple(s * 4 for s in self._stride) == c_strides(self.shape, 4)

    def __dlpack__(self) -> None:
        raise AssertionError("tensors are read directly")


Tensor.__module__ = "torch"


class Jax(Exporter):
    pass


Jax.__module__ = "jaxlib._jax"


class DLPackOnly:
    def __init__(self, inner: Any, kind: int = 2) -> None:
        self.array, self._kind = inner, kind

    def __dlpack__(self, **keywords: Any) -> Any:
        return self.array

    def __dlpack_device__(self) -> tuple[int, int]:
        return self._kind, 0


def read(value: Any) -> ArrayArg:
    found = read_array(value, FakeDriver())
    assert isinstance(found, ArrayArg)
    return found


def refused(value: Any) -> Unusable:
    found = read_array(value, FakeDriver())
    assert isinstance(found, Unusable)
    return found


def test_the_array_interface():
    found = read(Exporter())
    assert (found.pointer, found.dtype, found.shape, found.strides, found.device) == (0x9000, "f32", (8,), None, 0)
    assert read(Exporter(strides=(4,))).strides is None, "C-contiguous strides say nothing new"
    assert read(Exporter(strides=(8,))).strides == (8,)
    assert read(Exporter(stream=17)).producer == 17
    assert read(Exporter(data=(0x9000, True))).readonly
    assert read(Exporter(typestr="<V2")).dtype == "bf16"
    assert read(Exporter(shape=(0,), data=(0, False))).device is None


def test_host_memory_behind_the_array_interface():
    driver = FakeDriver()
    driver.pointers[0x9000] = None  # type: ignore[assignment]
    found = read_array(Exporter(), driver)
    assert isinstance(found, Unusable)
    assert found.code == "E0804"


def test_tensors():
    found = read(Tensor(shape=(2, 4), stride=(4, 1)))
    assert (found.pointer, found.dtype, found.shape, found.strides) == (0xA000, "f32", (2, 4), None)
    assert read(Tensor(shape=(2, 4), stride=(1, 2))).strides == (4, 8)
    assert read(Tensor(dtype="torch.bfloat16")).dtype == "bf16"
    assert refused(Tensor(device=None)).code == "E0804"
    assert "`{name}.cuda()`" in (refused(Tensor(device=None)).help or "")
    assert refused(Tensor(dtype="torch.complex64")).code == "E0802"
    assert refused(Tensor(layout="torch.sparse_coo")).code == "E0817"


def test_jax_arrays_are_never_written():
    assert read(Jax()).readonly


def test_dlpack():
    inner = array(8)
    found = read(DLPackOnly(inner))
    assert (found.pointer, found.shape, found.dtype) == (inner.data.ptr, (8,), "f32")
    assert refused(DLPackOnly(inner, kind=1)).code == "E0804"


def test_an_exporter_that_refuses_is_quoted():
    class Grad:
        @property
        def __cuda_array_interface__(self):
            raise RuntimeError("requires grad: use detach()")

    found = refused(Grad())
    assert found.code == "E0817"
    assert "use detach()" in found.reason


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        (1, False),
        (1.5, False),
        (True, False),
        (None, False),
        ("text", False),
        (np.float32(1), False),
        (np.zeros(1), True),
        ([1], True),
        (Exporter(), True),
        (Tensor(), True),
        (object(), False),
    ],
)
def test_what_counts_as_an_array(value: Any, expected: bool):
    assert is_array_like(value) is expected


def test_other_libraries_launch_and_are_ordered_behind_their_producer():
    bench = Bench(fakes.saxpy())
    x, y = Exporter(stream=5), array(8)
    bench(2.0, x, y)
    assert bench.launches[0].stream == 5, "its own stream"
    bench(2.0, Exporter(stream=9), y, stream=7)
    assert ("wait", 7, 9) in bench.driver.log


def test_tensors_run_on_torchs_stream(monkeypatch: pytest.MonkeyPatch):
    import sys

    stream = SimpleNamespace(cuda_stream=33)
    torch = SimpleNamespace(cuda=SimpleNamespace(current_stream=lambda device: stream))
    monkeypatch.setitem(sys.modules, "torch", torch)
    bench = Bench(fakes.saxpy())
    for _ in range(3):  # the last time recognised by the matcher
        bench(2.0, Tensor(), Tensor(pointer=0xB000))
        stream.cuda_stream += 1
    assert [launch.stream for launch in bench.launches] == [33, 34, 35]
    assert (bench.launches[0].stream, bench.launches[0].arguments) == (33, [2.0, 0xA000, 0xB000, 8])
    with pytest.raises(LaunchError, match="E0808"):
        bench(2.0, Tensor(), Tensor())
    with pytest.raises(LaunchError, match="E0812"):
        bench(2.0, Tensor(device=1), Tensor(pointer=0xB000))


@pytest.mark.parametrize(
    ("numpy", "name"),
    [("bool", "bool"), ("int8", "i8"), ("uint16", "u16"), ("int64", "i64"), ("float16", "f16"), ("float64", "f64")],
)
def test_dtypes_by_all_their_names(numpy: str, name: str):
    assert dtypes.from_numpy(np.dtype(numpy)) == name
    assert dtypes.from_typestr(np.dtype(numpy).str) == name
    assert dtypes.from_name(numpy) == name
    assert dtypes.from_name(f"torch.{numpy}") == name
    assert dtypes.from_name(np.dtype(numpy).type.__name__) == name


def test_bfloat16_and_what_has_no_dtype():
    assert dtypes.from_numpy(np.dtype(ml_dtypes.bfloat16)) == "bf16"
    assert dtypes.from_name("bfloat16") == "bf16"
    for typestr in (">f4", "<c8", "<U4", "|O", "<f16", "<M8"):
        assert dtypes.from_typestr(typestr) is None
    assert dtypes.from_name("complex64") is None


def test_layouts():
    assert c_strides((2, 3, 4), 4) == (48, 16, 4)
    assert f_strides((2, 3, 4), 4) == (4, 8, 24)
    assert same_layout((1, 4), (999, 4), c_strides((1, 4), 4)), "an axis of extent 1 never steps"
    assert same_layout((0, 4), (1, 1), c_strides((0, 4), 4))
    assert not same_layout((2, 4), (4, 8), c_strides((2, 4), 4))
