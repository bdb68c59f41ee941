"""The library itself: found, refused where it is none, light."""

from __future__ import annotations

import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor

import pytest

from transpiler.runtime import nvrtc
from transpiler.runtime.nvrtc_library import Library, Refused

KERNEL = 'extern "C" __global__ void k(int *p) {{ p[0] = {}; }}'


@pytest.fixture(scope="module")
def library() -> Library:
    try:
        return Library()
    except OSError as reason:
        pytest.skip(str(reason))


def test_what_is_no_nvrtc_is_refused():
    with pytest.raises(OSError, match="no nvrtcVersion"):
        Library("libc.so.6")
    with pytest.raises(OSError, match="nowhere"):
        Library("/nowhere/libnvrtc.so")


def test_a_missing_library_is_named(monkeypatch: pytest.MonkeyPatch):
    def missing() -> str:
        raise OSError("no NVRTC 12 or 13 is installed")

    monkeypatch.setattr("transpiler.runtime.nvrtc_library._found", missing)
    nvrtc._library.cache_clear()
    with pytest.raises(nvrtc.NvrtcMissing, match="no NVRTC 12 or 13"):
        nvrtc._library()


def test_ptx_and_cubin(library: Library):
    assert b".entry k(" in library.compile(KERNEL.format(1), "k.cu", ("-arch=compute_80",), "PTX")
    assert library.compile(KERNEL.format(1), "k.cu", ("-arch=sm_80",), "CUBIN").startswith(b"\x7fELF")
    assert library.version() >= (12, 0)
    assert 90 in library.architectures()


@pytest.mark.parametrize(("text", "options", "words"), [("x", (), "k.cu"), ("", ("--nonsense",), "nonsense")])
def test_the_log_comes_with_a_refusal(library: Library, text: str, options: tuple[str, ...], words: str):
    with pytest.raises(Refused, match=words):
        library.compile(text, "k.cu", options, "PTX")


def test_threads_get_their_own_results(library: Library):
    with ThreadPoolExecutor(2) as pool:
        texts = list(
            pool.map(lambda i: library.compile(KERNEL.format(i), "k.cu", ("-arch=compute_80",), "PTX"), range(700, 706))
        )
    assert [str(700 + i).encode() in text for i, text in enumerate(texts)] == [True] * 6


def test_compiling_loads_neither_cupy_nor_numpy(library: Library):
    code = (
        "import sys; from transpiler.runtime import nvrtc;"
        "nvrtc.compile('extern \"C\" __global__ void k() {}', arch='sm_80');"
        "print([m for m in ('cupy', 'cupy_backends', 'numpy') if m in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert done.stdout == "[]\n", done.stderr
