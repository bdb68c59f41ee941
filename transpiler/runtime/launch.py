"""One launch: arguments to a plan, a few checks on it, CUDA.

In: the arguments of `k(...)` or `k[grid, block](...)`. Out: a launch, or an exception and nothing has run. What depends on shapes
alone is in a `Plan`, found by a key made of dtypes, shapes and layouts; what is left for each launch stands in
`Launcher.__call__`, in the order in which it can fail. That function is the hot path: it is long on purpose and calls nothing
that a launch on one stream does not need.
Non-goals: what the checks mean (`runtime.plan` and the modules that it names).
"""

from __future__ import annotations

import os
import threading
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from transpiler.errors import DeviceError
from transpiler.runtime import grid as grids
from transpiler.runtime.aliasing import overlap
from transpiler.runtime.arguments import ArrayArg, Unusable, is_array_like, read_array
from transpiler.runtime.driver import Driver
from transpiler.runtime.dtypes import from_name, from_numpy
from transpiler.runtime.hazards import Ledger
from transpiler.runtime.instances import Instances
from transpiler.runtime.lifetime import Keeper
from transpiler.runtime.plan import Configuration, Plan, ScalarStep, computed_grid, make_plan, refuse_failed, region
from transpiler.runtime.refusal import refusal
from transpiler.runtime.scalars import Misfit, packed
from transpiler.runtime.streams import stream_pointer
from transpiler.runtime.unit import MISSING, Dim3, Given, Program

SYNC = os.environ.get("TRANSPILER_SYNC", "") not in ("", "0")
_ORDERED_STREAMS = (0, 1, 2)
"""The default streams: memory pools hand freed memory out in their order."""


class Shared:
    """What all kernels on a driver share: the history of each device's memory, and the arguments that are in use."""

    def __init__(self, driver: Driver) -> None:
        self.driver = driver
        self.ledgers: dict[int, Ledger] = {}
        self.keeper = Keeper(driver)

    def ledger(self, device: int) -> Ledger:
        return self.ledgers.setdefault(device, Ledger(self.driver))


@dataclass(frozen=True, slots=True)
class Lane:
    """A launch configuration with its plans by key."""

    config: Configuration
    plans: dict[tuple[Any, ...], Plan]


