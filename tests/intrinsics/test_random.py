"""Philox against the known answers of its authors, and its C++ against its NumPy meaning on the host."""

from __future__ import annotations

import ctypes
import shutil
import subprocess

import numpy as np
import pytest

from tests.intrinsics.support import device_code
from transpiler.intrinsics import TABLE

ONES = 2**64 - 1
KNOWN = [  # key, counter, answer: Random123's kat_vectors for philox4x32-10
    (0, (0, 0), (0x6627E8D5, 0xE169C58D, 0xBC57AC4C, 0x9B00DBD8)),
    (ONES, (ONES, ONES), (0x408F276D, 0x41C83B0E, 0xA20BC7C6, 0x6D5451FD)),
    (
        0x299F31D0_A4093822,
        (0x85A308D3_243F6A88, 0x03707344_13198A2E),
        (0xD16CFE09, 0x94FDCCEB, 0x5001E420, 0x24126EA1),
    ),
]


def meaning(name: str, *args: object):
    return TABLE[f"transpiler.cuda.random.{name}"].numpy(*(np.atleast_1d(np.array(a, np.uint64)) for a in args))


@pytest.mark.parametrize(("seed", "counter", "answer"), KNOWN)
def test_known_answers(seed: int, counter: tuple[int, int], answer: tuple[int, ...]) -> None:
    assert tuple(int(word[0]) for word in meaning("philox", seed, *counter)) == answer


def test_signed_seeds_keep_their_bits() -> None:
    philox = TABLE["transpiler.cuda.random.philox"].numpy
    zero = np.zeros(1, np.int64)
    assert philox(np.array([-1]), zero - 1, zero - 1)[0] == KNOWN[1][2][0]


def test_distributions() -> None:
    index = np.arange(100_000)
    uniform, normal = meaning("uniform", 7, index, 0), meaning("normal", 7, index, 0)
    assert uniform.min() >= 0
    assert uniform.max() < 1
    assert abs(uniform.mean() - 0.5) < 0.005
    assert abs(uniform.var() - 1 / 12) < 0.001
    assert np.isfinite(normal).all()
    assert abs(normal.mean()) < 0.02
    assert abs(normal.std() - 1) < 0.01
    assert abs((normal < 1).mean() - 0.8413) < 0.005
    assert not (meaning("uniform", 7, index, 1) == uniform).any(axis=0).all()


HOST = """
#include <cmath>
#define __device__
#define __forceinline__ inline
static float cospif(float x) { return (float)std::cos(3.14159265358979323846 * (double)x); }
%s
extern "C" void words(long long seed, long long index, unsigned long long stream, unsigned int* out) {
    intrinsic::philox(seed, index, stream, out[0], out[1], out[2], out[3]);
}
extern "C" float uniform(long long seed, long long index) { return intrinsic::philox_uniform(seed, index, 0); }
extern "C" float normal(long long seed, long long index) { return intrinsic::philox_normal(seed, index, 0); }
"""


@pytest.fixture(scope="module")
def host(tmp_path_factory) -> ctypes.CDLL:
    compiler = shutil.which("g++")
    if compiler is None:
        pytest.skip("no g++ here")
    folder = tmp_path_factory.mktemp("philox")
    (folder / "host.cpp").write_text(HOST % device_code(TABLE["transpiler.cuda.random.philox"]))
    options = ["-std=c++17", "-O1", "-shared", "-fPIC", "-ffp-contract=off"]
    subprocess.run([compiler, *options, "host.cpp", "-o", "host.so"], cwd=folder, check=True)
    library = ctypes.CDLL(str(folder / "host.so"))
    library.uniform.restype = library.normal.restype = ctypes.c_float
    return library


def test_cpp_agrees_with_numpy(host: ctypes.CDLL) -> None:
    rng = np.random.default_rng(3)
    seeds, indices, streams = rng.integers(-(2**63), 2**63 - 1, (3, 500))
    expected = np.stack(TABLE["transpiler.cuda.random.philox"].numpy(seeds, indices, streams.astype(np.uint64)), axis=1)
    uniform, normal = (
        TABLE[f"transpiler.cuda.random.{n}"].numpy(seeds, indices, 0 * seeds) for n in ("uniform", "normal")
    )
    for k in range(len(seeds)):
        out = (ctypes.c_uint * 4)()
        seed, index = ctypes.c_longlong(int(seeds[k])), ctypes.c_longlong(int(indices[k]))
        host.words(seed, index, ctypes.c_ulonglong(int(streams[k]) % 2**64), out)
        assert list(out) == expected[k].tolist()
        assert host.uniform(seed, index) == uniform[k]
        assert host.normal(seed, index) == pytest.approx(normal[k], rel=1e-5, abs=1e-6)
