"""Each construct that is not part of the language has its own code, its own sentence and a replacement, at the right place."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests.frontend.support import IMPORTS, findings
from transpiler.diagnostics.codes import CODES
from transpiler.frontend import parse_module
from transpiler.source import Source

# (body, code, the text that the span covers, a word of the help)
CONSTRUCTS = [
    ("try:\n    a = 1\nexcept E:\n    a = 2\nfinally:\n    a = 3", "E0110", "try", "assert"),
    ("raise ValueError('a')", "E0111", "raise", "assert"),
    ("with a as b:\n    pass", "E0112", "with", "in place"),
    ("async with a:\n    pass", "E0113", "async", "stream"),
    ("await a", "E0113", "await", "stream"),
    ("x[0] = await a", "E0113", "await", "stream"),
    ("yield a", "E0114", "yield", "Out"),
    ("a = yield", "E0114", "yield", "Out"),
    ("f = lambda v: v", "E0115", "lambda", "@device"),
    ("g(lambda: 3)", "E0115", "lambda", "@device"),
    ("def f(v):\n    return v", "E0116", "def", "@device"),
    ("async def f(v):\n    return v", "E0116", "async", "@device"),
    ("class C:\n    a = 1", "E0117", "class", "tuple"),
    ("import math", "E0118", "import", "top"),
    ("from math import pi", "E0118", "from", "top"),
    ("global a", "E0119", "global", "array"),
    ("nonlocal a", "E0119", "nonlocal", "return"),
    ("del a", "E0120", "del", "leave it out"),
    ("match a:\n    case 1:\n        b = 1\n    case _:\n        b = 2", "E0121", "match", "elif"),
    ("match (a, b):\n    case 1:\n        b = 1", "E0121", "match", "elif"),
    ("match a, b:\n    case 1:\n        b = 1", "E0121", "match", "elif"),
    ("match -a:\n    case 1:\n        b = 1", "E0121", "match", "elif"),
    ("a = [v for v in b]", "E0122", "for", "loop"),
    ("a = sum(v for v in b)", "E0122", "for", "loop"),
    ("a = {v: 1 for v in b}", "E0122", "for", "loop"),
    ("a = {v for v in b}", "E0122", "for", "loop"),
    ("a = [1, 2]", "E0123", "[1, 2]", "tuple"),
    ("for a in [1, 2]:\n    pass", "E0123", "[1, 2]", "tuple"),
    ("a = {1: 2}", "E0123", "{1: 2}", "tuple"),
    ("a = {1, 2}", "E0123", "{1,", "tuple"),
    ("a = {1}", "E0123", "{1}", "tuple"),
    ("f(*a)", "E0124", "*", "write each"),
    ("f(**a)", "E0124", "**", "write each"),
    ("a, *b = c", "E0124", "*", "write each"),
    ("a = 2 + 1j", "E0126", "1j", "two floats"),
    ("a = 1.5J", "E0126", "1.5J", "two floats"),
    ("a = b'x'", "E0127", "b'x'", "u8"),
    ("class = 1", "E0128", "class", "class_"),
    ("a = in + 1", "E0128", "in", "in_"),
    ("a = b.lambda", "E0128", "lambda", "lambda_"),
    ("a = class + 1", "E0128", "class", "class_"),
    ("f(is=1)", "E0128", "is", "is_"),
    ("print a", "E0129", "print", "brackets"),
    ("print 'a'", "E0129", "print", "brackets"),
    ("print(f'{a!r}')", "E0131", "!r", "leave it out"),
    ("print(f'{a:{b}}')", "E0131", ":{b", "write the format"),
    ("print(f'{a')", "E0131", "{", "{{"),
    ("print(f'a}')", "E0131", "}", "}}"),
    ("break", "E0132", "break", "return"),
    ("if a:\n    continue", "E0132", "continue", "return"),
    ("for a in b:\n    pass\nelse:\n    break", "E0132", "break", "return"),
    ("f(a=1, b)", "E0134", "b", "front"),
    ("f(a=1, a=2)", "E0134", "a=2", "leave"),
]

MISTAKES = [
    ("a = (1 + 2\nb = 3", "E0102", "("),
    ("a = f(1, 2\nreturn", "E0102", "("),
    ("a = (1]", "E0102", "]"),
    ("a = 1)", "E0102", ")"),
    ("a = b[1\n", "E0102", "["),
    ("  a = 1\nb = 2", "E0103", ""),
    ("if a:\nb = 2", "E0103", "b"),
    ("a = 1\n  b = 2", "E0103", ""),
    ("if a:\n        b = 1\n    c = 1", "E0103", ""),
    ("if a:\n\tb = 1\n        c = 1", "E0103", ""),
    ("a = 'text", "E0104", "'text"),
    ("a = '\\x4'", "E0104", "\\x"),
    ("a = '\\N{no such thing}'", "E0104", "\\N"),
    ("a = f'{b['c']}'", "E0104", "c"),
    ("a = b \u00d7 2", "E0105", "\u00d7"),
    ("a = b ≤ 2", "E0105", "≤"),
    ("a\xa0= 2", "E0105", "\xa0"),
    ("a = “text”", "E0105", "“"),
    ("a = b $ 2", "E0105", "$"),
    ("a = 1 \\ + 2", "E0105", "\\"),
    ("a = 0777", "E0106", "0777"),
    ("a = 1.5f", "E0106", "1.5f"),
    ("a = 12abc", "E0106", "12abc"),
    ("a = 1__0", "E0106", "1__0"),
    ("a = 0b12", "E0106", "0b12"),
    ("a = " + "9" * 5000, "E0106", "9" * 5000),
    ("if a\n    b = 1", "E0107", ""),
    ("while a {\n    b = 1\n}", "E0107", "{"),
    ("if a: b = 1\nelse\n    b = 2", "E0107", ""),
    ("a = b && c", "E0108", "&&"),
    ("a = b || c", "E0108", "||"),
    ("a = !b", "E0108", "!"),
    ("a++", "E0108", "++"),
    ("a--", "E0108", "--"),
    ("a = b ? c : d", "E0108", "?"),
    ("if a <> b:\n    pass", "E0108", "<>"),
    ("if a === b:\n    pass", "E0108", "==="),
    ("if a => b:\n    pass", "E0108", "=>"),
    ("if a = 1:\n    pass", "E0109", "="),
    ("a := 1", "E0109", ":="),
    ("f() = 1", "E0109", "f()"),
    ("a + b = 1", "E0109", "a + b"),
    ("1 = a", "E0109", "1"),
    ("a == b = 1", "E0109", "a == b"),
    ("(a, 1) = b", "E0109", "1"),
    ("(a, b) += 1", "E0109", "(a, b)"),
    ("a, b: i32 = 1", "E0109", "a, b"),
    ("for f(x) in b:\n    pass", "E0109", "f(x)"),
    ("x[0] =", "E0101", "="),
    ("x[0] = 1 +", "E0101", "+"),
    ("a = b if c", "E0101", ""),
    ("a = 2 b", "E0101", "b"),
    ("else:\n    a = 1", "E0101", "else"),
    ("if a:\n    b = 1\nelse if c:\n    b = 2", "E0101", "if"),
    ("a = b not c", "E0101", None),
    ("a = ", "E0101", "="),
    ("x. = 1", "E0101", None),
]


@pytest.mark.parametrize(("body", "code", "at", "word"), CONSTRUCTS)
def test_constructs_have_their_own_code_and_replacement(body: str, code: str, at: str, word: str) -> None:
    (found,) = findings(body)
    assert found.code == code
    assert found.source.slice(found.span) == at
    assert found.help is not None
    assert word in found.help


@pytest.mark.parametrize(("body", "code", "at"), MISTAKES)
def test_mistakes_are_named_where_they_are(body: str, code: str, at: str | None) -> None:
    found = findings(body)[0]
    assert found.code == code, found.message
    if at is not None:
        assert found.source.slice(found.span) == at


@pytest.mark.parametrize(
    ("params", "code"),
    [
        ("*a", "E0125"),
        ("**a", "E0125"),
        ("x, *a, y", "E0125"),
        ("x, x", "E0133"),
        ("a=1, b", "E0133"),
        ("/, a", "E0133"),
        ("a, *", "E0133"),
        ("a, *, b, *, c", "E0133"),
        ("a=[1]", "E0123"),
        ("in, out", "E0128"),
        ("a, b", None),
        ("a, /, b, *, c=1, d", None),
        ("a: [1, 2]", None),
    ],
)
def test_parameter_lists(params: str, code: str | None) -> None:
    assert [found.code for found in findings("pass", params)] == ([] if code is None else [code])


def test_several_errors_in_one_kernel_and_in_several() -> None:
    text = f"""{IMPORTS}
