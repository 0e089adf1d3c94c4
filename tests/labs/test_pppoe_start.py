"""The client's start script where the server comes later, or never; pppd is a stand-in."""

from __future__ import annotations

import os
import shutil
import subprocess
import time
from pathlib import Path

import pytest

from tests.waiting import PATIENCE

SCRIPT = Path(__file__).resolve().parents[2] / "labs/pppoe/linux/client/start"
SESSIONS = {
    "plain",
    "encrypted",
    "multilink",
    "jumbo",
    "reassembled",
    "encrypted-r",
    "vlan",
    "many1",
}

# Fails as rp-pppoe's does without an answer, as long as there is no file `server`.
PPPD = """#!/bin/sh
while [ $# -gt 1 ]; do [ "$1" = ifname ] && name=$2; shift; done
echo "$name" >>"$PLACE/tried"
[ -e "$PLACE/server" ] || { echo "Timeout waiting for PADO packets" >&2; exit 1; }
echo "$name" >>"$PLACE/up"
"""


@pytest.fixture
def place(tmp_path: Path) -> Path:
    """A folder of programs: a pppd that needs a server, and no way to make devices or modules."""
    for name, text in {
        "pppd": PPPD,
        "modprobe": "#!/bin/sh\nexit 1\n",
        "mknod": "#!/bin/sh\n",
        "ip": "#!/bin/sh\n",
    }.items():
        (tmp_path / name).write_text(text)
        (tmp_path / name).chmod(0o755)
    for name in ("sh", "date", "seq", "sleep"):
        (tmp_path / name).symlink_to(shutil.which(name) or name)
    (tmp_path / "ppp").touch()
    return tmp_path


def start(place: Path, seconds: int) -> subprocess.Popen[str]:
    env = {
        "PATH": str(place),
        "PLACE": str(place),
        "DIAL_SECONDS": str(seconds),
        "PPP_DEVICE": str(place / "ppp"),
    }
    return subprocess.Popen(
        ["/bin/sh", "-e", str(SCRIPT), "1"], env=env, stderr=subprocess.PIPE, text=True
    )


def tried(place: Path) -> set[str]:
    """The sessions that have been tried."""
    file = place / "tried"
    return set(file.read_text().split()) if file.exists() else set()


@pytest.mark.long
def test_a_server_that_comes_later_is_found(place: Path) -> None:
    with start(place, 60) as client:
        until = time.monotonic() + 50
        while tried(place) != SESSIONS and time.monotonic() < until:
            time.sleep(0.05)
        assert tried(place) == SESSIONS
        assert client.poll() is None, "it gave up before there was a server"
        (place / "server").touch()
        assert client.wait(PATIENCE) == 0
    assert set((place / "up").read_text().split()) == SESSIONS


@pytest.mark.long
def test_a_server_that_never_comes_is_an_error_with_the_sessions(place: Path) -> None:
    with start(place, 1) as client:
        _, said = client.communicate(timeout=PATIENCE)
        assert client.returncode == 1
    assert "no session plain: service plain did not come up in time" in said


def test_a_kernel_without_ppp_is_told_of_at_once(place: Path) -> None:
    (place / "ppp").unlink()
    with start(place, 60) as client:
        _, said = client.communicate(timeout=PATIENCE)
        assert client.returncode
    assert "ppp" in said and not (place / "tried").exists()


def test_the_script_is_executable() -> None:
    assert os.access(SCRIPT, os.X_OK)
