"""Loops: `for` over ranges and known items, `while`, `else`, and the loops that fill arrays.

In: surface loops. Out: `device.For` with bounds that nothing in the body can change and a counter that nothing assigns, and
`device.While`. Where Python's loop variable lives on (it is read behind the loop, or assigned in the body) the counter is hidden
and the variable is assigned at the top of the body.
"""

from __future__ import annotations

from transpiler.check.meaning import RangeMeaning, SequenceMeaning, Static, TupleMeaning
from transpiler.ir import device, surface
from transpiler.ir.types import BOOL, F32, INDEX, DType
from transpiler.ir.walk import any_node, assigned_names, surface_walk, walk
from transpiler.lower.context import Lowering, arith, assigned_locals, index
from transpiler.lower.expressions import condition, value
from transpiler.lower.values import constant, convert
from transpiler.source import Span


def lower_for(low: Lowering, stmt: surface.For) -> None:
    meaning = low.typed.loops[stmt]
    flag = _else_flag(low, stmt)
    if isinstance(meaning, SequenceMeaning):
        _sequence(low, stmt, meaning, flag)
    else:
        _range(low, stmt, meaning, flag)
    _else(low, stmt.orelse, flag)


def _range(low: Lowering, stmt: surface.For, meaning: RangeMeaning, flag: device.Local | None) -> None:
    assert isinstance(stmt.target, surface.Name)
    span = stmt.iter.span
    zero, one = index(0, span), index(1, span)
    exprs = (meaning.start, meaning.stop, meaning.step)
    known = low.operands([(lambda e=e: value(low, e, INDEX)) for e in exprs if e is not None], "bound")
    given = iter(known)
    start, stop, step = (
        next(given) if e is not None else default for e, default in zip(exprs, (zero, zero, one), strict=True)
    )
    variable = low.places.get(stmt.target.id)
    direct = _is_direct(low, stmt)
    counter = device.Local(stmt.target.id if direct else "k", INDEX, not direct, span=stmt.target.span)
    if direct:
        low.places[stmt.target.id] = counter
    with low.block() as body:
        if not direct:
            assert isinstance(variable, device.Local)
            read = device.Var(counter, type=INDEX, span=stmt.target.span)
            low.emit(device.Assign(variable, convert(read, variable.type), span=stmt.target.span))
        _body(low, stmt.body, flag)
    if direct and variable is not None:
        low.places[stmt.target.id] = variable
    if meaning.reverse:
        start, stop, step = _reversed(low, start, stop, step, span)
    start, stop, step = (
        b if not _changes(b, tuple(body)) else low.temp(n, b)
        for b, n in ((start, "start"), (stop, "stop"), (step, "step"))
    )
    low.emit(device.For(counter, start, stop, step, tuple(body), meaning.unroll, span=stmt.span))


def _is_direct(low: Lowering, stmt: surface.For) -> bool:
    """Whether the loop variable can be the counter: its type is INDEX, and it lives in such loops only."""
    assert isinstance(stmt.target, surface.Name)
    return low.typed.locals.get(stmt.target.id) == INDEX and _lives_in_loops(low, stmt.target.id)


def _lives_in_loops(low: Lowering, name: str) -> bool:
    """Whether a loop variable is only read inside loops over it and never assigned there: each loop can have its own."""
    if name in {p.name for p in low.typed.params}:
        return False
    body = low.typed.function.body
    nodes = [n for s in body for n in surface_walk(s)]
    loops = [n for n in nodes if isinstance(n, surface.For) and _targets_of(n, name)]
    mentions = sum(isinstance(n, surface.Name) and n.id == name for n in nodes)
    assigned = any(_assigns(s, name) for loop in loops for s in loop.body)
    return not assigned and mentions == _own_reads(body, name) + len(loops)


def _targets_of(loop: surface.For, name: str) -> bool:
    return any(isinstance(n, surface.Name) and n.id == name for n in surface_walk(loop.target))


def _own_reads(body: tuple[surface.Stmt, ...], name: str) -> int:
    """How often the name stands in the bodies of loops over it."""
    count = 0
    for stmt in body:
        for node in _outermost_loops(stmt, name):
            count += sum(isinstance(n, surface.Name) and n.id == name for s in node.body for n in surface_walk(s))
    return count


def _outermost_loops(stmt: surface.Node, name: str) -> list[surface.For]:
    from transpiler.ir.walk import surface_children

    if isinstance(stmt, surface.For) and _targets_of(stmt, name):
        return [stmt]
    return [loop for child in surface_children(stmt) for loop in _outermost_loops(child, name)]


