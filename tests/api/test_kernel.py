"""`Kernel` objects on a fake driver: the whole compiler runs, only CUDA does not."""

from __future__ import annotations

import ctypes
import importlib
import pickle
import subprocess
import sys
import threading
from pathlib import Path
from types import ModuleType

import numpy as np
import pytest

from tests.runtime.fakes import FakeDriver, array
from transpiler import CompileError, LaunchError, Out, cuda, device, f32, i32, kernel, synchronize, transpile


@pytest.fixture
def k(driver: FakeDriver) -> ModuleType:
    """The kernels, not used before."""
    sys.modules.pop("tests.api.launch_kernels", None)
    return importlib.import_module("tests.api.launch_kernels")


def test_calling_launches_with_the_grid_of_the_decorator(driver: FakeDriver, k: ModuleType):
    x, y = array(1000), array(1000)
    k.saxpy(2.0, x, y)
    k.transpose(array(64, 96), array(96, 64))
    first, second = driver.launches
    assert (first.grid, first.block, first.arguments) == (
        (4, 1, 1),
        (256, 1, 1),
        [2.0, x.data.ptr, y.data.ptr, 1000],
    )
    assert (second.grid, second.block) == ((3, 2, 1), (32, 8, 1))
    assert driver.loads[0][1].startswith(b"\x7fELF"), "a real cubin"


def test_brackets_launch_with_the_callers_grid(driver: FakeDriver, k: ModuleType):
    k.fill[4, 256](array(1000), 1000)
    k.fill[(4, 1), (256,)](array(1000), n=999)
    k.saxpy[8, 128](2.0, array(1000), array(1000))
    assert [(launch.grid[0], launch.block[0]) for launch in driver.launches] == [(4, 256), (4, 256), (8, 128)]
    with pytest.raises(LaunchError, match=r"needs `n <= len\(y\)`, but n = 1001, len\(y\) = 1000"):
        k.fill[4, 256](array(1000), 1001)
    assert k.fill[4, 256] is k.fill[4, 256]


def test_keywords_and_defaults(driver: FakeDriver, k: ModuleType):
    k.saxpy(y=array(8), x=array(8), a=1.0)
    k.fill[1, 256](array(8))
    assert driver.launches[1].arguments[1] == 8
    with pytest.raises(LaunchError, match="E0801"):
        k.saxpy(1.0)


def test_generic_kernels_pick_their_instance(driver: FakeDriver, k: ModuleType):
    for dtype in ("float16", "float32", "float64"):
        k.add(array(8, dtype=dtype), array(8, dtype=dtype), 0.5)
    assert [symbol for _, _, symbol in driver.loads] == ["add_f16", "add_f32", "add_f64"]
    with pytest.raises(LaunchError, match=r"E0802.*`x` holds i32; `T` stands for f16, f32, f64"):
        k.add(array(8, dtype="int32"), array(8, dtype="int32"), 1)
    with pytest.raises(LaunchError, match=r"E0802.*`T` is f16 in an earlier argument, `y` holds f32"):
        k.add(array(8, dtype="float16"), array(8), 0.5)


def test_const_parameters_make_specialisations(driver: FakeDriver, k: ModuleType):
    for value in (5, 6, 5):
        k.constant(array(8, dtype="int32"), value)
    assert len(driver.loads) == 2
    with pytest.raises(CompileError, match=r"`k` is a `Const\[int\]`; 5.5 is none"):
        k.constant(array(8, dtype="int32"), 5.5)


def test_optional_arrays_fold(driver: FakeDriver, k: ModuleType):
    k.maybe(array(8))
    k.maybe(array(8), array(8))
    assert [len(launch.arguments) for launch in driver.launches] == [2, 3]


def test_an_unannotated_kernel_takes_types_from_its_arguments(driver: FakeDriver, k: ModuleType):
    k.unannotated[1, 64](array(8, dtype="int32"), array(8, dtype="int32"), 8)
    k.unannotated[1, 64](array(8), array(8), 8)
    assert len(driver.loads) == 2


def test_a_kernel_that_is_not_proved_never_runs(driver: FakeDriver, k: ModuleType):
    for _ in range(2):
        with pytest.raises(CompileError) as caught:
            k.racy(array(1000))
        assert caught.value.diagnostics[0].code in ("E0301", "E0302")
    assert driver.loads == []


def test_an_assertion_that_no_proof_decides_is_checked_by_the_kernel(driver: FakeDriver, k: ModuleType):
    k.asserting(array(8), array(8))
    assert "record_failure(failure, 1, 0, 0)" in k.asserting.source
    words = (ctypes.c_longlong * 12).from_address(driver.launches[0].arguments[-1])
    words[0], words[4] = 1, 5
    with pytest.raises(
        AssertionError, match=r"x is too large\n  at .*launch_kernels.py:\d+, block \(0, 0, 0\), thread \(5, 0, 0\)"
    ):
        synchronize()
    synchronize()


