"""`python -m transpiler.cli.program FILE`: what `transpile run` starts; the only place that executes a kernel file.

In: a file. Out: the exit status of its `main()`. It is a process of its own, so that the file's exceptions, output and exit
status are Python's, and no bug of the file looks like one of ours.
Non-goals: one kernel on made-up data (`cli.run`).
"""

from __future__ import annotations

import importlib.util
import sys
from pathlib import Path
from types import ModuleType

NO_MAIN = 3
"""Exit status for a file without a `main()`."""


def load(path: str) -> ModuleType:
    """Import a file under its own name, as `python FILE` would find its neighbours."""
    sys.path.insert(0, str(Path(path).resolve().parent))
    sys.argv = [path]
    spec = importlib.util.spec_from_file_location(Path(path).stem, path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module


def main() -> int:
    module = load(sys.argv[1])
    entry = getattr(module, "main", None)
    if not callable(entry):
        return NO_MAIN
    status = entry()
    return status if isinstance(status, int) else 0


if __name__ == "__main__":
    sys.exit(main())
