"""How findings look. The texts are snapshots: a change here is a change of what users read."""

from __future__ import annotations

import re
from dataclasses import replace

from hypothesis import given
from hypothesis import strategies as st

from tests.diagnostics.support import TEXT, race, span
from transpiler.diagnostics import Diagnostic, Label, Thread, Witness
from transpiler.diagnostics.excerpt import char_width
from transpiler.diagnostics.render import in_order, render, witness_lines
from transpiler.source import Source, Span


def shown(text: str, start: int, end: int, *labels: Label, width: int = 120) -> str:
    """The source part of a finding on `text`."""
    diagnostic = Diagnostic(
        code="E0101", message="m", source=Source(text, "f.py"), span=Span(start, end), labels=labels
    )
    return "\n".join(render(diagnostic, width=width).split("\n")[3:])


def test_a_race_shows_both_threads_the_launch_and_what_helps() -> None:
    assert (
        render(race())
        == """\
error[E0302]: `y[0]` is written by threads of two blocks
 --> tag.py:5:9
  |
5 |         y[0] = x[i] + y[3]
  |         ^^^^   ----   ---- and this
  |                |
  |                which reads this
...
8 |     return
  |     ------ until here
  |
  = witness: grid (2, 1, 1), block (256, 1, 1); n = 3; x.shape == (512,); p holds [1, 2, ...]
             thread (0, 0, 0) of block (0, 0, 0) writes y[0] in line 5
             thread (0, 0, 0) of block (1, 0, 0) writes y[0] in line 5
             barrier interval: the whole kernel
  = help: write `y[i]`"""
    )


def test_one_line_between_two_marks_is_shown() -> None:
    source = Source(TEXT, "tag.py")
    diagnostic = replace(race(source), labels=(Label(span(source, "i = cuda.grid(1)"), "i"),), witness=None, help=None)
    assert (
        render(diagnostic)
        == """\
error[E0302]: `y[0]` is written by threads of two blocks
 --> tag.py:5:9
  |
3 |     i = cuda.grid(1)
  |     ---------------- i
4 |     if i < N:
5 |         y[0] = x[i] + y[3]
  |         ^^^^"""
    )


def test_a_span_of_several_lines_is_marked_at_both_ends() -> None:
    assert (
        shown("a = (\n  1,\n  2,\n  3)\n", 4, 18)
        == """\
1 | a = (
  |     ^
...
4 |   3)
  |   ^"""
    )


def test_a_span_that_ends_behind_a_line_end_stays_on_its_line() -> None:
    assert shown("a = 1\nb = 2\n", 0, 6) == "1 | a = 1\n  | ^^^^^"


def test_the_end_of_the_file_can_be_marked() -> None:
    assert shown("a = (", 5, 5) == "1 | a = (\n  |      ^"


def test_tabs_and_wide_and_combining_characters_keep_carets_in_place() -> None:
    assert shown("\ta\tb", 3, 4) == "1 |     a   b\n  |         ^"
    assert shown("x = '漢字' + y", 11, 12) == "1 | x = '漢字' + y\n  |              ^"
    assert shown("x = 'e\u0301' + y", 11, 12) == "1 | x = 'e\u0301' + y\n  |           ^"


def test_control_and_direction_characters_cannot_touch_the_terminal() -> None:
    text = shown("a = '\x1b[31m\u202e\x07'", 0, 1)
    assert "\x1b" not in text
    assert "\x07" not in text
    assert "\u202e" not in text
    assert "␛[31m\ufffd␇" in text


def test_a_long_line_is_clipped_around_the_mark() -> None:
    long = "x = " + " + ".join(f"a{i}" for i in range(100))
    at = long.index("a50")
    assert (
        shown(long, at, at + 3, width=40)
        == """\
1 | …7 + a48 + a49 + a50 + a51 + a52 + a53 …
  |                  ^^^"""
    )


def test_a_mark_that_is_clipped_away_points_at_the_ellipsis() -> None:
    long = "x = " + "a" * 200 + "b"
    source, carets = shown(long, 0, 1, Label(Span(204, 205), "here"), width=30).split("\n")
    assert carets.endswith("- here")
    assert source[carets.index("-", 4)] == "…"


def test_labels_at_one_place_stand_apart() -> None:
    assert (
        shown("a + b", 0, 1, Label(Span(4, 5), "one"), Label(Span(4, 5), "two"), Label(Span(0, 5), "all"))
        == """\
1 | a + b
  | ^---- two
  | |   |
  | |   one
  | |
  | all"""
    )


def test_color_only_adds_codes() -> None:
    colored = render(race(), color=True)
    assert "\x1b[1;31m^^^^\x1b[0m" in colored
    assert re.sub(r"\x1b\[[0-9;]*m", "", colored) == render(race())


def test_order_is_by_place_with_errors_first() -> None:
    source = Source("abc", "f.py")
    later = Diagnostic(code="E0302", message="", source=source, span=Span(2, 3))
    first = Diagnostic(code="E0501", message="", source=source, span=Span(0, 1))
    assert in_order([later, first]) == [first, later]


@given(
    st.text(max_size=80),
    st.integers(0, 90),
    st.integers(0, 90),
    st.lists(st.tuples(st.integers(0, 90), st.integers(0, 90)), max_size=3),
    st.integers(10, 60),
)
def test_any_text_and_any_span_renders_within_the_width(
    text: str, start: int, end: int, labels: list[tuple[int, int]], width: int
) -> None:
    out = shown(text, start, end, *(Label(Span(a, b), "l") for a, b in labels), width=width)
    for line in out.split("\n"):
        gutter, bar, source = line.partition("| ")
        if bar and gutter.strip():
            assert sum(map(char_width, source)) <= width
        assert "\x1b" not in line


def test_a_witness_without_an_element_names_places_alone() -> None:
    launch = {"grid": (1, 1, 1), "block": (32, 1, 1)}
    threads = (Thread((0, 0, 0), (0, 0, 0), 3, "barrier"), Thread((0, 0, 0), (1, 0, 0), 3, "barrier"))
    assert witness_lines(Witness(launch, threads)) == [
        "grid (1, 1, 1), block (32, 1, 1)",
        "thread (0, 0, 0) of block (0, 0, 0), line 3",
        "thread (1, 0, 0) of block (0, 0, 0), line 3",
    ]


def test_a_file_without_text_has_no_lines_to_show() -> None:
    diagnostic = Diagnostic(
        code="E0199", message="cannot read f.py: no such file", source=Source("", "f.py"), span=Span(0, 0)
    )
    assert render(diagnostic) == "error[E0199]: cannot read f.py: no such file\n --> f.py:1:1"