def _assigns(stmt: surface.Node, name: str) -> bool:
    """Whether a statement (a nested loop over the same name included) assigns the name."""

    return any(n.id == name for node in surface_walk(stmt) for n in assigned_names(node))


def _changes(bound: device.Expr, body: tuple[device.Stmt, ...]) -> bool:
    """Whether evaluating the bound again after a trip could give another value."""
    if any(isinstance(n, device.Load | device.Call) for n in walk(bound)):
        return True
    read = {n.var for n in walk(bound) if isinstance(n, device.Var) and isinstance(n.var, device.Local)}
    return bool(read) and any_node(body, lambda n: bool(read.intersection(assigned_locals(n))))


def _reversed(
    low: Lowering, start: device.Expr, stop: device.Expr, step: device.Expr, span: Span
) -> tuple[device.Expr, device.Expr, device.Expr]:
    """`reversed(range(start, stop, step))`: from the last value down to the first."""
    assert isinstance(step, device.Const), "the step of a reversed range is constant"
    stride = int(step.value)
    if isinstance(start, device.Const) and isinstance(stop, device.Const):
        known = range(int(start.value), int(stop.value), stride)[::-1]
        return index(known.start, span), index(known.stop, span), index(known.step, span)
    start, stop, span = low.once(start, "start"), low.once(stop, "stop"), start.span
    last = arith("-", arith("-", stop, start), index(1 if stride > 0 else -1, span))
    first = arith("+", start, arith("*", arith("//", last, index(stride, span)), index(stride, span)))
    return first, arith("-", start, index(stride, span)), index(-stride, span)


def _sequence(low: Lowering, stmt: surface.For, meaning: SequenceMeaning, flag: device.Local | None) -> None:
    """Known items become constant arrays that an unrolled loop runs over: `break` and `continue` mean what they say."""
    span = stmt.iter.span
    counter = device.Local("k", INDEX, True, span=stmt.target.span)
    at = device.Var(counter, type=INDEX, span=stmt.target.span)
    columns = _columns(stmt.target, list(meaning.items))
    outer = dict(low.places)
    with low.block() as body:
        for name, values in columns:
            local = low.places.get(name.id)
            assert isinstance(local, device.Local)
            if _lives_in_loops(low, name.id):
                local = low.places[name.id] = device.Local(name.id, local.type, span=name.span)
            table = _table(low, name, _column_dtype(local, values), values)
            load = device.Load(table, (at,), type=table.dtype, span=name.span)
            low.emit(device.Assign(local, convert(load, local.type), span=stmt.target.span))
        _body(low, stmt.body, flag)
    low.places.update({name.id: outer[name.id] for name, _ in columns})
    low.emit(
        device.For(
            counter, index(0, span), index(len(meaning.items), span), index(1, span), tuple(body), 0, span=stmt.span
        )
    )


def _table(low: Lowering, name: surface.Name, dtype: DType, values: list[int | float | bool]) -> device.ConstArray:
    """The values as a constant array; loops over the same values share one."""
    numbers = tuple(constant(v, dtype, name.span).value for v in values)
    for known in low.arrays:
        if isinstance(known, device.ConstArray) and (known.name, known.dtype, known.values) == (
            f"{name.id}_values",
            dtype,
            numbers,
        ):
            return known
    shape = (index(len(numbers), name.span),)
    table = device.ConstArray(f"{name.id}_values", dtype, shape, numbers, span=name.span)
    low.arrays.append(table)
    return table


def _columns(target: surface.Expr, rows: list) -> list[tuple[surface.Name, list[int | float | bool]]]:
    if isinstance(target, surface.Name):
        return [(target, [row.value for row in rows if isinstance(row, Static)])]
    assert isinstance(target, surface.TupleExpr)
    columns: list[tuple[surface.Name, list[int | float | bool]]] = []
    for position, part in enumerate(target.items):
        columns += _columns(part, [row.items[position] for row in rows if isinstance(row, TupleMeaning)])
    return columns


def _column_dtype(local: device.Local, values: list[int | float | bool]) -> DType:
    from transpiler.ir.types import I32, I64

    if isinstance(local.type, DType):
        return local.type
    if any(isinstance(v, float) for v in values):
        return F32
    return I32 if all(I32.min <= int(v) <= I32.max for v in values) else I64


# --- while ------------------------------------------------------------------------------------------------


