"""A day in the box: a board, a hub, two seats that it starts, and every attack of the one.

Run as root of the box by `made.py`: `day.py OUTPUT [NAME...]` writes what came of each as JSON.
"""

from __future__ import annotations

import json
import os
import resource
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import httpx

from benchmarks.seat_attacks import attacks as seat_attacks
from benchmarks.seat_attacks.attacks import Attack
from benchmarks.seat_attacks.hall import (
    GUEST_PORT,
    HALL,
    HALL_PORT,
    free_port,
    sh,
    the_hall,
)
from benchmarks.seat_attacks.seats import (
    CPUS,
    DISK_MIB,
    FOLDER,
    MEMORY_MIB,
    NEIGHBOUR,
    PROGRAM,
    START_SECONDS,
    TASKS,
    THIEF,
    Seat,
    own_groups,
    show,
    sit_down,
    the_hub,
)
from ppslab.measure import turn
from ppslab_class import disks
from tests.ppslab_class.class_room import ClassRoom, batch, event, served

BOX: Final = Path("/run/box")
CONNECTIONS: Final = 1200

FILES: Final = 1024
"""That a shell's programs may have open on Debian, before they ask for more."""

PLAIN_USER: Final = 65000
SETUID: Final = "/usr/local/bin/who-as-root"

# In front of systemd's own: what the hub tells it is what the controls change.
RECORDER: Final = """#!/usr/bin/python3
import json, os, sys
unit = sys.argv[sys.argv.index("--unit") + 1]
with open(f"/run/box/{unit}.json", "w") as file:
    json.dump(sys.argv, file)
os.execv("/usr/bin/systemd-run", sys.argv)
"""


