"""What a notebook that fails under nbval says of it: which cells, and the records of its runs."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

from tests.system.notebooks.conftest import Nbval

TRIES = 3
RUN = 1
"""The cell that measures: the second of these tests' notebooks."""


def live(nbval: Nbval, stored: Path, project: Path) -> subprocess.CompletedProcess[str]:
    """nbval on a router of a broken project; again where its run came to no end.

    Then every later cell fails too, and would say nothing of what is broken.
    """
    for _ in range(TRIES):
        done = nbval.compare_live(stored, project)
        if RUN not in cells(done):
            break
    return done


def cells(done: subprocess.CompletedProcess[str]) -> set[int]:
    """The numbers of the cells that nbval found different; the first is 0."""
    return {int(number) for number in re.findall(r"(?m)^FAILED .*::Cell (\d+)", done.stdout)}


def record(nbval: Nbval) -> Path:
    """The newest record of a run that came to its end."""
    found = sorted((nbval.folder / "results").rglob("*.json"))
    return [path for path in found if not path.name.endswith(".aborted.json")][-1]
