"""The seat's image under Docker, with the command, user and login of the values, by a real hub.

$PPSLAB_HUB_PYTHON: a Python whose JupyterHub is another release, such as the chart's.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import httpx
import pytest
import websocket

from ppslab.backends.images import IMAGES
from ppslab_class.board import Board
from ppslab_class.hub import values
from ppslab_class.hub.configuration import roles
from ppslab_class.hub.description import Limits, Seats
from tests.support.waiting import PATIENCE

pytestmark = [pytest.mark.guest, pytest.mark.alone]
SEAT = "seat-01"
SEATS = Seats(title="A day", names=(SEAT,), limits=Limits(memory_mib=2048))
LABEL = "ppslab.test=seat"
START_SECONDS = 180


def docker(*argv: str) -> str:
    done = subprocess.run(["docker", *argv], capture_output=True, text=True, check=True)
    return done.stdout.strip()


@dataclass
class Seat:
    """One that a hub has started: where it answers, and the token of who sits there."""

    container: str
    address: str
    token: str

    @property
    def shown(self) -> dict[str, str]:
        return {"Authorization": f"token {self.token}"}

    def typed(self, line: str, seconds: float) -> str:
        """What a terminal of JupyterLab shows until the line is done, however it ended."""
        made = httpx.post(f"{self.address}api/terminals", headers=self.shown, timeout=30)
        made.raise_for_status()
        name = made.json()["name"]
        where = f"{self.address}terminals/websocket/{name}".replace("http", "ws", 1)
        shown = websocket.create_connection(where, header=self.shown, timeout=seconds)
        text, until = "", time.monotonic() + seconds
        shown.send(json.dumps(["stdin", f"{line}; echo ended=$?=\r"]))
        while not re.search(r"ended=\d+=", text):
            assert time.monotonic() < until, text
            kind, *more = json.loads(shown.recv())
            text += more[0] if kind == "stdout" else ""
        shown.close()
        return re.sub(r"\x1b\[\?2004[hl]\r?", "", text)  # what bash says of pasting


def hubs_configuration(told: dict[str, Any], folder: Path, bridge: str, port: int) -> str:
    """What the chart makes of the values, and a spawner that starts by Docker."""
    hub, seat = told["hub"], told["singleuser"]
    modules = folder / "modules"
    modules.mkdir()
    for each in hub["extraFiles"].values():
        (modules / Path(each["mountPath"]).name).write_text(each["stringData"])
    login = hub["extraConfig"]["10-card-codes"].replace(values.MODULES, str(modules))
    words = hub["config"]["CardCodes"] | {"codes": str(folder / values.CODES)}
    spawner = {
        "image": f"{seat['image']['name']}:{seat['image']['tag']}",
        "user_and_group": f"{seat['uid']}:{seat['fsGid']}",
        "home": seat["storage"]["homeMountPath"],
        "label": LABEL,
        "cmd": seat["cmd"],
        "default_url": seat["defaultUrl"],
        "start_timeout": START_SECONDS,
        "http_timeout": START_SECONDS,
        "words": {"memory": seat["memory"]["limit"].lower(), "cpus": str(seat["cpu"]["limit"])},
    }
    application = {
        "spawner_class": "tests.ppslab_class.hub.docker_spawner.DockerSpawner",
        "proxy_class": "tests.ppslab_class.hub.hub_without_proxy.NoProxy",
        "hub_bind_url": f"http://{bridge}:{port}",
        "db_url": f"sqlite:///{folder / 'hub.sqlite'}",
        "cookie_secret_file": str(folder / "cookie"),
        "load_roles": roles(),
        "cleanup_servers": True,
    }
    lines = [login]
    for name, traits in (
        ("JupyterHub", application),
        ("CardCodes", words),
        ("DockerSpawner", spawner),
    ):
        lines += [f"c.{name}.{trait} = {value!r}" for trait, value in traits.items()]
    return "\n".join(lines) + "\n"


@pytest.fixture(scope="module")
def seat(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Seat]:
    image = IMAGES["seat"].tagged()
    if (
        shutil.which("docker") is None
        or subprocess.run(
            ["docker", "image", "inspect", image], capture_output=True, check=False
        ).returncode
    ):
        pytest.skip(f"{image} is not here: make images NAMES=seat, with a Docker that runs")
    folder = tmp_path_factory.mktemp("day")
    board = Board(folder)
    code = board.set_up(1, "A day", None)[SEAT]
    (folder / values.CODES).write_text(values.codes(board))
    board.close()
    network = json.loads(docker("network", "inspect", "bridge"))[0]
    bridge = network["IPAM"]["Config"][0].get("Gateway", "172.17.0.1")
    with socket.create_server((bridge, 0)) as free:
        port = int(free.getsockname()[1])
    told = hubs_configuration(values.values(SEATS), folder, bridge, port)
    (folder / "jupyterhub_config.py").write_text(told)
    python = os.environ.get("PPSLAB_HUB_PYTHON", sys.executable)
    environment = os.environ | {"PYTHONPATH": str(Path(__file__).parents[3])}
    with (folder / "log").open("wb") as log:
        process = subprocess.Popen(
            [python, "-m", "jupyterhub", "-f", "jupyterhub_config.py"],
            cwd=folder, stdout=log, stderr=log, env=environment,
        )  # fmt: skip
    try:
        address = f"http://{bridge}:{port}"
        answers(f"{address}/hub/health", folder / "log")
        yield started(address, code, folder / "log")
    finally:
        process.terminate()
        process.wait(PATIENCE)
        for each in docker("ps", "--all", "--quiet", "--filter", f"label={LABEL}").split():
            docker("rm", "--force", each)


def answers(address: str, log: Path) -> None:
    until = time.monotonic() + START_SECONDS
    while True:
        try:
            httpx.get(address, timeout=5).raise_for_status()
            return
        except httpx.HTTPError:
            assert time.monotonic() < until, log.read_text()
            time.sleep(0.5)


def started(address: str, code: str, log: Path) -> Seat:
    """Type the code of the card, and ask for the seat, as its page does."""
    with httpx.Client(base_url=address, timeout=60) as browser:
        xsrf = re.search(r'name="_xsrf" value="([^"]+)"', browser.get("/hub/login").text)
        assert xsrf
        told = browser.post("/hub/login", data={"code": code, "_xsrf": xsrf[1]})
        assert told.status_code == 302, told.text
        words = {"X-XSRFToken": browser.cookies["_xsrf"]}
        made = browser.post(f"/hub/api/users/{SEAT}/tokens", json={}, headers=words)
        token = made.json()["token"]
        shown = {"Authorization": f"token {token}"}
        assert browser.post(f"/hub/api/users/{SEAT}/server", headers=shown).status_code in (
            201,
            202,
        )
        until = time.monotonic() + START_SECONDS
        while not browser.get("/hub/api/user", headers=shown).json()["server"]:
            assert time.monotonic() < until, log.read_text()[-4000:]
            time.sleep(0.5)
    (container,) = docker("ps", "--quiet", "--filter", f"label={LABEL}").split()
    found = json.loads(docker("inspect", container))[0]
    place = f"http://{found['NetworkSettings']['IPAddress']}:8888/user/{SEAT}/"
    return Seat(container, place, token)


def test_the_seat_opens_jupyterlab_to_who_sits_there_and_to_nobody_else(seat: Seat) -> None:
    page = httpx.get(f"{seat.address}lab", headers=seat.shown, timeout=60)
    assert page.status_code == 200 and "JupyterLab" in page.text
    stranger = httpx.get(f"{seat.address}lab", timeout=60)
    assert (
        stranger.status_code == 302 and "/hub/api/oauth2/authorize" in stranger.headers["location"]
    )
    assert httpx.get(f"{seat.address}api/contents", timeout=60).status_code == 403


def test_its_home_has_the_notebooks_and_the_courses_records(seat: Seat) -> None:
    listed = httpx.get(f"{seat.address}api/contents/notebooks", headers=seat.shown, timeout=60)
    assert "fastpath.ipynb" in {each["name"] for each in listed.json()["content"]}
    shown = seat.typed("ls results | wc -l; id -u; id -g; pwd", 60)
    assert re.search(r"\r\n(?!0\r)\d+\r\n1000\r\n100\r\n/home/jovyan\r\n", shown), shown


def test_it_says_that_it_is_healthy(seat: Seat) -> None:
    docker("exec", seat.container, "/usr/lib/ppslab/health")


def test_a_task_is_done_in_its_terminal(seat: Seat) -> None:
    """In a guest that it emulates: no KVM, no privilege, no packet outside."""
    wrong = seat.typed("ppslab task fastpath start open-it && ppslab task fastpath check", 900)
    assert "ended=1=" in wrong, wrong
    right = seat.typed("ppslab task fastpath solve && ppslab task fastpath check", 900)
    assert "ended=0=" in right, right
    seat.typed("ppslab task fastpath end", 300)


def test_it_stops_at_once(seat: Seat) -> None:
    """The last of the file: tini hands the signal on."""
    docker("stop", "--time", "30", seat.container)
    state = json.loads(docker("inspect", seat.container))[0]["State"]
    assert state["ExitCode"] != 137, "it did not have to be killed"
