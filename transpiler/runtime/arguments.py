"""Device arrays of any library, read into one record.

In: an argument of a launch: CuPy, PyTorch, Numba, JAX, anything with `__cuda_array_interface__` (v2, v3) or `__dlpack__`.
Out: `ArrayArg`: address, dtype, extents, strides, device, read-only, producer stream, owner. Host arrays are refused with the
call that copies.
Non-goals: whether the array suits the kernel (`runtime.shapes`); scalars (`runtime.scalars`); the fast path for CuPy
arrays, which `runtime.launch` reads inline.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

from transpiler.runtime import dtypes
from transpiler.runtime.driver import Driver
from transpiler.runtime.owned import Handle
from transpiler.runtime.streams import Producer, stream_pointer, torch_stream


@dataclass(frozen=True, slots=True)
class ArrayArg:
    """An array in device memory; `strides` in bytes, None where it is C-contiguous; `device` None where it has no elements."""

    pointer: int
    dtype: str
    itemsize: int
    shape: tuple[int, ...]
    strides: tuple[int, ...] | None
    device: int | None
    readonly: bool
    producer: Producer | None
    """The stream whose work produces the contents, where it can be known."""
    owner: Any

    @property
    def size(self) -> int:
        count = 1
        for extent in self.shape:
            count *= extent
        return count

    @property
    def byte_strides(self) -> tuple[int, ...]:
        return self.strides if self.strides is not None else c_strides(self.shape, self.itemsize)


@dataclass(frozen=True, slots=True)
class Unusable:
    """Why an argument is no device array, and what would make it one."""

    code: str
    reason: str
    help: str | None = None


def c_strides(shape: tuple[int, ...], itemsize: int) -> tuple[int, ...]:
    """Byte strides of a C-contiguous array."""
    strides: list[int] = []
    step = itemsize
    for extent in reversed(shape):
        strides.append(step)
        step *= max(extent, 1)
    return tuple(reversed(strides))


def f_strides(shape: tuple[int, ...], itemsize: int) -> tuple[int, ...]:
    """Byte strides of a Fortran-contiguous array."""
    return tuple(reversed(c_strides(shape[::-1], itemsize)))


def same_layout(shape: tuple[int, ...], strides: tuple[int, ...], wanted: tuple[int, ...]) -> bool:
    """Whether strides lay elements out as `wanted`: axes of extent 1 never step, empty arrays have no elements."""
    if 0 in shape:
        return True
    return all(extent == 1 or have == want for extent, have, want in zip(shape, strides, wanted, strict=True))


def is_array_like(value: Any) -> bool:
    """Whether an argument presents itself as an array of any library, device or host."""
    if isinstance(value, (ArrayArg, Handle)):
        return True
    if isinstance(value, (bool, int, float, complex, str, bytes)) or value is None or isinstance(value, type):
        return False
    if type(value).__module__ == "numpy" and not hasattr(value, "__setitem__"):
        return False  # a NumPy scalar
    return (
        hasattr(type(value), "__cuda_array_interface__")
        or hasattr(value, "__dlpack__")
        or hasattr(value, "__array_interface__")
        or isinstance(value, (list, tuple, memoryview, bytearray))
        or hasattr(value, "__cuda_array_interface__")
    )


def read_array(value: Any, driver: Driver) -> ArrayArg | Unusable:
    """The record of an argument, or why it is none."""
    if isinstance(value, ArrayArg):
        return value
    if isinstance(value, Handle):
        return _from_handle(value, driver)
    if type(value) is driver.array_type():
        return _from_cupy(value)
    root = type(value).__module__.partition(".")[0]
    if root == "torch":
        return _from_torch(value)
    if root == "numpy" or isinstance(value, (list, tuple, memoryview, bytearray)):
        return _host(value)
    try:
        interface = getattr(value, "__cuda_array_interface__", None)
    except (AttributeError, RuntimeError, TypeError, ValueError) as error:  # exporters refuse in all these ways
        return Unusable("E0817", f"{_type_name(value)} does not export its memory: {error}")
    if interface is not None:
        return _from_interface(value, interface, driver, readonly=root in ("jax", "jaxlib"))
    if hasattr(value, "__dlpack__"):
        return _from_dlpack(value, driver)
    if hasattr(value, "__array_interface__") or hasattr(value, "__array__"):
        return _host(value)
    return Unusable(
        "E0817",
        f"{_type_name(value)} is no device array",
        "pass a CuPy array, a CUDA tensor, or an object with `__cuda_array_interface__` or `__dlpack__`",
    )


def _type_name(value: Any) -> str:
    kind = type(value)
    return kind.__qualname__ if kind.__module__ == "builtins" else f"{kind.__module__}.{kind.__qualname__}"


def _host(value: Any) -> Unusable:
    return Unusable(
        "E0804", f"{_type_name(value)} lies in host memory", "copy it to the device first: `cupy.asarray({name})`"
    )


def _from_torch(value: Any) -> ArrayArg | Unusable:
    if not value.is_cuda:
        where = str(value.device)
        return Unusable("E0804", f"the tensor lies on `{where}`", "copy it to the device first: `{name}.cuda()`")
    if value.layout is not None and str(value.layout) != "torch.strided":
        return Unusable("E0817", f"the tensor is {value.layout}", "pass a dense tensor: `{name}.to_dense()`")
    name = dtypes.from_name(str(value.dtype))
    if name is None:
        return Unusable("E0802", f"the kernel language has no `{value.dtype}`")
    itemsize = value.element_size()
    contiguous = value.is_contiguous()
    strides = None if contiguous else tuple(step * itemsize for step in value.stride())
    device = value.device.index
    return ArrayArg(
        value.data_ptr(), name, itemsize, tuple(value.shape), strides, device, False, torch_stream(device), value
    )


def _from_interface(value: Any, interface: dict[str, Any], driver: Driver, readonly: bool) -> ArrayArg | Unusable:
    typestr = interface["typestr"]
    name = dtypes.from_typestr(typestr)
    if name is None:
        return Unusable("E0802", f"the kernel language has no dtype `{typestr}`")
    if interface.get("mask") is not None:
        return Unusable("E0817", "masked arrays are not supported")
    pointer, read_only = interface["data"]
    shape = tuple(interface["shape"])
    itemsize = int(typestr[2:])
    strides = interface.get("strides")
    if strides is not None:
        strides = tuple(strides)
        if same_layout(shape, strides, c_strides(shape, itemsize)):
            strides = None
    stream = interface.get("stream")
    producer = None if stream is None else stream_pointer(stream)
    empty = 0 in shape
    device = None if empty else driver.device_of(pointer)
    if device is None and not empty:
        return _host(value)
    return ArrayArg(pointer or 0, name, itemsize, shape, strides, device, bool(read_only) or readonly, producer, value)


def _from_cupy(array: Any) -> ArrayArg | Unusable:
    """The array class of the fast path, whose properties say all."""
    name = dtypes.from_numpy(array.dtype)
    if name is None:
        return Unusable("E0802", f"the kernel language has no dtype `{array.dtype}`")
    strides = None if array._c_contiguous else tuple(array.strides)
    shape, itemsize, data = tuple(array.shape), array.dtype.itemsize, array.data
    return ArrayArg(data.ptr, name, itemsize, shape, strides, data.device_id, False, None, array)


def _from_handle(value: Handle, driver: Driver) -> ArrayArg | Unusable:
    """`Owned` and `Borrowed`: the array within, read-only where it is frozen or lent."""
    why = value.moved()
    if why is not None:
        return Unusable("E0822", why, "pass what `move()` returned")
    record = read_array(value.lent(), driver)
    return replace(record, readonly=record.readonly or value.is_readonly()) if isinstance(record, ArrayArg) else record


_DLPACK_CUDA = (2, 13)
"""`kDLCUDA` and `kDLCUDAManaged`."""


def _from_dlpack(value: Any, driver: Driver) -> ArrayArg | Unusable:
    kind, _ = value.__dlpack_device__()
    if int(kind) not in _DLPACK_CUDA:
        return _host(value)
    array = driver.from_dlpack(value)
    name = dtypes.from_numpy(array.dtype)
    if name is None:
        return Unusable("E0802", f"the kernel language has no `{array.dtype}`")
    strides = None if array._c_contiguous else tuple(array.strides)
    readonly = type(value).__module__.startswith("jax")
    owner = (value, array)
    return ArrayArg(
        array.data.ptr,
        name,
        array.dtype.itemsize,
        tuple(array.shape),
        strides,
        array.data.device_id,
        readonly,
        None,
        owner,
    )
