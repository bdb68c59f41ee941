"""The judges: what each pair of meanings of one kernel has to agree on.

In: a `Generated` kernel (or the file of a sample). Out: `Outcome`, what could be compared; `Mismatch` where two meanings differ.
Non-goals: drawing kernels (`tests.strategies`), how many are judged (the tests here, `fuzz`).
"""

from __future__ import annotations

import functools
from collections.abc import Mapping, Sequence
from enum import Enum
from typing import Any

import numpy as np

from tests.strategies.cpython import dims_of, run_python
from tests.strategies.generated import Generated
from tests.strategies.host import HostKernel, build_kernels
from tests.strategies.numbers import BadPower, BadShift, Misfit, Num
from tests.traps.harness import different
from transpiler.check import check_kernel
from transpiler.diagnostics import Diagnostic
from transpiler.frontend import parse_module
from transpiler.ir import device
from transpiler.lower import lower_kernel
from transpiler.prove import Proof, prove
from transpiler.simulate import Report, simulate, simulate_witness
from transpiler.source import Source

MAX_STEPS = 20_000
_FAULTS: dict[type[Exception], str] = {
    ZeroDivisionError: "E0503",
    BadShift: "E0504",
    BadPower: "E0505",
    Misfit: "E0502",
}


class Mismatch(AssertionError):
    """Two meanings of one kernel differ."""


class Outcome(Enum):
    EQUAL = "equal"
    """The same bits."""
    FAULT = "fault"
    """Both find the same fault."""
    SKIPPED = "skipped"
    """Nothing to compare: the kernel is wrong, and the order of threads decides what it does."""
    PROVED = "proved"
    REFUTED = "refuted"
    UNKNOWN = "unknown"


@functools.lru_cache(maxsize=256)
def kernel_of(text: str) -> device.Kernel:
    """The kernel of a generated text; the language has to accept it."""
    module, found = parse_module(Source(text, "kernels.py"))
    _no_errors(found, text)
    typed, found = check_kernel(module, next(f for f in module.functions if f.is_kernel))
    _no_errors(found, text)
    assert typed is not None
    return lower_kernel(typed)


def _no_errors(found: Sequence[Diagnostic], text: str) -> None:
    errors = [f"{d.code} line {d.all_lines[0]}: {d.message}" for d in found if d.code.startswith("E")]
    if errors:
        raise Mismatch(f"the language refuses what it should accept: {errors}\n{text}")


def copied(arguments: Mapping[str, Any]) -> dict[str, Any]:
    return {
        name: value.copy(order="K") if isinstance(value, np.ndarray) else value for name, value in arguments.items()
    }


def simulated(generated: Generated) -> tuple[dict[str, Any], Report]:
    arguments = copied(generated.arguments)
    report = simulate(
        kernel_of(generated.text), arguments, grid=generated.grid, block=generated.block, max_steps=MAX_STEPS
    )
    return arguments, report


def same(
    generated: Generated, who: str, got: Mapping[str, Any], other: str, right: Mapping[str, Any], results: Sequence[str]
) -> None:
    for name in results:
        differ = different(got[name], right[name])
        if differ.any():
            at = tuple(int(k) for k in np.argwhere(differ)[0])
            raise Mismatch(
                f"{name}{list(at)} is {got[name][at]} by {who}, {right[name][at]} by {other}\n{generated.text}"
            )


# --- simulator against CPython ----------------------------------------------------------------------------


def judge_by_python(generated: Generated) -> Outcome:
    """Scalar code: the simulator leaves what CPython leaves, and finds the fault that CPython raises."""
    ours, report = simulated(generated)
    theirs = {
        k: Num("f32", float(v)) if isinstance(v, np.float32) else v for k, v in copied(generated.arguments).items()
    }
    try:
        run_python(generated.text, "k", theirs, generated.grid, generated.block)
    except tuple(_FAULTS) as fault:
        code = next(code for kind, code in _FAULTS.items() if isinstance(fault, kind))
        if code not in report.codes():
            raise Mismatch(
                f"Python raises {fault!r}, the simulator finds {report.codes()}\n{generated.text}"
            ) from fault
        return Outcome.FAULT
    if not report.ok:
        raise Mismatch(f"the simulator finds {[d.message for d in report.diagnostics]}\n{generated.text}")
    same(generated, "the simulator", ours, "Python", theirs, generated.results)
    return Outcome.EQUAL


# --- C++ against simulator --------------------------------------------------------------------------------


def judge_by_host(generated: Sequence[Generated]) -> list[Outcome]:
    """The C++ leaves what the simulator leaves, of kernels in which the simulator finds nothing wrong."""
    runs = [simulated(g) for g in generated]
    right = [k for k, (_, report) in enumerate(runs) if report.ok]
    built = dict(zip(right, build_kernels([kernel_of(generated[k].text) for k in right]), strict=True))
    return [_hosted(g, runs[k][0], built[k]) if k in built else Outcome.SKIPPED for k, g in enumerate(generated)]


