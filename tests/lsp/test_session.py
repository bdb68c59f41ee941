"""Sessions of a scripted editor with the real server process."""

from __future__ import annotations

from pathlib import Path
from urllib.parse import urlparse
from urllib.request import url2pathname

import pytest

from tests.lsp.client import Client

HEAD = """from transpiler import Dim, In, InOut, Out, cuda, f32, kernel


class N(Dim): ...


"""
SAXPY = (
    HEAD
    + """@kernel(domain=N, block=256)
def saxpy(a: f32, x: In[f32, N], y: InOut[f32, N]):
    i = cuda.grid(1)
    if i < N:
        y[i] = a * x[i] + y[i]
"""
)
RACE = SAXPY.replace("y[i] = a * x[i] + y[i]", "y[0] = a * x[i]")
URI = "file:///nowhere/kernels.py"


def codes(found: list[dict]) -> list[str]:
    return [d["code"] for d in found]


def test_a_session_from_start_to_end(client: Client) -> None:
    answer = client.initialize()
    assert answer["serverInfo"]["name"] == "transpile"
    client.open(URI, RACE)
    assert client.published(URI) == []  # names and types are fine
    found = client.published(URI, bool)
    assert codes(found) == ["E0301"]
    assert client.slice(URI, found[0]["range"]) == "y[0] = a * x[i]"
    assert found[0]["severity"] == 1
    assert found[0]["source"] == "transpile"
    assert found[0]["data"]["kind"] == "race-global"
    assert found[0]["data"]["witness"]["array"] == "y"
    related = found[0]["relatedInformation"][0]
    assert related["location"]["uri"] == URI
    assert client.slice(URI, related["location"]["range"]) == "y[0] = a * x[i]"
    client.change(URI, SAXPY)
    assert client.published(URI) == []
    assert client.published(URI) == []
    client.notify("textDocument/didClose", textDocument={"uri": URI})
    assert client.published(URI) == []
    assert client.close() == 0


def test_types_are_said_before_the_proof_and_without_it(client: Client) -> None:
    client.initialize()
    client.open(URI, SAXPY.replace("a * x[i] + y[i]", "b * x[i]"))
    found = client.published(URI)
    assert codes(found) == ["E0201"]
    assert client.slice(URI, found[0]["range"]) == "b"


@pytest.mark.parametrize("encoding", ["utf-8", "utf-16", "utf-32"])
def test_columns_are_counted_as_agreed(client: Client, encoding: str) -> None:
    client.initialize(general={"positionEncodings": [encoding]})
    assert client.encoding == encoding
    text = SAXPY.replace("y[i] = a * x[i] + y[i]", "assert i >= 0, '🚀 ü €'; y[i] = b * x[i]")
    client.open(URI, text)
    (found,) = client.published(URI)
    assert found["code"] == "E0201"
    assert client.slice(URI, found["range"]) == "b"


def test_columns_are_utf_16_unless_agreed_otherwise(client: Client) -> None:
    client.initialize()
    client.open(URI, SAXPY.replace("y[i] = a * x[i] + y[i]", "assert i >= 0, '🚀'; y[i] = b * x[i]"))
    (found,) = client.published(URI)
    line = "        assert i >= 0, '🚀'; y[i] = "
    assert found["range"]["start"] == {"line": 10, "character": len(line) + 1}


def test_carriage_returns_end_lines_too(client: Client) -> None:
    client.initialize()
    client.open(URI, SAXPY.replace("y[i] = a *", "y[i] = b *").replace("\n", "\r\n"))
    (found,) = client.published(URI)
    assert found["range"]["start"] == {"line": 10, "character": 15}


def test_broken_text_while_it_is_typed(client: Client) -> None:
    """Every prefix of a file is answered, and the whole of it is fine."""
    client.initialize()
    client.open(URI, "")
    assert client.published(URI) == []
    for end in range(len(HEAD), len(SAXPY), 7):
        client.change(URI, SAXPY[:end])
        client.published(URI)
    client.change(URI, SAXPY[: SAXPY.index(" y[i] = a")] + "  y[i] = a * x[")
    assert client.published(URI, bool)
    client.change(URI, SAXPY)
    assert client.published(URI) == []


