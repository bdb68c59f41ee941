"""`transpile new NAME`: a small project that works: a kernel file with a `main()`, a test, a README."""

from __future__ import annotations

import keyword
import re
from pathlib import Path

import click

from transpiler.cli.console import echo
from transpiler.cli.files import Unreadable, output_folder, write

KERNELS = '''\
"""A first kernel: y = a * x + y."""

import numpy as np
from transpiler import Dim, In, InOut, cuda, f32, kernel
from transpiler.testing import check, launch


class N(Dim): ...


@kernel(domain=N, block=256)
def saxpy(a: f32, x: In[f32, N], y: InOut[f32, N]):
    """Each thread owns one element of y."""
    i = cuda.grid(1)
    if i < N:  # the last block may be ragged
        y[i] = a * x[i] + y[i]


def main() -> None:
    x = np.arange(1000, dtype=np.float32)
    y = np.ones(1000, dtype=np.float32)
    expected = 2 * x + y
    launch(saxpy, 2.0, x, y)  # on a GPU if there is one, else simulated
    check(y, expected)
    print("1000 elements as NumPy computes them")


if __name__ == "__main__":
    main()
'''

TEST = '''\
"""The kernels against NumPy, in the simulator: it needs no GPU and finds races."""

import numpy as np
from kernels import saxpy


def test_saxpy():
    x = np.arange(1000, dtype=np.float32)
    y = np.ones(1000, dtype=np.float32)
    saxpy.simulate(2.0, x, y)
    np.testing.assert_array_equal(y, 2 * np.arange(1000) + 1)
'''

README = """\
# {name}

    transpile check kernels.py             # prove: no race, in bounds, no divergence
    transpile emit kernels.py -o build     # readable CUDA C++, a header, a manifest
    transpile run kernels.py               # main(), on a GPU if there is one
    python -m pytest                       # the kernels against NumPy
"""

FILES = {"kernels.py": KERNELS, "test_kernels.py": TEST, "README.md": README, ".gitignore": "build/\n__pycache__/\n"}


@click.command("new")
@click.argument("name", type=click.Path())
def command(name: str) -> int:
    """Create the folder NAME with a kernel, a test and a README.

    A folder that holds anything already is left as it is.
    """
    folder = Path(name)
    stem = folder.resolve().name
    if not re.fullmatch(r"[A-Za-z_][\w.-]*", stem) or keyword.iskeyword(stem):
        raise click.UsageError(f"{stem!r} is no name for a project: letters, digits, `_`, `-`, `.`")
    if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
        raise Unreadable(f"{name} exists already and is not an empty folder")
    output_folder(name)
    write({folder / file: text.format(name=stem) if file == "README.md" else text for file, text in FILES.items()})
    echo(f"created {name}; next:\n  cd {name}\n  transpile check kernels.py\n  transpile run kernels.py")
    return 0
