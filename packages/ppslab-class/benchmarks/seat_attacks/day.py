"""A day in the box: a board, a hub, two seats that it starts, and every attack of the one.

Run as root of the box by `attacks.run`: `day.py OUTPUT [NAME...]` writes what came of each as JSON.
"""

from __future__ import annotations

import json
import os
import re
import resource
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

import httpx

from benchmarks.seat_attacks import attacks as seat_attacks
from benchmarks.seat_attacks.attacks import CPUS, DISK_MIB, MEMORY_MIB, TASKS, Attack
from ppslab.measure import turn
from ppslab_class import disks
from tests.ppslab_class.class_room import ClassRoom, batch, event, served
from tests.ppslab_class.hub_process import free_port, hub_process

# --- the hall's network --------------------------------------------------------------------------

HALL, HALL_PORT, GUEST_PORT, OWN = "198.18.0.2", 7000, 7001, "198.18.0.1"

# The hall's network: answers TCP and UDP, and comes to a port when it is told to.
HALL_PROGRAM: Final = f"""
import socket, sys, threading, time
tcp = socket.create_server(("{HALL}", {HALL_PORT}))
udp = socket.socket(socket.AF_INET, socket.SOCK_DGRAM); udp.bind(("{HALL}", {HALL_PORT}))
def echo():
    while True:
        data, who = udp.recvfrom(10); udp.sendto(data, who)
def accept():
    while True:
        tcp.accept()[0].close()
for each in (echo, accept):
    threading.Thread(target=each, daemon=True).start()
print("ready", flush=True)
for _ in sys.stdin:
    for _ in range(200):  # until it listens, which a busy machine puts off
        try:
            socket.create_connection(("{OWN}", {GUEST_PORT}), timeout=0.5).close()
            break
        except OSError:
            time.sleep(0.3)
"""


def sh(*words: str, **more: Any) -> subprocess.CompletedProcess[str]:
    return subprocess.run(words, check=True, capture_output=True, text=True, **more)


@contextmanager
def the_hall() -> Iterator[subprocess.Popen[str]]:
    sh("ip", "netns", "add", "hall")
    sh("ip", "link", "add", "hall0", "type", "veth", "peer", "name", "hall1", "netns", "hall")
    sh("ip", "address", "add", f"{OWN}/24", "dev", "hall0")
    sh("ip", "link", "set", "hall0", "up")
    for words in (("address", "add", f"{HALL}/24", "dev", "hall1"), ("link", "set", "hall1", "up")):
        sh("ip", "-n", "hall", *words)
    program = subprocess.Popen(
        ["ip", "netns", "exec", "hall", sys.executable, "-c", HALL_PROGRAM],
        stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
    )  # fmt: skip
    assert program.stdout and program.stdout.readline() == "ready\n"
    try:
        yield program
    finally:
        program.kill()
        program.wait()


# --- the hub, and the two seats that it starts ---------------------------------------------------

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


# --- the day --------------------------------------------------------------------------------------

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
            "staff": self.room.staff_address,
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
            token = self.room.client("instructor").cookies.get("ppslab-staff", path="/workshop")
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
    with ExitStack() as stack:
        hall = stack.enter_context(the_hall())
        stack.enter_context(turn.open_class("A day"))
        room = stack.enter_context(served(FOLDER, seats=2))
        hub, pid = stack.enter_context(the_hub(room))
        day = Day(room, hub, pid, hall, sit_down(hub, room))
        (day.seats[NEIGHBOUR].home / "notes.txt").write_text("the neighbour's")
        os.chown(
            day.seats[NEIGHBOUR].home / "notes.txt",
            *(Path(f"/proc/{day.seats[NEIGHBOUR].pid}").stat().st_uid,) * 2,
        )
        day.check()
        results = {}
        for attack in seat_attacks.load():
            if not names or attack.name in names:
                try:
                    results[attack.name] = day.make(attack)
                except Exception as error:  # told of the row, not of the day
                    results[attack.name] = {"fault": f"{type(error).__name__}: {error}"}
        after: dict[str, Any] = {"started again": again(day)}
        after["removed"] = [each.name for each in disks.remove(FOLDER)]
        after["mounted"] = [each.name for each in disks.HOMES.iterdir() if each.is_mount()]
    output.write_text(json.dumps({"results": results, "after": after}))


if __name__ == "__main__":
    main(Path(sys.argv[1]), sys.argv[2:])
