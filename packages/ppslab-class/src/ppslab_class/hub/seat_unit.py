"""A seat as a unit of systemd, with a disk of its own.  The hub loads this module by its name."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any, Final

from systemdspawner import SystemdSpawner
from traitlets import Integer, Unicode

from ppslab_class.hub import disks

RUNTIME: Final = Path("/run")


class SeatUnit(SystemdSpawner):  # type: ignore[misc]  # systemdspawner has no types
    """Systemdspawner's unit, whose home is a disk of a fixed size."""

    folder = Unicode(help="What the day keeps: the disks are in it.").tag(config=True)
    disk_mib = Integer(help="The size of a seat's disk, MiB.").tag(config=True)

    async def start(self) -> Any:
        """Mount the disk, clear what a failed start left, and start the unit."""
        clear(self.unit_name)
        seat = str(self.user.name)
        await asyncio.to_thread(disks.mount, Path(self.folder), seat, self.disk_mib)
        return await super().start()


def clear(unit: str, runtime: Path = RUNTIME) -> None:
    """Remove the link to a runtime folder that is gone.

    systemd 252 leaves it where a unit of a user that it made has failed, and systemdspawner 1.0.2
    then starts no other of that name: its os.makedirs() finds a link that leads nowhere.
    """
    link = runtime / unit
    if link.is_symlink() and not link.exists():
        link.unlink()
