"""Every block of the chapters means what its comments say."""

from __future__ import annotations

import pytest

from tests.lang.specs import Case, cases, chapters, expected, file_text, lowered, run

CASES = [(path, case) for path in chapters() for case in cases(path)]


@pytest.mark.parametrize("case", [case for _, case in CASES], ids=lambda case: case.name)
def test_block(case: Case, request: pytest.FixtureRequest) -> None:
    kernels, found = run(case)
    assert found == expected(file_text(case))
    if not any(code.startswith("E") for _, code, _ in found):
        assert kernels, "the block holds no kernel"
    if case.ir is not None and not request.config.getoption("--update-golden"):
        assert lowered(kernels) == case.ir


def test_device_ir_is_written_anew_on_request(request: pytest.FixtureRequest) -> None:
    """With `--update-golden` the `ir` blocks are replaced by what the kernels lower to now."""
    for path in chapters():
        text = path.read_text(encoding="utf-8")
        for case in reversed(cases(path)):
            if case.ir is not None:
                start, end = case.ir_span
                text = text[:start] + lowered(run(case)[0]) + text[end:]
        if request.config.getoption("--update-golden"):
            path.write_text(text, encoding="utf-8")
        assert text == path.read_text(encoding="utf-8")


def test_comments_ask_for_a_line_and_a_span() -> None:
    text = "v = w\n#   ^ E0201\n# ~ W0208\nu = 1\n"
    assert expected(text) == {(1, "E0201", "w"), (1, "W0208", None)}