@kernel
def one(x):
    try:
        a = 1 +
    except E:
        b = [1]
    with c:
        d = e && f
    g = 1

@kernel
def two(x):
    x[0] = 1

@kernel
def three(x):
    if x
        y = 1
    raise E
"""
    module, found = parse_module(Source(text))
    assert [d.code for d in found] == ["E0110", "E0101", "E0123", "E0112", "E0108", "E0107", "E0111"]
    assert [function.name for function in module.functions] == ["two"]
    assert [d.span.start for d in found] == sorted(d.span.start for d in found)


def test_a_skipped_block_hides_nothing_behind_it() -> None:
    assert [d.code for d in findings("def f():\n    return lambda: 1\na = 1 ? 2 : 3\nfor i in a: b = {1}")] == [
        "E0116",
        "E0108",
        "E0123",
    ]


def test_the_number_of_errors_is_bounded() -> None:
    assert len(findings("\n".join(["a = b && c"] * 200))) == 20


def test_code_outside_kernels_is_no_concern_of_ours() -> None:
    before, behind = "x = = 3\nprint 'a'\ndef f(*a):\n  return [lambda: 1 for\n\n", "\nwith open(:\n"
    text = f"{IMPORTS}{before}@kernel\ndef k(x):\n    x[0] = 1\n{behind}"
    module, found = parse_module(Source(text))
    assert found == []
    assert [function.name for function in module.functions] == ["k"]


def test_null_bytes_are_refused() -> None:
    module, found = parse_module(Source(f"{IMPORTS}a = 1\0\n@kernel\ndef k(x):\n    x[0] = 1\n"))
    assert [d.code for d in found] == ["E0105"]
    assert [function.name for function in module.functions] == ["k"]


def test_a_decorator_needs_a_function() -> None:
    assert [d.code for d in parse_module(Source(f"{IMPORTS}@kernel\nx = 1\n"))[1]] == ["E0135"]
    assert [d.code for d in parse_module(Source(f"{IMPORTS}@kernel(block=1)\n"))[1]] == ["E0135"]
    assert [d.code for d in parse_module(Source(f"{IMPORTS}@kernel\nasync def k(x):\n    pass\n"))[1]] == ["E0113"]


@pytest.mark.parametrize("depth", [10_000])
@pytest.mark.parametrize(
    "text",
    [
        lambda n: "a = " + "(" * n + "1" + ")" * n + "+ (" * n + "1" + ")" * n,
        lambda n: "a = " + "-" * n + "1",
        lambda n: "a = " + "not " * n + "1",
        lambda n: "a = " + "b + " * n + "1",
        lambda n: "a = " + "b ** " * n + "1",
        lambda n: "a = " + "b if c else " * n + "1",
        lambda n: "a = " + "f(" * n + "1" + ")" * n,
        lambda n: "a = b" + "[0]" * n,
        lambda n: "a = b" + ".c" * n,
        lambda n: "if a: b = 1\n" + "elif a: b = 1\n" * n + "else: b = 2",
    ],
)
def test_depth_is_a_diagnostic(text: object, depth: int) -> None:
    assert [d.code for d in findings(text(depth))] == ["E0130"]  # type: ignore[operator]


def test_nested_blocks_and_strings() -> None:
    body = "\n".join(" " * n + "if a:" for n in range(90)) + "\n" + " " * 90 + "b = 1"
    assert [d.code for d in findings(body)] == ["E0130"]
    deep = "f'''{f\"\"\"{f\"{f'{a}'}\"}\"\"\"}'''"
    assert [d.code for d in findings(f"a = {deep}")] == ["E0130"]


def test_wide_is_not_deep() -> None:
    assert (
        findings("a = (" + "1, " * 5000 + ")\nb = a < " + " < ".join("b" * 2000) + "\nc = " + " and ".join("d" * 2000))
        == []
    )


PAGES = Path(__file__).parents[2] / "transpiler" / "diagnostics" / "explain"


@pytest.mark.parametrize("code", [code for code in CODES if code.startswith("E01") and code != "E0199"])
def test_pages_show_what_they_say(code: str) -> None:
    """The wrong kernel of a page has its error, the right one has none."""
    wrong, right = re.findall(r"```python\n(.*?)```", (PAGES / f"{code}.md").read_text(), re.DOTALL)
    assert [found.code for found in parse_module(Source(wrong))[1]] == [code]
    assert parse_module(Source(right))[1] == []
