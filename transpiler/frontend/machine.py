"""The LALR walk over the tables.

In: tokens, one at a time, and a builder with a method for each rule. Out: the value of the start rule. A token that the tables do
not take leaves the machine as it stood, so that the caller can say what would have been taken, drop back and go on.
Non-goals: what an error means (`syntax_errors`), how to go on (`parse`).
"""

from __future__ import annotations

from typing import Any

from transpiler.frontend.tables import Tables
from transpiler.frontend.tokens import Token

END = "$END"


class Splice(list[Any]):
    """Children that their parent takes over."""

    __slots__ = ()


class Machine:
    def __init__(self, tables: Tables, start: str, builder: object) -> None:
        self._tables = tables
        self._builder = builder
        first, self._last = tables.starts[start]
        self._states = [first]
        self._values: list[Any] = []

    def feed(self, token: Token) -> bool:
        """Take a token; False if it cannot come here. After END, `result` is there."""
        rows, states, kind = self._tables.rows, self._states, token.type
        while True:
            action = rows[states[-1]].get(kind)
            if action is None:
                return False
            if action >= 0:
                states.append(action)
                self._values.append(token)
                return True
            self._reduce(-1 - action, kind)
            if kind == END and states[-1] == self._last:
                return True

    @property
    def result(self) -> Any:
        return self._values[-1]

    def _reduce(self, number: int, ahead: str) -> None:
        rule = self._tables.rules[number]
        states, values = self._states, self._values
        children = values[-rule.size :]
        del states[-rule.size :], values[-rule.size :]
        if rule.is_unit:
            value = children[0]
        else:
            for child in children:
                if type(child) is Splice:
                    children = _spliced(children)
                    break
            if not rule.is_splice:
                value = getattr(self._builder, rule.method)(children)
            else:
                value = children if type(children) is Splice else Splice(children)
        values.append(value)
        states.append(self._goto(states[-1], rule.origin, ahead))

    def _goto(self, state: int, origin: str, ahead: str) -> int:
        """The state behind a rule, past all `?a: b` that would follow it: an atom has a dozen levels of them above it."""
        key = (state, origin, ahead)
        target = self._tables.shortcuts.get(key)
        if target is None:
            rows, rules = self._tables.rows, self._tables.rules
            target = rows[state][origin]
            while (action := rows[target].get(ahead, 0)) < 0 and rules[-1 - action].is_unit:
                target = rows[state][rules[-1 - action].origin]
            self._tables.shortcuts[key] = target
        return target

    def accepts(self, kind: str) -> bool:
        """Whether a token of this type could come now."""
        rows, rules = self._tables.rows, self._tables.rules
        states = list(self._states)
        while (action := rows[states[-1]].get(kind)) is not None:
            if action >= 0 or (kind == END and states[-1] == self._last):
                return True
            rule = rules[-1 - action]
            del states[-rule.size :]
            states.append(rows[states[-1]][rule.origin])
        return False

    def drop_to(self, kind: str) -> bool:
        """Drop what is half read until a token of this type could come; False (and nothing dropped) if it never could."""
        rows, states = self._tables.rows, self._states
        for height in range(len(states), 0, -1):
            if kind in rows[states[height - 1]]:
                del states[height:], self._values[height - 1 :]
                return True
        return False


def _spliced(children: list[Any]) -> list[Any]:
    """`children` with the splices replaced by what is in them; a leading splice is grown in place, so that lists stay linear."""
    first = children[0]
    if type(first) is Splice:
        flat: list[Any] = first
        rest = children[1:]
    else:
        flat, rest = [], children
    for child in rest:
        if type(child) is Splice:
            flat.extend(child)
        else:
            flat.append(child)
    return flat
