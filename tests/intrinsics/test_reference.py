"""The reference page holds every entry and is up to date."""

from __future__ import annotations

from pathlib import Path

from transpiler.intrinsics import TABLE, reference

PAGE = Path(__file__).parents[2] / "docs" / "intrinsics.md"


def test_page_is_up_to_date() -> None:
    assert PAGE.read_text("utf-8") == reference.page(), (
        "run `python -m transpiler.intrinsics.reference > docs/intrinsics.md`"
    )


def test_page_names_every_entry_once() -> None:
    lines = reference.page().splitlines()
    for entry in TABLE.values():
        assert sum(line.startswith(f"| `{reference.spelled(entry)}` |") for line in lines) == 1, entry.name


def test_cells_do_not_break_the_table() -> None:
    rows = [line for line in reference.page().splitlines() if line.startswith("| `")]
    assert {line.count("|") for line in rows} == {3, 5}


def test_dtypes_in_few_words() -> None:
    assert reference.dtypes(TABLE["math.sqrt"]) == "`T` → `T` for f16 bf16 f32 f64"
    assert reference.dtypes(TABLE["transpiler.cuda.clock"]) == "→ i32"
    assert reference.dtypes(TABLE["math.floor"]).startswith("i8 i16 i32 i64")
