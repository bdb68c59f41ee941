"""No text makes `check` or `lower` raise: the blocks of the specs, with names and numbers replaced by other expressions."""

from __future__ import annotations

import random
import re

import pytest

from tests.lang.specs import cases, chapters, file_text
from transpiler.check import check_kernel, instances_of
from transpiler.frontend import parse_module
from transpiler.lower import lower_kernel
from transpiler.source import Source

EXPRESSIONS = (
    "x", "y", "p", "n", "a", "i", "M", "N", "None", "True", "0", "-1", "2.5", "300", "1e30", "(1, 2)", "(a, n)", "x[0]", "x[1:]",
    "len(x)", "n // 2", "n / 2", "p[0] / 2", "f16(a)", "u8(n)", "cuda.grid(1)", "cuda.threadIdx.x", "cuda.atomic.add(q, 0, 1)",
    "x.shape", "x.dtype", "f32", "vec(f32, 2)(a, a)", "math.sqrt", "math.sqrt(a)", "min(n, 3)", "(n > 3)", "(not n)", "(v := 3)",
    "(w := x[0])", "x[0] < a < 1", "(n > 3 and p[0])", "(x[0] or a)", "(1 if n > 3 else 0.5)", "range(3)", "divmod(n, 3)", "~n",
    "n ** 2", "1 << n", "int(a)", "round(a)", "'text'", "x[...]", "(1, (2, 3))[1]",
)  # fmt: skip
_WORDS = frozenset(
    ("if", "else", "for", "in", "while", "return", "and", "or", "not", "is", "def", "break", "continue", "pass")
)
_PLACE = re.compile(r"(?<![\w.@])(?:[A-Za-z_]\w*|\d+(?:\.\d+)?)(?![\w(\[.])")
BLOCKS = [file_text(case) for chapter in chapters() for case in cases(chapter)]


def mutated(text: str, rng: random.Random) -> str:
    """The text with up to three names or numbers behind the header of the kernel replaced."""
    for _ in range(rng.randint(1, 3)):
        start = text.index("\n", max(text.find("def k"), 0))
        places = [m for m in _PLACE.finditer(text, start) if m.group() not in _WORDS]
        if places:
            place = rng.choice(places)
            text = text[: place.start()] + rng.choice(EXPRESSIONS) + text[place.end() :]
    return text


@pytest.mark.parametrize("seed", range(8))
def test_no_text_makes_check_or_lower_raise(seed: int) -> None:
    rng = random.Random(seed)
    for _ in range(60):
        module, _ = parse_module(Source(mutated(rng.choice(BLOCKS), rng), "mutant.py"))
        for function in (f for f in module.functions if f.is_kernel):
            for instance in instances_of(module, function)[0][:1]:
                typed, found = check_kernel(module, function, instance)
                assert (typed is None) == any(d.code.startswith("E") for d in found)
                if typed is not None:
                    lower_kernel(typed)