class Launcher:
    """Launches one kernel. Safe from several threads."""

    def __init__(self, program: Program, shared: Shared, instances: Instances) -> None:
        self.program = program
        self.shared = shared
        self.driver = shared.driver
        self.instances = instances
        self._array_type = shared.driver.array_type()
        self._launch = shared.driver.launch
        self._count = len(program.parameters)
        self._consts = tuple(i for i, p in enumerate(program.parameters) if p.is_const)
        self._lanes: dict[Configuration, Lane] = {}
        self._lock = threading.RLock()

    def lane(self, config: Configuration) -> Lane:
        """The plans of one launch configuration."""
        return self._lanes.setdefault(config, Lane(config, {}))

    def __call__(self, args: tuple[Any, ...], lane: Lane, stream: Any = None, sync: bool = False) -> None:
        """Launch with positional arguments (`bind_arguments` has put the others in their place)."""
        array_type = self._array_type
        device = self.driver.device()
        key: list[Any] = [device]
        head: list[Any] = []
        others: list[tuple[int, ArrayArg]] | None = None
        for value in args:
            kind = type(value)
            if kind is array_type:
                data = value.data
                head.append(data.ptr)
                key.append((value.dtype, value.shape, value._c_contiguous or value.strides))
                if data.device_id != device:
                    self._refuse_device(len(head) - 1, data.device_id, device)
            elif kind is float or kind is int or kind is bool:
                head.append(value)
                key.append(kind)
            else:
                part, entry, array = self._read_other(len(head), value, device)
                head.append(entry)
                key.append(part)
                if array is not None:
                    others = others or []
                    others.append((len(head) - 1, array))
        for position in self._consts:
            key.append(head[position])
        plan = lane.plans.get(tuple(key))
        if plan is None:
            plan = self._make_plan(tuple(key), args, lane, device)
        if plan.keep is not None:
            head = [head[i] for i in plan.keep]

        for step in plan.scalar_steps:
            value = head[step.position]
            if type(value) is not step.type or not step.low <= value <= step.high:
                head[step.position] = _converted(plan, step, value)
        for position, mask in plan.aligned:
            if head[position] & mask:
                _refuse_alignment(plan, position, head[position], mask)
        for pair in plan.pairs:
            first, second = head[pair.first], head[pair.second]
            if (
                first + pair.first_low < second + pair.second_high
                and second + pair.second_low < first + pair.first_high
            ):
                _refuse_overlap(plan, pair.first, pair.second, head)
        values = head + plan.tail
        grid_x, grid_y, grid_z = plan.grid if plan.grid_of is None else _grid_now(plan, values)
        if plan.check is not None:
            failed = plan.check(values)
            if failed >= 0:
                refuse_failed(plan.loaded, plan.checked, failed, values)
        failure = plan.loaded.failure
        if failure is not None and failure.failed():
            _raise_failure(plan)
        if not grid_x * grid_y * grid_z:
            return

        pointer = self.driver.current_stream() if stream is None else stream_pointer(stream)
        if others is not None:
            pointer = self._follow_producers(others, pointer, stream)
        ledger = self.shared.ledgers.get(device) or self.shared.ledger(device)
        one_stream = ledger.stream == pointer
        if not one_stream:
            ledger.before(pointer, *_touched(plan, head))
        packer = plan.packer
        buffer = packer.free.pop() if packer.free else packer.buffer()
        packer.struct.pack_into(buffer[0], 0, *values[: plan.loaded.slots.packed])
        x, y, z = plan.block
        handle = plan.loaded.function.handle
        try:
            if plan.cooperative:
                self._cooperative(plan, (grid_x, grid_y, grid_z), pointer, buffer[1])
            else:
                self._launch(handle, grid_x, grid_y, grid_z, x, y, z, plan.shared, pointer, buffer[1], 0)
        except self.driver.errors as error:
            raise DeviceError(_device_error(plan, error)) from error
        packer.free.append(buffer)
        if not one_stream or pointer not in _ORDERED_STREAMS:
            self._after(plan, ledger, pointer, head, args)
        if sync or SYNC:
            self.wait(pointer, plan)

    # --- the paths that are not hot -----------------------------------------------------------------------

    def _read_other(self, position: int, value: Any, device: int) -> tuple[Any, Any, ArrayArg | None]:
        """Key part, entry of the slot list, and record of an argument that is neither a CuPy array nor a plain scalar."""
        if not is_array_like(value):
            return type(value), value, None
        array = read_array(value, self.driver)
        if isinstance(array, Unusable):
            raise self._unusable(position, array)
        if array.device is not None and array.device != device:
            self._refuse_device(position, array.device, device)
        return (array.dtype, array.shape, array.strides), array.pointer, array

    def _unusable(self, position: int, why: Unusable) -> Exception:
        parameter = self.program.parameters[min(position, self._count - 1)]
        fix = why.help.format(name=parameter.name) if why.help else None
        text = f"argument `{parameter.name}`: {why.reason}"
        return refusal(self.program, why.code, text, span=parameter.span, help=fix)

    def _refuse_device(self, position: int, given: int, current: int) -> None:
        parameter = self.program.parameters[min(position, self._count - 1)]
        raise refusal(
            self.program,
            "E0812",
            f"argument `{parameter.name}` lies on device {given}, the launch is on device {current}",
            span=parameter.span,
            help=f"launch inside `with cupy.cuda.Device({given}):`, or copy the array",
        )

    def bind_arguments(self, args: tuple[Any, ...], named: Mapping[str, Any]) -> tuple[Any, ...]:
        """All arguments in the order of the parameters, defaults filled in."""
        parameters = self.program.parameters
        positional = sum(not p.keyword_only for p in parameters)
        if len(args) > positional:
            text = f"takes {self._arity()}, {len(args)} were given"
            raise refusal(self.program, "E0801", text, help=f"the parameters are {self._signature()}")
        bound = dict(zip((p.name for p in parameters), args, strict=False))
        for name, value in named.items():
            if name in bound:
                raise refusal(self.program, "E0801", f"argument `{name}` was given twice")
            if all(p.name != name for p in parameters):
                raise refusal(
                    self.program,
                    "E0801",
                    f"there is no parameter `{name}`",
                    help=f"the parameters are {self._signature()}",
                )
            bound[name] = value
        for parameter in parameters:
            if parameter.name not in bound:
                if parameter.default is MISSING:
                    missing = [p.name for p in parameters if p.name not in bound and p.default is MISSING]
                    text = f"takes {self._arity()}; missing: {', '.join(f'`{m}`' for m in missing)}"
                    raise refusal(self.program, "E0801", text, span=parameter.span)
                bound[parameter.name] = parameter.default
        return tuple(bound[p.name] for p in parameters)

    def _arity(self) -> str:
        return f"{self._count} argument{'' if self._count == 1 else 's'}"

    def _signature(self) -> str:
        return ", ".join(f"`{p.name}`" for p in self.program.parameters)

    def _make_plan(self, key: tuple[Any, ...], args: tuple[Any, ...], lane: Lane, device: int) -> Plan:
        with self._lock:
            if key in lane.plans:
                return lane.plans[key]
            if len(args) != self._count:
                self.bind_arguments(args, {})
            arrays: dict[str, ArrayArg] = {}
            given: dict[str, Given] = {}
            for position, (parameter, value) in enumerate(zip(self.program.parameters, args, strict=True)):
                array = self._array(position, value)
                if array is not None:
                    arrays[parameter.name] = array
                given[parameter.name] = _given(value, array, parameter.is_const)
            loaded, config = self.instances.get(self.program, given, lane.config, device)
            self._check_kinds(loaded.unit.kernel, arrays, dict(zip(given, args, strict=True)))
            positions = {p.name: i for i, p in enumerate(self.program.parameters)}
            plan = make_plan(loaded, arrays, positions, self._count, config)
            if config != lane.config:
                self._same_grid(plan, lane.config)
            self._admit(plan)
            if len(lane.plans) >= MAX_PLANS:
                lane.plans.clear()
            lane.plans[key] = plan
            return plan

    def _same_grid(self, plan: Plan, config: Configuration) -> None:
        """For a kernel that is right with its own grid only: the caller's must be that one."""
        if plan.grid_of is not None or (plan.grid, plan.block) != (config.grid, config.block):
            own = "the grid that its scalars give" if plan.grid_of is not None else f"`[{plan.grid}, {plan.block}]`"
            raise refusal(
                self.program,
                "E0814",
                f"the kernel is proved for its own grid only, {own}; `[{config.grid}, {config.block}]` is another one",
                help=f"call it without brackets: `{self.program.name}(...)`",
            )

    def _array(self, position: int, value: Any) -> ArrayArg | None:
        if type(value) is self._array_type:
            name = from_numpy(value.dtype)
            if name is None:
                raise self._unusable(position, Unusable("E0802", f"the kernel language has no dtype `{value.dtype}`"))
            strides = None if value._c_contiguous else tuple(value.strides)
            itemsize = value.dtype.itemsize
            return ArrayArg(
                value.data.ptr, name, itemsize, tuple(value.shape), strides, value.data.device_id, False, None, value
            )
        if not is_array_like(value):
            return None
        array = read_array(value, self.driver)
        if isinstance(array, Unusable):
            raise self._unusable(position, array)
        return array

    def _check_kinds(self, kernel: Any, arrays: Mapping[str, ArrayArg], values: Mapping[str, Any]) -> None:
        """Arrays where arrays are wanted, scalars where scalars are."""
        from transpiler.ir import device as d

        for param in kernel.params:
            is_array = isinstance(param, d.ArrayParam)
            if is_array and param.name not in arrays:
                text = f"`{param.name}` is an array of {param.dtype}, the argument is {_type_text(values[param.name])}"
                raise refusal(self.program, "E0817", text, span=param.span, help="check the order of the arguments")
            if not is_array and param.name in arrays:
                text = f"`{param.name}` is a scalar ({param.dtype}), the argument is {_type_text(values[param.name])}"
                fix = f"pass a number: `{param.name}.item()`"
                raise refusal(self.program, "E0813", text, span=param.span, help=fix)

    def _admit(self, plan: Plan) -> None:
        """What the device must allow."""
        loaded, kernel = plan.loaded, plan.unit.kernel
        needs_optin = grids.check_shared(kernel, loaded.function.static_shared, plan.shared, loaded.limits)
        if needs_optin:
            self.driver.allow_shared(loaded.function, plan.shared)
        size = plan.packer.struct.size
        if size > loaded.limits.argument_bytes:
            text = f"its arguments take {size} bytes, a launch can pass {loaded.limits.argument_bytes}"
            raise refusal(kernel, "E0814", text, help="pass arrays instead of many scalars")

    def _cooperative(self, plan: Plan, grid: Dim3, stream: int, table: int) -> None:
        x, y, z = plan.block
        function = plan.loaded.function
        resident = self.driver.resident_blocks(function, x * y * z, plan.shared)
        grids.check_residency(plan.unit.kernel, grid, resident, plan.loaded.limits)
        self.driver.launch_cooperative(function.handle, *grid, x, y, z, plan.shared, stream, table)

    def _follow_producers(self, others: list[tuple[int, ArrayArg]], stream: int, asked: Any) -> int:
        """The stream for arrays of other libraries: their own current one, made to wait for other producers."""
        from transpiler.runtime.streams import producer_stream

        producers = [producer_stream(array) for _, array in others]
        known = [p for p in producers if p is not None]
        if asked is None and known:
            stream = known[0]
        for producer in dict.fromkeys(known):
            if producer != stream and not self.driver.capturing(stream):
                self.driver.wait(stream, self.driver.record(producer))
        return stream

    def _after(self, plan: Plan, ledger: Ledger, stream: int, head: list[Any], args: tuple[Any, ...]) -> None:
        """Bookkeeping once more than one stream is in play, or the launch is on a side stream."""
        if ledger.many:
            ledger.after(stream, *_touched(plan, head))
        if (ledger.many or stream not in _ORDERED_STREAMS) and not self.driver.capturing(stream):
            self.shared.keeper.hold(stream, args, plan.bytes)

    def wait(self, stream: int, plan: Plan) -> None:
        """Wait for the stream; what went wrong belongs to this launch."""
        try:
            self.driver.synchronize(stream)
        except self.driver.errors as error:
            raise DeviceError(_device_error(plan, error, certain=True)) from error
        if plan.loaded.failure is not None and plan.loaded.failure.failed():
            _raise_failure(plan)


