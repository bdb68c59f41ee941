"""Launchers built and run as a C++ program would, with a stand-in for CUDA's runtime that records what is launched."""

from __future__ import annotations

import subprocess
from pathlib import Path

from tests.support import host_build
from tests.support.kernels import lowered
from transpiler.emit import emit_header, emit_launch, support
from transpiler.emit.unit import entry_names

FLAGS = ("-std=c++17", "-Wall", "-Wextra", "-Wpedantic", "-Wshadow", "-Wconversion", "-Werror")

CUDART = """\
#ifndef STAND_IN
#define STAND_IN
#include <cstddef>
#include <cstdio>
typedef int cudaError_t;
constexpr int cudaSuccess = 0;
constexpr int cudaFuncAttributeMaxDynamicSharedMemorySize = 8;
struct cudaFuncAttributes { std::size_t sharedSizeBytes; };
struct dim3 { unsigned x, y, z; dim3(unsigned a, unsigned b, unsigned c) : x(a), y(b), z(c) {} };
inline int cudaFuncGetAttributes(cudaFuncAttributes* out, const void*) { out->sharedSizeBytes = 0; return 0; }
inline int cudaFuncSetAttribute(const void*, int, int bytes) { std::printf("allow %d\\n", bytes); return 0; }
inline const char* cudaGetErrorString(int) { return "an error"; }
inline int cudaLaunchKernel(const void*, dim3 g, dim3 b, void** arguments, std::size_t shared, CUstream_st*)
{
    std::printf("launch %u %u %u, %u %u %u, %zu: %lld\\n", g.x, g.y, g.z, b.x, b.y, b.z, shared,
                *static_cast<long long*>(arguments[LAST]));
    return 0;
}
inline int cudaLaunchCooperativeKernel(const void* k, dim3 g, dim3 b, void** a, std::size_t shared, CUstream_st* s)
{
    std::printf("cooperative ");
    return cudaLaunchKernel(k, g, b, a, shared, s);
}
#endif
"""


def run(folder: Path, kernel_text: str, body: str, *, contract: tuple[str, ...] = (), last: int = 0) -> list[str]:
    """Build the launcher of a kernel with a `main` of this body, which prints; `last` is the argument shown at a launch."""
    kernel = lowered(kernel_text)
    contracts = {kernel: contract or tuple(r.text for r in kernel.requires)}
    files = {
        **support("source"),
        "cuda_runtime_api.h": CUDART,
        "unit.h": emit_header("unit", [kernel], contracts=contracts),
        "unit_launch.cpp": emit_launch("unit", "unit", [kernel], contracts=contracts),
        "main.cpp": MAIN.replace("BODY", body).replace("KERNEL", entry_names([kernel])[kernel]),
    }
    for name, text in files.items():
        (folder / name).write_text(text)
    words = [str(host_build.COMPILER), *FLAGS, f"-DLAST={last}", "-I", str(folder), str(folder / "unit_launch.cpp")]
    built = subprocess.run(
        [*words, str(folder / "main.cpp"), "-o", str(folder / "main")], capture_output=True, text=True, check=False
    )
    assert built.returncode == 0, built.stderr
    done = subprocess.run([str(folder / "main")], capture_output=True, text=True, check=True)
    return done.stdout.splitlines()


MAIN = """\
#include "unit.h"
#include <cstdio>

extern "C" void KERNEL() {}

using transpiler::launch_options;
using transpiler::view;

[[maybe_unused]] static void show(const transpiler::status& s) { std::printf("%d %s\\n", s.code, s.message); }

int main()
{
    alignas(16) static float memory[4096];
    (void)memory;
    BODY
    return 0;
}
"""