def test_the_last_of_many_changes_wins(client: Client) -> None:
    """None but the last version is ever proved, and nothing comes after its proof."""
    client.initialize()
    client.open(URI, SAXPY)
    for _ in range(30):
        client.change(URI, RACE)
        client.change(URI, SAXPY)
    last = client.change(URI, RACE)
    assert codes(client.published(URI, bool)) == ["E0301"]
    assert client.silent(1.0)
    versions = [
        m["params"]["version"]
        for m in client.notifications
        if m["method"] == "textDocument/publishDiagnostics" and m["params"]["diagnostics"]
    ]
    assert versions == [last]


def test_a_file_without_kernels_gets_no_findings(client: Client) -> None:
    client.initialize()
    client.open(URI, "def f(x:\n    return [\n")
    assert client.published(URI) == []
    client.change(URI, "from transpiler import kernel\n\ndef f(x):\n    return nothing + (\n")
    assert client.published(URI) == []
    assert client.silent(0.6)


def test_imports_are_read_from_the_editor_first(client: Client, tmp_path: Path) -> None:
    (tmp_path / "sizes.py").write_text("TILE = 4\n")
    main = tmp_path / "main.py"
    main.write_text("")
    text = SAXPY.replace("class N", "from sizes import TILE\n\n\nclass N").replace("a * x[i]", "TILE * x[i]")
    client.initialize()
    client.open(main.as_uri(), text)
    assert client.published(main.as_uri()) == []
    client.open((tmp_path / "sizes.py").as_uri(), "TILE = [4]\n")
    found = client.published(main.as_uri(), bool)
    assert "E0221" in codes(found)
    client.change((tmp_path / "sizes.py").as_uri(), "TILE = 5\n")
    assert client.published(main.as_uri(), lambda found: not found) == []


def hovered(client: Client, needle: str, shift: int = 0) -> str:
    place = client.place(URI, needle, shift)
    return client.request("textDocument/hover", textDocument={"uri": URI}, position=place)["contents"]["value"]


def test_hovering_says_types_at_once_and_proofs_when_they_are_there(client: Client) -> None:
    client.initialize()
    text = SAXPY.replace("x: In[f32, N]", "x: In[f32, int]").replace("y[i] = a", "assert i >= 0, '🚀'; y[i] = a")
    client.open(URI, text)
    assert "saxpy" in hovered(client, "saxpy")
    assert "i: index" in hovered(client, "i = cuda")
    assert hovered(client, "x[i] + y", 1).startswith("```python\nx[i]: f32\n```")
    client.published(URI)
    client.published(URI)  # the proof is there
    assert "**proved**" in hovered(client, "saxpy")
    assert "- `N <= len(x)`" in hovered(client, "saxpy")
    assert "read, in bounds: interval, by `N <= len(x)`" in hovered(client, "x[i] + y", 1)
    assert client.request("textDocument/hover", textDocument={"uri": URI}, position=client.place(URI, "import")) is None
    assert (
        client.request(
            "textDocument/hover", textDocument={"uri": "file:///other.py"}, position={"line": 0, "character": 0}
        )
        is None
    )


def actions(client: Client, found: dict) -> list[dict]:
    context = {"diagnostics": [found]}
    return client.request("textDocument/codeAction", textDocument={"uri": URI}, range=found["range"], context=context)


@pytest.mark.parametrize("documented", [False, True])
def test_an_action_mends_what_was_found(client: Client, documented: bool) -> None:
    client.initialize(workspace={"workspaceEdit": {"documentChanges": documented}})
    client.open(URI, "# 🚀\n" + SAXPY.replace("    if i < N:\n        y", "    y"))
    found = client.published(URI, bool)[0]
    first = actions(client, found)[0]
    assert first["title"] == "Guard it with `if i < N:`"
    assert first["kind"] == "quickfix"
    assert first["isPreferred"] is True
    assert found["code"] in codes(first["diagnostics"])
    if documented:
        (change,) = first["edit"]["documentChanges"]
        assert change["textDocument"] == {"uri": URI, "version": 1}
        edits = change["edits"]
    else:
        edits = first["edit"]["changes"][URI]
    mended = client.apply(URI, edits)
    assert mended == "# 🚀\n" + SAXPY
    client.change(URI, mended)
    assert client.published(URI) == []
    assert client.published(URI) == []
    assert actions(client, found) == []


