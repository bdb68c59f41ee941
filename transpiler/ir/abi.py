"""One parameter of a kernel in C++, as the text, the header, the manifest and the launch know it.

In: nothing. Out: `AbiParam`, plain data; how long a failure buffer is.
Non-goals: which parameters a kernel has (`emit.abi`), their values (`runtime.launch`).
"""

from __future__ import annotations

from transpiler.ir.types import DType
from transpiler.records import record


@record
class AbiParam:
    """One C++ parameter.

    `kind`: `pointer` and `scalar` are the source's parameter `name`; `dim` is the value of the dim `name`; `extent`
    and `stride` are those of axis `axis` of the array parameter `name` (a stride counts elements); `failure` points
    to the failure buffer.
    """

    kind: str
    cpp_type: str
    cpp_name: str
    name: str
    axis: int | None = None
    dtype: DType | None = None

    @property
    def declaration(self) -> str:
        return f"{self.cpp_type} {self.cpp_name}"


FAILURE_WORDS = 12
"""Length of a failure buffer in `long long`s; `templates/device/failure.cuh` says what stands where."""
