"""The table as a whole: complete entries, lazy meanings, C++ that compiles."""

from __future__ import annotations

import re
import subprocess
import sys

import numpy as np
import pytest

from tests.intrinsics.support import CASES, compiled, device_code, numpy_dtype, unit
from transpiler.intrinsics import ALIASES, TABLE, Effect, Signature, find
from transpiler.intrinsics.reference import TYPES, argument_types, signatures
from transpiler.ir.types import ArrayType, TupleType, WeakType


def test_loads_without_numpy() -> None:
    code = "import sys, transpiler.intrinsics; sys.exit('numpy' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


def test_aliases_lead_into_the_table() -> None:
    assert set(ALIASES.values()) <= set(TABLE)
    assert not set(ALIASES) & set(TABLE)
    assert find("numpy.arctan2") is TABLE["math.atan2"]
    assert find("math.nothing") is None


@pytest.mark.parametrize("entry", TABLE.values(), ids=TABLE)
def test_entry_is_complete(entry) -> None:
    assert entry.doc.endswith(".")
    assert "Source: " in entry.doc
    assert entry.numpy.function is not None
    assert signatures(entry), "no call is accepted"
    device_code(entry)
    defaults = [p for p in entry.params if "=" in p]
    assert tuple(defaults) == entry.params[len(entry.params) - len(defaults) :], "defaults trail"


@pytest.mark.parametrize("entry", TABLE.values(), ids=TABLE)
def test_rule_answers_every_call(entry) -> None:
    """A signature without weak types, whose C++ names each argument and result, or a sentence."""
    for types in argument_types(entry):
        answer = entry.rule(types)
        if isinstance(answer, str):
            assert answer
            assert len(answer) < 120
            continue
        assert len(answer.args) == len(types)
        assert not any(isinstance(t, WeakType) for t in (*answer.args, *answer.results))
        slots = set(re.findall(r"\{(\w+)\}", entry.cpp(answer)))
        assert {str(k) for k in range(len(types))} <= slots
        assert slots >= ({f"r{k}" for k in range(len(answer.results))} if len(answer.results) > 1 else set())


@pytest.mark.parametrize("entry", [e for e in TABLE.values() if e.params], ids=lambda e: e.name)
def test_rule_refuses_what_is_no_scalar(entry) -> None:
    count = len(entry.params)
    for bad in (ArrayType(TYPES[0], 2), TupleType(())):  # type: ignore[arg-type]
        refusal = entry.rule((bad,) * count)
        assert isinstance(refusal, str)
        assert str(bad) in refusal


def test_collectives_by_effect() -> None:
    assert all(e.effect is Effect.WARP for n, e in TABLE.items() if n.endswith("_sync") or ".warp." in n)
    assert all(e.effect is Effect.BLOCK for n, e in TABLE.items() if "syncthreads_" in n or ".block." in n)
    assert all(e.effect is Effect.PURE for n, e in TABLE.items() if n.startswith(("math.", "numpy.")))


def test_promotion() -> None:
    t = {str(t): t for t in TYPES}
    pow_rule = TABLE["math.pow"].rule
    assert pow_rule((t["f16"], t["i32"])) == Signature((t["f16"],) * 2, (t["f16"],))
    assert pow_rule((t["f16"], t["f32"])) == Signature((t["f32"],) * 2, (t["f32"],))
    assert pow_rule((t["f32"], t["f64"])) == Signature((t["f64"],) * 2, (t["f64"],))
    assert pow_rule((t["index"], t["int literal"])) == Signature((t["f32"],) * 2, (t["f32"],))
    assert pow_rule((t["i64"], t["float literal"])) == Signature((t["f64"],) * 2, (t["f64"],))
    assert "no common type" in pow_rule((t["f16"], t["bf16"]))
    assert TABLE["math.floor"].rule((t["f64"],)).results == (t["i64"],)
    assert TABLE["math.floor"].rule((t["f32"],)).results == (t["i32"],)
    assert TABLE["math.floor"].rule((t["index"],)).results == (t["index"],)
    assert TABLE["transpiler.cuda.block.sum"].rule((t["bool"],)).results == (t["i32"],)
    assert isinstance(TABLE["transpiler.cuda.clz"].rule((t["index"],)), str)


def test_cpp_compiles_for_every_signature() -> None:
    """One NVRTC unit with a kernel for each signature of each entry; needs no GPU."""
    assert b".entry case0" in compiled(unit(CASES), "compute_80")


@pytest.mark.parametrize("entry", TABLE.values(), ids=TABLE)
def test_numpy_meaning_has_the_dtypes_of_the_signature(entry) -> None:
    """And the shape of the lanes: 64 of them, or 2 warps of which the second is half idle."""
    for signature in signatures(entry):
        shape = (64,) if entry.effect is Effect.PURE else (2, 32)
        args = [np.ones(shape, numpy_dtype(t)) for t in signature.args]
        active = np.ones(shape, bool)
        if entry.effect is not Effect.PURE:
            active[1, 16:] = False
            args = [active, *args]
        results = entry.numpy(*args)
        results = results if isinstance(results, tuple) else () if results is None else (results,)
        assert [r.dtype for r in results] == [numpy_dtype(t) for t in signature.results], signature
        assert all(r.shape == shape for r in results)
