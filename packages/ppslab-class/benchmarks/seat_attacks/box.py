"""A systemd as the first process of namespaces of its own, on a copy of this machine's files.

The copy is an overlay in memory: what is written in the box is gone with it.  The box has its own
processes, mounts, network and groups of processes, so that units start in it as on a machine.
"""

from __future__ import annotations

import os
import secrets
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from ppslab.core import paths
from tests.support.waiting import PATIENCE

CGROUPS: Final = Path("/sys/fs/cgroup")
BOOT_SECONDS: Final = PATIENCE

# systemd wants to be process 1, and finds its groups mounted: it takes them as they are.
BOOT: Final = r"""
set -eu
box=$1
mount -t tmpfs -o size=$MEMORY,mode=755 box "$box"
mkdir "$box/up" "$box/work" "$box/root"
mount -t overlay -o "lowerdir=/,upperdir=$box/up,workdir=$box/work" box "$box/root"
root=$box/root
mount -t proc proc "$root/proc"
mount -t sysfs sysfs "$root/sys"
mount -t tmpfs -o mode=755 tmpfs "$root/dev"
mount -t tmpfs -o mode=755 tmpfs "$root/run"
mount -t tmpfs -o mode=1777 tmpfs "$root/tmp"
for each in null:1:3 zero:1:5 full:1:7 random:1:8 urandom:1:9 tty:5:0 loop-control:10:237; do
    IFS=: read -r name major minor <<< "$each"
    mknod -m 666 "$root/dev/$name" c "$major" "$minor"
done
chmod 600 "$root/dev/loop-control"
for number in $(seq 0 31); do
    mknod -m 600 "$root/dev/loop$number" b 7 "$number"
done
ln -s /proc/self/fd "$root/dev/fd"
ln -s /proc/self/fd/0 "$root/dev/stdin"
ln -s /proc/self/fd/1 "$root/dev/stdout"
ln -s /proc/self/fd/2 "$root/dev/stderr"
mkdir "$root/dev/pts" "$root/dev/shm"
mount -t devpts -o newinstance,ptmxmode=666,mode=620 devpts "$root/dev/pts"
ln -s pts/ptmx "$root/dev/ptmx"
mount -t tmpfs -o mode=1777 tmpfs "$root/dev/shm"
if [ "$(stat -f -c %T /sys/fs/cgroup)" = cgroup2fs ]; then
    mount -t cgroup2 cgroup2 "$root/sys/fs/cgroup"
else
    mount -t tmpfs -o mode=755 tmpfs "$root/sys/fs/cgroup"
    for each in /sys/fs/cgroup/*/; do
        name=$(basename "$each")
        mkdir "$root/sys/fs/cgroup/$name"
        case $name in
            unified) mount -t cgroup2 cgroup2 "$root/sys/fs/cgroup/$name" ;;
            systemd) mount -t cgroup -o none,name=systemd cgroup "$root/sys/fs/cgroup/$name" ;;
            *) mount -t cgroup -o "$name" cgroup "$root/sys/fs/cgroup/$name" ;;
        esac
    done
fi
# A seat reads Python and the course wherever they are; on a class's machine they lie in /opt.
shift
# What lies on a file system of its own the overlay does not show.
for each in "$COURSE" "$PYTHON"; do
    [ -e "$root/$each" ] || { mkdir -p "$root/$each"; mount --bind "$each" "$root/$each"; }
done
for each; do chmod o+rx "$root/$each"; done
# Nothing is started but what the units of seats ask for.
rm -rf "$root"/etc/systemd/system/*
mount -t tmpfs tmpfs "$root/lib/systemd/system/sysinit.target.wants"
mount -t tmpfs tmpfs "$root/lib/systemd/system/sockets.target.wants"
mount -t tmpfs tmpfs "$root/lib/systemd/system/multi-user.target.wants"
mount -t tmpfs tmpfs "$root/lib/systemd/system/timers.target.wants"
cat > "$root/etc/systemd/system/box.target" <<END
[Unit]
Requires=basic.target dbus.socket
END
mkdir "$root/run/old"
cd "$root"
pivot_root . run/old
umount -l /run/old
ip link set lo up
touch /run/console.log; ln -s /run/console.log /dev/console
exec env -i container=ppslab PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin \
    /lib/systemd/systemd --unit=box.target --log-target=console --log-level=warning \
    --show-status=no < /dev/null
"""


class NoBoxError(Exception):
    """What this machine lacks for a box."""


