"""From the text of a kernel to its proof, for tests."""

from __future__ import annotations

from tests.support.kernels import checked, kernel_text, module
from transpiler.confirm import Confirm
from transpiler.diagnostics import Severity
from transpiler.ir import device
from transpiler.prove import Proof, prove


def kernel(body: str, params: str, decorator: str = "kernel(block=256)", before: str = "") -> device.Kernel:
    """The lowered kernel `k` with this body; `before` may hold device functions."""
    kernels, found = checked(module(before + "\n" + kernel_text(body, params, decorator)))
    assert not any(d.severity is Severity.ERROR for d in found), found
    return kernels[-1]


def proof(body: str, params: str, decorator: str = "kernel(block=256)", before: str = "", run: bool = True) -> Proof:
    """Its proof; candidates are run in the simulator if `run`."""
    made = kernel(body, params, decorator, before)
    return prove(made, confirm=Confirm(made) if run else None)


def errors(p: Proof) -> list[str]:
    return [d.code for d in p.diagnostics if d.severity is Severity.ERROR]
