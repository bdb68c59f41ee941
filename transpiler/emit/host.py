"""Launchers: how a C++ program checks and starts the kernels of a unit.

In: kernels with their contracts. Out: `Launcher` for each (the parameters that C++ and C callers pass, the checks of a launch as
C++), and the text of `NAME_launch.cpp`, which holds their bodies. The same conditions as a launch from Python, but for what needs
the device: contracts on contents are the caller's to answer for, and a block or grid of the caller's must be one that is proved.
Non-goals: declarations (`header`), machine code (`runtime.nvrtc`), the C++ that every unit shares (`templates/host/`).
"""

from __future__ import annotations

import ast
import re
from collections.abc import Mapping, Sequence

from transpiler.emit import literals
from transpiler.emit.abi import abi
from transpiler.emit.cpp_types import HALF_HEADERS
from transpiler.emit.host_conditions import HostPrinter, Key, Term, bare
from transpiler.emit.names import FILE_SCOPE, Names
from transpiler.emit.python_text import python_text
from transpiler.emit.templates import plain, render
from transpiler.emit.unit import entry_names
from transpiler.emit.walk import statements
from transpiler.ir import device as d
from transpiler.ir.abi import AbiParam
from transpiler.ir.copies import alignments
from transpiler.ir.shared import SharedLayout, shared_layout
from transpiler.ir.types import DType
from transpiler.records import record

HOST_TYPES = {
    "bool": "bool",
    "i8": "int8_t",
    "i16": "int16_t",
    "i32": "int32_t",
    "i64": "int64_t",
    "u8": "uint8_t",
    "u16": "uint16_t",
    "u32": "uint32_t",
    "u64": "uint64_t",
    "f16": "__half",
    "bf16": "__nv_bfloat16",
    "f32": "float",
    "f64": "double",
}
"""What a C or C++ program calls the elements; the sized integers are those of <stdint.h>."""

EMBED = ("source", "cubin", "ptx")

DEFAULT_BLOCKS = {1: (256, 1, 1), 2: (32, 8, 1), 3: (32, 4, 2)}
"""Blocks for kernels that leave them free, by the number of launch axes; those of launches from Python."""

PREDICATES = ("injective", "permutation", "in_range", "nondecreasing")

_OWN = frozenset(
    ("plan", "options", "status", "arguments", "exact", "truth", "outcome", "code", "images", "transpiler")
)


@record
class HostParam:
    """A parameter for C++ callers: `view` arguments are arrays of `rank` axes, others scalars."""

    name: str
    python: str
    type: str
    """As C++ declares it."""
    c: tuple[tuple[str, str], ...]
    """(type, name) of what C callers pass for it, in order."""
    array: d.ArrayParam | None = None

    @property
    def declaration(self) -> str:
        return f"{self.type} {self.name}"


@record
class Launcher:
    """One kernel for C++ (`launch`, `contract`) and for C (`c_launch`, `c_contract`, which are `extern "C"`)."""

    kernel: d.Kernel
    entry: str
    launch: str
    contract: str
    c_launch: str
    c_contract: str
    params: tuple[HostParam, ...]
    abi: tuple[AbiParam, ...]
    conditions: tuple[str, ...]

    @property
    def c_params(self) -> tuple[tuple[str, str], ...]:
        return (
            *(pair for param in self.params for pair in param.c),
            ("const transpiler_launch*", "options"),
            ("transpiler_status*", "status"),
        )


def launchers(
    namespace: str, kernels: Sequence[d.Kernel], contracts: Mapping[d.Kernel, Sequence[str]]
) -> tuple[Launcher, ...]:
    entries = entry_names(kernels)
    names = Names(FILE_SCOPE | frozenset(entries.values()))
    out: list[Launcher] = []
    for kernel in kernels:
        entry = entries[kernel]
        launch, contract = names.claim(f"{entry}_launch"), names.claim(f"{entry}_contract")
        out.append(
            Launcher(
                kernel,
                entry,
                launch,
                contract,
                f"{namespace}_{launch}",
                f"{namespace}_{contract}",
                _params(kernel),
                abi(kernel),
                tuple(contracts.get(kernel) or [r.text for r in kernel.requires]),
            )
        )
    return tuple(out)