MAX_PLANS = 4096
"""Shape classes remembered for a kernel; a program with more starts over."""


def _given(value: Any, array: ArrayArg | None, is_const: bool) -> Given:
    if array is not None:
        return Given("array", array.dtype, len(array.shape))
    if value is None:
        return Given("none")
    kind = next((name for t, name in ((bool, "bool"), (int, "int"), (float, "float")) if isinstance(value, t)), None)
    dtype = None
    if kind is None or type(value).__module__ == "numpy":
        dtype = from_name(type(value).__name__)
        kind = kind or (
            "float" if dtype and dtype[0] in "fb" and dtype != "bool" else "bool" if dtype == "bool" else "int"
        )
    return Given(kind, dtype, value=value if is_const else None)


def _type_text(value: Any) -> str:
    return (
        f"{type(value).__name__} {value!r}"
        if isinstance(value, (int, float, bool, type(None)))
        else type(value).__name__
    )


def _converted(plan: Plan, step: ScalarStep, value: Any) -> Any:
    result = step.convert(value)
    if isinstance(result, Misfit):
        fix = result.help.format(name=step.param.name) if result.help else None
        text = f"`{step.param.name}` is a scalar ({step.param.dtype}): {result.reason}"
        raise refusal(plan.unit.kernel, "E0813", text, span=step.param.span, help=fix)
    return packed(step.param.dtype, result)


