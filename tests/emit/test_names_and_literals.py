"""Identifiers, literals, strings and comments: legal C++ that means the same, for any text."""

from __future__ import annotations

import math
import struct
from fractions import Fraction
from importlib.resources import files

import ml_dtypes
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from transpiler.emit import literals
from transpiler.emit.cpp_types import INT, LONG, UINT, ULONG
from transpiler.emit.helpers import Helpers, load, reserved
from transpiler.emit.names import BUILTINS, KEYWORDS, Names, legal, transliterate
from transpiler.runtime import nvrtc


@pytest.mark.parametrize(
    ("python", "cpp"),
    [
        ("value", "value"),
        ("_", "_"),
        ("_private", "_private"),
        ("template", "template_"),
        ("int", "int_"),
        ("xor_eq", "xor_eq_"),
        ("NULL", "NULL_"),
        ("threadIdx", "threadIdx_"),
        ("__x", "x"),
        ("_X", "X"),
        ("a__b", "a_b"),
        ("\N{GREEK SMALL LETTER ALPHA}", "alpha"),
        ("\N{GREEK CAPITAL LETTER DELTA}x", "Deltax"),
        ("\N{GREEK SMALL LETTER LAMDA}", "lambda"),
        ("gr\N{LATIN SMALL LETTER O WITH DIAERESIS}sse", "grosse"),
        ("\N{CYRILLIC SMALL LETTER ZHE}", "u0436"),
    ],
)
def test_names(python: str, cpp: str) -> None:
    assert legal(python) == cpp


def test_names_do_not_collide() -> None:
    names = Names(frozenset({"floor_div"}))
    claimed = [
        names.claim(name) for name in ("int", "int_", "a", "a", "floor_div", "alpha", "\N{GREEK SMALL LETTER ALPHA}")
    ]
    assert claimed == ["int_", "int_2", "a", "a_2", "floor_div_", "alpha", "alpha_2"]
    assert names.mapping == {
        "int": "int_",
        "int_": "int_2",
        "floor_div": "floor_div_",
        "\N{GREEK SMALL LETTER ALPHA}": "alpha_2",
    }


def test_every_mapped_word_compiles_as_a_parameter_and_a_local() -> None:
    words = sorted(legal(word) for word in KEYWORDS | BUILTINS)
    params = ", ".join(f"int {word}" for word in words)
    body = " ".join(f"x[0] += {word};" for word in words)
    assert nvrtc.compile(f'extern "C" __global__ void k(int* x, {params}) {{ {body} }}', arch="sm_90")


@given(st.text(min_size=1).filter(str.isidentifier))
def test_any_identifier_becomes_ascii(name: str) -> None:
    assert transliterate(name).isascii()
    mapped = legal(name)
    assert mapped.isidentifier()
    assert mapped not in KEYWORDS
    assert "__" not in mapped


@pytest.mark.parametrize(
    ("value", "ctype", "text", "expected"),
    [
        (0, INT, "", "0"),
        (-5, INT, "", "-5"),
        (2**31 - 1, INT, "", "2147483647"),
        (-(2**31), INT, "", "(-2147483647 - 1)"),
        (-(2**63), LONG, "", "(-9223372036854775807LL - 1)"),
        (2**31, INT, "", "2147483648LL"),
        (5, UINT, "", "5u"),
        (2**64 - 1, ULONG, "", "18446744073709551615ULL"),
        (255, INT, "0xFF", "0xff"),
        (0xFFFFFFFF, UINT, "0xFFFF_FFFF", "0xffffffffu"),
        (0xFFFFFFFF, LONG, "0xFFFFFFFF", "0xffffffffLL"),
        (15, INT, "0o17", "15"),
        (1_000_000, INT, "1_000_000", "1000000"),
        (5, INT, "0b101", "0b101"),
        (7, INT, "3 + 4", "7"),
    ],
)
def test_integers(value: int, ctype: str, text: str, expected: str) -> None:
    assert literals.integer(value, ctype, text) == expected