def _params(kernel: d.Kernel) -> tuple[HostParam, ...]:
    names = Names(_OWN | frozenset(kernel.dims))
    claimed = [(param, names.claim(param.name)) for param in kernel.params]
    out: list[HostParam] = []
    for param, name in claimed:
        dtype = param.dtype
        assert isinstance(dtype, DType)
        if not isinstance(param, d.ArrayParam):
            kind = HOST_TYPES[dtype.name]
            out.append(HostParam(name, param.name, kind, ((kind, name),)))
            continue
        const = "const " if param.ownership == "in" else ""
        element = f"{const}{HOST_TYPES[dtype.name]}"
        order = {"F": ", transpiler::column_major", "strided": ", transpiler::strided"}.get(param.order, "")
        sizes = [names.claim(f"{name}_shape{axis}") for axis in range(param.rank)]
        if param.order == "strided":
            sizes += [names.claim(f"{name}_stride{axis}") for axis in range(param.rank)]
        c = ((f"{element}*", name), *(("int64_t", size) for size in sizes))
        out.append(HostParam(name, param.name, f"transpiler::view<{element}, {param.rank}{order}>", c, param))
    return tuple(out)


def half_headers(kernels: Sequence[d.Kernel]) -> list[str]:
    dtypes = {p.dtype.name for kernel in kernels for p in abi(kernel) if p.dtype is not None}
    return [HALF_HEADERS[dtype] for dtype in sorted(dtypes & HALF_HEADERS.keys(), reverse=True)]


def half_types(kernels: Sequence[d.Kernel]) -> list[str]:
    """The C++ classes of half types that the headers of `half_headers` give to C under another name."""
    return [{"cuda_fp16.h": "__half", "cuda_bf16.h": "__nv_bfloat16"}[header] for header in half_headers(kernels)]


# --- files -----------------------------------------------------------------------------------------------


def support(embed: str | None) -> dict[str, str]:
    """The files that all units share, by name: what the header includes, and with `embed` what `NAME_launch.cpp` includes."""
    backend = "transpiler_cudart.h" if embed == "source" else "transpiler_driver.h"
    names = ("transpiler_runtime.h",) if embed is None else ("transpiler_runtime.h", "transpiler_checks.h", backend)
    return {name: plain(f"host/{name}") for name in names}


def emit_images(images: Sequence[tuple[str, bytes]]) -> str:
    """`NAME_images.inc`: (architecture, machine code or PTX) as arrays of bytes. PTX begins with no ELF magic."""
    out: list[str] = []
    rows: list[str] = []
    for arch, content in images:
        is_ptx = not content.startswith(b"\x7fELF")
        name = f"{'ptx' if is_ptx else 'cubin'}_{arch}"
        whole = content + b"\0" if is_ptx else content
        out.append(f"alignas(16) constexpr unsigned char {name}[] = {{")
        out += ["    " + ", ".join(map(str, whole[k : k + 24])) + "," for k in range(0, len(whole), 24)]
        out += ["};", ""]
        digits = re.sub(r"\D", "", arch)
        rows.append(f"    {{{digits[:-1]}, {digits[-1]}, {'true' if is_ptx else 'false'}, {name}}},")
    return "\n".join([*out, "constexpr transpiler::image images[] = {", *rows, "};", ""])


# --- NAME_launch.cpp --------------------------------------------------------------------------------------


