"""Does a launch meet the contract of its kernel: the conditions of `requires`, and its data contracts.

In: bound arguments and a way to evaluate host expressions. Out: findings, E0806 for a condition, E0816 for the
contents of an array.
Non-goals: what is inferred and not written (accesses are checked as they happen).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from transpiler.ir import device as ir
from transpiler.simulate.arguments import Arguments
from transpiler.simulate.report import Actor, Findings

Evaluate = Callable[[ir.Expr], Any]


def check_contract(arguments: Arguments, evaluate: Evaluate, findings: Findings) -> None:
    for requirement in arguments.kernel.requires:
        code, held = (
            ("E0816", _data_holds(requirement, arguments, evaluate))
            if requirement.predicate
            else ("E0806", _holds(requirement, evaluate))
        )
        if not held:
            actor = Actor(0, arguments.kernel.source, requirement.span, "read")
            findings.add(
                code,
                f"the launch breaks the contract of `{arguments.kernel.name}`: `{requirement.text}` does not hold",
                (actor,),
            )


def _holds(requirement: ir.Requirement, evaluate: Evaluate) -> bool:
    return requirement.cond is None or bool(evaluate(requirement.cond))


def _data_holds(requirement: ir.Requirement, arguments: Arguments, evaluate: Evaluate) -> bool:
    values = next(m.data for p, m in arguments.memories.items() if p.name == requirement.array).ravel()
    if requirement.predicate == "injective":
        return len(np.unique(values)) == len(values)
    if requirement.predicate == "permutation":
        return bool(np.array_equal(np.sort(values), np.arange(len(values))))
    if requirement.predicate == "nondecreasing":
        return bool(np.all(values[1:] >= values[:-1]))
    assert requirement.predicate == "in_range", requirement.predicate
    low, high = (evaluate(arg) for arg in requirement.args)
    return bool(np.all((values >= low) & (values < high)))
