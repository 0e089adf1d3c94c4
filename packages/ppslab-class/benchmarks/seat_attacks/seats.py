"""The hub in the box, and the two seats that it starts."""

from __future__ import annotations

import json
import re
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

import httpx

from benchmarks.seat_attacks.hall import free_port, sh
from ppslab_class import disks
from tests.ppslab_class.class_room import ClassRoom
from tests.ppslab_class.hub_process import hub_process

MEMORY_MIB, TASKS, DISK_MIB, CPUS = 512, 128, 96, 1.0
LIMITS: Final = {
    "PPSLAB_SEAT_MEMORY": str(MEMORY_MIB),
    "PPSLAB_SEAT_TASKS": str(TASKS),
    "PPSLAB_SEAT_DISK": str(DISK_MIB),
    "PPSLAB_SEAT_CPUS": str(CPUS),
}
THIEF, NEIGHBOUR = "seat-01", "seat-02"
FOLDER: Final = Path("/srv/day")
PROGRAM: Final = Path(__file__).with_name("seat.py")
START_SECONDS: Final = 120


@dataclass
class Seat:
    """A seat that the hub has started."""

    name: str
    token: str
    pid: int = 0
    environment: dict[str, str] = field(default_factory=dict)

    @property
    def url(self) -> str:
        return self.environment["JUPYTERHUB_SERVICE_URL"].replace("//:", "//127.0.0.1:")

    @property
    def home(self) -> Path:
        return disks.HOMES / self.name

    @property
    def board_token(self) -> str:
        return str(json.loads(next(self.home.rglob("workshop.json")).read_text())["token"])


def show(unit: str, name: str) -> str:
    return sh("systemctl", "show", "--value", "--property", name, unit).stdout.strip()


@contextmanager
def the_hub(room: ClassRoom) -> Iterator[tuple[str, int]]:
    port = free_port()
    own = f"c.Spawner.cmd = [*c.Spawner.cmd[:4], {sys.executable!r}, {str(PROGRAM)!r}, 'serve']"
    with hub_process(FOLDER, port, own, LIMITS | {"PPSLAB_CLASS_BOARD": room.address}) as process:
        yield f"http://127.0.0.1:{port}", process.pid


def sit_down(hub: str, room: ClassRoom) -> dict[str, Seat]:
    """Both seats, by the codes of their cards."""
    seats = {}
    for name in (THIEF, NEIGHBOUR):
        with httpx.Client(base_url=hub, timeout=30) as browser:
            page = browser.get("/hub/login").text
            asked = re.search(r'name="_xsrf" value="([^"]+)"', page)
            assert asked
            browser.post("/hub/login", data={"code": room.codes[name], "_xsrf": asked[1]})
            words = {"X-XSRFToken": browser.cookies["_xsrf"]}
            made = browser.post(f"/hub/api/users/{name}/tokens", json={}, headers=words)
            seats[name] = Seat(name, made.raise_for_status().json()["token"])
            begun = browser.post(f"/hub/api/users/{name}/server", headers=words)
            assert begun.status_code in (201, 202), begun.text
    until = time.monotonic() + START_SECONDS
    for seat in seats.values():
        shown = {"Authorization": f"token {seat.token}"}
        while not httpx.get(f"{hub}/hub/api/user", headers=shown).json()["server"]:
            if time.monotonic() > until:
                status = ["systemctl", "status", "--no-pager", "--full", f"ppslab-{seat.name}"]
                said = subprocess.run(status, capture_output=True, text=True, check=False).stdout
                raise AssertionError(f"{said}{(FOLDER / 'hub.log').read_text()[-3000:]}")
            time.sleep(0.5)
        seat.pid = int(show(f"ppslab-{seat.name}", "MainPID"))
        text = Path(f"/proc/{seat.pid}/environ").read_text()
        seat.environment = dict(each.split("=", 1) for each in text.split("\0") if each)
    return seats


def own_groups(pid: int) -> dict[str, str]:
    """The files of the kernel that limit a process's group, and what would lift them."""
    found = {}
    for line in Path(f"/proc/{pid}/cgroup").read_text().splitlines():
        _, kinds, path = line.split(":", 2)
        base = Path("/sys/fs/cgroup")
        version_2 = "unified" if (base / "unified").exists() else "."
        at = base / (kinds.removeprefix("name=") or version_2)
        for name, value in (
            ("memory.limit_in_bytes", "-1"), ("memory.max", "max"), ("pids.max", "max"),
            ("cpu.cfs_quota_us", "-1"), ("cpu.max", "max"),
        ):  # fmt: skip
            if (file := at / path.lstrip("/") / name).exists():
                found[str(file)] = value
    return found