def emit_launch(
    name: str,
    namespace: str,
    kernels: Sequence[d.Kernel],
    *,
    contracts: Mapping[d.Kernel, Sequence[str]] | None = None,
    embed: str = "source",
) -> str:
    """The bodies of a unit's launchers. `embed` says where the kernels are: `source` (nvcc compiles the `.cu`), `cubin` or
    `ptx` (in `NAME_images.inc`, loaded through the driver)."""
    known = contracts or {}
    return render(
        "host/launch.cpp.j2",
        name=name,
        namespace=namespace,
        embed=embed,
        includes=half_headers(kernels),
        backend="transpiler_cudart.h" if embed == "source" else "transpiler_driver.h",
        kernels=[_body(launcher) for launcher in launchers(namespace, kernels, known)],
    )


def _body(launcher: Launcher) -> dict[str, object]:
    checks = _Checks(launcher).lines()
    checked = [param for param in launcher.params if _mentions(checks, param.name)]
    return {
        "entry": launcher.entry,
        "launch": launcher.launch,
        "contract": launcher.contract,
        "c_launch": launcher.c_launch,
        "c_contract": launcher.c_contract,
        "parameters": [param.declaration for param in launcher.params],
        "contract_parameters": [p.declaration if p in checked else f"{p.type} /*{p.name}*/" for p in launcher.params],
        "checked": [param.declaration for param in checked],
        "checked_names": [param.name for param in checked],
        "c_parameters": [f"{kind} {name}" for kind, name in launcher.c_params],
        "c_arguments": [_from_c(param) for param in launcher.params],
        "prototype": ", ".join(param.cpp_type.replace(" __restrict__", "") for param in launcher.abi),
        "checks": [line for line in checks if not _is_idle(line, checks)],
        "sizes": _sizes(launcher),
        "arguments": _arguments(launcher),
        "cooperative": "true" if is_cooperative(launcher.kernel) else "false",
    }


def _mentions(lines: Sequence[str], name: str) -> bool:
    return any(re.search(rf"(?<![\w.\"]){re.escape(name)}\b", re.sub(r'"(\\.|[^"\\])*"', "", line)) for line in lines)


def _is_idle(line: str, lines: Sequence[str]) -> bool:
    """A dim that nothing else names."""
    found = re.match(r"const exact (\w+)\(", line)
    return found is not None and not _mentions([other for other in lines if other is not line], found[1])


def _from_c(param: HostParam) -> str:
    names = [name for _, name in param.c]
    if param.array is not None and param.array.order == "strided":
        rank = param.array.rank
        return f"{param.type}({names[0]}, {{{', '.join(names[1 : rank + 1])}}}, {{{', '.join(names[rank + 1 :])}}})"
    return f"{param.type}({', '.join(names)})" if param.array is not None else names[0]


