"""Where the C++ declares the locals of a function, and under which names.

In: a body. Out: a `Plan`: for each statement the locals that it declares by assigning them, and those that must be
declared just before it; whether a local is `const`; its identifier. A local is declared in the innermost block that
holds all its uses, at its first assignment where that is the first thing that the block does with it. Since lowering
has shown that a local is assigned before it is read, an iteration never reads what an earlier one left in a local
that lives inside the loop.
Non-goals: C++ types.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from transpiler.emit import walk
from transpiler.emit.names import Names
from transpiler.ir import device as d

Block = tuple[object, ...]
"""A block of C++ by the statements and arms that lead to it, outermost first."""

Place = tuple[tuple[Block, int], ...]
"""An occurrence: for each enclosing block, from the outermost, which of its statements holds the occurrence."""


@dataclass(slots=True)
class Plan:
    declares: dict[d.Stmt, list[d.Local]] = field(default_factory=dict)
    """Statements that declare what they assign: all targets of a statement or none."""
    before: dict[d.Stmt, list[d.Local]] = field(default_factory=dict)
    """Locals to be declared, without a value, in front of a statement."""
    constant: set[d.Local] = field(default_factory=set)
    names: dict[d.Local, str] = field(default_factory=dict)
    hidden: set[d.For] = field(default_factory=set)
    """Loops whose counter is used outside of them: they count in a variable of their own."""


@dataclass(slots=True)
class _Uses:
    places: list[Place] = field(default_factory=list)
    assigning: list[d.Stmt] = field(default_factory=list)
    loops: list[d.For] = field(default_factory=list)


def is_elif(stmt: d.If) -> bool:
    """Whether the other arm continues as `else if`."""
    return len(stmt.orelse) == 1 and isinstance(stmt.orelse[0], d.If) and not stmt.orelse[0].comments


def plan(body: tuple[d.Stmt, ...], params: tuple[object, ...], names: Names) -> Plan:
    """Plan the locals of a body; identifiers of what is visible everywhere in it are claimed from `names` already."""
    collector = _Collector()
    collector.block(body, (), (), 0)
    result = Plan()
    scopes: list[tuple[d.Local, list[Block]]] = []
    for local, use in collector.uses.items():
        if local in params:
            continue
        if use.loops and all(any(loop in block for block, _ in p for loop in use.loops) for p in use.places):
            scopes.append((local, [(*collector.blocks[loop], loop) for loop in use.loops]))
            continue
        result.hidden.update(use.loops)
        places = [place[:-1] if place[-1][1] < 0 else place for place in use.places]
        depth = _common_depth(places)
        block = places[0][depth][0]
        first = collector.statements[block, min(place[depth][1] for place in places)]
        if _declares(first, local):
            result.declares.setdefault(first, []).append(local)
            if len(use.assigning) == 1:
                result.constant.add(local)
        else:
            result.before.setdefault(first, []).append(local)
        scopes.append((local, [block]))
    result.names = _name(scopes, names)
    _keep_tuples_whole(result)
    return result


def _declares(stmt: d.Stmt, local: d.Local) -> bool:
    """Whether a statement assigns the local as the first thing that happens to it."""
    if local not in walk.targets(stmt) or isinstance(stmt, d.For):
        return False
    return not any(
        isinstance(node, d.Var) and node.var is local
        for expr in walk.expressions(stmt)
        for node in walk.subexpressions(expr)
    )


def _keep_tuples_whole(result: Plan) -> None:
    """A call with several results declares all of its targets, as constants, or none."""
    for stmt, locals_ in list(result.declares.items()):
        targets = walk.targets(stmt)
        if len(targets) > 1 and not (
            set(targets) == set(locals_) <= result.constant and len(set(targets)) == len(targets)
        ):
            del result.declares[stmt]
            result.before[stmt] = [*result.before.get(stmt, []), *locals_]
            result.constant.difference_update(locals_)


def _common_depth(places: list[Place]) -> int:
    """The depth of the innermost block that holds all places."""
    depth = 0
    while all(len(place) > depth + 1 for place in places):
        if len({place[depth][1] for place in places}) > 1 or len({place[depth + 1][0] for place in places}) > 1:
            break
        depth += 1
    return depth


def _name(scopes: list[tuple[d.Local, list[Block]]], names: Names) -> dict[d.Local, str]:
    """Identifiers: locals may share one only where neither's block encloses the other's."""
    owners = _Owners(names)
    out: dict[d.Local, str] = {}
    for local, owners.asking in scopes:
        cpp = names.fresh(local.name, owners)
        owners.blocks.setdefault(cpp, []).extend(owners.asking)
        names.note(local.name, cpp)
        out[local] = cpp
    return out


@dataclass(slots=True)
class _Owners:
    """The identifiers that may not be used in the blocks that ask."""

    names: Names
    blocks: dict[str, list[Block]] = field(default_factory=dict)
    """Where each identifier is taken."""
    asking: list[Block] = field(default_factory=list)

    def __contains__(self, name: object) -> bool:
        if name in self.names.used:
            return True
        taken = self.blocks.get(str(name), ())
        return any(_nested(block, other) for block in self.asking for other in taken)


def _nested(a: Block, b: Block) -> bool:
    shorter = min(len(a), len(b))
    return a[:shorter] == b[:shorter]


class _Collector:
    """Walks a body and notes where each local occurs."""

    def __init__(self) -> None:
        self.uses: dict[d.Local, _Uses] = {}
        self.statements: dict[tuple[Block, int], d.Stmt] = {}
        self.blocks: dict[d.For, Block] = {}

    def block(self, body: tuple[d.Stmt, ...], key: Block, above: Place, start: int) -> None:
        for position, stmt in enumerate(body, start):
            self.statements[key, position] = stmt
            self.statement(stmt, key, (*above, (key, position)))

    def statement(self, stmt: d.Stmt, key: Block, place: Place) -> None:
        match stmt:
            case d.Invariant() | d.Trust():
                return
            case d.If():
                self.branch(stmt, stmt, key, place)
                return
            case d.For():
                self.expressions(stmt, place)
                self.note(stmt.counter, (*place, ((*key, stmt), -1)), stmt)
                self.uses[stmt.counter].loops.append(stmt)
                self.blocks[stmt] = key
                self.block(stmt.body, (*key, stmt), place, 0)
                return
            case d.While() if not stmt.pre:
                self.expressions(stmt, place)
                self.block(stmt.body, (*key, stmt), place, 0)
                return
            case d.While():
                inside = (*key, stmt)
                self.block(stmt.pre, inside, place, 0)
                middle = len(stmt.pre)
                self.statements[inside, middle] = stmt
                self.expressions(stmt, (*place, (inside, middle)))
                self.block(stmt.body, inside, place, middle + 1)
                return
        self.expressions(stmt, place)
        for target in walk.targets(stmt):
            self.note(target, place, stmt)

    def branch(self, stmt: d.If, chain: d.If, key: Block, place: Place) -> None:
        """An `if` and the `else if`s that continue it: their conditions all belong to the block around the chain."""
        self.expressions(stmt, place)
        self.block(stmt.then, (*key, chain, stmt, "then"), place, 0)
        if is_elif(stmt):
            inner = stmt.orelse[0]
            assert isinstance(inner, d.If)
            self.branch(inner, chain, key, place)
        else:
            self.block(stmt.orelse, (*key, chain, stmt, "else"), place, 0)

    def expressions(self, stmt: d.Stmt, place: Place) -> None:
        for expr in walk.expressions(stmt):
            for node in walk.subexpressions(expr):
                if isinstance(node, d.Var) and isinstance(node.var, d.Local):
                    self.uses.setdefault(node.var, _Uses()).places.append(place)

    def note(self, local: d.Local, place: Place, stmt: d.Stmt) -> None:
        use = self.uses.setdefault(local, _Uses())
        use.places.append(place)
        use.assigning.append(stmt)
