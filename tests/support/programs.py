"""Kernels out of thin air, as text: every statement and expression form of the grammar, in many spellings.

In: nothing. Out: hypothesis strategies of program texts that CPython's parser accepts. Non-goals: programs that mean something.
"""

from __future__ import annotations

from hypothesis import strategies as st

HEADER = "import math\nfrom transpiler import Dim, In, InOut, Out, cuda, f32, i32, kernel as k, device\n\n"

NAMES = st.sampled_from(["a", "b", "x", "tx", "N", "αβ", "ﬁ", "match", "print", "type", "_", "kernel2", "é"])
ATOMS = st.one_of(
    NAMES,
    st.sampled_from(["0", "1", "17", "0xFF", "0b1_0", "0o17", "1_000", "1.5", ".5", "2.", "1e-3", "1E5", "0_0", "00"]),
    st.sampled_from(
        ["True", "False", "None", "...", "()", "'s'", "\"t\" 'u'", 'r"\\d"', '"""d\nd"""', "'\\x41\\n\\''"]
    ),
    st.sampled_from(['f"{a}"', 'f"{{x}}{a:.3f} b{b + 1}"', '"p" f"{a}" "q"', 'f"{a=}"', "f'{a[0]}'"]),
)
BINARY = ["+", "-", "*", "/", "//", "%", "**", "<<", ">>", "&", "|", "^", "@"]
COMPARE = ["<", "<=", ">", ">=", "==", "!=", "is", "is not", "in", "not in"]
BLANK = st.sampled_from(["", " ", "  "])


@st.composite
def _binary(draw: st.DrawFn, inner: st.SearchStrategy[str]) -> str:
    parts = [draw(inner)]
    for _ in range(draw(st.integers(1, 3))):
        op, blank = draw(st.sampled_from(BINARY)), draw(BLANK)
        parts.append(f" {op}{blank}{draw(inner)}")
    return "".join(parts)


@st.composite
def _words(draw: st.DrawFn, inner: st.SearchStrategy[str], ops: list[str]) -> str:
    parts = [draw(inner)]
    for _ in range(draw(st.integers(1, 3))):
        parts.append(f"{draw(st.sampled_from(ops))} {draw(inner)}")
    return " ".join(parts)


def _extend(inner: st.SearchStrategy[str]) -> st.SearchStrategy[str]:
    many = st.lists(inner, min_size=1, max_size=3).map(", ".join)
    comma = st.sampled_from(["", ","])
    primary = st.one_of(NAMES, inner.map(lambda e: f"({e})"))
    subscript = st.one_of(
        inner, st.tuples(inner, inner).map(":".join), st.sampled_from([":", "1:", ":b", "::2", "a:b:c", "(a, b)", "a,"])
    )
    return st.one_of(
        inner.map(lambda e: f"({e})"),
        inner.map(lambda e: f"(\n  {e}  # inside\n)"),
        st.tuples(many, comma).map(lambda t: f"({t[0]},)" if "," not in t[0] else f"({t[0]}{t[1]})"),
        st.tuples(st.sampled_from(["-", "+", "~", "- -", "not ", "not not "]), inner).map(lambda t: f"({t[0]}{t[1]})"),
        st.tuples(st.sampled_from(["-", "+", "~"]), primary).map("".join),
        _binary(primary),
        _binary(st.one_of(ATOMS, primary)),
        _words(_binary(primary), COMPARE),
        _words(_words(primary, COMPARE), ["and", "or"]),
        _words(primary, ["and", "or", "and not", "or not"]),
        st.tuples(primary, primary, primary).map(lambda t: f"{t[0]} if {t[1]} else {t[2]}"),
        st.tuples(primary, NAMES).map(".".join),
        st.tuples(primary, subscript, subscript).map(lambda t: f"{t[0]}[{t[1]}][{t[2]}]"),
        st.tuples(primary, many, comma).map(lambda t: f"{t[0]}[{t[1]}{t[2]}]"),
        st.tuples(primary, many, comma).map(lambda t: f"{t[0]}({t[1]}{t[2]})"),
        st.tuples(primary, inner, inner).map(lambda t: f"{t[0]}({t[1]}, k={t[2]})"),
        st.tuples(NAMES, inner).map(lambda t: f"(w_{t[0]} := {t[1]})"),
    )


