"""Any text: an answer, soon, never an exception; many threads at once; the tables from the disk."""

from __future__ import annotations

import json
import os
import stat
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.support.programs import programs
from tests.support.same_tree import module_difference
from transpiler.frontend import parse_function, parse_module, table_cache
from transpiler.frontend.tables import Tables, build, grammar_text, tables
from transpiler.source import Source

ROOT = Path(__file__).parents[2]
SAMPLES = sorted((ROOT / "samples").rglob("*.py"))
HEAD = "from transpiler import In, InOut, cuda, f32, kernel\n"
KERNEL = "@kernel(block=256)\ndef k(a: f32, x: In[f32, int], y: InOut[f32, int]):\n    i = cuda.grid(1)\n"
BODY = "    if i < len(x) and x[i] > 0.0:\n        y[i] += a * x[i] - (0.5 + i)  # weigh\n    y[i] = -y[i]\n"


@settings(max_examples=100, deadline=None)
@given(st.text(alphabet=st.characters(), max_size=200))
def test_any_text(text: str) -> None:
    for whole in (text, f"{HEAD}@kernel\ndef k(x):\n    {text}", f"{HEAD}@kernel{text}"):
        parse_module(Source(whole))


@settings(max_examples=100, deadline=None)
@given(st.binary(max_size=200))
def test_any_bytes(data: bytes) -> None:
    parse_module(Source(f"{HEAD}@kernel\ndef k(x):\n    " + data.decode("latin-1")))


WORDS = [
    *(
        "(",
        ")",
        "[",
        "]",
        "{",
        "}",
        ":",
        ",",
        ";",
        "=",
        "==",
        ":=",
        "->",
        ".",
        "...",
        "*",
        "**",
        "@",
        "!",
        "\\",
        "\n",
        "\n    ",
        "\t",
    ),
    *(
        "'",
        '"',
        '"""',
        "f'{",
        "f'{a!r:{",
        "#",
        "\0",
        "\r",
        "\f",
        "\u00d7",
        "\ud800",
        "1",
        "0x",
        "1e",
        "1j",
        "b'",
        "\N{DIGIT TWO}",
        "²",
    ),
    *(
        "if",
        "else",
        "elif",
        "for",
        "in",
        "while",
        "def",
        "class",
        "lambda",
        "try",
        "except",
        "match",
        "case",
        "print",
        "not",
        "is",
    ),
    *(
        "return",
        "async",
        "await",
        "yield",
        "import",
        "from",
        "global",
        "del",
        "with",
        "as",
        "pass",
        "break",
        "x",
        "@kernel",
        "True",
    ),
]


@settings(max_examples=200, deadline=None)
@given(st.lists(st.sampled_from(WORDS), max_size=40), st.sampled_from(["", " "]))
def test_any_words(words: list[str], joint: str) -> None:
    text = joint.join(words)
    parse_module(Source(f"{HEAD}@kernel\ndef k(x):\n    {text}\n"))
    parse_module(Source(f"{HEAD}{text}\n@kernel\ndef k(x):\n    pass\n"))


@settings(max_examples=150, deadline=None)
@given(st.sampled_from(SAMPLES), st.data())
def test_mutated_samples(path: Path, data: st.DataObject) -> None:
    text = path.read_text(encoding="utf-8")
    for _ in range(data.draw(st.integers(1, 4))):
        start = data.draw(st.integers(0, len(text)))
        end = min(len(text), start + data.draw(st.integers(0, 12)))
        text = text[:start] + data.draw(st.sampled_from(["", *WORDS])) + text[end:]
    source = Source(text)
    _, found = parse_module(source)
    for diagnostic in found:
        assert 0 <= diagnostic.span.start <= diagnostic.span.end <= len(text)
        assert diagnostic.message
    parse_function(source, data.draw(st.integers(0, 80)))


