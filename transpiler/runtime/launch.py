"""One launch: arguments to a plan, a few checks on it, CUDA.

In: the arguments of `k(...)` or `k[grid, block](...)`. Out: a launch, or an exception and nothing has run. What depends on shapes
alone is in a `Plan`, found by a key made of dtypes, shapes and layouts. `Launcher.admit` and `Launcher.start` are the hot path,
in the order in which a launch can fail; they are long on purpose and call nothing that a launch on one stream does not need.
Non-goals: what the checks mean (`runtime.plan`, `runtime.checks` and the modules that they name).
"""

from __future__ import annotations

import threading
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from transpiler.errors import DeviceError
from transpiler.runtime import binding, checks
from transpiler.runtime import grid as grids
from transpiler.runtime.arguments import ArrayArg, Unusable, is_array_like, read_array
from transpiler.runtime.contracts import value_function
from transpiler.runtime.data_contracts import Checker, Claim, Verified
from transpiler.runtime.driver import Driver
from transpiler.runtime.failures import FailureBuffer
from transpiler.runtime.hazards import DEFAULT_STREAMS, Ledger
from transpiler.runtime.instances import Instances
from transpiler.runtime.lifetime import Keeper
from transpiler.runtime.matcher import Matcher, matcher
from transpiler.runtime.owned import memory
from transpiler.runtime.packing import Buffer
from transpiler.runtime.plan import Configuration, Plan, make_plan, refuse_failed
from transpiler.runtime.refusal import refusal
from transpiler.runtime.scalars import as_seen
from transpiler.runtime.settings import synchronous
from transpiler.runtime.streams import Producer, address_of, stream_pointer
from transpiler.runtime.unit import Dim3, Program

SYNC = synchronous()
_NOTHING: tuple[list[tuple[int, int]], list[tuple[int, int]]] = ([], [])

MAX_PLANS = 4096
"""Shape classes remembered for a configuration; a program with more starts over."""


class Shared:
    """What all kernels on a driver share: the history of each device's memory, and the arguments that are in use."""

    def __init__(self, driver: Driver) -> None:
        self.driver = driver
        self.ledgers: dict[int, Ledger] = {}
        self.keeper = Keeper(driver)
        self.failures: list[FailureBuffer] = []

    def ledger(self, device: int) -> Ledger:
        return self.ledgers.setdefault(device, Ledger(self.driver))

    def synchronize(self, stream: Any = None) -> None:
        """Wait for a stream and raise the first failure that any kernel recorded."""
        self.driver.synchronize(stream_pointer(self.driver.current_stream() if stream is None else stream))
        self.keeper.release()
        for failure in self.failures:
            error = failure.take()
            if error is not None:
                raise error


@dataclass(slots=True)
class Lane:
    """A launch configuration with its plans by key, and the plan of the last launch with the code that recognises it."""

    launcher: Launcher
    config: Configuration
    plans: dict[tuple[Any, ...], Plan]
    last: tuple[int, Plan, Matcher | None, Sequence[Producer] | None] | None = None


Admitted = tuple[Plan, tuple[Any, ...], Dim3, int, int, Sequence[Producer] | None]
"""A launch that may run: plan, arguments, grid, dynamic shared memory, device, producers of arrays of other libraries."""


