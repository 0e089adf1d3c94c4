"""Seats on a server: a real JupyterHub with our codes, and what one seat may ask of it."""

from __future__ import annotations

import json
import os
import re
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import httpx
import pytest
from jupyterhub.proxy import Proxy

from ppslab_class.board import Board
from ppslab_class.hub import clear
from tests.support.waiting import PATIENCE

pytestmark = pytest.mark.long

ROOT = Path(__file__).resolve().parents[2]
RECIPE = ROOT / "packages/ppslab-class/hub/jupyterhub_config.py"


def free_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        return int(taken.getsockname()[1])


@contextmanager
def hub_process(folder: Path, port: int, words: str) -> Iterator[subprocess.Popen[bytes]]:
    config, log = folder / "hub_test.py", folder / "hub.log"
    config.write_text(
        f"load_subconfig({str(RECIPE)!r})\n"
        "c.JupyterHub.proxy_class = 'tests.ppslab_class.test_hub.NoProxy'\n"
        f"c.JupyterHub.bind_url = 'http://127.0.0.1:{free_port()}'\n"
        f"c.JupyterHub.hub_bind_url = 'http://127.0.0.1:{port}'\n"
        f"{words}\n"
    )
    config.chmod(0o600)
    path = f"{ROOT}:{os.environ.get('PYTHONPATH', '')}"
    told = {**os.environ, "PYTHONPATH": path, "PPSLAB_CLASS": str(folder)}
    with log.open("ab") as out:
        process = subprocess.Popen(
            [sys.executable, "-m", "jupyterhub", "-f", str(config)],
            cwd=folder, stdout=out, stderr=out, stdin=subprocess.DEVNULL, env=told,
        )  # fmt: skip
    try:
        until = time.monotonic() + PATIENCE
        while True:
            try:
                httpx.get(f"http://127.0.0.1:{port}/hub/health").raise_for_status()
                break
            except httpx.HTTPError:
                assert process.poll() is None and time.monotonic() < until, log.read_text()
                time.sleep(0.2)
        yield process
    finally:
        process.terminate()
        try:
            process.wait(PATIENCE)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()


class NoProxy(Proxy):
    """The hub is asked at its own port: what the proxy would send where, nobody sends."""

    should_start = False

    def __init__(self, **more: Any) -> None:
        super().__init__(**more)
        self.routes: dict[str, dict[str, Any]] = {}

    async def add_route(self, routespec: str, target: str, data: dict[str, Any]) -> None:
        self.routes[routespec] = {"routespec": routespec, "target": target, "data": data}

    async def delete_route(self, routespec: str) -> None:
        self.routes.pop(routespec, None)

    async def get_all_routes(self) -> dict[str, dict[str, Any]]:
        return self.routes


# What a seat runs instead of JupyterLab: it answers, and says what it was given.
SERVER = """
import http.server, json, os, pathlib, urllib.parse
url = urllib.parse.urlsplit(os.environ["JUPYTERHUB_SERVICE_URL"])
words = {n: os.environ.get(n) for n in ("PPSLAB_SEAT", "HOME", "PPSLAB_RESULTS")}
words["token"] = os.environ["JUPYTERHUB_API_TOKEN"]
pathlib.Path.home().joinpath("said.json").write_text(json.dumps(words))
class Answer(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        self.send_response(200); self.end_headers()
http.server.HTTPServer((url.hostname, url.port), Answer).serve_forever()
"""


@dataclass
class Hub:
    """A hub that runs."""

    address: str
    codes: dict[str, str]
    folder: Path

    def browser(self) -> httpx.Client:
        return httpx.Client(base_url=self.address, timeout=PATIENCE)

    def login(self, browser: httpx.Client, code: str) -> httpx.Response:
        page = browser.get("/hub/login")
        xsrf = re.search(r'name="_xsrf" value="([^"]+)"', page.text)
        assert xsrf, page.text
        return browser.post("/hub/login", data={"code": code, "_xsrf": xsrf[1]})

    def token(self, seat: str) -> str:
        """What a seat's own page gives it."""
        with self.browser() as browser:
            assert self.login(browser, self.codes[seat]).status_code == 302
            words = {"X-XSRFToken": browser.cookies["_xsrf"]}
            made = browser.post(f"/hub/api/users/{seat}/tokens", json={}, headers=words)
            assert made.status_code == 201, made.text
            return str(made.json()["token"])