@pytest.mark.parametrize(
    "make",
    [
        lambda n: HEAD + KERNEL + BODY * n,
        lambda n: HEAD + (KERNEL + BODY) * n,
        lambda n: HEAD + KERNEL + "    a = b && c\n" * n,
        lambda n: HEAD + (KERNEL + "    a = (\n") * n,
        lambda n: HEAD + KERNEL + "    " + "(" * n + "\n",
        lambda n: HEAD + KERNEL + "    a = '" + "\\" * n + "\n",
        lambda n: HEAD + KERNEL + "    a = f'" + "{" * (n | 1) + "'\n",
        lambda n: HEAD + KERNEL + "    a = " + "f'{a}' " * n + "\n",
        lambda n: HEAD + '"""\n' * (n | 1) + KERNEL + BODY,
        lambda n: HEAD + "x = [" * n + "\n" + KERNEL + BODY,
        lambda n: HEAD + "'" * (n | 1) + "\n" + KERNEL + BODY,
        lambda n: HEAD + KERNEL + "    # comment\n" * n + BODY,
        lambda n: HEAD + KERNEL + BODY + "\n" * n + " " * n,
        lambda n: HEAD + "@kernel\n" * n,
        lambda n: HEAD + KERNEL + "    a = 0" + ".0" * n + "\n",
        lambda n: HEAD + "".join(f"A{i} = {i}\n" for i in range(n)) + KERNEL + BODY,
        lambda n: HEAD + KERNEL + "    for i in x:\n        break\n" * n,
        lambda n: HEAD + KERNEL + "    a = 1;" + " a = 1;" * n + "\n",
        lambda n: HEAD + "class C(" + "(" * n + "): ...\n",
        lambda n: HEAD + "if a:\n" + "    b = 1\n" * n + KERNEL + BODY,
        lambda n: HEAD + "class A:\n" + "    def f(): ...\n" * n + KERNEL + BODY,
    ],
)
def test_time_grows_no_faster_than_the_text(make: object) -> None:
    """Eight times the text takes at most 20 times as long (8 and noise), where it takes long at all."""

    def seconds(count: int) -> float:
        source = Source(make(count))  # type: ignore[operator]
        best = 1e9
        for _ in range(2):
            start = time.process_time()
            parse_module(source)
            best = min(best, time.process_time() - start)
        return best

    small, large = seconds(150), seconds(1200)
    assert large < max(20 * small, 0.2)


def test_many_threads_at_once() -> None:
    texts = [path.read_text(encoding="utf-8") for path in SAMPLES][:8] or [HEAD + KERNEL + BODY]
    expected = [parse_module(Source(text))[0] for text in texts]
    wrong: list[str] = []

    def work(number: int) -> None:
        for step in range(6):
            place = (number + step) % len(texts)
            found = module_difference(parse_module(Source(texts[place]))[0], expected[place])
            if found:
                wrong.append(found)

    threads = [threading.Thread(target=work, args=(number,)) for number in range(12)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert wrong == []


@settings(max_examples=30, deadline=None)
@given(programs())
def test_parsing_twice_gives_the_same(text: str) -> None:
    assert module_difference(parse_module(Source(text))[0], parse_module(Source(text))[0]) is None


# --- tables ---


def test_the_grammar_has_no_conflicts_and_no_colliding_tokens() -> None:
    pytest.importorskip("interegular")
    assert len(build(grammar_text(), strict=True).rows) == len(tables().rows)


@pytest.fixture
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    return tmp_path / "transpiler" / "grammar"


def test_tables_come_back_from_the_disk_unchanged(cache: Path) -> None:
    grammar = grammar_text()
    assert table_cache.load(grammar) is None
    table_cache.store(grammar, tables())
    found = table_cache.load(grammar)
    assert found is not None
    assert found.to_data() == Tables.from_data(json.loads(json.dumps(tables().to_data()))).to_data()
    assert found.rows == tables().rows
    assert stat.S_IMODE(cache.stat().st_mode) == 0o700
    assert table_cache.load(grammar + " ") is None


def test_a_damaged_or_foreign_cache_is_not_read(cache: Path) -> None:
    grammar = grammar_text()
    table_cache.store(grammar, tables())
    (file,) = cache.iterdir()
    whole = file.read_text()
    for text in ("", whole[:-10], whole.replace("NAME", "MANE", 1), "x\n[]"):
        file.write_text(text)
        assert table_cache.load(grammar) is None
    file.write_text(whole)
    assert table_cache.load(grammar) is not None
    os.chmod(cache, 0o777)
    assert table_cache.load(grammar) is None


def test_a_folder_that_cannot_be_written_costs_only_time(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "file").write_text("")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "file"))
    assert table_cache.store("grammar", tables()) is tables()
    assert table_cache.load("grammar") is None


def test_a_cold_start_reads_the_tables_without_lark(tmp_path: Path) -> None:
    code = (
        "import sys\nfrom transpiler.frontend import parse_module\nfrom transpiler.source import Source\n"
        f"m, d = parse_module(Source({HEAD + KERNEL + BODY!r}))\nassert m.functions and not d\nprint('lark' in sys.modules)"
    )
    environment = {**os.environ, "XDG_CACHE_HOME": str(tmp_path)}
    runs = [
        subprocess.run(
            [sys.executable, "-c", code], cwd=ROOT, env=environment, capture_output=True, text=True, check=True
        ).stdout
        for _ in range(2)
    ]
    assert [run.strip() for run in runs] == ["True", "False"]
