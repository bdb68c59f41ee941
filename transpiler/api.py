"""The Python interface: `@kernel`, `@device`, `transpile`.

In: a Python function, or the text of a kernel file. Out: `Kernel` objects that launch, `Result`s that hold text.
Decorating does nothing but remember the function: its source is read, proved and built by the first use.
Non-goals: what happens at a launch (`runtime.launch`), the passes (`pipeline`).
"""

from __future__ import annotations

import functools
from typing import TYPE_CHECKING, Any, overload

from transpiler.errors import CompileError, DeviceError, LaunchError

if TYPE_CHECKING:
    from collections.abc import Callable

__all__ = ["CompileError", "DeviceError", "Kernel", "LaunchError", "Result", "device", "kernel", "transpile"]


class Kernel:
    """A kernel: call it to launch with the grid that the decorator says, `k[grid, block](...)` for another one."""

    def __init__(self, function: Callable[..., Any], options: dict[str, Any]) -> None:
        self.options = options
        functools.update_wrapper(self, function)


class Result:
    """What `transpile` returns."""


class DeviceFunction:
    """A function of the kernel language; kernels call it, the host cannot."""

    def __init__(self, function: Callable[..., Any]) -> None:
        functools.update_wrapper(self, function)

    def __call__(self, *_args: object, **_keywords: object) -> object:
        name = getattr(self, "__name__", "?")
        raise TypeError(f"`{name}` is a @device function: kernels call it; it has no host version")


@overload
def kernel(function: Callable[..., Any], /) -> Kernel: ...
@overload
def kernel(**options: Any) -> Callable[[Callable[..., Any]], Kernel]: ...
def kernel(function: Callable[..., Any] | None = None, /, **options: Any) -> Any:
    """Mark a function as a kernel: `@kernel` or `@kernel(domain=N, block=256)`."""
    if function is not None:
        return Kernel(function, options)
    return lambda decorated: Kernel(decorated, options)


def device(function: Callable[..., Any]) -> Callable[..., Any]:
    """Mark a function that kernels can call."""
    return DeviceFunction(function)


def transpile(source: Any) -> Result:
    raise NotImplementedError
