"""Make the attacks in a box, all or those that are named, and keep what came of them.

python -m tests.ppslab_class.seat_attacks.made [--keep] [NAME...]
"""

from __future__ import annotations

import json
import os
import platform
import subprocess
import sys
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from ppslab.base import documents
from ppslab_class import seat_attacks
from tests.ppslab_class.seat_attacks import box, seats

OUTPUT = "/run/came.json"
SECONDS = 300


def made(names: list[str]) -> dict[str, Any]:
    """What came of each, of a fresh box; box.NoBoxError where there is none."""
    with box.started() as found:
        root = str(Path(__file__).parents[3])
        said = found.run(
            *("env", f"PYTHONPATH={root}", "HOME=/root", f"PATH={os.environ['PATH']}"),
            *(sys.executable, "-m", "tests.ppslab_class.seat_attacks.day", OUTPUT, *names),
            seconds=SECONDS,
        )
        print(said)
        told: dict[str, Any] = json.loads(found.run("cat", OUTPUT))
        return told


def keep(told: dict[str, Any]) -> None:
    """Write it where the page reads it."""
    found = {
        name: {key: value for key, value in each.items() if key != "seconds"}
        for name, each in told["results"].items()
    }
    said = subprocess.run(["systemctl", "--version"], capture_output=True, text=True, check=True)
    documents.write_json(
        seat_attacks.NEWEST,
        {
            "at": datetime.now(UTC).isoformat(timespec="seconds"),
            "kernel": platform.release(),
            "systemd": int(said.stdout.split()[1]),
            "cgroups": 2 if (box.CGROUPS / "cgroup.procs").exists() else 1,
            "cpus": len(os.sched_getaffinity(0)),
            "memory_mib": seats.LIMITS.memory_mib,
            "tasks": seats.LIMITS.tasks,
            "disk_mib": seats.LIMITS.disk_mib,
            "results": found,
        },
    )


if __name__ == "__main__":
    words = [each for each in sys.argv[1:] if each != "--keep"]
    answer = made(words)
    print(json.dumps(answer, indent=1))
    if "--keep" in sys.argv:
        keep(answer)
