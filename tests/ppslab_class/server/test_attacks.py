"""What many connections do to the neighbours, and what a seat's own user gets of the machine."""

from __future__ import annotations

import os
import socket
import subprocess
import sys
from pathlib import Path
from urllib.parse import urlsplit

import pytest

from tests.ppslab_class.class_room import ClassRoom, batch, event
from tests.support.waiting import PATIENCE

pytestmark = pytest.mark.live
SEAT, NEIGHBOUR = 65533, 65532


def test_three_hundred_connections_that_say_nothing_disturb_no_seat(room: ClassRoom) -> None:
    place = urlsplit(room.address)
    address = (place.hostname, place.port)
    learner = room.client("seat-01")
    idle = [socket.create_connection(address, timeout=PATIENCE) for _ in range(300)]
    try:
        for number, each in enumerate(idle):
            if number % 2:  # half of them begin to tell something, and do not go on
                each.sendall(b"POST /workshop/api/events HTTP/1.1\r\nContent-Length: 1000\r\n")
        told = learner.post("/workshop/api/events", json=batch(event("one", "at", "x")))
        assert told.status_code == 200 and told.json()["new"] == 1
        assert learner.get("/").status_code == 200
        # Beside them, and not once the server had given them up, which takes it 75 s.
        assert all(_open(each) for each in idle[::2])
    finally:
        for each in idle:
            each.close()


def _open(connection: socket.socket) -> bool:
    """Whether the other end has not closed it; it has said nothing."""
    connection.setblocking(False)
    try:
        return connection.recv(1) != b""
    except BlockingIOError:
        return True


AS_SEAT = """
import os, signal, sys
os.setgroups([]); os.setgid({seat}); os.setuid({seat})
pid, folder = int(sys.argv[1]), sys.argv[2]
def tried(what, act):
    try:
        act()
    except OSError as error:
        print(what, type(error).__name__)
    else:
        print(what, "done")
tried("read", lambda: open(folder + "/home/notes").read())
tried("write", lambda: open(folder + "/home/more", "w"))
tried("list", lambda: os.listdir(folder + "/home"))
tried("board", lambda: open(folder + "/board.sqlite", "rb").read())
tried("kill", lambda: os.kill(pid, signal.SIGKILL))
tried("memory", lambda: open(f"/proc/{{pid}}/mem", "rb").read(1))
tried("environment", lambda: open(f"/proc/{{pid}}/environ", "rb").read())
tried("root", lambda: os.setuid(0))
"""


@pytest.mark.skipif(os.geteuid() != 0, reason="only root becomes two other users")
def test_a_seats_user_gets_nothing_of_another_nor_of_the_board(tmp_path: Path) -> None:
    home = tmp_path / "home"
    home.mkdir(mode=0o700)
    (home / "notes").write_text("mine")
    os.chown(home, NEIGHBOUR, NEIGHBOUR)
    (tmp_path / "board.sqlite").touch(0o600)
    for folder in (tmp_path, *tmp_path.parents[:3]):
        folder.chmod(folder.stat().st_mode | 0o011)
    neighbour = subprocess.Popen(["sleep", "60"], user=NEIGHBOUR, group=NEIGHBOUR)
    try:
        words = [sys.executable, "-c", AS_SEAT.format(seat=SEAT), str(neighbour.pid), str(tmp_path)]
        answer = subprocess.run(words, capture_output=True, text=True, check=True).stdout
        got = dict(line.split() for line in answer.splitlines())
        assert set(got.values()) == {"PermissionError"}, got
        assert len(got) == 8 and neighbour.poll() is None
    finally:
        neighbour.kill()
        neighbour.wait()


IN_A_NAMESPACE = """
cat {folder}/home/notes && echo GOT the notes
cat /etc/shadow >/dev/null && echo GOT the passwords
kill -9 {pid} && echo GOT the neighbour
mknod {own}/disk b 8 0 && echo GOT a device
echo 1 > /proc/sys/kernel/panic && echo GOT the kernel
for each in /dev/sda /dev/vda /dev/nvme0n1; do
    mkdir -p {own}/disk.d && mount "$each" {own}/disk.d && echo GOT the disk
done
nsenter --target 1 --mount true && echo GOT the host
true; echo tried as "$(id -u)"
"""


@pytest.mark.skipif(os.geteuid() != 0, reason="only root becomes two other users")
def test_the_root_of_a_seats_own_namespace_is_nobody_outside(tmp_path: Path) -> None:
    home, own = tmp_path / "home", tmp_path / "own"
    for folder, user in ((home, NEIGHBOUR), (own, SEAT)):
        folder.mkdir(mode=0o700)
        os.chown(folder, user, user)
    (home / "notes").write_text("mine")
    for folder in (tmp_path, *tmp_path.parents[:3]):
        folder.chmod(folder.stat().st_mode | 0o011)
    neighbour = subprocess.Popen(["sleep", "60"], user=NEIGHBOUR, group=NEIGHBOUR)
    try:
        script = IN_A_NAMESPACE.format(folder=tmp_path, pid=neighbour.pid, own=own)
        answer = subprocess.run(
            ["unshare", "--user", "--map-root-user", "--mount", "--net", "sh", "-c", script],
            user=SEAT, group=SEAT, extra_groups=[], capture_output=True, text=True, check=False,
        )  # fmt: skip
        if "tried as" not in answer.stdout:
            pytest.skip(f"no user namespaces here: {answer.stderr.strip()}")
        assert answer.stdout.strip() == "tried as 0", answer.stdout
        assert neighbour.poll() is None
    finally:
        neighbour.kill()
        neighbour.wait()
