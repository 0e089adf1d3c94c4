"""A hub of packages/ppslab-class/hub, without a proxy, with words of a test after its own."""

from __future__ import annotations

import os
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import httpx
from jupyterhub.proxy import Proxy

from tests.support.waiting import PATIENCE

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
        "c.JupyterHub.proxy_class = 'tests.ppslab_class.hub_process.NoProxy'\n"
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
