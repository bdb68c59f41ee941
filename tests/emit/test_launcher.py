"""Launchers in C++: built with warnings as errors and run, they refuse what a launch from Python refuses."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest

from tests.emit.host_programs import CUDART, FLAGS, run
from tests.golden.test_golden import UNITS, kernels_of
from tests.support import host_build
from transpiler.emit import emit_header, emit_images, emit_launch, support
from transpiler.emit.host import DEFAULT_BLOCKS
from transpiler.runtime import grid as grids

pytestmark = pytest.mark.skipif(not host_build.available(), reason="needs g++ on Linux")

SAXPY = """
@kernel(domain=N, block=256)
def saxpy(a: f32, x: In[f32, N], y: InOut[f32, N]):
    i = cuda.grid(1)
    if i < N:
        y[i] = a * x[i] + y[i]
"""


def test_a_launch_covers_the_domain_and_checks_what_python_checks(tmp_path: Path) -> None:
    printed = run(
        tmp_path,
        SAXPY,
        """
        view<float, 1> x(memory, 1000), y(memory + 1000, 1000);
        show(unit::saxpy_launch(2.0f, x, y));
        show(unit::saxpy_launch(2.0f, x, view<float, 1>(memory + 1000, 999)));
        show(unit::saxpy_launch(2.0f, x, view<float, 1>(memory + 999, 1000)));
        show(unit::saxpy_launch(2.0f, view<float, 1>(nullptr, 1000), y));
        char* odd = reinterpret_cast<char*>(memory) + 2;
        show(unit::saxpy_launch(2.0f, view<float, 1>(reinterpret_cast<float*>(odd), 10), view<float, 1>(memory + 100, 10)));
        show(unit::saxpy_launch(2.0f, view<float, 1>(nullptr, 0), view<float, 1>(nullptr, 0)));
        launch_options other;
        other.block[0] = 128;
        other.block[1] = other.block[2] = 1;
        show(unit::saxpy_launch(2.0f, x, y, other));
        launch_options grid;
        grid.grid[0] = 5;
        grid.grid[1] = grid.grid[2] = 1;
        show(unit::saxpy_contract(2.0f, x, y, grid));
        show(unit::saxpy_contract(2.0f, view<float, 1>(memory, -1), view<float, 1>(memory, -1)));
        try {
            unit::saxpy_contract(2.0f, x, x).or_throw();
        } catch (const std::runtime_error& error) {
            std::printf("thrown: %s\\n", error.what());
        }
        transpiler_status said;
        std::printf("%d\\n", unit_saxpy_launch(2.0f, memory, 8, memory + 8, 9, nullptr, &said));
        std::printf("%s\\n", said.message);
        """,
        last=3,
    )
    assert printed == [
        "launch 4 1 1, 256 1 1, 0: 1000",
        "0 ",
        "1 saxpy: needs `y.shape[0] == N`, but the extent = 999, wanted = 1000",
        "3 saxpy: x and y overlap in memory",
        "2 saxpy: x is null",
        "2 saxpy: x is not aligned to 4 bytes",
        "0 ",
        "5 saxpy: its block has 256 threads on axis x, not 128",
        "5 saxpy: it is proved for its own grid, 4 blocks on axis x, not 5",
        "1 saxpy: x.shape[0] is -1",
        "thrown: saxpy: x and y overlap in memory",
        "1",
        "saxpy: needs `y.shape[0] == N`, but the extent = 9, wanted = 8",
    ]


def test_conditions_are_pythons(tmp_path: Path) -> None:
    """Floors, chains, floats, booleans, numbers beyond 64 bits, division by zero."""
    printed = run(
        tmp_path,
        """
        @kernel(block=32)
        def k(x: InOut[f32, N], n: i64, s: f64, on: bool_):
            requires((n - 7) // 2 * 2 + n % -3 <= N)
            requires(0.0 < s < 1.0 or on)
            requires(cuda.gridDim.x * cuda.blockDim.x >= min(n, N))
            requires(n * n * 4 < 1 << 62)
            requires(12 // n >= -12)
            i = cuda.grid(1)
            if i < N:
                x[i] = 1.0
        """,
        """
        view<float, 1> x(memory, 100);
        launch_options one;
        one.grid[0] = one.grid[1] = one.grid[2] = 1;
        launch_options four = one;
        four.grid[0] = 4;
        show(unit::k_launch(x, -5, 0.5, false, four));
        show(unit::k_contract(x, 108, 0.5, false, four));
        show(unit::k_contract(x, 20, 1.0, false, four));
        show(unit::k_contract(x, 20, 1.0, true, four));
        show(unit::k_contract(x, 64, 0.5, false, one));
        show(unit::k_contract(x, -(1LL << 62), 0.5, false, four));
        show(unit::k_contract(x, 0, 0.5, false, four));
        show(unit::k_contract(x, 20, 0.5, false));
        """,
        last=1,
    )
    assert printed == [
        "launch 4 1 1, 32 1 1, 0: -5",
        "0 ",
        "0 ",  # 101 // 2 * 2 is 100, 108 % -3 is 0
        "4 k: needs `0.0 < s and s < 1.0 or on`, but s = 1, on = 0",
        "0 ",
        "4 k: needs `cuda.gridDim.x * cuda.blockDim.x >= min(n, N)`, "
        "but cuda.gridDim.x = 1, cuda.blockDim.x = 32, n = 64, N = 100",
        "4 k: needs `n * n * 4 < 4611686018427387904`, but n = -4611686018427387904",
        "4 k: needs `12 // n >= -12`, but n = 0 (the numbers are too large, or it divides by zero)",
        "5 k: it has neither grid= nor domain=: the options must give a grid",
    ]


def test_shared_memory_contents_and_layouts(tmp_path: Path) -> None:
    printed = run(
        tmp_path,
        """
        @kernel(grid=1, block=32)
        def k(p: In[i32, N], x: In[f32, M, N, Strided], y: Out[f32, N], n: i32):
            requires(injective(p))
            requires(n >= 32)
            work = cuda.shared.array(n, f64)
            i = cuda.threadIdx.x
            work[i] = 1.0
        """,
        """
        static int32_t order[8];
        view<int32_t, 1> p(order, 8);
        view<float, 2, transpiler::strided> x(memory, {2, 8}, {1, 2});
        view<float, 1> y(memory + 16, 8);
        launch_options sure;
        sure.contents_verified = 1;
        sure.shared = 100;
        show(unit::k_launch(p, x, y, 6250, sure));
        show(unit::k_launch(p, x, y, 6250));
        show(unit::k_contract(p, x, view<float, 1>(memory + 15, 8), 32, sure));
        show(unit::k_contract(p, view<float, 2, transpiler::strided>(memory + 1024, {2, 8}, {-1000, 2}), y, 32, sure));
        show(unit::k_contract(p, view<float, 2, transpiler::strided>(memory + 1024, {2, 8}, {-1008, 1}), y, 32, sure));
        """,
        last=3,
    )
    assert [line.partition(":")[0] for line in printed[:1]] == ["allow 50100"]
    assert printed[1].startswith("launch 1 1 1, 32 1 1, 50100: ")
    assert printed[2:] == [
        "0 ",
        "6 k: needs `injective(p)`: set contents_verified once you have made sure of it",
        "3 k: x and y overlap in memory",
        "0 ",
        "3 k: x and y overlap in memory",
    ]


def test_free_blocks_are_those_of_launches_from_python() -> None:
    assert DEFAULT_BLOCKS == grids.DEFAULT_BLOCKS


@pytest.mark.skipif(shutil.which("gcc") is None, reason="needs gcc")
def test_the_header_is_clean_for_c_and_its_functions_link(tmp_path: Path) -> None:
    """A C program calls the launcher of a C++ object."""
    run(tmp_path, SAXPY, "(void)0;")  # leaves the sources behind
    (tmp_path / "program.c").write_text(
        '#include "unit.h"\n#include <stdio.h>\n'
        "void saxpy(void) {}\n"
        "int main(void)\n{\n"
        "    static float memory[32];\n"
        "    transpiler_launch options = {0};\n"
        "    transpiler_status status;\n"
        "    options.grid[0] = 7;\n"
        "    int code = unit_saxpy_contract(1.0f, memory, 16, memory + 16, 16, &options, &status);\n"
        '    printf("%d %s\\n", code, status.message);\n'
        "    code = unit_saxpy_contract(1.0f, memory, 16, memory + 16, 16, NULL, NULL);\n"
        "    return code;\n}\n"
    )
    flags = ["-Wall", "-Wextra", "-Wpedantic", "-Wconversion", "-Werror", "-I", str(tmp_path)]
    paths = {name: str(tmp_path / name) for name in ("program.c", "program.o", "unit_launch.cpp", "program")}
    subprocess.run(["gcc", "-std=c11", *flags, "-c", paths["program.c"], "-o", paths["program.o"]], check=True)
    words = [str(host_build.COMPILER), "-std=c++17", "-DLAST=0", *flags, paths["unit_launch.cpp"], paths["program.o"]]
    subprocess.run([*words, "-o", paths["program"]], check=True)
    done = subprocess.run([paths["program"]], capture_output=True, text=True, check=True)
    assert done.stdout == "5 saxpy: it is proved for its own grid, 1 blocks on axis x, not 7\n"


@pytest.mark.parametrize("embed", ["source", "cubin"])
@pytest.mark.parametrize("path", UNITS, ids=lambda path: path.stem)
def test_launchers_of_every_unit_are_clean(path: Path, embed: str, tmp_path: Path) -> None:
    """Names that C++ reserves, layouts, atomics, run-time checks, instances: without a warning in the code that users compile."""
    kernels = kernels_of(path)
    files = {
        **support(embed),
        "cuda_runtime_api.h": CUDART,
        "unit.h": emit_header("unit", kernels),
        "unit_launch.cpp": emit_launch("unit", "unit", kernels, embed=embed),
        "unit_images.inc": emit_images([("sm_90", b"\x7fELF"), ("sm_120", b"// PTX")]),
    }
    for name, text in files.items():
        (tmp_path / name).write_text(text)
    words = [
        str(host_build.COMPILER),
        *FLAGS,
        "-DLAST=0",
        "-I",
        str(tmp_path),
        "-fsyntax-only",
        str(tmp_path / "unit_launch.cpp"),
    ]
    done = subprocess.run(words, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