@pytest.mark.parametrize(
    ("value", "bits", "text", "expected"),
    [
        (0.1, 32, "0.1", "0.1f"),
        (0.1, 64, "0.1", "0.1"),
        (1.0, 32, "", "1.0f"),
        (-0.0, 32, "", "-0.0f"),
        (1e-30, 64, "1e-30", "1e-30"),
        (1000.0, 32, "1_000.", "1000.0f"),
        (0.5, 32, ".5", "0.5f"),
        (3.14159265358979, 32, "", "3.1415927f"),
        (3.14159265358979, 32, "3.14159265358979", "3.14159265358979f"),
        (1e10, 32, "1E10", "1e10f"),
        (math.inf, 32, "", "__int_as_float(0x7f800000)"),
        (-math.inf, 64, "", "-__longlong_as_double(0x7ff0000000000000LL)"),
        (math.nan, 32, "", "__int_as_float(0x7fc00000)"),
        (0.25, 32, "math.pi / 4", "0.25f"),
    ],
)
def test_floats(value: float, bits: int, text: str, expected: str) -> None:
    assert literals.floating(value, bits, text) == expected


@given(st.floats(allow_nan=False, allow_infinity=False, width=32))
def test_shortest_single_precision_round_trips(value: float) -> None:
    spelled = literals.floating(value, 32).removesuffix("f")
    assert struct.pack("<f", float(spelled)) == struct.pack("<f", value)


@given(st.floats(allow_nan=False, allow_infinity=False))
def test_rounding_to_the_narrow_types(value: float) -> None:
    with np.errstate(over="ignore"):
        assert literals.round_to_float(value) == float(np.float32(value))
        assert literals.round_half(value, "f16") == float(np.float16(value))
        single = float(np.float32(value))
        assert literals.round_half(single, "bf16") == float(np.float32(value).astype(ml_dtypes.bfloat16))


def test_rounding_is_from_the_exact_value() -> None:
    halfway = Fraction(1) + Fraction(1, 2**24) + Fraction(1, 2**80)  # rounded to double first it would be a tie
    digits = str(halfway.numerator * 5**80)  # the denominator is 2**80
    text = f"{digits[:-80]}.{digits[-80:]}"
    assert literals.round_to_float(text) == 1 + 2**-23
    assert literals.round_to_float(float(text)) == 1.0


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("plain", '"plain"'),
        ('a"b\\c', '"a\\"b\\\\c"'),
        ("line\nnext\t", '"line\\nnext\\t"'),
        ("\N{LATIN SMALL LETTER E WITH ACUTE}1", '"\\303\\2511"'),
        ("what??!", '"what?\\?!"'),
        ("\x00\x7f", '"\\000\\177"'),
    ],
)
def test_strings(text: str, expected: str) -> None:
    assert literals.string(text) == expected


@given(st.text())
def test_a_comment_is_one_line_that_ends_where_it_ends(text: str) -> None:
    shown = literals.comment(text)
    assert len(shown.splitlines()) <= 1
    assert not shown.endswith("\\")
    assert "??/" not in shown


def test_helpers_are_cut_to_what_is_reached() -> None:
    helpers = Helpers()
    helpers.use("intrinsic_warp.cuh")
    helpers.use("atomic_update.cuh")
    text = "\n".join(helpers.texts("atomic_update<atomic_min_op>(p, intrinsic::warp_sum(x))"))
    for name in ("atomic_min_op", "atomic_cell", "same_bits", "warp_sum", "reduce_lanes"):
        assert name in text
    for name in ("atomic_max_op", "atomic_load(", "scan_lanes", "warp_max"):
        assert name not in text
    assert helpers.texts("nothing") == ()


def test_every_helper_is_cut_without_loss() -> None:
    for name in sorted(
        {
            "compare.cuh",
            "floor_div.cuh",
            "atomic_update.cuh",
            "intrinsic_block.cuh",
            "intrinsic_philox.cuh",
            "failure.cuh",
        }
    ):
        helper = load(name)
        helpers = Helpers()
        helpers.use(name)
        whole = "\n".join(helpers.texts(" ".join(d.name for d in helper.definitions)))
        for definition in helper.definitions:
            assert definition.text in whole


def test_the_list_of_helper_names_is_complete() -> None:
    folder = files("transpiler.templates") / "device"
    names = sorted(entry.name for entry in folder.iterdir() if entry.name.endswith(".cuh"))
    assert reserved() == {identifier for name in names for identifier in load(name).identifiers}
