"""What the oracle of CPython's `ast` does not show: comments, docstrings, precedence in plain sight, odd text."""

from __future__ import annotations

import pytest

from tests.frontend.support import IMPORTS, kernel, module, shown
from tests.support.cpython_surface import module_from_ast
from tests.support.same_tree import module_difference
from transpiler.frontend import parse_module
from transpiler.ir import surface as s
from transpiler.source import Source


def value(text: str) -> s.Expr:
    (statement,) = kernel(f"a = {text}").body
    assert isinstance(statement, s.Assign)
    return statement.value


def test_chained_comparisons_are_one_node() -> None:
    node = value("0 <= x < n != 3")
    assert isinstance(node, s.Compare)
    assert node.ops == ("<=", "<", "!=")
    assert len(node.rights) == 3
    nested = value("(0 <= x) < n")
    assert isinstance(nested, s.Compare)
    assert isinstance(nested.left, s.Compare)


def test_precedence_of_power_and_unary() -> None:
    node = value("-a ** -b ** c")
    assert isinstance(node, s.Unary)
    assert isinstance(node.operand, s.Binary)
    exponent = node.operand.right
    assert isinstance(exponent, s.Unary)
    assert isinstance(exponent.operand, s.Binary)


def test_brackets_belong_to_what_contains_them() -> None:
    function = kernel("a = ((b) + (c))")
    (statement,) = function.body
    assert isinstance(statement, s.Assign)
    assert isinstance(statement.value, s.Binary)
    assert shown(function.source, statement.value) == "(b) + (c)"
    assert shown(function.source, statement.value.left) == "b"
    assert shown(function.source, statement) == "a = ((b) + (c))"


def test_subscripts_flatten_one_tuple() -> None:
    for text, count in (("x[i, j]", 2), ("x[(i, j)]", 2), ("x[i]", 1), ("x[i,]", 1), ("x[()]", 0), ("x[(i, j),]", 1)):
        node = value(text)
        assert isinstance(node, s.Subscript)
        assert len(node.items) == count, text


def test_numbers_keep_their_spelling() -> None:
    for text, number in (("0xFF", 255), ("1_000", 1000), ("0o17", 15), ("0b1", 1), ("00", 0)):
        node = value(text)
        assert isinstance(node, s.Int)
        assert (node.value, node.text) == (number, text)
    node = value("1_0.5e-1")
    assert isinstance(node, s.Float)
    assert (node.value, node.text) == (1.05, "1_0.5e-1")


def test_f_strings_have_parsed_fields_in_place() -> None:
    function = kernel("print(f'a{{b}} {x[0]:.3f} {i + 1=}' \"tail\")")
    (statement,) = function.body
    assert isinstance(statement, s.ExprStmt)
    assert isinstance(statement.value, s.Call)
    (text,) = statement.value.args
    assert isinstance(text, s.FString)
    assert [p.value if isinstance(p, s.Str) else p.spec for p in text.parts] == ["a{b} ", ".3f", " i + 1=", "", "tail"]
    fields = [part for part in text.parts if isinstance(part, s.FormattedValue)]
    assert [shown(function.source, field.value) for field in fields] == ["x[0]", "i + 1"]
    assert shown(function.source, fields[0]) == "{x[0]:.3f}"


def test_comments_stay_with_their_statements() -> None:
    body = """\
# first
a = 1  # behind a
#second
if a:  # behind if
    # in if
    b = 2
    # end of if
elif b:  # behind elif
    c = (3 +
         # inside
         4)  # behind c

# above else
else:  # behind else
    d = 5
for i in range(3):  # noqa: B007
    e = 6; f = 7  # behind f
# type: ignore
# the end"""
    function = kernel(body)
    first, branch, loop = function.body
    assert (first.comments, first.trailing) == (("first",), "behind a")
    assert isinstance(branch, s.If)
    assert (branch.comments, branch.trailing) == (("second",), "behind if")
    assert branch.body[0].comments == ("in if",)
    (other,) = branch.orelse
    assert isinstance(other, s.If)
    assert other.is_elif
    assert (other.comments, other.trailing) == (("end of if",), "behind elif")
    assert (other.body[0].comments, other.body[0].trailing) == (("inside",), "behind c")
    assert other.orelse[0].comments == ("above else", "behind else")
    assert isinstance(loop, s.For)
    assert loop.trailing is None
    assert [statement.trailing for statement in loop.body] == [None, "behind f"]
    assert function.closing_comments == ("the end",)


