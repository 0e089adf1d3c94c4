"""What the units of seats take of the machine's memory, and how busy its CPUs are."""

from __future__ import annotations

import os
import re
from collections import defaultdict
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

PROC: Final = Path("/proc")
_UNIT: Final = re.compile(r"/ppslab-([a-z][a-z0-9-]*)\.service")
_PSS: Final = re.compile(r"^Pss:\s+(\d+) kB", re.MULTILINE)


@dataclass
class Usage:
    """The most that each seat was seen to take; bytes (PSS)."""

    most_pss: dict[str, int] = field(default_factory=dict)
    most_together: int = 0
    """Of all seats at one moment."""

    def look(self, proc: Path = PROC) -> None:
        """Look once."""
        now = pss(proc)
        for seat, size in now.items():
            self.most_pss[seat] = max(size, self.most_pss.get(seat, 0))
        self.most_together = max(self.most_together, sum(now.values()))


def pss(proc: Path = PROC) -> dict[str, int]:
    """The proportional set size of all programs in each seat's unit, bytes.

    Pages that several programs use count in shares (Documentation/filesystems/proc.rst).
    """
    found: dict[str, int] = defaultdict(int)
    for process in proc.glob("[0-9]*"):
        with suppress(OSError):  # it ended meanwhile
            unit = _UNIT.search((process / "cgroup").read_text())
            size = unit and _PSS.search((process / "smaps_rollup").read_text())
            if unit and size:
                found[unit[1]] += int(size[1]) * 1024
    return dict(found)


def busy_seconds(proc: Path = PROC) -> float:
    """The time that this machine's CPUs were not idle, since its start, summed (proc(5), stat)."""
    user, nice, system, _, _, *more = map(int, (proc / "stat").read_text().split()[1:9])
    return (user + nice + system + sum(more)) / os.sysconf("SC_CLK_TCK")
