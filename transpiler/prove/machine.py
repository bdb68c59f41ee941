"""Symbolic execution of statements.

In: a kernel and its launch. Out: the `Record` of accesses, barriers, obligations and barrier intervals.

Accesses since the last barrier are `open`; a barrier closes them into an interval. Branches that hold a barrier
(their condition is uniform, which `divergence` proves) keep open sets of their own and join them; other branches
share one. There are two lanes: `block` (block and grid barriers close it) and `grid` (only grid barriers do; global
arrays alone are in it). What follows a branch that left (return, break) runs under the negated condition.

Non-goals: loops (`loops`), any decision about what was recorded.
"""

from __future__ import annotations

from collections.abc import Iterable

from transpiler.intrinsics.entry import Effect, Intrinsic
from transpiler.ir import device as d
from transpiler.ir.types import IndexType
from transpiler.prove.budget import STATEMENT
from transpiler.prove.expressions import Bound, Frame, State, Value
from transpiler.prove.loops import Loops
from transpiler.prove.record import Access, Fence, Guard, Interval, Sync, Trusted
from transpiler.prove.terms import CONTENT, HAVOC, OPAQUE, TICKET, Formula, Poly, Sharing, conjuncts

LANES = ("block", "grid")


class Machine(Loops):
    """Runs a kernel once."""

    def run(self) -> None:
        self.distrusted = _trusts_order(self.kernel)
        self.interval_start = {"block": "the start of the kernel", "grid": "the start of the kernel"}
        self.block(self.kernel.body)
        if not self.state.dead:
            self.close_at_end()

    def close_at_end(self) -> None:
        for lane in LANES:
            self._emit(lane, "the end of the kernel")

    def block(self, statements: Iterable[d.Stmt]) -> None:
        for s in statements:
            if self.state.dead:
                return
            self.budget.spend(STATEMENT)
            getattr(self, "_do_" + type(s).__name__.lower())(s)

    # --- plain statements ---

    def _do_assign(self, s: d.Assign) -> None:
        self.state.env[s.target] = self.eval(s.value)

    def _do_store(self, s: d.Store) -> None:
        indices = tuple(self.int_of(self.eval(i)) for i in s.indices)
        n = len(self.record.obligations)
        value = self.eval(s.value)
        if isinstance(s.value, d.Cast) and s.value.exact:
            for o in self.record.obligations[n:]:
                if o.kind == "fits" and o.span == s.value.span:
                    o.kind = "stored"
        self.access(s, s.array, indices, "w", operand=value)

    def _do_atomic(self, s: d.Atomic) -> None:
        indices = tuple(self.int_of(self.eval(i)) for i in s.indices)
        operands = tuple(self.eval(o) for o in s.operands)
        made = self.access(s, s.array, indices, "a", op=s.op, operand=operands, scope=s.scope)
        if s.target is not None:
            self.state.env[s.target] = self._atomic_result(made, s)

    def _atomic_result(self, made: Access, s: d.Atomic) -> Value:
        """An unknown value; tickets of an integer counter are told apart by `tickets`, which finds the access in `data`."""
        t = self.terms
        dtype = made.array.dtype
        sort = "float" if dtype.is_float else "bool" if dtype.kind == "bool" else "int"
        r = (dtype.min, dtype.max) if sort == "int" else (None, None)
        trips = tuple(t.of(loop.trip) for loop in self.loops)
        atom = t.atom(
            "ticket",
            f"{made.array.name}@{made.seq}",
            (*made.indices, *trips),
            sort,
            Sharing.THREAD,
            r,
            CONTENT | TICKET,
        )
        atom.data = made
        value = t.as_value(atom)
        if isinstance(value, Poly):
            self.tickets[made] = value
        return value

    def _do_asynccopy(self, s: d.AsyncCopy) -> None:
        self.eval(s.source)
        self.access(s, s.array, tuple(self.int_of(self.eval(i)) for i in s.indices), "w")

    def _do_commitgroup(self, s: d.CommitGroup) -> None:
        pass

    def _do_waitgroup(self, s: d.WaitGroup) -> None:
        pass

    def _do_barrier(self, s: d.Barrier) -> None:
        mask = None if s.mask is None else self.int_of(self.eval(s.mask))
        self._sync(s.scope, s, mask)

    def _sync(self, scope: str, node: d.Node, mask: Poly | None = None, collective: bool = False) -> Sync:
        state = self.state
        seq = self.next_seq()
        span, source = self._call_site(node)
        made = Sync(scope, state.pc, node.span, self.frame.source, seq, mask, collective, self.loops, state.flags)
        self.record.syncs.append(made)
        line = source.line(span.start)
        if scope == "warp":
            if not collective and not self.loops and (mask is None or mask.const == 0xFFFFFFFF):
                state.dominators = (*state.dominators, seq)
            return made
        for lane in LANES if scope == "grid" else ("block",):
            self._emit(lane, f"the barrier in line {line}")
        state.dominators = ()
        return made

    def _call_site(self, node: d.Node):
        return node.span, self.frame.source

    def _emit(self, lane: str, end: str) -> None:
        """Close the open interval of a lane."""
        accesses = self.state.open[lane]
        if accesses:
            self.record.intervals[lane].append(Interval(accesses, self.interval_start[lane], end))
        self.state.open[lane] = []
        self.interval_start[lane] = end

    def _do_fence(self, s: d.Fence) -> None:
        state = self.state
        self.record.fences.append(Fence(s.scope, state.pc, self.next_seq(), self.loops, state.flags))

    def _do_assert(self, s: d.Assert) -> None:
        claim = self.holds(s.cond)
        if self.kernel.options.asserts != "on":
            return
        self.oblige("assert", claim, s, text=s.message)
        self.state.pc = self.state.pc + conjuncts(claim)

    def _do_print(self, s: d.Print) -> None:
        for part in s.parts:
            if not isinstance(part, str):
                self.eval(part[0])

    def _do_invariant(self, s: d.Invariant) -> None:
        claim = self.holds(s.cond)
        self.oblige("invariant", claim, s)
        self.state.pc = self.state.pc + conjuncts(claim)

    def _do_trust(self, s: d.Trust) -> None:
        source = self.frame.source
        self.record.trusted.append(Trusted(f"{source.slice(s.span)}", s.span, source))
        if s.ordered is not None:
            self.record.ordered.add(
                self.resolve(s.ordered, ())[0].name
                if self.frame.is_kernel
                else self.frame.arrays[s.ordered.name].array.name
            )
        if s.cond is not None:
            self.state.pc = self.state.pc + conjuncts(self.holds(s.cond))

    # --- branches ---

    def _do_if(self, s: d.If) -> None:
        c = self.holds(s.cond)
        t = self.terms
        if c is t.true or c is t.false:
            self.block(s.then if c is t.true else s.orelse)
            return
        base = self.state
        lanes = self.lanes_of(s.then) | self.lanes_of(s.orelse)
        starts = dict(self.interval_start)
        first = self._arm(base, conjuncts(c), lanes, s.then)
        ends = dict(self.interval_start)
        self.interval_start = starts
        second = self._arm(base, conjuncts(t.negate(c)), lanes, s.orelse)
        for lane in lanes:
            if ends[lane] != self.interval_start[lane]:
                self.interval_start[lane] = (
                    f"{ends[lane]} or {self.interval_start[lane]}"
                    if not first.dead and not second.dead
                    else (self.interval_start[lane] if first.dead else ends[lane])
                )
        n = len(base.pc)
        plain = first.pc[n:] == conjuncts(c) and second.pc[n:] == conjuncts(t.negate(c))
        self.state = self.join(base, [first, second], lossless=plain)

    def _arm(self, base: State, extra: Guard, lanes: set[str], body: tuple[d.Stmt, ...]) -> State:
        self.state = self.fork(base, extra, lanes)
        self.block(body)
        return self.state

    def fork(self, base: State, extra: Guard, lanes: set[str]) -> State:
        """A copy to go on with; lanes without a barrier keep sharing one list of open accesses."""
        opened = {lane: list(base.open[lane]) if lane in lanes else base.open[lane] for lane in LANES}
        return State(dict(base.env), base.pc + extra, opened, base.dominators, False, base.flags)

    def join(self, base: State, paths: list[State], lossless: bool = False) -> State:
        """Where ways meet again. Each way's condition is what its `pc` has beyond that of `base`."""
        alive = [p for p in paths if not p.dead]
        if not alive:
            dead = State(base.env, base.pc, base.open, base.dominators, True, base.flags)
            return dead
        if len(alive) == 1:
            return alive[0]
        t = self.terms
        n = len(base.pc)
        conditions = [t.all(p.pc[n:]) for p in alive]
        env = dict(alive[-1].env)
        for path, cond in zip(reversed(alive[:-1]), reversed(conditions[:-1]), strict=True):
            for local, value in path.env.items():
                old = env.get(local)
                env[local] = value if old is None else self.choose(cond, value, old)
        pc = base.pc if lossless else base.pc + conjuncts(t.any(conditions))
        flags = 0
        for p in alive:
            flags |= p.flags
        opened = {lane: _union([p.open[lane] for p in alive], [p.pc[n:] for p in alive]) for lane in LANES}
        return State(env, pc, opened, base.dominators, False, flags)

    # --- leaving ---

    def _do_return(self, s: d.Return) -> None:
        values = [self.eval(v) for v in s.values]
        self.frame.exits.append((self.state, values))
        self.left += 1
        if self.frame.is_kernel:
            for lane in LANES:
                opened = self.state.open[lane]
                if opened:
                    self.record.intervals[lane].append(
                        Interval(list(opened), self.interval_start[lane], "the end of the kernel")
                    )
        self.state = State(
            self.state.env, self.state.pc, self.state.open, self.state.dominators, True, self.state.flags
        )

    # --- calls ---

    def _do_callstmt(self, s: d.CallStmt) -> None:
        if isinstance(s.callee, d.Function):
            values = self.inline(s.callee, s.args, s)
            for target, value in zip(s.targets, values, strict=False):
                self.state.env[target] = value
            return
        args = tuple(self.eval(a) for a in s.args if isinstance(a, d.Expr))
        self._effect(s, s.callee, args)

    def _effect(self, s: d.CallStmt, callee: Intrinsic, args: tuple[Value, ...]) -> None:
        short = callee.name.rsplit(".", 1)[-1]
        sharing = Sharing.THREAD
        made: Sync | None = None
        if callee.effect is Effect.WARP:
            has_mask = bool(callee.params) and callee.params[0].split("=")[0] == "mask"
            mask = args[0] if has_mask and isinstance(args[0], Poly) else None
            self._sync("warp", s, mask, collective=True)
            if short.startswith(("all_sync", "any_sync", "ballot", "match_all")):
                sharing = Sharing.WARP
        elif callee.effect is Effect.BLOCK:
            made = self._sync("block", s)
            if short.startswith("syncthreads"):
                sharing = Sharing.BLOCK
            if short == "syncthreads_or" and isinstance(args[0], Formula):
                made.predicate = args[0]
        for target in s.targets:
            value = self.state.env[target] = self._result(target.type, short, sharing, args)
            if made is not None and made.predicate is not None and isinstance(value, Formula):
                value.args[0].data = made  # the atom, which `last_block` asks for its reason

    def _result(self, t: d.Scalar, label: str, sharing: Sharing, args: tuple[Value, ...]) -> Value:
        flags = HAVOC | OPAQUE
        if isinstance(t, IndexType) or not t.is_float:
            return self.unknown(t, label, sharing, flags)
        return self.unknown(t, label, sharing, flags)

    def inline(self, callee: d.Function, args: tuple, node: d.Node) -> list[Value]:
        frame = Frame(callee.source, call=node.span)
        locals_: dict[d.Local, Value] = {}
        for param, arg in zip(callee.params, args, strict=True):
            if isinstance(param, d.ArrayParam):
                frame.arrays[param.name] = self._bind(arg)
            elif isinstance(param, d.Local):
                locals_[param] = self.eval(arg)
            else:
                frame.scalars[param] = self.eval(arg)
        outer, self.frame = self.frame, frame
        base = self.state
        saved_pc = base.pc
        self.state.env.update(locals_)
        left = self.left
        self.block(callee.body)
        self.left = left
        values = self._join_returns(frame, saved_pc, callee)
        self.frame = outer
        return values

    def _join_returns(self, frame: Frame, pc: Guard, callee: d.Function) -> list[Value]:
        """After a call: the ways out meet, values are chosen by their conditions, and the caller's condition holds again."""
        paths = [state for state, _ in frame.exits]
        results = [values for _, values in frame.exits]
        if not self.state.dead:
            paths.append(self.state)
            results.append([])
        n = len(pc)
        for p in paths:
            p.dead = False
        last = paths[-1]
        if len(paths) == 1 and last.pc[:n] == pc:
            last.pc = pc
            self.state = last
            return results[-1]
        base = State(last.env, pc, last.open, last.dominators, False, last.flags)
        values = list(results[-1])
        for state, given in zip(reversed(paths[:-1]), reversed(results[:-1]), strict=True):
            cond = self.terms.all(state.pc[n:])
            values = [self.choose(cond, a, b) for a, b in zip(given, values, strict=False)]
        self.state = self.join(base, paths, lossless=True)
        self.state.pc = pc
        return values

    def _bind(self, view: d.View) -> Bound:
        items: list[Poly | tuple[Poly, Poly, int]] = []
        for item in view.items:
            if isinstance(item, d.Range):
                items.append((self.int_of(self.eval(item.start)), self.int_of(self.eval(item.length)), item.step))
            else:
                items.append(self.int_of(self.eval(item)))
        array = view.array
        if isinstance(array, d.ArrayParam) and not self.frame.is_kernel:
            return self._compose(self.frame.arrays[array.name], items)
        return Bound(array, tuple(items))

    @staticmethod
    def _compose(outer: Bound, items: list) -> Bound:
        given = iter(items)
        combined: list = []
        for item in outer.items:
            if isinstance(item, Poly):
                combined.append(item)
                continue
            start, _, step = item
            inner = next(given)
            if isinstance(inner, Poly):
                combined.append(start + inner.scale(step))
            else:
                combined.append((start + inner[0].scale(step), inner[1], step * inner[2]))
        return Bound(outer.array, tuple(combined))

    # --- what a piece of code may do ---

    def lanes_of(self, statements: Iterable[d.Stmt]) -> set[str]:
        """The lanes that a barrier somewhere in these statements may close."""
        found: set[str] = set()
        for s in statements:
            key = id(s)
            known = self._lanes.get(key)
            if known is None:
                known = self._lanes[key] = self._lanes_of(s)
                self._kept.append(s)
            found |= known
        return found

    def _lanes_of(self, s: d.Stmt) -> set[str]:
        match s:
            case d.Barrier():
                return {"block": {"block"}, "grid": {"block", "grid"}}.get(s.scope, set())
            case d.If():
                return self.lanes_of(s.then) | self.lanes_of(s.orelse)
            case d.For():
                return self.lanes_of(s.body)
            case d.While():
                return self.lanes_of(s.pre) | self.lanes_of(s.body)
            case d.CallStmt():
                if isinstance(s.callee, d.Function):
                    return self.lanes_of(s.callee.body)
                return {"block"} if s.callee.effect is Effect.BLOCK else set()
        return set()