class Launcher:
    """Launches one kernel. Safe from several threads."""

    def __init__(self, program: Program, shared: Shared, instances: Instances, checker: Checker | None = None) -> None:
        self.program = program
        self.checker = checker
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
        if len(self._lanes) >= MAX_PLANS:
            self._lanes.clear()
        return self._lanes.setdefault(config, Lane(self, config, {}))

    def bind_arguments(self, args: tuple[Any, ...], named: Mapping[str, Any]) -> tuple[Any, ...]:
        return binding.bind_arguments(self.program, args, named)

    def __call__(self, args: tuple[Any, ...], lane: Lane, stream: Any = None, sync: bool = False) -> None:
        """Launch with all arguments in the order of the parameters."""
        admitted = self.admit(args, lane)
        if 0 not in admitted[2]:
            self.start(admitted, args, stream, sync, None)

    def admit(self, args: tuple[Any, ...], lane: Lane) -> Admitted:
        """Everything that can refuse a launch."""
        device = self.driver.device()
        last = lane.last
        if last is not None and last[0] == device and last[2] is not None:
            packed = last[2](args)
            if packed is not None:
                plan = last[1]
                if not plan.by_value:
                    return plan, packed, plan.grid, plan.shared, device, last[3]
                return self._by_value(plan, packed, device, last[3])
        return self._admit(args, lane, device)

    def _admit(self, args: tuple[Any, ...], lane: Lane, device: int) -> Admitted:
        """The general path of `admit`."""
        array_type = self._array_type
        key: list[Any] = [device]
        head: list[Any] = []
        others: list[Producer] | None = None
        for value in args:
            kind = type(value)
            if kind is array_type:
                data = value.data
                head.append(data.ptr)
                key.append(value.dtype)
                key.append(value.shape)
                key.append(value._c_contiguous or value.strides)
                if data.device_id != device:
                    self._refuse_device(len(head) - 1, data.device_id, device)
            elif kind is float or kind is int or kind is bool:
                head.append(value)
                key.append(kind)
            else:
                part, entry, array = self._read_other(len(head), value, device)
                head.append(entry)
                key.append(part)
                if array is not None and array.producer is not None:
                    others = [*(others or ()), array.producer]
        for position in self._consts:
            key.append(head[position])
        plan = lane.plans.get(tuple(key))
        if plan is None:
            plan = self._make_plan(tuple(key), args, lane, device)
        elif lane.last is None or lane.last[1] is not plan:
            lane.last = device, plan, matcher(plan, args, array_type, device), others
        if plan.keep is not None:
            head = [head[i] for i in plan.keep]

        for step in plan.scalar_steps:
            position, wanted, low, high, _ = step
            value = head[position]
            if type(value) is not wanted or not low <= value <= high:
                head[position] = checks.converted(plan, step, value)
        for position, mask in plan.aligned:
            if head[position] & mask:
                checks.refuse_alignment(plan, position, mask)
        for i, i_low, i_high, j, j_low, j_high in plan.pairs:
            if head[i] + i_low < head[j] + j_high and head[j] + j_low < head[i] + i_high:
                checks.refuse_overlap(plan, i, j, head)
        if plan.by_value:
            return self._by_value(plan, tuple(head), device, others)
        return plan, tuple(head), plan.grid, plan.shared, device, others

    def _by_value(
        self, plan: Plan, packed: tuple[Any, ...], device: int, others: Sequence[Producer] | None
    ) -> Admitted:
        """What depends on the values of scalars: grid, conditions, shared memory."""
        values = [*packed, *plan.tail]
        for position, dtype in plan.rounded:
            values[position] = as_seen(dtype, values[position])
        grid = plan.grid if plan.grid_of is None else checks.grid_now(plan, values)
        if plan.check is not None:
            failed = plan.check(values)
            if failed >= 0:
                refuse_failed(plan.loaded, plan.checked, failed, values)
        shared = plan.shared if plan.shared_of is None else self._shared_now(plan, values)
        return plan, packed, grid, shared, device, others

    def start(self, admitted: Admitted, args: tuple[Any, ...], stream: Any, sync: bool, buffer: Buffer | None) -> None:
        """Give an admitted launch to CUDA; `buffer` holds its parameters if they are packed already."""
        plan, packed, (grid_x, grid_y, grid_z), shared, device, others = admitted
        if stream is None:
            owner: Any = self.driver.current_stream(device)
            pointer = owner.ptr
        else:
            owner, pointer = stream, stream_pointer(stream)
            if isinstance(stream, int):
                owner = None
        if plan.loaded.failure is not None and plan.loaded.failure.failed() and not self.driver.capturing(pointer):
            self._wait(pointer, plan)  # the kernel may still be writing the particulars
        if plan.loaded.data_checks:
            self._check_data(plan, packed, args, pointer)
        if others is not None:
            pointer = self._follow_producers(others, pointer, stream)
            if stream is None:
                owner = others[0] if callable(others[0]) else None
        ledger = self.shared.ledgers.get(device) or self.shared.ledger(device)
        recorded, touched = False, _NOTHING
        if ledger.stream != pointer:
            touched = checks.touched(plan, packed)
            if ledger.stream is not None:  # the only stream so far is known to live as long as the ledger has it alone
                self.shared.keeper.close(ledger.stream)
            recorded = ledger.before(pointer, *touched, owner)
        packer = plan.packer
        if buffer is None:
            try:
                lent = packer.free.pop()
            except IndexError:  # all are in use by other threads, or none was made yet
                lent = packer.buffer()
            packer.pack_into(lent[0], 0, *packed)
        else:
            lent = buffer
        x, y, z = plan.block
        try:
            if plan.cooperative:
                self._cooperative(plan, (grid_x, grid_y, grid_z), shared, pointer, lent[1])
            else:
                self._launch(plan.handle, grid_x, grid_y, grid_z, x, y, z, shared, pointer, lent[1], 0)
        except self.driver.errors as error:
            raise DeviceError(checks.device_error(plan, error)) from error
        if buffer is None:
            packer.free.append(lent)
        if recorded:
            event = ledger.after(pointer, *touched, owner)
            self.shared.keeper.hold(pointer, memory(args), plan.bytes, event)
        elif pointer not in DEFAULT_STREAMS and not self.driver.capturing(pointer):
            self.shared.keeper.hold(pointer, memory(args), plan.bytes)
        elif self.shared.keeper.waiting and not self.driver.capturing(pointer):
            self.shared.keeper.release()
        if sync or SYNC:
            self._wait(pointer, plan)

    # --- the paths that are not hot -----------------------------------------------------------------------

    def packed(self, admitted: Admitted) -> Buffer:
        """A buffer of its own with the parameters of an admitted launch."""
        plan, packed, *_ = admitted
        buffer = plan.packer.buffer()
        plan.packer.pack_into(buffer[0], 0, *packed)
        return buffer

    def _read_other(self, position: int, value: Any, device: int) -> tuple[Any, Any, ArrayArg | None]:
        """Key part, entry of the slot list, and record of an argument that is neither a CuPy array nor a plain scalar."""
        if not is_array_like(value):
            return type(value), value, None
        array = read_array(value, self.driver)
        if isinstance(array, Unusable):
            raise binding.unusable(self.program, position, array)
        if array.device is not None and array.device != device:
            self._refuse_device(position, array.device, device)
        return (array.dtype, array.shape, array.strides, array.readonly), array.pointer, array

    def _refuse_device(self, position: int, given: int, current: int) -> None:
        parameter = self.program.parameters[min(position, self._count - 1)]
        raise refusal(
            self.program,
            "E0812",
            f"argument `{parameter.name}` lies on device {given}, the launch is on device {current}",
            span=parameter.span,
            help=f"launch inside `with cupy.cuda.Device({given}):`, or copy the array",
        )

    def _make_plan(self, key: tuple[Any, ...], args: tuple[Any, ...], lane: Lane, device: int) -> Plan:
        with self._lock:
            if key in lane.plans:
                return lane.plans[key]
            args = binding.bind_arguments(self.program, args, {})
            arrays: dict[str, ArrayArg] = {}
            for position, (parameter, value) in enumerate(zip(self.program.parameters, args, strict=True)):
                array = self._array(position, value)
                if array is not None:
                    arrays[parameter.name] = array
            given = binding.given_arguments(self.program, args, arrays)
            loaded, config = self.instances.get(self.program, given, lane.config, device)
            binding.check_kinds(loaded.unit.kernel, arrays, dict(zip(given, args, strict=True)))
            positions = {p.name: i for i, p in enumerate(self.program.parameters)}
            plan = make_plan(loaded, arrays, positions, self._count, config)
            if config != lane.config:
                self._same_grid(plan, lane.config)
            self._admit_device(plan)
            if len(lane.plans) >= MAX_PLANS:
                lane.plans.clear()
            lane.plans[key] = plan
            return plan

    def _array(self, position: int, value: Any) -> ArrayArg | None:
        if type(value) is not self._array_type and not is_array_like(value):
            return None
        array = read_array(value, self.driver)
        if isinstance(array, Unusable):
            raise binding.unusable(self.program, position, array)
        return array

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

    def _admit_device(self, plan: Plan) -> None:
        """What the device must allow; and its failures are looked at by `synchronize`."""
        loaded, kernel = plan.loaded, plan.unit.kernel
        self._admit_shared(plan, plan.shared)
        size = plan.packer.size
        if size > loaded.limits.argument_bytes:
            text = f"its arguments take {size} bytes, a launch can pass {loaded.limits.argument_bytes}"
            raise refusal(kernel, "E0814", text, help="pass arrays instead of many scalars")
        if loaded.failure is not None and loaded.failure not in self.shared.failures:
            self.shared.failures.append(loaded.failure)

    def _admit_shared(self, plan: Plan, shared: int) -> None:
        loaded = plan.loaded
        if grids.check_shared(plan.unit.kernel, loaded.function.static_shared, shared, loaded.limits):
            most = loaded.limits.shared_per_block_optin - loaded.function.static_shared
            self.driver.allow_shared(loaded.function, most)

    def _check_data(self, plan: Plan, packed: tuple[Any, ...], args: tuple[Any, ...], stream: int) -> None:
        """Contracts on contents, but for arrays that are known to meet them."""
        kernel = plan.unit.kernel
        given = dict(zip((p.name for p in self.program.parameters), args, strict=True))
        for check in plan.loaded.data_checks:
            value = given[check.array]
            bounds = value_function(check.args)([*packed, *plan.tail])
            claim = Claim(check.predicate, *bounds)
            if isinstance(value, Verified) and value.claim.covers(claim, len(value)):
                continue
            span = next((r.span for r in kernel.requires if r.text == check.text), None)
            if self.driver.capturing(stream):
                text = f"`{check.text}` cannot be checked while a graph is captured"
                fix = f"pass `verified({check.array}, {check.predicate})`, made before the capture"
                if kernel.arrays_by_name[check.array].ownership != "in":
                    fix = f"the kernel writes `{check.array}`, so each launch must look at it: launch outside of graphs"
                raise refusal(kernel, "E0821", text, span=span, help=fix)
            assert self.checker is not None
            fault = self.checker.fault(value, claim)
            if fault is not None:
                fix = f"the contents of `{check.array}` must meet it"
                raise refusal(kernel, "E0816", f"`{check.text}` does not hold: {fault}", span=span, help=fix)

    def _shared_now(self, plan: Plan, values: list[Any]) -> int:
        """Dynamic shared memory that depends on scalars."""
        assert plan.shared_of is not None
        shared = plan.shared_of(values)
        self._admit_shared(plan, shared)
        return shared

    def _cooperative(self, plan: Plan, grid: Dim3, shared: int, stream: int, table: int) -> None:
        x, y, z = plan.block
        resident = self.driver.resident_blocks(plan.loaded.function, x * y * z, shared)
        grids.check_residency(plan.unit.kernel, grid, resident, plan.loaded.limits)
        self.driver.launch_cooperative(plan.handle, *grid, x, y, z, shared, stream, table)

    def _follow_producers(self, others: Sequence[Producer], stream: int, asked: Any) -> int:
        """The stream for arrays of other libraries: their own current one, made to wait for other producers."""
        known = [address_of(producer) for producer in others]
        if asked is None:
            stream = known[0]
        for producer in dict.fromkeys(known):
            if producer != stream and not self.driver.capturing(stream):
                self.driver.wait(stream, self.driver.record(producer))
        return stream

    def _wait(self, stream: int, plan: Plan) -> None:
        """Wait for the stream; what went wrong belongs to this launch."""
        try:
            self.driver.synchronize(stream)
        except self.driver.errors as error:
            raise DeviceError(checks.device_error(plan, error, certain=True)) from error
        checks.raise_failure(plan)
