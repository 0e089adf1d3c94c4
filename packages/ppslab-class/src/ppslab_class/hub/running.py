"""Whether a JupyterHub can run here, and its process."""

from __future__ import annotations

import importlib.util
import os
import socket
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final

from ppslab.base import documents
from ppslab.base.errors import CannotHereError
from ppslab.base.paths import project_root
from ppslab_class.hub import disks, kernels, left_over, proxy
from ppslab_class.hub.configuration import FILE, LOG, PROCESS
from ppslab_class.readiness import Point
from ppslab_class.server.open_files import open_more

BOOTED: Final = Path("/run/systemd/system")
"""There where systemd is PID 1: sd_booted(3)."""

SYSTEMD: Final = 245
"""The oldest that systemdspawner 1.0.2 recommends."""

LAST_LINES: Final = 5
"""Of the hub's log, where it ended by itself."""


def points() -> list[Point]:
    """What seats on this server need."""
    own = [_packages(), proxy.point(), _systemd(), _root(), _name(), _readable()]
    return [*own, disks.point(), kernels.point()]


def must_run() -> None:
    """CannotHereError, with all that is missing and what brings it."""
    missing = [each for each in points() if each.state == "missing"]
    if missing:
        raise CannotHereError(
            "no seats on this server: " + "; ".join(each.found for each in missing),
            "\n".join(each.remedy for each in missing),
        )


def _packages() -> Point:
    wanted = ("jupyterhub", "systemdspawner", "jupyterlab")
    missing = [name for name in wanted if importlib.util.find_spec(name) is None]
    if missing:
        remedy = "uv sync, or pip install 'ppslab-class[hub]'"
        return Point("JupyterHub", "missing", f"{', '.join(missing)} not installed", remedy)
    return Point("JupyterHub", "ready", "installed")


def systemd_release() -> int:
    """The release of the systemd that is PID 1; 0 where that is none."""
    if not BOOTED.is_dir():
        return 0
    try:
        told = subprocess.run(
            ["systemctl", "--version"], capture_output=True, text=True, check=False, timeout=10
        ).stdout
    except (OSError, subprocess.TimeoutExpired):
        return 0
    release = told.split()[1:2]  # systemd 252 (252.39-1~deb12u1)
    return int(release[0]) if release and release[0].isdecimal() else 0


def _systemd() -> Point:
    release = systemd_release()
    if release >= SYSTEMD:
        return Point("systemd", "ready", f"{release} is PID 1")
    try:
        first = Path("/proc/1/comm").read_text(encoding="ascii").strip()
    except OSError:
        first = "unknown"
    found = f"systemd {release} is too old" if release else f"PID 1 is {first}, not systemd"
    remedy = (
        f"take a Debian 12 or another machine with systemd {SYSTEMD} that started by it "
        "(a container has none), or --kind page, which needs no systemd"
    )
    return Point("systemd", "missing", found, remedy)


def _root() -> Point:
    if os.geteuid() == 0:
        return Point("rights", "ready", "root, who starts a user for each seat")
    return Point("rights", "missing", "not root", "sudo: systemd makes a user for each seat")


def _name() -> Point:
    name = socket.gethostname()
    try:
        found = socket.getaddrinfo(name, None)[0][4][0]
    except OSError as error:
        # JupyterHub asks its proxy by this name, and ends after some seconds without an answer.
        told = f"{name}, this machine's own, has no address: {error.strerror or error}"
        return Point("name", "missing", told, f"echo '127.0.1.1 {name}' | sudo tee -a /etc/hosts")
    return Point("name", "ready", f"{name} is {found}")


def _readable() -> Point:
    """Whether another user can come to what a seat runs: Python, its packages, the notebooks."""
    own = Path(sys.executable)
    for each in (own.absolute(), own.resolve(), Path(sys.prefix).absolute(), project_root()):
        for folder in (each, *each.parents):
            # A guest of a seat also lists what is on the way: the overlay in it opens each folder.
            if folder.exists() and folder.stat().st_mode & 0o005 != 0o005:
                told = f"{folder} is closed to other users, and {each} is in it"
                remedy = "put the project and its Python where all may read, such as /opt/ppslab"
                return Point("what seats run", "missing", told, remedy)
    return Point("what seats run", "ready", f"{own} can be reached by every user")


@contextmanager
def running(
    configured: dict[str, Any], folder: Path, ended: Callable[[str], None] = lambda _: None
) -> Iterator[subprocess.Popen[bytes]]:
    """The hub while this is open; its log is in the folder.

    `ended`: is told, in a thread, with the end of that log, if the hub ends before.
    """
    path = folder / FILE
    documents.write_json(path, configured, private=True)
    stopping = threading.Event()
    with (folder / LOG).open("ab") as log:
        process = subprocess.Popen(
            [sys.executable, "-m", "jupyterhub", "-f", str(path)],
            cwd=folder, stdout=log, stderr=log, stdin=subprocess.DEVNULL,
        )  # fmt: skip
        left_over.note(folder, process.pid)
        open_more(process.pid)

        def wait() -> None:
            code = process.wait()
            if not stopping.is_set():
                ended(f"the hub ended (exit code {code}): {_end_of(folder / LOG)}")

        threading.Thread(target=wait, daemon=True).start()
        try:
            yield process
        finally:
            stopping.set()
            process.terminate()
            try:
                process.wait(left_over.STOP_SECONDS)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()
            left_over.end(folder)  # its proxy, where it could not end that itself
            (folder / PROCESS).unlink(missing_ok=True)


def _end_of(log: Path) -> str:
    lines = log.read_text(encoding="utf-8", errors="replace").splitlines()
    return " / ".join(each.strip() for each in lines[-LAST_LINES:] if each.strip())
