"""Do the arrays of a launch suit the parameters of the kernel?

In: a kernel instance and its array arguments. Out: the values of its dims, or a `LaunchError` that names the parameter, what
was wanted, what was given and the fix: dtype, rank, fixed extents, equal dims, layout, read-only and zero-stride outputs.
Non-goals: what depends on addresses (device, alignment, overlap: `runtime.plan`); conditions (`runtime.contracts`).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

from transpiler.ir import device as d
from transpiler.runtime.arguments import ArrayArg, f_strides, same_layout
from transpiler.runtime.dtypes import LONG_NAMES
from transpiler.runtime.refusal import refusal

ArrayArgs = Mapping[str, ArrayArg]
Evaluate = Callable[[d.Expr, Mapping[str, int]], int]


def check_arrays(kernel: d.Kernel, arrays: ArrayArgs) -> None:
    """Everything about each array alone."""
    for param in kernel.params:
        if isinstance(param, d.ArrayParam):
            array = arrays[param.name]
            _check_dtype(kernel, param, array)
            _check_rank(kernel, param, array)
            _check_layout(kernel, param, array)
            if param.ownership != "in":
                _check_writable(kernel, param, array)


def _check_dtype(kernel: d.Kernel, param: d.ArrayParam, array: ArrayArg) -> None:
    wanted, given = param.dtype.name, array.dtype
    if wanted != given:
        raise refusal(
            kernel,
            "E0802",
            f"`{param.name}` is an array of {wanted}, the argument holds {given}",
            span=param.span,
            help=f"convert it: `{param.name}.astype({LONG_NAMES[wanted]!r})`, or declare the parameter as {given}",
        )


def _check_rank(kernel: d.Kernel, param: d.ArrayParam, array: ArrayArg) -> None:
    if len(array.shape) != param.rank:
        fix = (
            f"reshape it: `{param.name}.ravel()`" if param.rank == 1 else "pass an array with as many axes as declared"
        )
        raise refusal(
            kernel,
            "E0803",
            f"`{param.name}` has {_axes(param.rank)}, the argument has {_axes(len(array.shape))}: shape {array.shape}",
            span=param.span,
            help=fix,
        )


def _axes(rank: int) -> str:
    return "1 axis" if rank == 1 else f"{rank} axes"


def _check_layout(kernel: d.Kernel, param: d.ArrayParam, array: ArrayArg) -> None:
    strides = array.byte_strides
    if param.order == "strided":
        if any(step % array.itemsize for step in strides):
            raise refusal(
                kernel,
                "E0811",
                f"`{param.name}` has strides {strides} that are no multiples of its item size {array.itemsize}",
                span=param.span,
                help=f"copy it: `cupy.ascontiguousarray({param.name})`",
            )
        return
    if param.order == "F":
        if not same_layout(array.shape, strides, f_strides(array.shape, array.itemsize)):
            raise _layout_refusal(kernel, param, array, "Fortran-contiguous", "asfortranarray")
    elif array.strides is not None and not _is_c(array):
        raise _layout_refusal(kernel, param, array, "C-contiguous", "ascontiguousarray")


def _is_c(array: ArrayArg) -> bool:
    from transpiler.runtime.arguments import c_strides

    return same_layout(array.shape, array.byte_strides, c_strides(array.shape, array.itemsize))


def _layout_refusal(kernel: d.Kernel, param: d.ArrayParam, array: ArrayArg, wanted: str, copy: str) -> Exception:
    back = "" if param.ownership == "in" else " and copy the result back"
    return refusal(
        kernel,
        "E0807",
        f"`{param.name}` is not {wanted}: shape {array.shape}, strides {array.byte_strides}",
        span=param.span,
        help=f"copy it: `cupy.{copy}({param.name})`{back}; or end the annotation with `Strided`",
    )


def _check_writable(kernel: d.Kernel, param: d.ArrayParam, array: ArrayArg) -> None:
    if array.readonly:
        raise refusal(
            kernel,
            "E0809",
            f"the kernel writes `{param.name}`, the argument is read-only",
            span=param.span,
            help="pass a writable copy",
        )
    if any(step == 0 and extent > 1 for step, extent in zip(array.byte_strides, array.shape, strict=True)):
        raise refusal(
            kernel,
            "E0810",
            f"the kernel writes `{param.name}`, whose stride is 0: several of its elements are one place in memory",
            span=param.span,
            help=f"a broadcast array cannot be written: pass `{param.name}.copy()`",
        )


def unify_dims(kernel: d.Kernel, arrays: ArrayArgs, evaluate: Evaluate) -> dict[str, int]:
    """Values of the kernel's dims; the same dim twice means equal extents."""
    values: dict[str, int] = {}
    origin: dict[str, str] = {}
    later: list[tuple[d.ArrayParam, int, d.Expr]] = []
    for param in kernel.params:
        if not isinstance(param, d.ArrayParam):
            continue
        for axis, extent in enumerate(param.shape):
            given = arrays[param.name].shape[axis]
            where = _place(param, axis)
            if isinstance(extent, d.DimRef):
                if values.setdefault(extent.name, given) != given:
                    raise refusal(
                        kernel,
                        "E0805",
                        f"`{extent.name}` is {values[extent.name]} in {origin[extent.name]}, but {given} in {where}",
                        span=param.span,
                        help=f"the two arguments must have the same extent `{extent.name}`",
                    )
                origin.setdefault(extent.name, where)
            elif not isinstance(extent, d.Extent):
                later.append((param, axis, extent))
    for param, axis, extent in later:
        _check_extent(kernel, param, axis, evaluate(extent, values), arrays[param.name].shape[axis])
    return values


def _check_extent(kernel: d.Kernel, param: d.ArrayParam, axis: int, wanted: int, given: int) -> None:
    if wanted != given:
        raise refusal(
            kernel,
            "E0805",
            f"{_place(param, axis)} is declared as {wanted}, the argument has {given}",
            span=param.span,
        )


def _place(param: d.ArrayParam, axis: int) -> str:
    return f"`len({param.name})`" if param.rank == 1 else f"`{param.name}.shape[{axis}]`"
