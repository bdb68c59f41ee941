"""NVRTC's C interface through `ctypes`.

In: nothing but an installed NVRTC 12 or 13, found by cuda-pathfinder in wheels, a toolkit or `CUDA_HOME`, else by the system's
loader. Out: `Library`. CuPy has a binding too, whose first call imports all of CuPy: a third of a second for a command that
compiles, and a GPU package on machines without a GPU.
Non-goals: options, architectures, errors of ours (`runtime.nvrtc`).
"""

from __future__ import annotations

import ctypes
from ctypes import POINTER, byref, c_char_p, c_int, c_size_t, c_void_p
from ctypes.util import find_library

_NAMES = ("libnvrtc.so.13", "libnvrtc.so.12", "nvrtc64_130_0.dll", "nvrtc64_120_0.dll")

_FUNCTIONS = {
    "nvrtcVersion": (POINTER(c_int), POINTER(c_int)),
    "nvrtcGetNumSupportedArchs": (POINTER(c_int),),
    "nvrtcGetSupportedArchs": (POINTER(c_int),),
    "nvrtcCreateProgram": (POINTER(c_void_p), c_char_p, c_char_p, c_int, c_void_p, c_void_p),
    "nvrtcCompileProgram": (c_void_p, c_int, POINTER(c_char_p)),
    "nvrtcDestroyProgram": (POINTER(c_void_p),),
    **{f"nvrtcGet{what}Size": (c_void_p, POINTER(c_size_t)) for what in ("CUBIN", "PTX", "ProgramLog")},
    **{f"nvrtcGet{what}": (c_void_p, c_char_p) for what in ("CUBIN", "PTX", "ProgramLog")},
}


class Refused(Exception):
    """The text of a program did not compile; the message is NVRTC's log."""


class Library:
    """An NVRTC. Calls of several threads run side by side: `ctypes` lets go of the interpreter meanwhile."""

    def __init__(self, path: str | None = None) -> None:
        """Raises `OSError` where there is none."""
        self._library = ctypes.CDLL(path or _found())
        for name, arguments in _FUNCTIONS.items():
            function = getattr(self._library, name, None)
            if function is None:
                raise OSError(f"{self._library._name} has no {name}: it is no NVRTC 12 or 13")
            function.argtypes, function.restype = arguments, c_int
        self._library.nvrtcGetErrorString.restype = c_char_p

    def version(self) -> tuple[int, int]:
        major, minor = c_int(), c_int()
        self._call("nvrtcVersion", byref(major), byref(minor))
        return major.value, minor.value

    def architectures(self) -> list[int]:
        """Compute capabilities such as 90."""
        count = c_int()
        self._call("nvrtcGetNumSupportedArchs", byref(count))
        found = (c_int * count.value)()
        self._call("nvrtcGetSupportedArchs", found)
        return list(found)

    def compile(self, source: str, name: str, options: tuple[str, ...], kind: str) -> bytes:
        """`kind` is `CUBIN` or `PTX`; raises `Refused`."""
        program = c_void_p()
        self._call("nvrtcCreateProgram", byref(program), source.encode(), name.encode(), 0, None, None)
        try:
            words = (c_char_p * len(options))(*(option.encode() for option in options))
            status = self._library.nvrtcCompileProgram(program, len(options), words)
            if status:
                log = self._text(program, "ProgramLog").rstrip(b"\0").decode(errors="replace")
                raise Refused(log or self._message(status))
            return self._text(program, kind)
        finally:
            self._call("nvrtcDestroyProgram", byref(program))

    def _text(self, program: c_void_p, what: str) -> bytes:
        size = c_size_t()
        self._call(f"nvrtcGet{what}Size", program, byref(size))
        buffer = ctypes.create_string_buffer(max(size.value, 1))
        self._call(f"nvrtcGet{what}", program, buffer)
        return buffer.raw[: size.value]

    def _call(self, name: str, *arguments: object) -> None:
        status = getattr(self._library, name)(*arguments)
        if status:
            raise RuntimeError(f"{name}: {self._message(status)}")

    def _message(self, status: int) -> str:
        return (self._library.nvrtcGetErrorString(status) or b"?").decode()


def _found() -> str:
    """The path of the library, or a name for the system's loader."""
    try:
        from cuda.pathfinder import DynamicLibNotFoundError, load_nvidia_dynamic_lib
    except ImportError:
        pass
    else:
        try:
            return load_nvidia_dynamic_lib("nvrtc").abs_path or _NAMES[0]
        except (DynamicLibNotFoundError, RuntimeError):
            pass  # then the library must lie where the loader looks anyway
    for name in (find_library("nvrtc"), *_NAMES):
        if name is not None and _loads(name):
            return name
    raise OSError("no NVRTC 12 or 13 is installed")


def _loads(name: str) -> bool:
    try:
        ctypes.CDLL(name)
    except OSError:
        return False
    return True