@dataclass(frozen=True)
class Box:
    """A box that has started."""

    pid: int
    """Its systemd, as this machine numbers it."""

    def command(self, *words: str) -> list[str]:
        return ["nsenter", "--target", str(self.pid), "--all", "--wdns=/", "--", *words]

    def run(self, *words: str, seconds: float = 60) -> str:
        done = subprocess.run(
            self.command(*words), capture_output=True, text=True, timeout=seconds, check=False,
            stdin=subprocess.DEVNULL,
        )  # fmt: skip
        if done.returncode:
            console = Path(f"/proc/{self.pid}/root/run/console.log")
            log = console.read_text(errors="replace")
            raise AssertionError(f"{' '.join(words)}: {done.stdout}{done.stderr}\n{log}")
        return done.stdout


@contextmanager
def started(memory: str = "1G") -> Iterator[Box]:
    """A box while this is open; NoBoxError where none starts.

    `memory`: how much can be written in it, as mount(8) takes it.
    """
    if os.geteuid() != 0:
        raise NoBoxError("only root makes users for seats")
    if not Path("/lib/systemd/systemd").exists():
        raise NoBoxError("no systemd is installed")
    if any(Path(each).is_relative_to("/tmp") for each in _places().values()):
        raise NoBoxError("seats have a /tmp of their own, and this checkout lies in the machine's")
    groups = [each for each in _groups() if _made(each)]
    with tempfile.TemporaryDirectory(prefix="ppslab-box-") as folder:
        log = Path(folder) / "log"
        place = Path(folder) / "box"
        place.mkdir()
        words = [
            *("unshare", "--mount", "--pid", "--fork", "--kill-child", "--uts", "--ipc", "--net"),
            *("--cgroup", "--propagation", "private", "bash", "-c", BOOT, "box", str(place)),
            *_closed(),
        ]
        # The shell joins the groups before it becomes unshare, which makes them the box's roots.
        join = "".join(f"echo $$ > {each}/cgroup.procs && " for each in groups)
        with log.open("wb") as told:
            process = subprocess.Popen(
                ["bash", "-c", f'{join} exec "$@"', "bash", *words],
                stdout=told, stderr=told, env=os.environ | _places() | {"MEMORY": memory},
            )  # fmt: skip
        try:
            yield _waited(process, log, groups)
        finally:
            process.kill()
            process.wait()
            for each in groups:
                _removed(each)


def _places() -> dict[str, str]:
    """Where Python and the course are."""
    return {"PYTHON": str(Path(sys.prefix).absolute()), "COURSE": str(paths.project_root())}


def _closed() -> list[str]:
    """The folders on the way to Python and to the course that are closed to other users."""
    ends = (Path(sys.executable).absolute(), Path(sys.executable).resolve(), Path(__file__))
    ways = {folder for each in ends for folder in each.parents}
    return sorted(str(each) for each in ways if each.stat().st_mode & 0o005 != 0o005)


def _groups() -> list[Path]:
    """A group for this box in each hierarchy, which all worlds share: a number of a process would
    be another's too, or that of a box that was killed."""
    name = f"ppslab-box-{secrets.token_hex(4)}"
    if (CGROUPS / "cgroup.procs").exists():
        return [CGROUPS / name]
    return [each / name for each in sorted(CGROUPS.iterdir()) if (each / "cgroup.procs").exists()]


def _made(group: Path) -> bool:
    try:
        group.mkdir()
        # A group of version 1 takes no process before it has CPUs and memory of its own.
        for name in ("cpuset.cpus", "cpuset.mems"):
            if (group / name).exists() and (group.parent / "tasks").exists():
                (group / name).write_text((group.parent / name).read_text())
    except OSError as error:
        raise NoBoxError(f"no group of processes can be made here: {error}") from None
    return True


def _removed(group: Path) -> None:
    until = time.monotonic() + 10
    while group.exists() and time.monotonic() < until:
        for each in sorted(group.rglob("*/"), key=lambda path: len(path.parts), reverse=True):
            with suppress(OSError):
                each.rmdir()
        with suppress(OSError):
            group.rmdir()
        time.sleep(0.05)


def _waited(process: subprocess.Popen[bytes], log: Path, groups: list[Path]) -> Box:
    until = time.monotonic() + BOOT_SECONDS
    outside = False
    while time.monotonic() < until and process.poll() is None:
        children = Path(f"/proc/{process.pid}/task/{process.pid}/children")
        with suppress(OSError, IndexError, subprocess.TimeoutExpired):
            box = Box(int(children.read_text().split()[0]))
            # Whoever waits for the box leaves its root: in version 2 a group with processes of its
            # own gives none of its limits to groups in it.
            for each in () if outside else groups:
                (each.parent / "cgroup.procs").write_text(str(process.pid))
            outside = True
            done = subprocess.run(
                box.command("systemctl", "is-active", "box.target"),
                capture_output=True, text=True, check=False, timeout=10,
            )  # fmt: skip
            if done.stdout.strip() == "active":
                return box
        time.sleep(0.05)
    said = log.read_text(errors="replace").strip().splitlines()
    raise NoBoxError(f"systemd does not start in namespaces here: {' / '.join(said[-3:])}")