@pytest.fixture(scope="module")
def hub(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Hub]:
    folder = tmp_path_factory.mktemp("day")
    board = Board(folder)
    codes = board.set_up(2, "A day")
    board.close()
    port = free_port()
    words = (
        "c.JupyterHub.spawner_class = 'simple'\n"
        "c.JupyterHub.cleanup_servers = True\n"
        f"c.SimpleLocalProcessSpawner.home_dir_template = '{folder}/homes/{{username}}'\n"
        f"c.Spawner.cmd = [*c.Spawner.cmd[:3], {sys.executable!r}, '-c', {SERVER!r}]\n"
        "c.Spawner.args = []"
    )
    with hub_process(folder, port, words):
        yield Hub(f"http://127.0.0.1:{port}", codes, folder)


def test_a_code_is_a_seat_and_no_other_code_opens_one(hub: Hub) -> None:
    with hub.browser() as browser:
        assert 'name="password"' not in browser.get("/hub/login").text
        for who in ("nobody", "instructor", "projector"):
            assert hub.login(browser, hub.codes.get(who, "ABCD-EFGH")).status_code == 403, who
        typed = hub.codes["seat-01"].lower().replace("-", " ")
        assert hub.login(browser, typed).status_code == 302
        assert "seat-01" in browser.get("/hub/home", follow_redirects=True).text


@pytest.mark.parametrize(
    "asked",
    [*(f"{method} users/seat-02{what}" for method, what in (
        ("GET", ""), ("PATCH", ""), ("DELETE", ""), ("POST", "/server"), ("DELETE", "/server"),
        ("POST", "/tokens"), ("GET", "/tokens"), ("POST", "/activity"))),
     "POST users/seat-09", "PATCH users/seat-01", "GET proxy", "POST shutdown", "GET groups",
     "GET services"],
)  # fmt: skip
def test_a_seats_token_is_of_that_seat_alone(hub: Hub, asked: str) -> None:
    method, path = asked.split()
    shown = {"Authorization": f"token {hub.token('seat-01')}"}
    with hub.browser() as browser:
        assert browser.get("/hub/api/user", headers=shown).json()["name"] == "seat-01"
        body = {} if method in ("POST", "PATCH") else None
        answer = browser.request(method, f"/hub/api/{path}", json=body, headers=shown)
        if answer.status_code == 200:
            assert answer.json() in ({}, []), "a list without what it may not see"
        else:
            assert answer.status_code in (403, 404), answer.text
        everybody = browser.get("/hub/api/users", headers=shown)
        assert "seat-02" not in everybody.text


def test_a_seat_is_started_as_itself_and_its_servers_token_is_of_it_alone(hub: Hub) -> None:
    shown = {"Authorization": f"token {hub.token('seat-02')}"}
    with hub.browser() as browser:
        began = browser.post("/hub/api/users/seat-02/server", headers=shown)
        assert began.status_code in (201, 202), began.text
        until = time.monotonic() + PATIENCE
        while not browser.get("/hub/api/user", headers=shown).json()["server"]:
            assert time.monotonic() < until, (hub.folder / "hub.log").read_text()[-3000:]
            time.sleep(0.2)
        home = hub.folder / "homes" / "seat-02"
        said = json.loads((home / "said.json").read_text())
        assert (said["PPSLAB_SEAT"], said["HOME"]) == ("seat-02", str(home))
        assert (home / "notebooks" / "fastpath.ipynb").is_file()
        server = {"Authorization": f"token {said['token']}"}
        assert browser.get("/hub/api/users/seat-01", headers=server).status_code in (403, 404)
        assert browser.post("/hub/api/users/seat-01/server", headers=server).status_code in (
            403,
            404,
        )


def test_guessing_codes_is_slowed_and_the_right_one_is_not_told(hub: Hub) -> None:
    """The last of the file: for a minute nobody of this address comes in."""
    with hub.browser() as thief:
        states = [hub.login(thief, f"X{number}").status_code for number in range(36)]
        assert states[0] == 403 and 429 in states
        assert hub.login(thief, hub.codes["seat-01"]).status_code == 429


def test_a_link_that_a_unit_left_in_run_is_cleared_and_no_other(tmp_path: Path) -> None:
    left, folder, running = (tmp_path / f"ppslab-seat-0{number}" for number in (1, 2, 3))
    (tmp_path / "private/ppslab-seat-03").mkdir(parents=True)
    left.symlink_to("private/ppslab-seat-01")
    with pytest.raises(FileExistsError):
        left.mkdir(parents=True, exist_ok=True)  # as systemdspawner does
    folder.mkdir()
    running.symlink_to("private/ppslab-seat-03")
    for each in (left, folder, running):
        clear(each.name, tmp_path)
    assert not left.is_symlink() and folder.is_dir()
    assert running.is_symlink(), "it leads somewhere: the seat runs"