def _union(lists: list[list[Access]], conditions: list[Guard]) -> list[Access]:
    """Open accesses of ways that meet. What one way closed with a barrier is open on the others only."""
    first = lists[0]
    if all(other is first for other in lists):
        return first
    held: dict[int, list[int]] = {}
    merged: dict[int, Access] = {}
    for way, accesses in enumerate(lists):
        for a in accesses:
            merged[id(a)] = a
            held.setdefault(id(a), []).append(way)
    out = []
    for key, a in merged.items():
        ways = held[key]
        if len(ways) == 1:
            known = {f.id for f in a.guard}
            a = a.guarded(tuple(f for f in conditions[ways[0]] if f.id not in known))
        out.append(a)
    return out


def written_arrays(kernel: d.Kernel) -> set[str]:
    """Names of the arrays of the kernel that some store or atomic touches, by itself or through a device function."""
    written: set[str] = set()

    def visit(statements: Iterable[d.Stmt], names: dict[str, str]) -> None:
        for s in statements:
            match s:
                case d.Store() | d.Atomic() | d.AsyncCopy():
                    written.add(names.get(s.array.name, s.array.name))
                case d.If():
                    visit((*s.then, *s.orelse), names)
                case d.For():
                    visit(s.body, names)
                case d.While():
                    visit((*s.pre, *s.body), names)
                case d.CallStmt() if isinstance(s.callee, d.Function):
                    bound = {
                        p.name: names.get(a.array.name, a.array.name)
                        for p, a in zip(s.callee.params, s.args, strict=True)
                        if isinstance(a, d.View)
                    }
                    visit(s.callee.body, bound)

    visit(kernel.body, {})
    return written


def _trusts_order(kernel: d.Kernel) -> bool:
    def within(statements: Iterable[d.Stmt]) -> bool:
        return any(
            (isinstance(s, d.Trust) and s.ordered is not None)
            or (isinstance(s, d.If) and within((*s.then, *s.orelse)))
            or (isinstance(s, (d.For, d.While)) and within(s.body))
            for s in statements
        )

    return any(within(body) for body in (kernel.body, *(f.body for f in kernel.functions)))
