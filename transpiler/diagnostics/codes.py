"""THE table of diagnostic codes.

Families: E01 syntax, E02 names and types, E03 races and ownership, E04 barriers and divergence, E05 bounds and arithmetic,
E06 tiles, E07 target, E08 launch contract, E09 build; W01 to W09 likewise for warnings. Every code has a page in `explain/`,
shown by `transpile explain CODE`, and a test.

Non-goals: the words of one finding, which its pass writes.
"""

from __future__ import annotations

from transpiler.records import record

_FAMILY_KIND = {
    "01": "syntax",
    "02": "type",
    "04": "divergence",
    "06": "tile",
    "07": "target",
    "08": "launch",
    "09": "build",
}


@record
class Code:
    code: str
    title: str
    kind: str


def _table(*rows: tuple[str, str] | tuple[str, str, str]) -> dict[str, Code]:
    """Rows are (code, title) or (code, title, kind); families 03 and 05 name their kind, the others have one."""
    table: dict[str, Code] = {}
    for code, title, *kind in rows:
        assert code not in table, code
        table[code] = Code(code, title, kind[0] if kind else _FAMILY_KIND.get(code[1:3], "other"))
    return table


CODES: dict[str, Code] = _table(
    # E01 syntax
    ("E0101", "not valid syntax"),
    ("E0102", "a bracket without its partner"),
    ("E0103", "indentation that does not fit"),
    ("E0104", "a string that is not whole"),
    ("E0105", "a character that does not belong to Python"),
    ("E0106", "not a number of Python"),
    ("E0107", "a missing colon"),
    ("E0108", "an operator of another language"),
    ("E0109", "not something to assign to"),
    ("E0110", "`try` is not part of the language"),
    ("E0111", "`raise` is not part of the language"),
    ("E0112", "`with` is not part of the language"),
    ("E0113", "`async` is not part of the language"),
    ("E0114", "`yield` is not part of the language"),
    ("E0115", "`lambda` is not part of the language"),
    ("E0116", "a function inside a kernel"),
    ("E0117", "a class inside a kernel"),
    ("E0118", "`import` inside a kernel"),
    ("E0119", "`global` and `nonlocal` are not part of the language"),
    ("E0120", "`del` is not part of the language"),
    ("E0121", "`match` is not part of the language"),
    ("E0122", "a comprehension is not part of the language"),
    ("E0123", "a list, set or dict is not part of the language"),
    ("E0124", "a starred value is not part of the language"),
    ("E0125", "a function with any number of parameters"),
    ("E0126", "complex numbers are not part of the language"),
    ("E0127", "bytes are not part of the language"),
    ("E0128", "a word of Python as a name"),
    ("E0129", "`print` without brackets"),
    ("E0130", "nested too deeply"),
    ("E0131", "a field of an f-string that cannot be printed"),
    ("E0132", "`break` or `continue` outside a loop"),
    ("E0133", "a parameter list that does not hold together"),
    ("E0134", "arguments of a call that do not hold together"),
    ("E0135", "a decorator with no function"),
    ("E0136", "a class of dtypes without its dtypes"),
    ("E0199", "a file that cannot be read"),
    # E02 names and types
    ("E0201", "an unknown name"),
    ("E0202", "a function that is not part of the kernel language"),
    ("E0203", "values of different types in one place"),
    ("E0204", "operands of the wrong type"),
    ("E0205", "wrong arguments of a call"),
    ("E0206", "an argument that the callee does not take"),
    ("E0207", "a value that cannot be stored there"),
    ("E0208", "a number that does not fit its type"),
    ("E0209", "a local read before it is assigned"),
    ("E0210", "a loop variable read behind a loop that may not run"),
    ("E0211", "a wrong number of indices"),
    ("E0212", "something that cannot be indexed so"),
    ("E0214", "an annotation that is not understood"),
    ("E0215", "a decorator or option that is not understood"),
    ("E0216", "a type that is not known"),
    ("E0217", "something that cannot be assigned"),
    ("E0219", "a recursive device function"),
    ("E0220", "a constant that is not known at compile time"),
    ("E0221", "a module-level name that a kernel cannot use"),
    ("E0222", "an array or alias assigned more than once"),
    ("E0223", "something with no truth value"),
    ("E0224", "`~` on a bool"),
    ("E0225", "`is` or `in`"),
    ("E0226", "`min` or `max` of one iterable"),
    ("E0227", "`round` with digits"),
    ("E0228", "an integer to a negative power"),
    ("E0229", "a method of an array"),
    ("E0230", "a string where none can be"),
    ("E0231", "a block or grid that is not understood"),
    ("E0232", "returns that do not agree"),
    ("E0233", "a compile-time parameter without a value"),
    ("E0234", "an unknown attribute"),
    ("E0235", "an index form that is not part of the language"),
    ("E0236", "a contract in the wrong place or form"),
    ("E0237", "a loop over something that is no range"),
    # E03 races and ownership
    ("E0301", "two threads of a block race in global memory", "race-global"),
    ("E0302", "threads of two blocks race in global memory", "race-global"),
    ("E0303", "two threads race in shared memory", "race-shared"),
    ("E0304", "an In parameter is written", "ownership"),
    ("E0305", "an Out parameter is read before it is written", "ownership"),
    ("E0306", "an Atomic parameter is touched by a plain access", "ownership"),
    ("E0307", "uninitialised memory is read", "uninitialised"),
    ("E0308", "an assumption that was refused", "ownership"),
    ("E0309", "cannot show that no race occurs", "race-global"),
    ("E0310", "cannot show that memory was set before it is read", "uninitialised"),
    ("E0311", "a result that depends on the order of the threads"),
    ("E0312", "a kernel that is too much to prove"),
    # E04 barriers and divergence
    ("E0401", "a barrier under divergent control flow", "divergence"),
    ("E0402", "a warp collective under divergent control flow", "divergence"),
    ("E0405", "threads wait for something that no thread does", "divergence"),
    ("E0406", "a simulated kernel that does not end", "divergence"),
    ("E0409", "cannot show that a barrier is uniform", "divergence"),
    # E05 bounds and arithmetic
    ("E0501", "an access out of bounds", "out-of-bounds"),
    ("E0502", "an index integer does not fit its destination", "overflow"),
    ("E0503", "a division by zero", "arithmetic"),
    ("E0504", "a shift outside the width", "arithmetic"),
    ("E0505", "an integer to a negative power", "arithmetic"),
    ("E0506", "a range with step 0", "arithmetic"),
    ("E0507", "an assertion that does not hold", "arithmetic"),
    ("E0508", "an invariant or trusted condition that does not hold", "arithmetic"),
    ("E0509", "cannot show that an access is in bounds", "out-of-bounds"),
    ("E0510", "cannot show that a value fits its destination", "overflow"),
    ("E0511", "cannot show that an operation is defined or an assertion holds", "arithmetic"),
    ("E0512", "a contract that no launch meets", "arithmetic"),
    # E07 target
    ("E0701", "something that the architecture lacks"),
    # E08 launch contract
    ("E0801", "wrong number or names of arguments"),
    ("E0802", "an array of another dtype"),
    ("E0803", "an array of another rank"),
    ("E0804", "a host array"),
    ("E0805", "extents that do not agree"),
    ("E0806", "the contract of the kernel does not hold"),
    ("E0807", "an array that is not contiguous"),
    ("E0808", "a written array that overlaps another one"),
    ("E0809", "a read-only array that the kernel writes"),
    ("E0810", "a written array with a stride of zero"),
    ("E0811", "a misaligned array"),
    ("E0812", "an array on another device"),
    ("E0813", "a scalar that its parameter cannot hold"),
    ("E0814", "a launch configuration that the device cannot run"),
    ("E0815", "a launch without a grid"),
    ("E0816", "array contents that break a data contract"),
    ("E0817", "an argument that is no array"),
    ("E0818", "no CUDA device"),
    ("E0819", "a live value that differs from the file"),
    ("E0820", "no source text"),
    ("E0821", "a kernel that cannot be captured in a graph"),
    ("E0822", "a buffer that was moved"),
    # E09 build
    ("E0901", "a kernel that cannot be built here"),
    # E06 tiles
    ("E0601", "the tile track is not built yet"),
    # W02 names and types
    ("W0201", "`/` of two integers"),
    ("W0202", "an integer meets a float"),
    ("W0203", "f32 meets f64"),
    ("W0204", "a value is narrowed"),
    ("W0205", "a loop that does not end"),
    ("W0206", "`float(x)` is 32 bits wide"),
    ("W0208", "an expression without effect"),
    ("W0209", "an unsigned difference"),
    ("W0210", "`x ** 0.5`"),
    # W03 races
    ("W0301", "a race on an array that is trusted", "race-global"),
    # W05 bounds and arithmetic
    ("W0501", "an extent that grows with the grid", "out-of-bounds"),
    ("W0502", "an index integer that may wrap in memory", "overflow"),
    ("W0503", "an access a row apart", "performance"),
    # W09 build
    ("W0901", "a packaged image that cannot be used"),
)
