"""The client's start script where the server comes later, or never; pppd is a stand-in."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import pytest

from tests.support.waiting import PATIENCE, until

SCRIPT = Path(__file__).resolve().parents[3] / "labs/pppoe/linux/client/start"
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
    for name in ("sh", "date", "mktemp", "rm", "seq", "sleep"):
        (tmp_path / name).symlink_to(shutil.which(name) or name)
    (tmp_path / "ppp").touch()
    return tmp_path


@contextmanager
def start(place: Path, seconds: int) -> Iterator[subprocess.Popen[str]]:
    """The script at work, with all that it starts; nothing of it is left."""
    env = {
        "PATH": str(place),
        "PLACE": str(place),
        "DIAL_SECONDS": str(seconds),
        "PPP_DEVICE": str(place / "ppp"),
        "TMPDIR": str(place),
    }
    client = subprocess.Popen(
        ["/bin/sh", "-e", str(SCRIPT), "1"],
        env=env, stderr=subprocess.PIPE, text=True, start_new_session=True,
    )  # fmt: skip
    try:
        yield client
    finally:
        with suppress(ProcessLookupError):
            os.killpg(client.pid, signal.SIGKILL)
        client.communicate()


def tried(place: Path) -> set[str]:
    """The sessions that have been tried."""
    file = place / "tried"
    return set(file.read_text().split()) if file.exists() else set()


@pytest.mark.long
def test_a_server_that_comes_later_is_found(place: Path) -> None:
    with start(place, 10 * round(PATIENCE)) as client:
        until(lambda: tried(place) == SESSIONS, "every session to be tried")
        assert client.poll() is None, "it gave up before there was a server"
        (place / "server").touch()
        assert client.wait(PATIENCE) == 0
    assert set((place / "up").read_text().split()) == SESSIONS


@pytest.mark.long
def test_a_server_that_never_comes_is_an_error_with_the_sessions(place: Path) -> None:
    with start(place, 1) as client:
        _, said = client.communicate(timeout=PATIENCE)
        assert client.returncode == 1
    assert "session plain" in said
    assert not list(place.glob("tmp.*"))


STEP = 50
"""Seconds that a session takes to come up, by the clock of these programs."""
ONE_AFTER_ANOTHER = {
    # A session comes up when it is its turn, and never before the script has noted the last one.
    "pppd": """#!/bin/sh
while [ $# -gt 1 ]; do [ "$1" = ifname ] && name=$2; shift; done
next=$(($(cat "$PLACE"/tmp.* | wc -l) + 1))
[ "$name" = "$(sed -n "${next}p" "$PLACE/order")" ] || exit 1
echo >>"$PLACE/clock"
echo "$name" >>"$PLACE/up"
""",
    # A file is as old as the moment at which it was first seen with so many lines.
    "date": f"""#!/bin/sh
now=$(($(wc -l <"$PLACE/clock") * {STEP}))
[ "$1" = -r ] || {{ echo "$now"; exit; }}
seen=$PLACE/seen-$(wc -l <"$2")
echo "$now" >"$seen.$$"
ln "$seen.$$" "$seen" 2>/dev/null
cat "$seen"
""",
    "sleep": f"#!/bin/sh\nexec {shutil.which('sleep')} 0.02\n",
}


@pytest.mark.long
def test_sessions_that_come_up_slowly_are_waited_for(place: Path) -> None:
    """Longer than the limit, all together: it is one of silence."""
    for name, text in ONE_AFTER_ANOTHER.items():
        (place / name).unlink(missing_ok=True)
        (place / name).write_text(text)
        (place / name).chmod(0o755)
    for name in ("cat", "ln", "sed", "wc"):
        (place / name).symlink_to(shutil.which(name) or name)
    (place / "order").write_text("\n".join(sorted(SESSIONS)) + "\n")
    (place / "clock").touch()
    with start(place, STEP + 10) as client:
        _, said = client.communicate(timeout=PATIENCE)
        assert client.returncode == 0, said
    assert (place / "up").read_text().split() == sorted(SESSIONS)


def test_a_kernel_without_ppp_is_told_of_at_once(place: Path) -> None:
    (place / "ppp").unlink()
    with start(place, 60) as client:
        _, said = client.communicate(timeout=PATIENCE)
        assert client.returncode
    assert "ppp" in said and not (place / "tried").exists()
