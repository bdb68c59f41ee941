"""Statements on lanes: one chunk of blocks from its first statement to its last.

In: a kernel, memory, the names of its parameters. Out: memory changed in place, findings, printed lines, a count of
thread-statements. All lanes of a frame execute a statement together; `schedule` says in which order they act where
that shows (stores to one element, atomics). Lanes that wait for others (barriers, loops that spin) are strands that
take turns (`scheduler`).
Non-goals: launches of more than one chunk (`launch`), what values are (`expressions`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from transpiler.intrinsics.entry import Effect, Intrinsic
from transpiler.ir import device as ir
from transpiler.simulate import atomics, loops, printing
from transpiler.simulate.collectives import Collectives
from transpiler.simulate.dtypes import Value, numpy_dtype
from transpiler.simulate.expressions import Activation, Evaluator, spread
from transpiler.simulate.lanes import Chunk, Lanes
from transpiler.simulate.memory import Binding, Memory, constant_memory, local_memory, shared_memory
from transpiler.simulate.order import Clocks
from transpiler.simulate.program import Program
from transpiler.simulate.races import Detector
from transpiler.simulate.releases import Releases
from transpiler.simulate.report import Actor, Findings
from transpiler.simulate.scheduler import Scheduler, Stop
from transpiler.simulate.strands import Arrival, Body, CallFrame, ForLoop, Frame, Strand, WhileLoop
from transpiler.simulate.views import bind_view


@dataclass(slots=True, eq=False)
class Settings:
    """`order(n)`: a permutation of n lanes in which they act, or None for ascending."""

    order: Callable[[int], np.ndarray | None] = lambda n: None
    max_steps: int = 1_000_000
    smem: int = 0


@dataclass(eq=False)
class Machine:
    program: Program
    chunk: Chunk
    evaluator: Evaluator
    clocks: Clocks
    detector: Detector | None
    releases: Releases | None
    findings: Findings
    settings: Settings
    printed: list[str]
    kernel_env: Activation
    watch: Callable[[Stop], None] | None = None
    """Told the statements of functions that expressions call: they run within a statement, where `walk` cannot stop."""
    scheduler: Scheduler = field(init=False)
    collectives: Collectives = field(init=False)
    _shared: dict[ir.Array, Memory] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.collectives = Collectives(self.evaluator, self.chunk)
        self.evaluator.call_function = self._call_in_expression
        self.scheduler = Scheduler(self.program, self.chunk, self.findings, self.collectives, self.settings.max_steps)
        self.scheduler.execute, self.scheduler.resume = self._step, self._resume
        self._execute: dict[type, Callable[[Any, Strand, Lanes, Activation], None]] = {
            ir.Assign: self._assign,
            ir.Store: self._store,
            ir.Atomic: self._atomic,
            ir.CallStmt: self._call_statement,
            ir.Barrier: self._barrier,
            ir.Fence: self._fence,
            ir.If: self._if,
            ir.For: self._for,
            ir.While: self._while,
            ir.Break: lambda stmt, strand, lanes, env: strand.leave_loop(lanes),
            ir.Continue: lambda stmt, strand, lanes, env: strand.leave_body(lanes),
            ir.Return: self._return,
            ir.Assert: self._assert,
            ir.Print: self._print,
            ir.Invariant: self._invariant,
            ir.Trust: self._trust,
        }

    # --- the run -------------------------------------------------------------------------------------------

    def run(self) -> int:
        """To the end; how many thread-statements that took."""
        for _ in self.walk():
            pass
        return self.scheduler.statements

    def walk(self) -> Iterator[Stop]:
        """Run, and stop before each statement."""
        self.declare(self.program.kernel.arrays, self.kernel_env)
        return self.scheduler.walk(self.kernel_env)

    def _step(self, stmt: ir.Stmt, strand: Strand, lanes: Lanes, env: Activation) -> None:
        self._execute[type(stmt)](stmt, strand, lanes, env)

    def _resume(self, strand: Strand, frame: Frame) -> None:
        """The lanes of a construct are back from its body."""
        if isinstance(frame, CallFrame):
            strand.frames.pop()
            self._returned(frame)
        elif frame.lanes.count == 0:
            strand.frames.pop()
        elif isinstance(frame, ForLoop):
            self._next_trip(strand, frame)
        else:
            assert isinstance(frame, WhileLoop)
            self._next_test(strand, frame)

    # --- simple statements ---------------------------------------------------------------------------------

    def _assign(self, stmt: ir.Assign, strand: Strand, lanes: Lanes, env: Activation) -> None:
        value = self.evaluator.value(stmt.value, lanes, env)
        env.assign(stmt.target, value, lanes)

    def _store(self, stmt: ir.Store, strand: Strand, lanes: Lanes, env: Activation) -> None:
        indices = self.evaluator.values(stmt.indices, lanes, env)
        value = self.evaluator.value(stmt.value, lanes, env)
        located = self._locate(stmt, indices, lanes, env, "write")
        if located is None:
            return
        memory, cells, inside, kept = located
        value = spread(value, lanes)[kept]
        if memory.born is not None:
            memory.born[cells] = True
        elif self.detector is not None and memory.shadow is not None:
            self.detector.write(self.detector.batch(memory, cells, inside, self.program.site_of[stmt], value))
        order = self.settings.order(inside.count)
        if order is not None:
            cells, value = cells[order], value[order]
        memory.write(cells, value)

    def _locate(
        self, stmt: ir.Store | ir.Atomic, indices: list[Value], lanes: Lanes, env: Activation, access: str
    ) -> tuple[Memory, np.ndarray, Lanes, np.ndarray | slice] | None:
        """Memory, cells, the lanes that are in bounds and which of all they are; None if no lane is."""
        binding = env.arrays[stmt.array]
        element, outside = binding.locate(indices, lanes)
        inside, kept = lanes, slice(None)
        if outside is not None:
            self.evaluator.out_of_bounds(stmt, binding, outside, lanes, env, access)
            kept = ~outside.mask
            inside = lanes.where(kept)
            if inside.count == 0:
                return None
            element = spread(element, lanes)[kept]
        return binding.memory, spread(binding.memory.cells(element, self.chunk, inside), inside), inside, kept

    def _atomic(self, stmt: ir.Atomic, strand: Strand, lanes: Lanes, env: Activation) -> None:
        indices = self.evaluator.values(stmt.indices, lanes, env)
        operands = [spread(v, lanes) for v in self.evaluator.values(stmt.operands, lanes, env)]
        located = self._locate(stmt, indices, lanes, env, "atomic")
        old = np.zeros(lanes.count, numpy_dtype(stmt.array.dtype))
        if located is not None:
            memory, cells, inside, kept = located
            old[kept] = self._act(stmt, memory, cells, inside, [operand[kept] for operand in operands])
        if stmt.target is not None:
            env.assign(stmt.target, old.astype(numpy_dtype(stmt.target.type), copy=False), lanes)

    def _act(
        self, stmt: ir.Atomic, memory: Memory, cells: np.ndarray, lanes: Lanes, operands: list[np.ndarray]
    ) -> np.ndarray:
        if self.detector is not None and memory.shadow is not None:
            self.detector.atomic(
                self.detector.batch(memory, cells, lanes, self.program.site_of[stmt], operands[0] if operands else None)
            )
        elif memory.born is not None:
            memory.born[cells] = True
        order = self.settings.order(lanes.count)
        if order is None:
            order = np.arange(lanes.count)
        old = np.empty(lanes.count, memory.data.dtype)
        old[order] = atomics.apply(memory, stmt.op, cells[order], [operand[order] for operand in operands])
        if self.releases is not None:
            ids = lanes.ids
            for i in order.tolist():
                self.releases.atomic(int(ids[i]), (memory.serial, int(cells[i])), stmt.op, stmt.order, stmt.scope)
            self._tick()
        return old

    def _fence(self, stmt: ir.Fence, strand: Strand, lanes: Lanes, env: Activation) -> None:
        if self.releases is not None:
            for lane in lanes.ids.tolist():
                self.releases.fence(lane, stmt.scope)
            self._tick()

    def _tick(self) -> None:
        if self.detector is not None:
            self.detector.tick()

    def _print(self, stmt: ir.Print, strand: Strand, lanes: Lanes, env: Activation) -> None:
        parts = [
            part if isinstance(part, str) else (spread(self.evaluator.value(part[0], lanes, env), lanes), part[1])
            for part in stmt.parts
        ]
        printing.print_lanes(self.printed, parts, lanes.count)

    def _assert(self, stmt: ir.Assert, strand: Strand, lanes: Lanes, env: Activation) -> None:
        if self.program.kernel.options.asserts != "off":
            self._holds(
                stmt,
                stmt.cond,
                "E0507",
                f"the assertion does not hold{': ' + stmt.message if stmt.message else ''}",
                lanes,
                env,
            )

    def _invariant(self, stmt: ir.Invariant, strand: Strand, lanes: Lanes, env: Activation) -> None:
        self._holds(stmt, stmt.cond, "E0508", "the invariant does not hold", lanes, env)

    def _trust(self, stmt: ir.Trust, strand: Strand, lanes: Lanes, env: Activation) -> None:
        if stmt.ordered is not None:
            self.program.ordered.setdefault(env.arrays[stmt.ordered].memory.array, stmt.reason)
        if stmt.cond is not None:
            self._holds(stmt, stmt.cond, "E0508", f"what is trusted does not hold ({stmt.reason})", lanes, env)

    def _holds(self, stmt: ir.Stmt, cond: ir.Expr, code: str, words: str, lanes: Lanes, env: Activation) -> None:
        held = spread(self.evaluator.value(cond, lanes, env), lanes)
        if held.all():
            return
        thread = self.evaluator.thread(lanes, int(np.argmin(held)))
        actor = Actor(thread, env.source, stmt.span, "read")
        self.findings.add(code, f"{self.findings.name(thread)}: {words}", (actor,), times=int(np.count_nonzero(~held)))

    # --- control flow --------------------------------------------------------------------------------------

    def _if(self, stmt: ir.If, strand: Strand, lanes: Lanes, env: Activation) -> None:
        yes, no = lanes.split(self.evaluator.value(stmt.cond, lanes, env))
        if no.count and stmt.orelse:
            strand.frames.append(Body(no, env, stmt.orelse))
        if yes.count:
            strand.frames.append(Body(yes, env, stmt.then))

    def _for(self, stmt: ir.For, strand: Strand, lanes: Lanes, env: Activation) -> None:
        start, stop, step = (self.evaluator.value(e, lanes, env) for e in (stmt.start, stmt.stop, stmt.step))
        stuck = spread(step == 0, lanes)
        if stuck.any():
            thread = self.evaluator.thread(lanes, int(np.argmax(stuck)))
            actor = Actor(thread, env.source, stmt.span, "read")
            words = f"{self.findings.name(thread)}: a range with step 0"
            self.findings.add("E0506", words, (actor,), times=int(np.count_nonzero(stuck)))
        trips = loops.trip_count(start, stop, step)
        whole = [loops.keep(value, lanes) for value in (start, step, trips)]
        strand.frames.append(ForLoop(lanes, env, stmt, *whole))

    def _next_trip(self, strand: Strand, loop: ForLoop) -> None:
        staying, _ = loop.lanes.split(loops.at(loop.trips, loop.lanes) > loop.round)
        loop.lanes = staying
        if staying.count == 0:
            strand.frames.pop()
            return
        counter = loops.at(loop.start, staying) + loop.start.dtype.type(loop.round) * loops.at(loop.step, staying)
        loop.env.assign(loop.stmt.counter, counter, staying)
        loop.round += 1
        strand.frames.append(Body(staying, loop.env, loop.stmt.body))

    def _while(self, stmt: ir.While, strand: Strand, lanes: Lanes, env: Activation) -> None:
        strand.frames.append(WhileLoop(lanes, env, stmt))

    def _next_test(self, strand: Strand, loop: WhileLoop) -> None:
        if loop.tested and loop.stmt.pre:
            loop.tested = False
            strand.frames.append(Body(loop.lanes, loop.env, loop.stmt.pre))
            return
        loop.tested = True
        self.scheduler.steps += 1
        before = loop.lanes.count
        staying, leaving = loop.lanes.split(self.evaluator.value(loop.stmt.cond, loop.lanes, loop.env))
        loop.lanes = staying
        if staying.count == 0:
            strand.frames.pop()
            return
        strand.frames.append(Body(staying, loop.env, loop.stmt.body))
        if loop.stmt in self.program.waits:
            loop.stuck = loop.stuck + 1 if leaving.count == 0 and before == staying.count else 0
            if loop.stuck >= loop.patience:
                self.scheduler.give_way(strand, loop)

    def _return(self, stmt: ir.Return, strand: Strand, lanes: Lanes, env: Activation) -> None:
        call = next((f for f in reversed(strand.frames) if isinstance(f, CallFrame)), None)
        if call is None:
            self.scheduler.note_return(stmt, lanes)
        else:
            for result, value in zip(call.results, self.evaluator.values(stmt.values, lanes, env), strict=True):
                result[lanes.at] = value
        strand.leave_function(lanes)

    # --- calls ---------------------------------------------------------------------------------------------

    def _call_statement(self, stmt: ir.CallStmt, strand: Strand, lanes: Lanes, env: Activation) -> None:
        if isinstance(stmt.callee, ir.Function):
            self._enter(stmt.callee, stmt.args, stmt.targets, strand, lanes, env)
            return
        if stmt.callee.effect is Effect.PURE:
            result = self.evaluator.intrinsic(stmt.callee, stmt.args, lanes, env)
            results: list[Value] = list(result) if isinstance(result, tuple) else [result]
        else:
            if not self._gathered(stmt, stmt.callee, strand, lanes, env):
                return
            if stmt.callee.effect is Effect.BLOCK:
                self._passed_block(lanes)
            results = self.collectives.exchange(stmt, lanes, env)
        for target, value in zip(stmt.targets, results, strict=False):
            env.assign(target, value.astype(numpy_dtype(target.type), copy=False), lanes)

    def _enter(
        self,
        function: ir.Function,
        args: tuple[ir.Expr | ir.View, ...],
        targets: tuple[ir.Local, ...],
        strand: Strand,
        lanes: Lanes,
        env: Activation,
    ) -> None:
        inner = Activation(function.source)
        for param, arg in zip(function.params, args, strict=True):
            if isinstance(arg, ir.View):
                assert isinstance(param, ir.ArrayParam)
                inner.bind(param, bind_view(arg, self.evaluator, lanes, env))
            else:
                assert not isinstance(param, ir.Array)
                value = self.evaluator.value(arg, lanes, env)
                inner.assign(param, value, lanes)
        self.declare(function.arrays, inner)
        results: list[Value] = [np.zeros(self.chunk.width, numpy_dtype(type_)) for type_ in function.returns]
        strand.frames.append(CallFrame(lanes, env, function, inner, targets, results))
        strand.frames.append(Body(lanes, inner, function.body))

    def _returned(self, call: CallFrame) -> None:
        if call.lanes.count:
            for target, result in zip(call.targets, call.results, strict=False):
                call.env.assign(target, result[call.lanes.at], call.lanes)

    def _call_in_expression(
        self, function: ir.Function, args: tuple[ir.Expr | ir.View, ...], lanes: Lanes, env: Activation
    ) -> list[Value]:
        strand = Strand([])
        self._enter(function, args, (), strand, lanes, env)
        call = strand.frames[0]
        assert isinstance(call, CallFrame)
        for stop in self.scheduler.turn(strand):
            if self.watch is not None:
                self.watch(stop)
        return call.results

    def declare(self, arrays: tuple[ir.SharedArray | ir.LocalArray | ir.ConstArray, ...], env: Activation) -> None:
        """Shared memory is the block's, whoever calls; local memory is new in each call."""
        for array in arrays:
            if isinstance(array, ir.ConstArray):
                memory = constant_memory(array, self._shape(array, env))
            elif isinstance(array, ir.LocalArray):
                memory = local_memory(array, self._shape(array, env), self.chunk, self.detector is not None)
            else:
                if array not in self._shared:
                    self._shared[array] = shared_memory(
                        array, self._shape(array, env), self.chunk, self.detector is not None
                    )
                memory = self._shared[array]
            env.bind(array, Binding.of(memory))

    def _shape(self, array: ir.Array, env: Activation) -> tuple[int, ...]:
        one = Lanes(np.array([0]), max(2, self.chunk.width))
        shape = tuple(int(np.reshape(self.evaluator.value(extent, one, env), -1)[0]) for extent in array.shape)
        if (
            isinstance(array, ir.SharedArray)
            and len(shape) == 1
            and isinstance(array.shape[0], ir.Const)
            and shape == (0,)
        ):
            return (self.settings.smem // array.dtype.itemsize,)
        return shape

    # --- meeting others ------------------------------------------------------------------------------------

    def _barrier(self, stmt: ir.Barrier, strand: Strand, lanes: Lanes, env: Activation) -> None:
        if stmt.scope == "warp":
            arrival = self.collectives.at_warp(stmt, lanes, self.collectives.masks(stmt.mask, lanes, env), env.source)
        elif stmt.scope == "grid":
            arrival = self.collectives.at_grid(stmt, lanes)
        else:
            arrival = self.collectives.at_block(stmt, lanes)
        if not self.scheduler.all_here(arrival, strand, env):
            return
        if stmt.scope == "warp":
            self._passed_warp(arrival)
        elif stmt.scope == "grid":
            self.clocks.grid_barrier()
            self._tick()
        else:
            self._passed_block(lanes)

    def _passed_block(self, lanes: Lanes) -> None:
        self.clocks.block_barrier(lanes)
        if self.releases is not None:
            self.releases.barrier(lanes)
        self._tick()

    def _passed_warp(self, arrival: Arrival) -> None:
        _, groups = np.unique(arrival.keys, return_inverse=True)
        whole = np.bincount(groups)[groups] == self.collectives.threads_in(self.collectives.warp_of(arrival.lanes))
        self.clocks.warp_barrier(arrival.lanes, groups, whole)
        self._tick()

    def _gathered(self, stmt: ir.CallStmt, callee: Intrinsic, strand: Strand, lanes: Lanes, env: Activation) -> bool:
        if callee.effect is Effect.BLOCK:
            return self.scheduler.all_here(self.collectives.at_block(stmt, lanes), strand, env)
        if callee.effect is Effect.WARP and stmt.args:
            masked = callee.params[0] == "mask"
            first = stmt.args[0] if masked else None
            assert first is None or isinstance(first, ir.Expr)
            return self.scheduler.all_here(
                self.collectives.at_warp(stmt, lanes, self.collectives.masks(first, lanes, env), env.source),
                strand,
                env,
            )
        return True