class _Checks:
    """The checks of one launch, as lines of C++ in the order in which they are made."""

    def __init__(self, launcher: Launcher) -> None:
        self.kernel = launcher.kernel
        self.launcher = launcher
        self.names: dict[Key, Term] = {}
        self.shown: dict[Key, str] = {}
        """What a message calls a number."""

    def lines(self) -> list[str]:
        kernel = self.kernel
        arrays = [param for param in self.launcher.params if param.array is not None]
        out = [f"plan.array({literals.string(param.python)}, {param.name});" for param in arrays]
        wide = alignments(kernel)
        for param in arrays:
            if param.array in wide:
                out.append(f"plan.aligned({literals.string(param.python)}, {param.name}, {wide[param.array]});")
        self._name_parameters()
        out += self._shapes(arrays)
        out += self._apart(arrays)
        out += [self._block(), *self._grid()]
        out += self._conditions()
        layout = shared_layout(kernel)
        if layout.dynamic or layout.leftover is not None:
            out.append(f"plan.choose_shared({bare(shared_bytes(layout, self.printer()))});")
        else:
            out.append("plan.choose_shared(0);")
        if any(param.kind == "failure" for param in self.launcher.abi):
            out.append("plan.needs_failure_buffer();")
        return out

    def printer(self) -> HostPrinter:
        return HostPrinter(self.names)

    def _define(self, key: Key, code: str, shown: str, kind: str = "exact") -> None:
        self.names[key] = Term(code, kind)
        self.shown[key] = shown

    def _name_parameters(self) -> None:
        for param in self.launcher.params:
            if param.array is not None:
                for axis in range(param.array.rank):
                    text = f"{param.python}.shape[{axis}]"
                    self._define(("extent", param.python, axis), f"exact({param.name}.extents[{axis}])", text)
                continue
            source = next(p for p in self.kernel.params if p.name == param.python)
            dtype = source.dtype
            if dtype.kind == "bool":
                self._define(("scalar", param.python, 0), f"truth({param.name})", param.python, "truth")
            elif dtype.is_float:
                half = "static_cast<float>" if dtype.bits == 16 else ""
                code = f"static_cast<double>({half}({param.name}))" if half else f"static_cast<double>({param.name})"
                self._define(("scalar", param.python, 0), code, param.python, "double")
            else:
                self._define(("scalar", param.python, 0), f"exact({param.name})", param.python)
        for name in ("gridDim", "blockDim"):
            for axis in range(3):
                field = name.removesuffix("Dim")
                self._define((name, "", axis), f"exact(plan.{field}[{axis}])", f"cuda.{name}.{'xyz'[axis]}")

    def _shapes(self, arrays: list[HostParam]) -> list[str]:
        """A dim is the extent where it stands first; every other extent must agree."""
        out: list[str] = []
        later: list[tuple[str, d.Expr]] = []
        for param in arrays:
            assert param.array is not None
            for axis, extent in enumerate(param.array.shape):
                code, text = f"{param.name}.extents[{axis}]", f"{param.python}.shape[{axis}] == {python_text(extent)}"
                if isinstance(extent, d.Extent):
                    continue  # anonymous: any extent will do
                if isinstance(extent, d.DimRef) and ("dim", extent.name, 0) not in self.names:
                    local = dim_names(self.launcher)[extent.name]
                    out.append(f"const exact {local}({code});")
                    self._define(("dim", extent.name, 0), local, extent.name)
                    continue
                check = f"plan.shape({code}, {{}}, {literals.string(text)});"
                if isinstance(extent, d.DimRef | d.Const):
                    out.append(check.format(bare(self.printer().device(extent))))
                else:
                    later.append((check, extent))
        out += [check.format(bare(self.printer().device(extent))) for check, extent in later]
        return out

    def _apart(self, arrays: list[HostParam]) -> list[str]:
        out: list[str] = []
        for n, first in enumerate(arrays):
            for second in arrays[n + 1 :]:
                owners = {param.array.ownership for param in (first, second) if param.array is not None}
                if owners != {"in"}:
                    names = [literals.string(param.python) for param in (first, second)]
                    out.append(f"plan.apart({names[0]}, {first.name}, {names[1]}, {second.name});")
        return out

    def _block(self) -> str:
        fixed = [extent or 0 for extent in self.kernel.block]
        chosen = chosen_block(self.kernel)
        return f"plan.choose_block({{{', '.join(map(str, fixed))}}}, {{{', '.join(map(str, chosen))}}});"

    def _grid(self) -> list[str]:
        kernel = self.kernel
        said = kernel.grid if kernel.grid is not None else kernel.domain
        if said is None:
            return [f"plan.take_grid({kernel.axes});"]
        call = "choose_grid" if kernel.grid is not None else "cover"
        return [f"plan.{call}({', '.join(bare(self.printer().device(extent)) for extent in said)});"]

    def _conditions(self) -> list[str]:
        written = {r.text: r for r in self.kernel.requires}
        out: list[str] = []
        for text in dict.fromkeys((*written, *self.launcher.conditions)):
            if is_data_contract(text):
                out.append(f"plan.contents({literals.string(text)});")
                continue
            printer = self.printer()
            said = written.get(text)
            term = printer.device(said.cond) if said is not None and said.cond is not None else printer.text(text)
            numbers = "".join(
                f", {{{literals.string(self.shown[key])}, {as_named(value)}}}" for key, value in printer.seen.items()
            )
            shown = f", {{{numbers[2:]}}}" if numbers else ""
            out.append(f"plan.require({bare(term)}, {literals.string(text)}{shown});")
        return out