def lower_while(low: Lowering, stmt: surface.While) -> None:
    if stmt in low.typed.dead:  # the test is False at compile time
        _else(low, stmt.orelse, None)
        return
    flag = _else_flag(low, stmt)
    with low.block() as pre:
        test = condition(low, stmt.test)
    with low.block() as body:
        _body(low, stmt.body, flag)
    low.emit(device.While(tuple(pre), test, tuple(body), span=stmt.span))
    _else(low, stmt.orelse, flag)


def _body(low: Lowering, body: tuple[surface.Stmt, ...], flag: device.Local | None) -> None:
    from transpiler.lower.statements import lower_body

    low.breaks.append(flag)
    lower_body(low, body)
    low.breaks.pop()


def _else_flag(low: Lowering, stmt: surface.For | surface.While) -> device.Local | None:
    """A flag that says that the loop was left by `break`, where its `else` asks."""
    if not stmt.orelse or not _breaks(stmt.body):
        return None
    flag = device.Local("left", BOOL, True, span=stmt.span)
    low.emit(device.Assign(flag, constant(False, BOOL, stmt.span), span=stmt.span))
    return flag


def _breaks(body: tuple[surface.Stmt, ...]) -> bool:
    for stmt in body:
        if isinstance(stmt, surface.Break):
            return True
        if isinstance(stmt, surface.If) and (_breaks(stmt.body) or _breaks(stmt.orelse)):
            return True
        if isinstance(stmt, surface.For | surface.While) and _breaks(stmt.orelse):
            return True
    return False


def _else(low: Lowering, orelse: tuple[surface.Stmt, ...], flag: device.Local | None) -> None:
    from transpiler.lower.statements import lower_body

    if not orelse:
        return
    if flag is None:
        lower_body(low, orelse)
        return
    with low.block() as body:
        lower_body(low, orelse)
    span = orelse[0].span
    stayed = device.Unary("not", device.Var(flag, type=BOOL, span=span), type=BOOL, span=span)
    low.emit(device.If(stayed, tuple(body), span=span))


# --- fills ------------------------------------------------------------------------------------------------


def fill_local(low: Lowering, array: device.Array, item: device.Expr) -> None:
    """`for k...: a[k] = item`, one loop an axis."""
    low.emit(_nest(array, item, 0, ()))


def _nest(array: device.Array, item: device.Expr, axis: int, indices: tuple[device.Expr, ...]) -> device.Stmt:
    span = array.span
    if axis == array.rank:
        return device.Store(array, indices, item, span=span)
    counter = device.Local("k", INDEX, True, span=span)
    at = device.Var(counter, type=INDEX, span=span)
    inner = _nest(array, item, axis + 1, (*indices, at))
    return device.For(counter, index(0, span), array.shape[axis], index(1, span), (inner,), span=span)


def fill_shared(low: Lowering, array: device.Array, item: device.Expr) -> None:
    """The block shares the rows of the first axis by its threads along x, y and z, then meets at a barrier."""
    span = array.span

    def launch(name: str, axis: int) -> device.Expr:
        return device.LaunchVar(name, axis, type=INDEX, span=span)

    plane = arith("+", arith("*", launch("threadIdx", 2), launch("blockDim", 1)), launch("threadIdx", 1))
    rank = arith("+", arith("*", plane, launch("blockDim", 0)), launch("threadIdx", 0))
    threads = arith("*", arith("*", launch("blockDim", 0), launch("blockDim", 1)), launch("blockDim", 2))
    if _is_in_a_row(low):
        rank, threads = launch("threadIdx", 0), launch("blockDim", 0)
    total: device.Expr = array.shape[0]
    for extent in array.shape[1:]:
        total = arith("*", total, extent)
    counter = device.Local("k", INDEX, True, span=span)
    at: device.Expr = device.Var(counter, type=INDEX, span=span)
    indices: list[device.Expr] = []
    for extent in reversed(array.shape[1:]):
        indices.insert(0, device.Binary("%", at, extent, type=INDEX, span=span))
        at = arith("//", at, extent)
    store = device.Store(array, (at, *indices), item, span=span)
    low.emit(device.For(counter, rank, total, threads, (store,), span=span))
    low.emit(device.Barrier("block", span=span))


def _is_in_a_row(low: Lowering) -> bool:
    """Whether the block has threads along x alone; a device function cannot know."""
    launch = low.typed.launch
    if launch is None:
        return False
    return launch.block[1:] == (1, 1) if launch.block is not None else low.typed.axes == 1
