"""What a killed process had begun to write: named by its writer, removed by whoever comes next."""

from __future__ import annotations

import os
import re
import secrets
from contextlib import suppress
from pathlib import Path
from typing import Final

from ppslab.core import processes

_NAME: Final = re.compile(r"^\..+\.(?P<pid>\d+)-[0-9a-f]{8}$")


def name_for(path: Path) -> Path:
    """Where this process writes what is to become `path`."""
    return path.with_name(f".{path.name}.{_own_number()}-{secrets.token_hex(4)}")


def sweep(folder: Path) -> None:
    """Remove what processes that have ended left half written in a folder."""
    with suppress(OSError):
        for file in folder.glob(".*"):
            half = _NAME.match(file.name)
            if half and processes.start_time(int(half["pid"])) is None:
                file.unlink(missing_ok=True)


def _own_number() -> int:
    """The number of this process in /proc, where `sweep` looks for it.

    In a PID namespace of its own, as an agent is, getpid() says 1, which outside always runs.
    """
    try:
        return int(Path("/proc/self").readlink().name)
    except OSError:  # no Linux
        return os.getpid()