def as_named(term: Term) -> str:
    return f"as_number({term.code})" if term.kind == "truth" else term.code


def dim_names(launcher: Launcher) -> dict[str, str]:
    """What the launcher's body calls the dims."""
    names = Names(_OWN | frozenset(name for param in launcher.params for _, name in param.c))
    return {dim: names.claim(dim) for dim in launcher.kernel.dims}


def is_data_contract(text: str) -> bool:
    tree = ast.parse(text, mode="eval").body
    return isinstance(tree, ast.Call) and isinstance(tree.func, ast.Name) and tree.func.id in PREDICATES


def chosen_block(kernel: d.Kernel) -> tuple[int, ...]:
    free = DEFAULT_BLOCKS[kernel.axes] if all(extent is None for extent in kernel.block) else (1, 1, 1)
    return tuple(given if given is not None else ours for given, ours in zip(kernel.block, free, strict=True))


def is_cooperative(kernel: d.Kernel) -> bool:
    """A barrier of the whole grid needs all blocks at once."""
    return any(isinstance(stmt, d.Barrier) and stmt.scope == "grid" for stmt in statements(kernel.body))


def shared_bytes(layout: SharedLayout, printer: HostPrinter) -> Term:
    """The bytes of the dynamic block, as `SharedLayout.dynamic_bytes` counts them."""
    terms: list[str] = []
    for array in layout.dynamic:
        extents = [f"max({bare(printer.device(extent))}, 0)" for extent in array.shape]
        terms.append(
            " * ".join([str(array.dtype.itemsize), *extents] if extents else [f"exact({array.dtype.itemsize})"])
        )
    total = " + ".join(terms) or "exact(0)"
    if layout.leftover is not None and terms:
        return Term(f"floor_div({total} + 15, 16) * 16", "exact")
    return Term(total, "exact")


# --- the arguments of the kernel --------------------------------------------------------------------------


def _sizes(launcher: Launcher) -> list[str]:
    """Locals for the sizes that the kernel is passed, named as the kernel names them."""
    by_python = {param.python: param for param in launcher.params}
    out: list[str] = []
    for param, name in zip(launcher.abi, _size_names(launcher), strict=True):
        if param.kind == "dim":
            code = _dim_code(launcher, param.name)
        elif param.kind == "extent":
            code = f"{by_python[param.name].name}.extents[{param.axis}]"
        elif param.kind == "stride":
            code = f"{by_python[param.name].name}.stride({param.axis})"
        elif param.kind == "failure":
            code = "plan.options.failure"
        else:
            continue
        kind = "int64_t* const" if param.kind == "failure" else "const long long"
        out.append(f"{kind} {name} = {code};")
    return out


def _size_names(launcher: Launcher) -> list[str]:
    names = Names(_OWN | frozenset(param.name for param in launcher.params))
    return [names.claim(param.cpp_name) if param.kind not in ("pointer", "scalar") else "" for param in launcher.abi]


def _dim_code(launcher: Launcher, dim: str) -> str:
    """A dim is the first extent that is it."""
    for param in launcher.params:
        for axis, extent in enumerate(param.array.shape if param.array is not None else ()):
            if isinstance(extent, d.DimRef) and extent.name == dim:
                return f"{param.name}.extents[{axis}]"
    return "0"


def _arguments(launcher: Launcher) -> list[str]:
    by_python = {param.python: param for param in launcher.params}
    out: list[str] = []
    for param, name in zip(launcher.abi, _size_names(launcher), strict=True):
        if param.kind == "pointer":
            out.append(f"{by_python[param.name].name}.data")
        elif param.kind == "scalar":
            out.append(by_python[param.name].name)
        else:
            out.append(name)
    return [f"transpiler::argument({code})" for code in out]
