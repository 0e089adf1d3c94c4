"""Make the attacks in a box, all or those that are named, and keep what came of them.

PYTHONPATH=.:packages/ppslab-class python -m benchmarks.seat_attacks.made [--keep] [NAME...]
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

from benchmarks.seat_attacks import attacks as seat_attacks
from benchmarks.seat_attacks import box, seats
from ppslab.core import documents

OUTPUT = "/run/came.json"
SECONDS = 300


def made(names: list[str]) -> dict[str, Any]:
    """What came of each, of a fresh box; box.NoBoxError where there is none."""
    with box.started() as found:
        root = Path(__file__).parents[4]
        path = f"PYTHONPATH={root}:{root}/packages/ppslab-class"
        said = found.run(
            *("env", path, "HOME=/root", f"PATH={os.environ['PATH']}"),
            *(sys.executable, "-m", "benchmarks.seat_attacks.day", OUTPUT, *names),
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
            "memory_mib": seats.MEMORY_MIB,
            "tasks": seats.TASKS,
            "disk_mib": seats.DISK_MIB,
            "results": found,
        },
    )
    seat_attacks.PAGE.write_text(
        seat_attacks.markdown(seat_attacks.load(), seat_attacks.newest()), encoding="utf-8"
    )


if __name__ == "__main__":
    words = [each for each in sys.argv[1:] if each != "--keep"]
    answer = made(words)
    print(json.dumps(answer, indent=1))
    if "--keep" in sys.argv:
        keep(answer)