EXPRESSIONS = st.recursive(ATOMS, _extend, max_leaves=8)
TARGETS = st.one_of(
    NAMES,
    st.tuples(NAMES, EXPRESSIONS).map(lambda t: f"{t[0]}[{t[1]}]"),
    st.sampled_from(["a, b", "(a, b)", "a, (b, x[0])", "a.b", "(a)", "a,"]),
)
SINGLE = st.one_of(NAMES, st.tuples(NAMES, EXPRESSIONS).map(lambda t: f"{t[0]}[{t[1]}]"), st.just("(a)"))

SIMPLE = st.one_of(
    st.tuples(TARGETS, EXPRESSIONS).map(" = ".join),
    st.tuples(TARGETS, TARGETS, EXPRESSIONS).map(" = ".join),
    st.tuples(SINGLE, st.sampled_from(BINARY), EXPRESSIONS).map(lambda t: f"{t[0]} {t[1]}= {t[2]}"),
    st.tuples(SINGLE, EXPRESSIONS).map(lambda t: f"{t[0]}: i32 = {t[1]}"),
    st.tuples(NAMES, EXPRESSIONS).map(lambda t: f"{t[0]}: 'In[f32, N]'"),
    EXPRESSIONS,
    EXPRESSIONS.map(lambda e: f"return {e}, 1"),
    EXPRESSIONS.map(lambda e: f"assert {e}, 'text'"),
    st.sampled_from(["pass", "return", "a = b, c", "a; b;", "a = \\\n 1", "x = 1; y = (2)"]),
)


@st.composite
def _block(draw: st.DrawFn, indentation: str, depth: int, loops: bool) -> str:
    deeper = indentation + draw(st.sampled_from(["  ", "    ", "\t", " "]))
    lines: list[str] = []
    for _ in range(draw(st.integers(1, 3))):
        if draw(st.integers(0, 5)) == 0:
            lines.append(draw(st.sampled_from(["", f"{indentation}# note", "   # elsewhere", "\f"])))
        kind = draw(st.integers(0, 7)) if depth else 0
        if kind < 4:
            text = draw(SIMPLE) if not loops or kind < 3 else draw(st.sampled_from(["break", "continue"]))
            lines.append(f"{indentation}{text}{draw(st.sampled_from(['', '  # why', ' ']))}")
        elif kind == 4:
            lines.append(f"{indentation}if {draw(EXPRESSIONS)}: {draw(SIMPLE)}")
        else:
            head = {5: "if {}:", 6: "for a in {}:", 7: "while {}:"}[kind].format(draw(EXPRESSIONS))
            lines.append(f"{indentation}{head}")
            lines.append(draw(_block(deeper, depth - 1, loops or kind != 5)))
            if kind == 5 and draw(st.booleans()):
                lines += [f"{indentation}elif {draw(EXPRESSIONS)}:", draw(_block(deeper, depth - 1, loops))]
            if draw(st.integers(0, 3)) == 0:
                lines += [f"{indentation}else:", draw(_block(deeper, depth - 1, loops))]
    return "\n".join(lines)


PARAMETERS = st.sampled_from(
    [
        "a, b",
        "a: f32, x: In[f32, int], b: 'Out[f32, N]' = None,",
        "a, /, b=1, *, tx: i32 = 3",
        "",
        "x: In[f32, ()], y: [1, 2]",
        "*, a",
    ]
)
DECORATORS = st.sampled_from(
    ["@k", "@k()", "@k(block=256, domain=[1, {'a': 2}])", "@other\n@k(\n  block=(1, 2),\n)", "@device"]
)


@st.composite
def programs(draw: st.DrawFn) -> str:
    """A file with one decorated function in it, and something around it."""
    doc = draw(st.sampled_from(["", "    '''Doc\n      more\n    '''\n", "    'one' \" line\"\n"]))
    body = draw(_block("    ", 2, loops=False))
    returns = draw(st.sampled_from(["", " -> f32", " -> 'f32'"]))
    before = draw(
        st.sampled_from(["", "EPS: float = 1e-5\n", "class M(Dim): ...\n", "A = B = 2 ** 3 # two\n", "x = [*y]\n"])
    )
    after = draw(
        st.sampled_from(["", "\n\ndef main():\n    try: pass\n    finally: pass\n", "\n# end", "\n    # end of body\n"])
    )
    return f"{HEADER}{before}\n{draw(DECORATORS)}\ndef kern({draw(PARAMETERS)}){returns}:\n{doc}{body}\n{after}"
