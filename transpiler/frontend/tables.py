"""The parse tables: what Lark makes of the grammar, as plain data.

In: `grammar/*.lark`. Out: `tables()`, built once a process. Lark compiles the grammar (LALR, with its own conflict checks) and
is then done: `machine` walks the tables. Plain data can be kept on disk as JSON, read without Lark and shared by threads, and our
own walk gives exact spans, zero-width layout tokens and recovery after an error.
Non-goals: the disk (`table_cache`).
"""

from __future__ import annotations

import re
import threading
from dataclasses import dataclass, field
from functools import cached_property
from importlib.resources import files
from typing import Any, NamedTuple

STARTS = ("function", "expression", "module_line", "python_only")
_FILES = ("kernel.lark", "expressions.lark", "tokens.lark")


class Rule(NamedTuple):
    """One alternative: `size` values are taken from the stack, `method` of the builder makes one of them."""

    origin: str
    size: int
    method: str
    is_unit: bool
    """`?a: b`: the value passes through."""
    is_splice: bool
    """The children go to the parent: a rule with `_`, or the hidden rule of a `*` or `+`."""


Row = dict[str, int]
"""A state: by terminal or rule name, the next state `n`, or rule `r` to reduce by as `-1 - r`."""


@dataclass(eq=False)
class Tables:
    regexp: str
    ignored: frozenset[str]
    keywords: dict[str, str]
    rules: list[Rule]
    rows: list[Row]
    starts: dict[str, tuple[int, int]]
    """The first and the last state by start rule."""
    shortcuts: dict[tuple[int, str, str], int] = field(default_factory=dict)
    """See `machine.Machine._goto`: filled while parsing; a lost update in a race of threads costs only time."""

    @cached_property
    def pattern(self) -> re.Pattern[str]:
        return re.compile(self.regexp)

    def to_data(self) -> dict[str, Any]:
        """For JSON."""
        return {
            "regexp": self.regexp,
            "ignored": sorted(self.ignored),
            "keywords": self.keywords,
            "rules": self.rules,
            "rows": self.rows,
            "starts": self.starts,
        }

    @staticmethod
    def from_data(data: dict[str, Any]) -> Tables:
        return Tables(
            regexp=data["regexp"],
            ignored=frozenset(data["ignored"]),
            keywords=data["keywords"],
            rules=[Rule(*rule) for rule in data["rules"]],
            rows=data["rows"],
            starts={name: (first, last) for name, (first, last) in data["starts"].items()},
        )


def grammar_text() -> str:
    """The three files as one grammar."""
    folder = files("transpiler.grammar")
    return "\n".join((folder / name).read_text(encoding="utf-8") for name in _FILES)


def build(grammar: str, *, strict: bool = False) -> Tables:
    """Let Lark compile the grammar. `strict` refuses tokens that collide (it needs the package interegular)."""
    from lark import Lark

    lark = Lark(
        grammar,
        parser="lalr",
        lexer="basic",
        start=list(STARTS),
        keep_all_tokens=True,
        maybe_placeholders=False,
        strict=strict,
    )
    return _plain(lark)


def _plain(lark: Any) -> Tables:
    table = lark.parser.parser._parse_table
    numbers: dict[Any, int] = {rule: number for number, rule in enumerate(lark.rules)}
    rows: list[Row] = [{} for _ in table.states]
    for state, actions in table.states.items():
        for symbol, (action, target) in actions.items():
            rows[state][symbol] = target if action.name == "Shift" else -1 - numbers[target]
    words = {
        t.pattern.value: t.name for t in lark.terminals if t.pattern.type == "str" and t.pattern.value.isidentifier()
    }
    terminals = [t for t in lark.parser.lexer.terminals if t.name not in words.values()]
    return Tables(
        regexp="|".join(f"(?P<{t.name}>{t.pattern.to_regexp()})" for t in terminals),
        ignored=frozenset(lark.ignore_tokens),
        keywords=words,
        rules=[_rule(rule) for rule in lark.rules],
        rows=rows,
        starts={name: (table.start_states[name], table.end_states[name]) for name in STARTS},
    )


def _rule(rule: Any) -> Rule:
    origin = str(rule.origin.name)
    is_splice = origin.startswith("_")
    is_unit = bool(rule.options.expand1) and len(rule.expansion) == 1 and not rule.alias and not is_splice
    return Rule(origin, len(rule.expansion), str(rule.alias or origin), is_unit, is_splice)


_lock = threading.Lock()
_tables: Tables | None = None


def tables() -> Tables:
    """The tables of the grammar, from memory, from the disk or from Lark."""
    global _tables
    if _tables is None:
        from transpiler.frontend import table_cache

        with _lock:
            if _tables is None:
                grammar = grammar_text()
                _tables = table_cache.load(grammar) or table_cache.store(grammar, build(grammar))
    return _tables
