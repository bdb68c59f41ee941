"""`node` and `record` against `dataclass(frozen=True, slots=True)`: the same behaviour, at a tenth of the price at import."""

from __future__ import annotations

import copy
import pickle
from dataclasses import FrozenInstanceError, asdict, field, fields, is_dataclass, replace

import pytest

from transpiler import records
from transpiler.records import node, record


@record
class Point:
    x: int
    y: int = 2
    tags: list[int] = field(default_factory=list, compare=False)


@node(kw_only=True)
class Base:
    span: int


@node
class Leaf(Base):
    """A leaf."""

    name: str
    kind: str = "leaf"


@node
class Empty(Base):
    pass


@record
class Nothing:
    pass


def test_fields_are_taken_by_position_keyword_and_default() -> None:
    assert (Point(1).x, Point(1).y, Point(x=1, y=3).y) == (1, 2, 3)
    leaf = Leaf("a", span=7)
    assert (leaf.name, leaf.kind, leaf.span) == ("a", "leaf", 7)
    assert Empty(span=1).span == 1
    assert Point(1).tags is not Point(1).tags


@pytest.mark.parametrize("call", [lambda: Point(), lambda: Point(1, z=2), lambda: Leaf("a", "b", 7), lambda: Leaf("a")])
def test_wrong_arguments_are_type_errors(call: object) -> None:
    with pytest.raises(TypeError):
        call()  # type: ignore[operator]


def test_values_compare_and_hash_by_fields_and_nodes_are_themselves() -> None:
    assert Point(1, 2, [3]) == Point(1)
    assert hash(Point(1)) == hash(Point(1, 2))
    assert Point(1) != Point(2)
    assert Point(1) != (1, 2)
    assert Nothing() == Nothing()
    assert {Nothing(): 1}[Nothing()] == 1
    leaf = Leaf("a", span=7)
    assert leaf != Leaf("a", span=7)
    assert len({leaf, Leaf("a", span=7)}) == 2


def test_records_cannot_be_changed() -> None:
    point, leaf = Point(1), Leaf("a", span=7)
    with pytest.raises(FrozenInstanceError):
        point.x = 2  # type: ignore[misc]
    with pytest.raises(FrozenInstanceError):
        del leaf.name
    with pytest.raises((FrozenInstanceError, AttributeError)):
        leaf.other = 1  # type: ignore[attr-defined]
    assert not hasattr(point, "__dict__")


def test_the_tools_of_dataclasses_work() -> None:
    leaf = Leaf("a", span=7)
    assert is_dataclass(leaf)
    assert [f.name for f in fields(leaf)] == ["span", "name", "kind"]
    assert replace(leaf, kind="b").kind == "b"
    assert asdict(Point(1)) == {"x": 1, "y": 2, "tags": []}
    assert repr(leaf) == "Leaf(span=7, name='a', kind='leaf')"
    match leaf:
        case Leaf("a", kind="leaf"):
            pass
        case _:
            pytest.fail("positional and keyword patterns")


def test_records_can_be_copied_and_pickled() -> None:
    assert copy.copy(Point(1)) == Point(1)
    assert copy.deepcopy(Point(1, 2, [3])).tags == [3]
    assert pickle.loads(pickle.dumps(Point(1, 5))) == Point(1, 5)
    assert pickle.loads(pickle.dumps(Leaf("a", span=7))).span == 7


def test_a_method_is_compiled_when_it_is_first_called(monkeypatch: pytest.MonkeyPatch) -> None:
    """The reason why this module exists: making a class compiles nothing; were it not so, `dataclass` would do."""
    compiled: list[str] = []
    make = records._compiled

    def counting(text: str, names: dict[str, object], name: str) -> object:
        compiled.append(name)
        return make(text, names, name)

    monkeypatch.setattr(records, "_compiled", counting)
    made = record(type("Made", (), {"__annotations__": {"a": int, "b": str}, "__doc__": "d"}))
    assert compiled == []
    one, two = made(1, "x"), made(1, "x")
    assert compiled == ["__init__"]
    assert one == two
    assert compiled == ["__init__", "__eq__"]