def _hosted(generated: Generated, right: Mapping[str, Any], built: HostKernel) -> Outcome:
    arguments = copied(generated.arguments)
    failure = built.run(arguments, generated.grid, generated.block, dims_of(generated.text, "k", generated.arguments))
    if failure is not None:
        raise Mismatch(f"the C++ records {failure}, the simulator finds nothing\n{generated.text}")
    same(generated, "the C++", arguments, "the simulator", right, generated.results)
    return Outcome.EQUAL


# --- prover against simulator -----------------------------------------------------------------------------


def judge_by_prover(generated: Generated) -> Outcome:
    """Proved: no launch that meets the contract shows a finding. Refuted: the witness replays."""
    kernel = kernel_of(generated.text)
    proof = _proof(generated.text)
    if proof.verdict == "proved":
        if not proof.runtime_checks:
            _nothing_found(generated, proof)
        return Outcome.PROVED
    if proof.verdict == "refuted":
        _replays(generated, kernel, proof)
        return Outcome.REFUTED
    return Outcome.UNKNOWN


@functools.lru_cache(maxsize=256)
def _proof(text: str) -> Proof:
    from transpiler.confirm import Confirm

    kernel = kernel_of(text)
    return prove(kernel, confirm=Confirm(kernel))


def _nothing_found(generated: Generated, proof: Proof) -> None:
    from transpiler.cli.data import make_up

    kernel = kernel_of(generated.text)
    launches: list[tuple[Mapping[str, Any], Any, Any]] = [(generated.arguments, generated.grid, generated.block)]
    try:
        made = make_up(kernel, proof.contract, fixed={"N": 61} if "N" in kernel.dims else {})
    except ValueError:
        made = None
    if made is not None:
        launches.append((made.arguments, made.grid, made.block))
    for arguments, grid, block in launches:
        if not _meets(kernel, proof, arguments, grid, block):
            continue
        for schedule in (None, "reverse"):
            report = simulate(kernel, copied(arguments), grid=grid, block=block, schedule=schedule, max_steps=MAX_STEPS)
            if report.codes() - {"E0806", "E0406"}:
                words = [f"{d.code} lines {d.all_lines}: {d.message}" for d in report.diagnostics]
                raise Mismatch(
                    f"proved under {proof.contract}, but a launch of {grid} blocks of {block} shows {words}\n{generated.text}"
                )


def _meets(kernel: device.Kernel, proof: Proof, arguments: Mapping[str, Any], grid: Any, block: Any) -> bool:
    """Whether a launch meets the contract, as the host checks it before a launch."""
    from transpiler.runtime.contracts import check_function, conditions
    from transpiler.runtime.slots import slots

    table = slots(kernel, ())
    wanted, _ = conditions(kernel, proof.contract, table)
    values = [0] * len(table)
    for (kind, name, axis), place in table.index.items():
        values[place] = _slot(kernel, arguments, grid, block, kind, name, axis)
    return check_function(wanted)(values) < 0


def _slot(
    kernel: device.Kernel, arguments: Mapping[str, Any], grid: Any, block: Any, kind: str, name: str, axis: int
) -> Any:
    if kind == "gridDim":
        return grid[axis]
    if kind == "blockDim":
        return block[axis]
    if kind == "dim":
        return dims_by_array(kernel, arguments)[name]
    return arguments[name].shape[axis] if kind == "extent" else arguments[name]


def dims_by_array(kernel: device.Kernel, arguments: Mapping[str, Any]) -> dict[str, int]:
    dims: dict[str, int] = {}
    for param in kernel.params:
        if isinstance(param, device.ArrayParam):
            for axis, extent in enumerate(param.shape):
                if isinstance(extent, device.DimRef):
                    dims[extent.name] = arguments[param.name].shape[axis]
    return dims


def _replays(generated: Generated, kernel: device.Kernel, proof: Proof) -> None:
    """Of a refuted kernel some witness replays, and each shows at least a fault on one of its lines.

    The simulator remembers who touched a cell last: where a kernel races in many ways, one pair of lines may hide another.
    """
    told = [d for d in proof.diagnostics if d.witness is not None]
    if not told:
        raise Mismatch(f"refuted without a witness: {[d.message for d in proof.diagnostics]}\n{generated.text}")
    confirmed = False
    for found in told:
        assert found.witness is not None
        replay = simulate_witness(kernel, found.witness, kind=found.kind, max_steps=MAX_STEPS)
        confirmed |= replay.confirmed is not None
        seen = {line for d in replay.report.diagnostics for line in d.all_lines}
        if replay.confirmed is None and not seen & set(found.all_lines):
            shows = [(d.code, d.all_lines) for d in replay.report.diagnostics]
            raise Mismatch(
                f"{found.code} lines {found.all_lines}: {found.message}; {found.witness} shows {shows}\n{generated.text}"
            )
    if not confirmed:
        words = [(d.code, d.all_lines, d.message) for d in told]
        raise Mismatch(f"no witness replays: {words}\n{generated.text}")
