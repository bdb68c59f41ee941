"""What programs and tests that use kernels need: run on a GPU or simulated, compare, measure.

In: kernels and NumPy arrays. Out: the arrays changed in place, as the kernel would change them on a device.
Non-goals: speed of the copies; a program that cares holds its own device arrays and calls `k(...)`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from transpiler.errors import SimulationError

if TYPE_CHECKING:
    from collections.abc import Callable

    import numpy as np

    from transpiler.api import Kernel
    from transpiler.runtime.timing import Timing

Size = int | tuple[int, ...]


def launch(kernel: Kernel, *args: Any, grid: Size | None = None, block: Size | None = None) -> str:
    """Run a kernel on NumPy arrays, changed in place: on the GPU if there is one, else in the simulator.

    `grid` and `block` are given together, in x, y, z order, or left to the kernel. Prints and returns where it ran, `"GPU"` or
    `"simulator"`. Raises `LaunchError` and `CompileError` like a launch, `SimulationError` where the simulator finds a fault.
    """
    from transpiler.runtime.device import NoDevice, cuda_driver

    name = getattr(kernel, "__name__", "kernel")
    try:
        driver = cuda_driver()
    except NoDevice as reason:
        report = kernel.simulate(*args, grid=grid, block=block)
        if report.diagnostics:
            raise SimulationError(report.diagnostics) from None
        print(report.printed, end="")
        print(f"{name}: simulated, since {_short(reason)}")
        return "simulator"
    on_device = [driver.to_device(arg) if _is_array(arg) else arg for arg in args]
    if grid is None and block is None:
        kernel(*on_device)
    else:
        kernel[grid, block](*on_device)
    for given, copy in zip(args, on_device, strict=True):
        if _is_array(given):
            given[...] = driver.to_host(copy)
    print(f"{name}: ran on the GPU")
    return "GPU"


def _is_array(value: Any) -> bool:
    return hasattr(value, "__array_interface__") and hasattr(value, "shape") and hasattr(value, "flags")


def _short(reason: Exception) -> str:
    return str(reason).partition("\n")[0].rstrip(".")


def check(got: np.ndarray, expected: Any, *, rtol: float = 0.0, atol: float = 0.0) -> None:
    """Compare with what is expected; raises `AssertionError` with the largest difference."""
    import numpy as np

    np.testing.assert_allclose(np.asarray(got), np.asarray(expected), rtol=rtol, atol=atol)


def do_bench(
    function: Callable[[], Any], *others: Callable[[], Any], runs: int = 100, warmup: int = 5, flush_l2: bool = True
) -> Timing | tuple[Timing, ...]:
    """Time on the device by CUDA events, medians; several functions take turns, and come back as a tuple.

    `do_bench(k.bind(2.0, x, y), lambda: cupy.add(x, y, y))`. A bound launch knows the bytes of its arrays, so that its `Timing`
    has GB/s. Raises `NoDevice` (a `RuntimeError`) where there is no GPU: the simulator's time says nothing.
    """
    from transpiler.runtime.session import session
    from transpiler.runtime.timing import measure

    if runs < 1:
        raise ValueError(f"runs={runs}: at least one is measured")
    driver = session().shared.driver
    found = tuple(measure(driver, (function, *others), runs=runs, warmup=warmup, flush=flush_l2))
    return found if others else found[0]