def _refuse_alignment(plan: Plan, position: int, pointer: int, mask: int) -> None:
    param = plan.unit.kernel.params[position]
    if not plan.arrays[param.name].size:
        return
    raise refusal(
        plan.unit.kernel,
        "E0811",
        f"`{param.name}` starts at an address that is no multiple of {mask + 1}, the size of {param.dtype}",
        span=param.span,
        help=f"pass a copy: `{param.name}.copy()`",
    )


def _refuse_overlap(plan: Plan, first: int, second: int, head: list[Any]) -> None:
    kernel = plan.unit.kernel
    a, b = kernel.params[first], kernel.params[second]
    if not overlap(region(plan.arrays[a.name], head[first]), region(plan.arrays[b.name], head[second])):
        return
    written = a if getattr(a, "ownership", "") != "in" else b
    raise refusal(
        kernel,
        "E0808",
        f"`{a.name}` and `{b.name}` overlap in memory, and the kernel writes `{written.name}`",
        span=written.span,
        help=f"pass a copy: `{a.name}.copy()`, or an output of its own",
    )


def _grid_now(plan: Plan, values: list[Any]) -> Dim3:
    """The grid of a kernel whose grid depends on scalars."""
    assert plan.grid_of is not None
    kernel = plan.unit.kernel
    grid = computed_grid(kernel, plan.grid_of, values, plan.covers, plan.block)
    grids.check_grid(kernel, grid, plan.block, plan.loaded.limits)
    for axis in range(3):
        values[plan.loaded.slots["gridDim", "", axis]] = grid[axis]
    return grid


def _touched(plan: Plan, head: list[Any]) -> tuple[list[tuple[int, int]], list[tuple[int, int]]]:
    """Address ranges that this launch reads, and writes."""
    reads = [(head[i] + low, head[i] + high) for i, low, high in plan.reads]
    writes = [(head[i] + low, head[i] + high) for i, low, high in plan.writes]
    return reads, writes


def _raise_failure(plan: Plan) -> None:
    assert plan.loaded.failure is not None
    error = plan.loaded.failure.take()
    if error is not None:
        raise error


def _device_error(plan: Plan, error: Exception, certain: bool = False) -> str:
    name = plan.unit.kernel.name
    if certain:
        return f"`{name}` failed on the device: {error}"
    return f"CUDA refused the launch of `{name}`: {error}; if an earlier kernel is at fault, TRANSPILER_SYNC=1 names it"