def test_an_action_puts_the_barrier(client: Client) -> None:
    client.initialize()
    body = """@kernel(block=256)
def reverse(y: Out[f32, 256]):
    s = cuda.shared.array(256, f32)
    t = cuda.threadIdx.x
    if cuda.blockIdx.x == 0:
        s[t] = 1.0
        y[t] = s[255 - t]
"""
    client.open(URI, HEAD + body)
    found = client.published(URI, bool)[0]
    assert found["code"] == "E0303"
    (barrier,) = [a for a in actions(client, found) if "syncthreads" in a["title"]]
    mended = client.apply(URI, barrier["edit"]["changes"][URI])
    assert mended == HEAD + body.replace("        y[t]", "        cuda.syncthreads()\n        y[t]")
    client.change(URI, mended)
    assert client.published(URI) == []
    assert client.published(URI) == []


def test_the_emitted_text_of_the_kernel_under_the_cursor(client: Client) -> None:
    client.initialize()
    client.open(URI, SAXPY)

    def emitted(place: dict[str, int]) -> dict:
        return client.request("workspace/executeCommand", command="transpiler.emittedCpp", arguments=[URI, place])

    answer = emitted(client.place(URI, "x[i]"))
    assert (answer["kernel"], answer["proved"], answer["version"]) == ("saxpy", True, 1)
    assert "y[i] = a * x[i] + y[i];" in answer["text"]
    assert emitted({"line": 0, "character": 0})["message"] == "no kernel here"
    client.change(URI, RACE)
    answer = emitted(client.place(URI, "@kernel"))
    assert answer["proved"] is False
    assert "UNCHECKED" in answer["text"]
    client.change(URI, SAXPY.replace("a *", "b *"))
    answer = emitted(client.place(URI, "@kernel"))
    assert (answer["text"], answer["message"]) == (None, "`saxpy` has an error")
    arguments: list[object]
    for arguments in ([], [URI], [URI, "here"], [URI, {"line": 0, "character": 0}, 3]):
        assert "error" in client.attempt(
            "workspace/executeCommand", command="transpiler.emittedCpp", arguments=arguments
        )
    assert client.process.poll() is None


def test_a_lens_shows_the_emitted_text_where_the_editor_can(client: Client) -> None:
    client.initialize(window={"showDocument": {"support": True}})
    client.open(URI, SAXPY)
    (lens,) = client.request("textDocument/codeLens", textDocument={"uri": URI})
    assert lens["command"]["title"] == "Show CUDA C++"
    assert client.slice(URI, lens["range"]) == "saxpy"
    command = {key: lens["command"][key] for key in ("command", "arguments")}
    client.request("workspace/executeCommand", **command)
    (shown,) = [m["params"]["uri"] for m in client.notifications if m["method"] == "window/showDocument"]
    path = Path(url2pathname(urlparse(shown).path))
    assert "y[i] = a * x[i] + y[i];" in path.read_text()
    assert client.close() == 0
    assert not path.exists()


def test_no_lens_where_the_editor_cannot_show_a_document(client: Client) -> None:
    client.initialize()
    client.open(URI, SAXPY)
    assert client.request("textDocument/codeLens", textDocument={"uri": URI}) == []


def test_it_ends_when_the_editor_has_gone(client: Client) -> None:
    client.initialize()
    client.open(URI, RACE)
    assert client.process.stdin is not None
    client.process.stdin.close()
    assert client.process.wait(30) == 0


def test_nonsense_is_answered_and_survived(client: Client) -> None:
    client.initialize()
    client.send_raw(b"{ this is no JSON")
    client.notify("textDocument/didChange", textDocument={"uri": URI, "version": 3}, contentChanges=[])
    client.notify("textDocument/didClose", textDocument={"uri": "file:///never-opened.py"})
    assert "error" in client.attempt("textDocument/nonsense")
    client.open("untitled:Untitled-1", "\0" + RACE)
    assert client.published("untitled:Untitled-1", bool)
    client.open("kernels://weird/%ZZ", RACE)
    assert codes(client.published("kernels://weird/%ZZ", bool)) == ["E0301"]
    assert client.process.poll() is None
    assert client.close() == 0