def test_the_compilers_answers(driver: FakeDriver, k: ModuleType):
    assert "void __launch_bounds__(256) saxpy" in k.saxpy.source
    assert "y = a * x + y" in k.saxpy.header
    assert k.fill.contract == ("n <= len(y)",)
    assert k.saxpy.proof.verdict == "proved"
    assert k.saxpy.cubin("sm_90").startswith(b"\x7fELF")
    assert ".entry saxpy" in k.saxpy.ptx("sm_80")


def test_binding_checks_once(driver: FakeDriver, k: ModuleType):
    x, y = array(1000), array(1000)
    bound = k.saxpy.bind(2.0, x, y)
    bound()
    bound(stream=7)
    assert [(launch.stream, launch.arguments) for launch in driver.launches] == [
        (stream, [2.0, x.data.ptr, y.data.ptr, 1000]) for stream in (0, 7)
    ]
    with pytest.raises(LaunchError, match="E0805"):
        k.saxpy.bind(2.0, array(8), array(9))
    k.saxpy.bind(2.0, array(0), array(0))()
    assert len(driver.launches) == 2
    k.fill[2, 256].bind(array(300), 300)()
    assert driver.launches[2].grid == (2, 1, 1)


def test_simulation_needs_no_driver(k: ModuleType):
    x, y = np.arange(1000, dtype="f4"), np.ones(1000, "f4")
    report = k.saxpy.simulate(2.0, x, y)
    assert report.ok
    np.testing.assert_array_equal(y, 2 * np.arange(1000, dtype="f4") + 1)
    y = np.zeros(10, "f4")
    assert k.fill.simulate(y, n=5, grid=1, block=256).ok
    assert y.tolist() == [0, 16, 32, 48, 64, 0, 0, 0, 0, 0]
    assert not k.racy.simulate(np.ones(100, "f4")).ok, "also what is not proved"


def test_a_schedule_shows_what_a_race_may_do(k: ModuleType):
    last, first = np.arange(100, dtype="f4"), np.arange(100, dtype="f4")
    assert k.racy.simulate(last).codes() == k.racy.simulate(first, schedule="reverse").codes() == {"E0301"}
    assert (last[0], first[0]) == (99, 0)


def test_a_constant_that_changed_is_an_error(driver: FakeDriver, k: ModuleType):
    k.TILE = 32
    with pytest.raises(LaunchError, match=r"E0819: `TILE` is 32 in the running program, 16 in the text"):
        k.fill[1, 256](array(8))
    k.TILE = 16
    k.fill[1, 256](array(8))