@dataclass
class Day:
    """All of it."""

    room: ClassRoom
    hub: str
    hub_pid: int
    hall: subprocess.Popen[str]
    seats: dict[str, Seat]

    def check(self) -> float:
        """What the neighbour does: keep a file, read it, ask hub and board; seconds."""
        mine, begun = self.seats[NEIGHBOUR], time.monotonic()
        shown = {"Authorization": f"token {mine.token}"}
        text = f"kept at {begun}"
        with httpx.Client(headers=shown, timeout=60) as client:
            body = {"type": "file", "format": "text", "content": text}
            url = f"{mine.url}api/contents/check.txt"
            client.put(url, json=body).raise_for_status()
            assert client.get(url).raise_for_status().json()["content"] == text
            client.get(f"{self.hub}/hub/api/users/{NEIGHBOUR}").raise_for_status()
            told = {"Authorization": f"Bearer {mine.board_token}"}
            seat = f"{self.room.address}/workshop/api/seat?after=0"
            httpx.get(seat, headers=told, timeout=60).raise_for_status()
        return time.monotonic() - begun

    def facts(self, attack: Attack) -> dict[str, Any]:
        thief, mine = self.seats[THIEF], self.seats[NEIGHBOUR]
        now = batch(event("forged", "help", "x", "asked")) | {"seat": NEIGHBOUR}
        servers = [int(each.rsplit(":", 1)[1].split("/")[0]) for each in self.urls()]
        groups = own_groups(thief.pid)
        return {
            "neighbour": NEIGHBOUR, "home": str(mine.home), "pid": mine.pid, "own": False,
            "hub_pid": self.hub_pid, "board_pid": os.getpid(), "first_pid": 1,
            "folder": str(FOLDER),
            "kept": [each.name for each in FOLDER.iterdir() if each.is_file()],
            "images": [str(each) for each in disks.images(FOLDER)],
            "secrets": {
                "the code of a card": self.room.codes[NEIGHBOUR],
                "the instructor's code": self.room.codes["instructor"],
                "the neighbour's token": mine.environment["JUPYTERHUB_API_TOKEN"],
                "the neighbour's token of the board": mine.board_token,
                "the board's secret": self.room.hall.board.secret.hex(),
            },
            "ports": servers, "servers": servers[:2], "lab": mine.url,
            "token": thief.token, "hub": self.hub, "board": self.room.address,
            "board_token": thief.board_token, "forged": now,
            "disk": mine.home.stat().st_dev,
            "setuid": SETUID, "limits": groups,
            "memory_mib": MEMORY_MIB, "tasks": TASKS, "cpus": CPUS,
            "disk_mib": DISK_MIB, "connections": CONNECTIONS,
            "sizes": {"/dev/shm": MEMORY_MIB // 4, str(turn.SYSTEM / "queue"): 8},
            "hall": HALL, "hall_port": HALL_PORT, "guest_port": GUEST_PORT,
        }  # fmt: skip

    def urls(self) -> list[str]:
        return [self.hub, self.room.address, self.seats[NEIGHBOUR].url]

    def make(self, attack: Attack) -> dict[str, Any]:
        """The attack from the seat, its control, and how long the neighbour waited."""
        facts, waits = self.facts(attack), []
        answered = threading.Thread(target=lambda: waits.extend(self._checks(attack, done)))
        done = threading.Event()
        if attack.during:
            answered.start()
        url = f"{self.seats[THIEF].url}{attack.name}"
        self._come(attack)
        told = httpx.post(url, json=facts, timeout=90).raise_for_status().json()
        done.set()
        if attack.during:
            answered.join()
        waits.append(self.check())
        said = lines(told["said"], told["state"], told["fault"])
        return {
            "said": said,
            "control": self.control(attack, facts),
            "neighbour_seconds": round(max(waits), 3),
        }

    def _come(self, attack: Attack) -> None:
        """The hall comes to the seat, when that listens."""
        if attack.name == "reached":
            assert self.hall.stdin
            print(file=self.hall.stdin, flush=True)

    def _checks(self, attack: Attack, done: threading.Event) -> Iterator[float]:
        time.sleep(0.3)
        yield self.check()
        while not done.wait(0.3):
            yield self.check()

    def control(self, attack: Attack, facts: dict[str, Any]) -> list[list[str]]:
        """The same without the limit."""
        if attack.control == "none":
            return []
        thief, mine = self.seats[THIEF], self.seats[NEIGHBOUR]
        if attack.control == "token":
            token = self.room.client("instructor").cookies.get("ppslab-seat", path="/workshop")
            facts |= {"token": mine.token, "own": True, "board_token": token}
            told = httpx.post(f"{thief.url}{attack.name}", json=facts, timeout=90).json()
            return lines(told["said"], told["state"], told["fault"])
        if attack.control == "free":
            facts["ports"] = [free_port() for _ in facts["ports"]]
        if attack.control == "unit":
            return self._in_a_unit(attack, facts)
        words = [sys.executable, str(PROGRAM), attack.name]
        if attack.control == "user":
            user = str(PLAIN_USER)
            words = ["setpriv", "--reuid", user, "--regid", user, "--clear-groups", *words]
        done = subprocess.run(
            words, input=json.dumps(facts), capture_output=True, text=True, check=False, cwd="/tmp",
            env=os.environ | {"HOME": "/tmp"},
        )  # fmt: skip
        return lines(done.stdout, done.returncode, done.stderr)

    def _in_a_unit(self, attack: Attack, facts: dict[str, Any]) -> list[list[str]]:
        """In a unit as the hub has told systemd, but for what is lifted."""
        recorded = json.loads((BOX / f"ppslab-{THIEF}.json").read_text())
        first = next(n for n, each in enumerate(recorded) if each.endswith("/ppslab"))
        words = []
        for told in recorded[1:first]:
            each = told.replace(THIEF, "control").replace("/var/lib/control", "/")
            name, _, _ = each.removeprefix("--property=").partition("=")
            if name in attack.lifted or name == "EnvironmentFile":
                continue
            words.append(each)
        words += [f"--property={n}={v}" for n, v in attack.lifted.items() if v]
        asked, answer = BOX / "asked.json", BOX / "answer"
        asked.write_text(json.dumps(facts))
        answer.touch()
        words += [f"--property=StandardInput=file:{asked}"]
        words += [f"--property=StandardOutput=truncate:{answer}"]
        words += [f"--property=StandardError=truncate:{answer}.fault"]
        if "StateDirectory" not in attack.lifted:
            disks.mount(FOLDER, "control", DISK_MIB)
        try:
            self._come(attack)
            sh("systemd-run", *words, sys.executable, str(PROGRAM), attack.name)
            state = "active"
            while state in ("active", "activating", "deactivating"):
                time.sleep(0.1)
                state = show("ppslab-control", "ActiveState")
        finally:
            subprocess.run(["systemctl", "reset-failed", "ppslab-control"], check=False,
                           capture_output=True)  # fmt: skip
        return lines(answer.read_text(), 0, Path(f"{answer}.fault").read_text())


def lines(text: str, state: int, fault: str) -> list[list[str]]:
    """What a program of attacks said; one that was killed says that by its end."""
    said = [json.loads(line) for line in text.splitlines()]
    if state < 0:
        said.append(["all of it", f"killed by signal {-state}"])
    elif state:
        raise AssertionError(f"{text}{fault}")
    if fault:
        print(fault)
    return said


def again(day: Day) -> bool:
    """A seat that is ended by its page starts again, with what was in its home."""
    thief = day.seats[THIEF]
    shown = {"Authorization": f"token {thief.token}"}
    (thief.home / "kept.txt").write_text("kept")
    url = f"{day.hub}/hub/api/users/{THIEF}/server"
    httpx.delete(url, headers=shown, timeout=60).raise_for_status()
    until = time.monotonic() + START_SECONDS
    while show(f"ppslab-{THIEF}", "ActiveState") in ("active", "deactivating"):
        assert time.monotonic() < until
        time.sleep(0.1)
    assert httpx.post(url, headers=shown, timeout=60).status_code in (201, 202)
    while not httpx.get(f"{day.hub}/hub/api/user", headers=shown).json()["server"]:
        assert time.monotonic() < until, (FOLDER / "hub.log").read_text()[-3000:]
        time.sleep(0.5)
    return (thief.home / "kept.txt").read_text() == "kept"


def main(output: Path, names: list[str]) -> None:
    BOX.mkdir()
    (BOX / "bin").mkdir()
    (BOX / "bin/systemd-run").write_text(RECORDER)
    (BOX / "bin/systemd-run").chmod(0o755)
    os.environ["PATH"] = f"{BOX}/bin:{os.environ['PATH']}"
    root = Path(__file__).parents[4]
    os.environ["PYTHONPATH"] = f"{root}:{root}/packages/ppslab-class"
    sh("install", "-m", "4755", "/usr/bin/id", SETUID)
    FOLDER.mkdir(mode=0o700)
    disks.keep_small(turn.SYSTEM / "queue")
    hard = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
    resource.setrlimit(resource.RLIMIT_NOFILE, (FILES, hard))
    clock = [time.monotonic()]
    with ExitStack() as stack:
        hall = stack.enter_context(the_hall())
        stack.enter_context(turn.open_class("A day"))
        room = stack.enter_context(served(FOLDER, seats=2))
        hub, pid = stack.enter_context(the_hub(room))
        clock.append(time.monotonic())
        day = Day(room, hub, pid, hall, sit_down(hub, room))
        (day.seats[NEIGHBOUR].home / "notes.txt").write_text("the neighbour's")
        os.chown(
            day.seats[NEIGHBOUR].home / "notes.txt",
            *(Path(f"/proc/{day.seats[NEIGHBOUR].pid}").stat().st_uid,) * 2,
        )
        day.check()
        clock.append(time.monotonic())
        found = {}
        for attack in seat_attacks.load():
            if not names or attack.name in names:
                begun = time.monotonic()
                try:
                    found[attack.name] = day.make(attack)
                except Exception as error:  # told of the row, not of the day
                    found[attack.name] = {"fault": f"{type(error).__name__}: {error}"}
                found[attack.name]["seconds"] = round(time.monotonic() - begun, 2)
        after: dict[str, Any] = {"started again": again(day)}
        after["removed"] = [each.name for each in disks.remove(FOLDER)]
        after["mounted"] = [each.name for each in disks.HOMES.iterdir() if each.is_mount()]
    times = {"hub": clock[1] - clock[0], "seats": clock[2] - clock[1]}
    output.write_text(json.dumps({"results": found, "times": times, "after": after}))


if __name__ == "__main__":
    main(Path(sys.argv[1]), sys.argv[2:])