def test_comments_and_docstring_of_a_function() -> None:
    text = f'''{IMPORTS}
# apart

# above one
# above two
@kernel(block=256)  # lost in the decorator
# between
def k(
    x: In[f32, int],  # what comes in
    # about y
    y: i32,
):  # the header
    """Say what.

        And why.
    The end.
    """
    pass
# of the module
'''
    (function,) = module(text).functions
    assert function.comments == ("above one", "above two", "between", "x: what comes in", "about y", "the header")
    assert function.docstring == "Say what.\n\n    And why.\nThe end."
    assert function.closing_comments == ()
    assert len(function.body) == 1


def test_string_annotations_are_expressions_in_place() -> None:
    function = kernel("y: 'i32' = 1\nz: \"N\" = 2", "x: 'In[f32, N]', d: 'float32'")
    annotation = function.params[0].annotation
    assert isinstance(annotation, s.Subscript)
    assert shown(function.source, annotation) == "In[f32, N]"
    assert isinstance(function.params[1].annotation, s.Str)
    assert isinstance(function.body[1], s.AnnAssign)
    assert isinstance(function.body[1].annotation, s.Name)


@pytest.mark.filterwarnings("ignore::SyntaxWarning")  # CPython frowns on `1if`
@pytest.mark.parametrize(
    "text",
    [
        "@kernel\r\ndef k(x):\r\n    x[0] = 1\r\n    if x[0]:\r\n        x[1] = 2\r\n",
        "@kernel\ndef k(x):\n\tx[0] = 1\n\tif x[0]:\n\t\tx[1] = 2",
        "@kernel\ndef k(x):\n\fx = 1\n".replace("\fx", "    x"),
        "\f\n@kernel\ndef k(x):\n\n    \f\n    x[0] = (1 +\n\n  2)\n",
        "@kernel\ndef k(x): x[0] = 1; x[1] = 2",
        "@kernel\ndef k(x): x[0] = 1  # why",
        "@kernel\ndef k(x):\n    x[0] = 1 + \\\n  2\n    # end",
        "@kernel\ndef k(x):\n        x[0] = 1\n        # deep\n    # shallow\n# module",
        "@kernel(\n    block=256,\n    grid=(1,\n2),\n)\n\n# note\n\ndef k(x):\n    pass",
        "@kernel\ndef k(x):\n    while (n := x[0]): break\n    return",
        "@kernel\ndef k(\ufb01, \u03b1):\n    fi = \u03b1\n",
        "@kernel\ndef k(x):\n    match = 1\n    case = match\n    type = print\n    match[0] = case\n",
        "@kernel\ndef k(x):\n    x[0] = 1if x else 2\n",
    ],
)
def test_odd_text_reads_as_in_cpython(text: str) -> None:
    source = Source(IMPORTS + text)
    result, diagnostics = parse_module(source)
    assert diagnostics == []
    if "\r" in text:  # spans of `ast` count lines, not characters
        (function,) = result.functions
        assert [shown(source, statement) for statement in function.body] == [
            "x[0] = 1",
            text[text.index("if") :].rstrip(),
        ]
        return
    assert module_difference(result, module_from_ast(source)) is None


def test_a_byte_order_mark_is_no_character() -> None:
    source = Source("\ufeff" + IMPORTS + "@kernel\ndef k(x):\n    pass\n")
    assert [function.name for function in parse_module(source)[0].functions] == ["k"]


def test_type_parameters_on_any_python() -> None:
    text = f"{IMPORTS}@kernel\ndef k[N: Dim, M](x: In[f32, N]):\n    pass\n"
    (function,) = module(text).functions
    assert [(p.name, isinstance(p.bound, s.Name)) for p in function.type_params] == [("N", True), ("M", False)]
    assert shown(function.source, function) == text[text.index("def") :].rstrip()
