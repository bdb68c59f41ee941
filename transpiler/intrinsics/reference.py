"""The reference page of intrinsics, written from the table: `python -m transpiler.intrinsics.reference > docs/intrinsics.md`.

In: the entries of `MODULES`, `ALIASES`. Out: Markdown; the same text from run to run. A test holds `docs/intrinsics.md` to it.
Non-goals: special forms that `check` knows by itself.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from itertools import product
from types import ModuleType

from transpiler.intrinsics import ALIASES, MODULES
from transpiler.intrinsics.entry import Effect, Intrinsic, Scalar, Signature
from transpiler.ir.types import DTYPES, F32, I32, INDEX, WEAK_FLOAT, WEAK_INT, Type

TYPES: tuple[Type, ...] = (*DTYPES.values(), INDEX, WEAK_INT, WEAK_FLOAT)

EFFECTS = {
    Effect.PURE: "",
    Effect.WARP: "All threads of the mask (without a mask: of the warp) call it together.",
    Effect.BLOCK: "All threads of the block call it together.",
    Effect.VOLATILE: "Keeps its place among the other statements.",
}

SOURCE = " Source: "

HEAD = """\
# Intrinsics

Written from the table by `python -m transpiler.intrinsics.reference`; do not edit.

Arguments are converted to the dtypes of the second column; `T` is one dtype wherever it stands; `index` is an exact index
integer. In calls with floats the widest float dtype wins; integers that meet no float become f32, 64-bit ones f64. The C++ is
that of f32, where there is such a call.
"""


def argument_types(entry: Intrinsic) -> Iterator[tuple[Type, ...]]:
    """Argument lists that between them meet all types at each position; an optional `=None` is left out and given."""
    for count in sorted({len(entry.params), sum(not p.endswith("=None") for p in entry.params)}):
        if count <= 2:
            yield from product(TYPES, repeat=count)
        else:
            for t in TYPES:
                yield from product((t, WEAK_INT), repeat=count)


def signatures(entry: Intrinsic) -> list[Signature]:
    """Every signature that a call can have, in a fixed order."""
    found = (entry.rule(types) for types in argument_types(entry))
    return list(dict.fromkeys(s for s in found if isinstance(s, Signature)))


# --- the column of dtypes ---------------------------------------------------------------------------------


def dtypes(entry: Intrinsic) -> str:
    """The signatures in few words; calls of different length apart."""
    by_length: dict[int, list[Signature]] = {}
    for signature in signatures(entry):
        by_length.setdefault(len(signature.args), []).append(signature)
    return "; ".join(summary(group) for group in by_length.values())


def summary(group: list[Signature]) -> str:
    """One type variable if one is enough, else a choice at each position if all combinations exist, else a list."""
    rows = [(*s.args, *s.results) for s in group]
    choices = [sorted(set(column), key=TYPES.index) for column in zip(*rows, strict=True)]
    varying = [k for k, choice in enumerate(choices) if len(choice) > 1]
    arity = len(group[0].args)
    if not varying:
        return arrow([str(t) for t in rows[0]], arity) if rows[0] else "none"
    if all(len({row[k] for k in varying}) == 1 for row in rows):
        names = ["`T`" if k in varying else str(choice[0]) for k, choice in enumerate(choices)]
        return f"{arrow(names, arity)} for {' '.join(map(str, choices[varying[0]]))}"
    if len(rows) == len(list(product(*choices))):
        return arrow([" or ".join(map(str, choice)) for choice in choices], arity)
    return ", ".join(by_result(rows, arity))


def by_result(rows: list[tuple[Scalar, ...]], arity: int) -> Iterator[str]:
    """`f16 bf16 f32 → i32` for arguments of one dtype, grouped by the result; what keeps its type comes together."""
    groups: dict[str, list[str]] = {}
    for row in sorted(rows, key=lambda row: TYPES.index(row[0])):
        result = "the same" if row[0] == row[arity] else ", ".join(map(str, row[arity:]))
        groups.setdefault(result, []).append(", ".join(map(str, row[:arity])))
    for result, arguments in groups.items():
        yield f"{' '.join(arguments)} → {result}"


def arrow(names: list[str], arity: int) -> str:
    return f"{', '.join(names[:arity])} → {', '.join(names[arity:]) or 'nothing'}".strip()


# --- the page ---------------------------------------------------------------------------------------------


def spelled(entry: Intrinsic) -> str:
    return f"{entry.name.removeprefix('transpiler.').removeprefix('builtins.')}({', '.join(entry.params)})"


def cpp(entry: Intrinsic) -> str:
    """The C++ of the f32 call where there is one, else of the i32 call."""
    known = signatures(entry)
    signature = min(known, key=lambda s: (F32 not in s.args, I32 not in s.args))
    names = [p.partition("=")[0] for p in entry.params]
    results = {f"r{k}": f"r{k}" for k in range(len(signature.results))}
    return entry.cpp(signature).format(*names, **results)


def row(entry: Intrinsic) -> str:
    arch = f"From sm_{entry.min_arch}." if entry.min_arch > 50 else ""
    words = " ".join(filter(None, (entry.doc.partition(SOURCE)[0], EFFECTS[entry.effect], arch)))
    return f"| `{spelled(entry)}` | {dtypes(entry)} | `{cpp(entry)}` | {words} |"


def section(module: ModuleType) -> str:
    """The docstring of the module says what its entries have in common, behind `Out: `ENTRIES``."""
    assert module.__doc__ is not None
    title, _, body = module.__doc__.partition("\n")
    common = body.partition("`ENTRIES`")[2].partition("Non-goals")[0].lstrip(".,: ").strip()
    lines = [f"## {title.rstrip('.')}", "", sentence(common), ""]
    lines += ["| call | dtypes | C++ | meaning |", "|---|---|---|---|"]
    sources = dict.fromkeys(entry.doc.partition(SOURCE)[2].rstrip(".") for entry in module.ENTRIES)
    return "\n".join([*lines, *map(row, module.ENTRIES), "", f"Sources: {'; '.join(sources)}.", ""])


def sentence(text: str) -> str:
    text = " ".join(text.split())
    return text[:1].upper() + text[1:]


def page() -> str:
    spellings = [f"| `{theirs}` | `{ours}` |" for theirs, ours in sorted(ALIASES.items())]
    aliases = ["## Other spellings", "", "| spelling | is |", "|---|---|", *spellings]
    return "\n".join([HEAD, *map(section, MODULES), *aliases, ""]).replace("transpiler.cuda.", "cuda.")


if __name__ == "__main__":
    sys.stdout.write(page())
