"""The runner of documentation pages itself."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.docs.session import Command, commands, files, matches, run

PAGE = """\
Text.

<!-- file: a.py -->
```python
x = 1
```

```console
$ transpile --version     # a comment
transpile ...
$ make test
```

<!-- status: 2 -->
```console
$ transpile explain E9999
```
"""


def test_files_and_commands_are_found() -> None:
    assert files(PAGE) == {"a.py": "x = 1\n"}
    assert list(commands(PAGE)) == [
        Command("transpile --version", "transpile ...\n", 0),
        Command("transpile explain E9999", None, 2),
    ]


def test_ellipses_stand_for_text_and_lines() -> None:
    assert matches("a ... c\n...\nz\n", "a b c\n1\n2\nz\n")
    assert matches("a\n...\nz\n", "a\nz\n")
    assert not matches("a ... c\n", "a b c d\n")
    assert not matches("a\n", "a\nb\n")


def test_a_wrong_exit_status_is_noticed(tmp_path: Path) -> None:
    assert run(Command("transpile --version", None, 0), tmp_path).startswith("transpile ")
    with pytest.raises(AssertionError):
        run(Command("transpile explain E9999", None, 0), tmp_path)