def test_a_block_that_the_text_does_not_say_is_an_error(
    driver: FakeDriver, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    text = "import os\nfrom transpiler import Out, cuda, i32, kernel\nBLOCK = 64\nif 'WIDE' in os.environ:\n    BLOCK = 128\n"
    text += (
        "@kernel(block=BLOCK)\ndef k(y: Out[i32, int]):\n    i = cuda.grid(1)\n    if i < len(y):\n        y[i] = 1\n"
    )
    (tmp_path / "chosen_block.py").write_text(text)
    monkeypatch.syspath_prepend(str(tmp_path))
    monkeypatch.setenv("WIDE", "1")
    module = importlib.import_module("chosen_block")
    with pytest.raises((CompileError, LaunchError)) as caught:
        module.k[1, 128](array(8, dtype="int32"))
    assert "BLOCK" in str(caught.value) or "E0819" in str(caught.value)
    assert driver.launches == []


def test_kernels_pickle_by_name(driver: FakeDriver, k: ModuleType):
    assert pickle.loads(pickle.dumps(k.saxpy)) is k.saxpy
    assert pickle.loads(pickle.dumps(k.scaled)) is k.scaled


def filled_with(value: int):
    class L: ...

    @device
    def next_to(v: i32):
        return v + value

    @kernel(block=64)
    def filled(y: Out[i32, int]):
        i = cuda.grid(1)
        if i < len(y):
            y[i] = next_to(value)

    return filled


def test_closures_are_frozen_with_their_values(driver: FakeDriver):
    three, four = filled_with(3), filled_with(4)
    for made in (three, four):
        made[1, 64](array(8, dtype="int32"))
    assert len(driver.loads) == 2
    assert "value = 3" in three.source
    assert "value = 4" in four.source
    with pytest.raises((LookupError, AttributeError, pickle.PicklingError)):
        pickle.loads(pickle.dumps(three))


def test_a_closure_may_use_every_kind_of_name(driver: FakeDriver):
    import math

    import numpy as np

    from transpiler import Const, Dim, DType, In, Strided, f16, permutation, requires
    from transpiler import cuda as cu
    from transpiler.cuda import grid as g

    class N(Dim): ...

    class T(DType, of=(f16, f32)): ...

    taps, limit, flag = (0.25, 0.5), math.inf, True

    @kernel(domain=N, block=64)
    def all_names(p: In[i32, N], x: In[T, N, Strided], w: In[np.float64, 3], y: Out[T, N], k: Const[int]):
        requires(permutation(p), k <= N)
        i = g(1)
        if i < N:
            v = T(0)
            for tap in taps:
                v += T(tap) * x[i]
            if flag and f32(x[i]) < limit:
                v += T(math.sqrt(w[0])) + T(cu.popc(i32(k)))
            y[p[i]] = v

    report = all_names.simulate(
        np.array([1, 0], "i4"), np.array([1, 2], "f4"), np.array([4.0, 0, 0]), y := np.zeros(2, "f4"), 2
    )
    assert report.ok, report.diagnostics
    assert y.tolist() == [1.5 + 2 + 1, 0.75 + 2 + 1]


def test_lines_of_a_closure_are_those_of_its_file():
    def wrong():
        @kernel(block=64)
        def bad(y: Out[f32, int]):
            i = cuda.grid(1)
            y[i] = unknown_name  # noqa: F821

        return bad

    with pytest.raises(CompileError) as caught:
        _ = wrong().source
    (found,) = caught.value.diagnostics
    line = Path(__file__).read_text().split("\n").index("            y[i] = unknown_name  # noqa: F821") + 1
    assert found.source.line(found.span.start) == line


def test_a_function_without_text_is_refused():
    space: dict = {}
    exec("from transpiler import *\n@kernel(block=64)\ndef k(y: Out[f32, int]):\n    y[0] = 1.0\n", space)
    with pytest.raises(CompileError, match=r"E0820: .*<string>"):
        _ = space["k"].source


def test_a_notebook_cell_is_read_through_linecache(driver: FakeDriver):
    import linecache

    text = "@kernel(block=64)\ndef cell(y: Out[f32, int]):\n    i = cuda.grid(1)\n    if i < len(y):\n        y[i] = SEED\n"
    linecache.cache["<cell 3>"] = (len(text), None, text.splitlines(keepends=True), "<cell 3>")
    space = {"kernel": kernel, "Out": Out, "f32": f32, "cuda": cuda, "SEED": 2.5}
    exec(compile(text, "<cell 3>", "exec"), space)
    space["cell"][1, 64](array(8))
    assert "SEED = 2.5f" in space["cell"].source


def test_threads_share_a_kernel(driver: FakeDriver, k: ModuleType):
    errors: list[BaseException] = []

    def work():
        try:
            for n in range(1, 40):
                k.saxpy(2.0, array(n), array(n))
        except BaseException as error:
            errors.append(error)

    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert errors == []
    assert len(driver.launches) == 4 * 39
    assert len(driver.loads) == 1
    assert sorted(launch.arguments[3] for launch in driver.launches) == sorted(4 * list(range(1, 40)))


SPAWNED = """
import pickle, sys
from tests.api import launch_kernels
sys.stdout.buffer.write(pickle.dumps(launch_kernels.saxpy))
"""


def test_kernels_pickle_across_processes(k: ModuleType):
    root = str(Path(__file__).parents[2])
    done = subprocess.run([sys.executable, "-c", SPAWNED], capture_output=True, check=True, cwd=root)
    assert pickle.loads(done.stdout) is k.saxpy


def test_without_a_device_the_launch_says_what_works(monkeypatch: pytest.MonkeyPatch, k: ModuleType):
    from transpiler.runtime import session as sessions
    from transpiler.runtime.device import CudaDriver, NoDevice

    def none(self: CudaDriver) -> None:
        raise NoDevice("the machine has no CUDA device")

    monkeypatch.setattr(CudaDriver, "__init__", none)
    old = sessions.replace(None)
    try:
        with pytest.raises(LaunchError, match=r"E0818.*no CUDA device") as caught:
            k.saxpy(2.0, array(8), array(8))
        assert "`saxpy.simulate(...)`" in str(caught.value)
    finally:
        sessions.replace(old)


# --- transpile -----------------------------------------------------------------------------------------------

GOOD = """
from transpiler import Out, cuda, f32, i32, kernel

@kernel(block=256)
def ones(y: Out[f32, int], n: i32):
    i = cuda.grid(1)
    if i < n:
        y[i] = 1.0
"""


def test_transpile_takes_text_paths_and_kernels(tmp_path: Path, k: ModuleType):
    result = transpile(GOOD, path="ones.py")
    assert result.ok
    assert result.source is not None
    assert "void __launch_bounds__(256) ones" in result.source
    assert result.contract == {"ones": ("n <= len(y)",)}
    assert result.diagnostics == ()
    file = tmp_path / "ones.py"
    file.write_text(GOOD)
    assert transpile(file).source == result.source
    assert transpile(filled_with(3)).ok


def test_transpile_returns_what_is_wrong():
    result = transpile(GOOD.replace("y[i] = 1.0", "y[0] = 1.0"))
    assert (result.source, result.header, result.manifest, result.ok) == (None, None, None, False)
    assert result.diagnostics
    syntax = transpile(GOOD.replace("y[i] = 1.0", "y[i] ="))
    assert syntax.diagnostics[0].code.startswith("E01")


def test_transpile_of_something_else_is_a_type_error():
    with pytest.raises(TypeError, match="not int"):
        transpile(3)  # type: ignore[arg-type]
