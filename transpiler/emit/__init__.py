"""Device IR to readable CUDA C++.

In: `device.Kernel`s, their proved `Ranges` and contracts. Out: the text of a unit, its header and its manifest,
byte-identical on every run. Non-goals: proving anything, compiling the text (`runtime.nvrtc`).
"""

from transpiler.emit.abi import abi
from transpiler.emit.functions import Site
from transpiler.emit.header import emit_header
from transpiler.emit.host import emit_images, emit_launch, support
from transpiler.emit.manifest import manifest
from transpiler.emit.unit import EmitOptions, EmittedUnit, Entry, emit_unit
from transpiler.ir.abi import FAILURE_WORDS, AbiParam
from transpiler.ir.shared import SharedLayout, shared_layout

__all__ = [
    "FAILURE_WORDS",
    "AbiParam",
    "EmitOptions",
    "EmittedUnit",
    "Entry",
    "SharedLayout",
    "Site",
    "abi",
    "emit_header",
    "emit_images",
    "emit_launch",
    "emit_unit",
    "manifest",
    "shared_layout",
    "support",
]
