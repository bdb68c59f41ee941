"""Programs that tests call.

In: a name. Out: a path, or None: of this environment first, which holds what the extra `test` installs, then of the search path.
"""

from __future__ import annotations

import shutil
import sysconfig


def tool(name: str) -> str | None:
    return shutil.which(name, path=sysconfig.get_path("scripts")) or shutil.which(name)
