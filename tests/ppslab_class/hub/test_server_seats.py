"""What a server does for its seats beside the hub: disks, a name that resolves, a hub that ends."""

from __future__ import annotations

import os
import resource
import socket
import subprocess
import sys
import tempfile
import threading
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace

import pytest

from ppslab.backends.capabilities import features, guest_kernel
from ppslab.base.errors import CannotHereError, UsageError
from ppslab_class import afterwards
from ppslab_class.board import Board
from ppslab_class.commands.given import mib
from ppslab_class.hub import configuration, disks, kernels, running
from ppslab_class.hub.configuration import Place
from ppslab_class.hub.description import Limits
from ppslab_class.readiness import Point
from ppslab_class.server.open_files import open_more
from tests.support.waiting import PATIENCE


def point(what: str) -> Point:
    return next(each for each in running.points() if each.what == what)


def test_a_name_without_an_address_is_told_with_the_line_that_gives_it_one(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(socket, "gethostname", lambda: "lecture")
    monkeypatch.setattr(socket, "getaddrinfo", lambda *_: [(0, 0, 0, "", ("127.0.1.1", 0))])
    assert point("name").state == "ready" and "lecture is 127.0.1.1" in point("name").found

    def unknown(*_: object) -> None:
        raise socket.gaierror(-2, "Name or service not known")

    monkeypatch.setattr(socket, "getaddrinfo", unknown)
    found = point("name")
    assert found.state == "missing" and "lecture" in found.found
    assert "127.0.1.1 lecture" in found.remedy and "/etc/hosts" in found.remedy
    with pytest.raises(CannotHereError, match="lecture"):
        running.must_run()


@pytest.fixture
def seen() -> Iterator[Path]:
    """A folder that every user can come to, which pytest's own are not."""
    with tempfile.TemporaryDirectory(dir="/tmp") as name:
        Path(name).chmod(0o755)
        yield Path(name)


def test_a_python_that_seats_cannot_come_to_is_told(
    seen: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    closed = seen / "home"
    closed.mkdir(mode=0o755)
    (closed / "python").touch(0o755)
    monkeypatch.setattr(running, "sys", SimpleNamespace(executable=closed / "python", prefix="/"))
    monkeypatch.setattr(running, "project_root", lambda: Path("/"))
    assert point("what seats run").state == "ready"
    closed.chmod(0o711)
    assert point("what seats run").state == "missing", "a guest lists what is on the way"
    closed.chmod(0o700)
    found = point("what seats run")
    assert found.state == "missing" and str(closed) in found.found and "/opt" in found.remedy


def test_a_hub_that_ends_is_told_with_the_end_of_its_log(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    heard: list[str] = []
    told = threading.Event()
    (tmp_path / "hub.log").write_text("first\n")
    started = subprocess.Popen

    def broken(words: list[str], **more: object) -> object:
        script = "print('no address of lecture'); raise SystemExit(3)"
        return started([sys.executable, "-c", script], **more)  # type: ignore[call-overload]

    monkeypatch.setattr(running.subprocess, "Popen", broken)
    with running.running({}, tmp_path, lambda what: (heard.append(what), told.set())[0]) as process:
        assert told.wait(PATIENCE), process.returncode
    assert "exit code 3" in heard[0] and heard[0].endswith("no address of lecture")
    monkeypatch.setattr(
        running.subprocess, "Popen",
        lambda _, **more: started([sys.executable, "-c", "import time; time.sleep(60)"], **more),
    )  # fmt: skip
    with running.running({}, tmp_path, heard.append):
        pass
    assert len(heard) == 1, "ended by us"


def test_a_server_opens_more_files_than_a_shell_gives() -> None:
    asleep = subprocess.Popen(["sleep", "60"])
    resource.prlimit(asleep.pid, resource.RLIMIT_NOFILE, (100, 2000))
    try:
        open_more(asleep.pid)
        assert resource.prlimit(asleep.pid, resource.RLIMIT_NOFILE) == (2000, 2000)
    finally:
        asleep.kill()
        asleep.wait()


def test_a_disk_is_made_once_and_mounted_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    said: list[tuple[str, ...]] = []
    mounted: set[Path] = set()

    def run(*words: str) -> None:
        said.append(words)
        if words[0] == "mount":
            mounted.add(Path(words[-1]))

    monkeypatch.setattr(disks, "HOMES", tmp_path / "private")
    monkeypatch.setattr(disks, "_run", run)
    monkeypatch.setattr(os.path, "ismount", lambda path: Path(path) in mounted)
    home = disks.mount(tmp_path / "day", "seat-01", 512)
    assert disks.mount(tmp_path / "day", "seat-01", 512) == home == tmp_path / "private/seat-01"
    image = tmp_path / "day/disks/seat-01.img"
    assert image.stat().st_size == 512 * 2**20 and image.stat().st_mode & 0o077 == 0
    assert image.stat().st_blocks == 0, "only what is written takes the machine's disk"
    assert [each[0] for each in said] == ["mkfs.ext4", "mount"]
    assert said[1][2].split(",") == ["loop", "nosuid", "nodev", "noatime"]
    assert disks.images(tmp_path / "day") == [image]
    mounted.clear()  # the machine was started again
    image.write_bytes(b"what somebody made")
    disks.mount(tmp_path / "day", "seat-01", 512)
    assert image.read_bytes() == b"what somebody made" and said[-1][0] == "mount"


def test_a_machine_that_mounts_nothing_is_told_by_the_doctor(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(os, "geteuid", lambda: 0)
    monkeypatch.setenv("PATH", "")
    found = point("seats' disks")
    assert found.state == "missing" and "mkfs.ext4" in found.found
    assert "e2fsprogs" in found.remedy


def test_what_the_hub_left_is_removed_with_the_rest(tmp_path: Path) -> None:
    folder = tmp_path / "day"
    folder.mkdir()
    board = Board(folder)
    board.set_up(1, "A day", None)
    board.close()
    for name in configuration.OWN:
        (folder / name).touch()
    (folder / disks.FOLDER).mkdir()
    (folder / disks.FOLDER / "seat-01.img").touch()
    gone = afterwards.remove(folder)
    assert folder / disks.FOLDER / "seat-01.img" in gone and not folder.exists()


@pytest.mark.parametrize("told", ["", "2", "G", "2T", "-2G", "10M", "1.5G"])
def test_a_size_that_is_none_is_refused(told: str) -> None:
    with pytest.raises(UsageError, match="--disk"):
        mib(told)


@pytest.mark.long
def test_a_terminal_of_a_seat_finds_ppslab(tmp_path: Path) -> None:
    """JupyterLab's is a login shell, whose /etc/profile sets PATH anew."""
    home = tmp_path / "home"
    home.mkdir()
    words = f"exec env -i HOME={home} PATH=/usr/bin:/bin bash -lc 'command -v ppslab; echo $PATH'"
    seat = os.environ | {"HOME": str(home), "JUPYTERHUB_USER": "seat-01", "SHELL": "/bin/sh"}
    done = subprocess.run(
        [f"{sys.prefix}/bin/ppslab", "workshop", "shell", "--hub", "sh", "-c", words],
        env=seat, capture_output=True, text=True, check=True,
    )  # fmt: skip
    program, path = done.stdout.splitlines()
    assert Path(program) == Path(sys.executable).with_name("ppslab")
    assert "/usr/sbin" in path.split(":"), "where Debian has ip and tc"


def test_a_seat_has_the_machines_kernel_where_its_own_ppslab_looks(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(disks, "HOMES", tmp_path / "private")
    monkeypatch.setattr(disks, "_run", lambda *_: None)
    monkeypatch.delenv("PPSLAB_KERNEL", raising=False)
    monkeypatch.setenv("PPSLAB_CACHE", str(tmp_path / "roots"))
    home = disks.mount(tmp_path / "day", "seat-01", 512)
    unit = configuration.unit(Limits(), Place(tmp_path, 8000, None, None))
    bound = unit["unit_extra_properties"]["BindReadOnlyPaths"].replace("{USERNAME}", "seat-01")
    source, _, target = bound.split()[0].partition(":")
    assert source == f"-{tmp_path / 'roots/kernel'}", "a dash: it may be missing"
    monkeypatch.delenv("PPSLAB_CACHE")
    monkeypatch.delenv("XDG_CACHE_HOME", raising=False)
    monkeypatch.setattr(Path, "home", lambda: home)
    assert Path(target) == guest_kernel.kernel_dir()
    assert Path(target).is_dir(), "else systemd makes it, and the seat may not write beside it"


def test_a_seat_has_what_the_machine_found_out_about_its_kernel(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    cache = tmp_path / "roots"
    monkeypatch.setenv("PPSLAB_CACHE", str(cache))
    monkeypatch.setattr(disks, "HOMES", tmp_path / "private")
    monkeypatch.setattr(disks, "_run", lambda *_: None)
    kernel = guest_kernel.GuestKernel("6.1.0-56-amd64", cache / "image", None, "linux-image")
    monkeypatch.setattr(guest_kernel, "installed_kernel", lambda: kernel)
    # An ELF file unpacked, its predecessor's, a file half written, and what was found in a guest.
    for name in ("vmlinux/6.1.0-56-amd64-1-2", "vmlinux/6.1.0-50-amd64-1-2", "guest/.6.1.0-56.7"):
        (cache / name).parent.mkdir(parents=True, exist_ok=True)
        (cache / name).touch()
    told = point("a guest's kernel")
    assert told.state == "warning" and "up fastpath --backend vm" in told.remedy
    features.remember_guest(kernel, '{"netns": null}')
    home = disks.mount(tmp_path / "day", "seat-01", 512)
    assert point("a guest's kernel").state == "ready"
    found = features.guest_features(kernel)
    bound = [each.split(":") for each in kernels.bind(home).split()]
    monkeypatch.setenv("PPSLAB_CACHE", str(home / ".cache/ppslab"))
    assert found and features.guest_features(kernel) is None
    for source, target in bound:
        assert Path(target).parent.is_dir(), "else systemd makes it, and it is not the seat's"
        if (ours := Path(source.removeprefix("-"))).is_file():  # as systemd mounts it
            Path(target).write_bytes(ours.read_bytes())
    assert features.guest_features(kernel) == found
    assert [each.name for each in (home / ".cache/ppslab/vmlinux").iterdir()] == [
        "6.1.0-56-amd64-1-2"
    ]


def test_a_machine_without_a_guests_kernel_is_told_by_the_doctor(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("PPSLAB_KERNEL", raising=False)
    monkeypatch.setenv("PPSLAB_CACHE", str(tmp_path))
    found = point("a guest's kernel")
    assert found.state == "warning" and "scripts/setup/guest-kernel" in found.remedy
