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

from ppslab_class.hub import configuration, disks, running
from ppslab_class.hub.configuration import Place
from ppslab_class.hub.description import Limits, Seats
from tests.ppslab_class.class_room import ClassRoom
from tests.ppslab_class.seat_attacks.hall import OWN, free_port, sh

LIMITS: Final = Limits(memory_mib=512, tasks=128, disk_mib=96, cpus=1.0)
THIEF, NEIGHBOUR = "seat-01", "seat-02"
SEATS: Final = Seats(title="A day", names=(THIEF, NEIGHBOUR), limits=LIMITS)
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
    place = Place(
        FOLDER, free_port(), None, None, board=room.address, host="127.0.0.1", hub_port=port,
        own=(OWN,),
    )  # fmt: skip
    told = configuration.configuration(SEATS, place)
    told["JupyterHub"]["proxy_class"] = "tests.ppslab_class.hub.hub_without_proxy.NoProxy"
    told["Spawner"]["cmd"] = [*told["Spawner"]["cmd"][:4], sys.executable, str(PROGRAM), "serve"]
    with running.running(told, FOLDER) as process:
        address, until = f"http://127.0.0.1:{port}", time.monotonic() + 60
        while True:
            try:
                httpx.get(f"{address}/hub/health").raise_for_status()
                break
            except httpx.HTTPError:
                log = (FOLDER / "hub.log").read_text()
                assert process.poll() is None and time.monotonic() < until, log
                time.sleep(0.1)
        yield address, process.pid


def sit_down(hub: str, room: ClassRoom) -> dict[str, Seat]:
    """Both seats, by the codes of their cards."""
    seats = {}
    for name in SEATS.names:
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
