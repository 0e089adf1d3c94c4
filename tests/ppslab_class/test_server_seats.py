"""What a server does for its seats beside the hub: disks, kernels, files that are open."""

from __future__ import annotations

import os
import resource
import subprocess
import sys
from pathlib import Path

import pytest

from ppslab.testbed.backends.capabilities import features, guest_kernel
from ppslab_class import afterwards, disks
from ppslab_class.board import Board
from ppslab_class.server.serving import open_more


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


def test_what_the_hub_left_is_removed_with_the_rest(tmp_path: Path) -> None:
    folder = tmp_path / "day"
    folder.mkdir()
    board = Board(folder)
    board.set_up(1, "A day", None)
    board.close()
    for name in afterwards.HUB:
        (folder / name).touch()
    (folder / disks.FOLDER).mkdir()
    (folder / disks.FOLDER / "seat-01.img").touch()
    gone = afterwards.remove(folder)
    assert folder / disks.FOLDER / "seat-01.img" in gone and not folder.exists()


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
    bound = disks.kernels(home)
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
    features.remember_guest(kernel, '{"netns": null}')
    home = disks.mount(tmp_path / "day", "seat-01", 512)
    found = features.guest_features(kernel)
    bound = [each.split(":") for each in disks.kernels(home).split()]
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
