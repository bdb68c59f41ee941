"""The words of the kernel language, as a type checker sees them.

Ownership words are `typing.Annotated`; dtypes are opaque, so that array elements, arithmetic and conversions check as `Any`.
"""

from collections.abc import Sequence
from typing import Annotated, Any, TypeVar, overload

_T = TypeVar("_T")
_opaque: Any

class _DimType(type):
    def __index__(cls) -> int: ...
    def __add__(cls, other: Any) -> int: ...
    def __radd__(cls, other: Any) -> int: ...
    def __sub__(cls, other: Any) -> int: ...
    def __rsub__(cls, other: Any) -> int: ...
    def __mul__(cls, other: Any) -> int: ...
    def __rmul__(cls, other: Any) -> int: ...
    def __floordiv__(cls, other: Any) -> int: ...
    def __rfloordiv__(cls, other: Any) -> int: ...
    def __truediv__(cls, other: Any) -> Any: ...
    def __rtruediv__(cls, other: Any) -> Any: ...
    def __mod__(cls, other: Any) -> int: ...
    def __rmod__(cls, other: Any) -> int: ...
    def __pow__(cls, other: Any) -> int: ...
    def __rpow__(cls, other: Any) -> int: ...
    def __lshift__(cls, other: Any) -> int: ...
    def __rlshift__(cls, other: Any) -> int: ...
    def __rshift__(cls, other: Any) -> int: ...
    def __rrshift__(cls, other: Any) -> int: ...
    def __and__(cls, other: Any) -> int: ...
    def __rand__(cls, other: Any) -> int: ...
    def __neg__(cls) -> int: ...
    def __lt__(cls, other: Any) -> bool: ...
    def __le__(cls, other: Any) -> bool: ...
    def __gt__(cls, other: Any) -> bool: ...
    def __ge__(cls, other: Any) -> bool: ...
    def __float__(cls) -> float: ...

class Dim(metaclass=_DimType):
    """Base of named extents: `class N(Dim): ...`. A dim is an integer in annotations, in bodies and in `requires`."""

class DType(Any):
    """A scalar type; `class T(DType, of=(f16, f32)): ...` makes the kernels that use `T` generic, `T(0)` casts."""

    def __init_subclass__(cls, of: Sequence[Any] = ()) -> None: ...
    def __init__(self, value: Any = ...) -> None: ...

bool_ = _opaque.bool_
"""Boolean, one byte."""
i8 = _opaque.i8
"""Signed 8-bit integer."""
i16 = _opaque.i16
"""Signed 16-bit integer."""
i32 = _opaque.i32
"""Signed 32-bit integer."""
i64 = _opaque.i64
"""Signed 64-bit integer."""
u8 = _opaque.u8
"""Unsigned 8-bit integer."""
u16 = _opaque.u16
"""Unsigned 16-bit integer."""
u32 = _opaque.u32
"""Unsigned 32-bit integer."""
u64 = _opaque.u64
"""Unsigned 64-bit integer."""
f16 = _opaque.f16
"""IEEE half precision."""
bf16 = _opaque.bf16
"""bfloat16: the upper half of a float32."""
f32 = _opaque.f32
"""IEEE single precision."""
f64 = _opaque.f64
"""IEEE double precision."""

In = Annotated
Out = Annotated
InOut = Annotated
Atomic = Annotated
Partition = Annotated
Const = Annotated[_T, "known at compile time"]

class KernelWord:
    def __init__(self, name: str) -> None: ...

class Strided:
    """Last item of an annotation: strides are the caller's."""

class FOrder:
    """Last item of an annotation: the first index runs fastest."""

def requires(*conditions: Any) -> None:
    """Conditions on dims, scalars and launch dimensions that the host checks on every launch."""

def invariant(condition: Any) -> None:
    """What holds whenever the loop around it tests its condition; proved, not believed."""

def trust(condition: Any, reason: str) -> None:
    """A condition, or `ordered(array)`, that the proof believes; listed as an assumption."""

def ordered(array: Any) -> bool:
    """For `trust`: accesses to the array do not race."""

def injective(array: Any) -> bool:
    """Data contract: no value occurs twice."""

def permutation(array: Any) -> bool:
    """Data contract: the values are 0 .. len - 1, each once."""

def in_range(array: Any, low: Any, high: Any) -> bool:
    """Data contract: `low <= value < high` for every value."""

def nondecreasing(array: Any) -> bool:
    """Data contract: no value is less than the one before it."""

def verified(array: Any, predicate: Any, *bounds: int) -> Any:
    """Check a data contract once: a handle that owns a private copy, which launches accept unchecked."""

def vec(dtype: Any, size: int) -> Any:
    """A short vector type: `vec(f32, 3)(x, y, z)`."""

@overload
def unroll(steps: range) -> range: ...
@overload
def unroll(steps: _T) -> _T: ...
def unroll(steps: Any) -> Any:
    """`for i in unroll(range(4))`: written out, or by `#pragma unroll`."""
