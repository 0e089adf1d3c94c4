"""A seat on a server, beside the hub: its home, kernel and files."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from ppslab.testbed.backends.capabilities import guest_kernel
from ppslab_class import afterwards, homes
from ppslab_class.board import Board


def test_what_the_hub_left_is_removed_with_the_rest(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(homes, "HOMES", tmp_path / "lib/private")
    folder = tmp_path / "day"
    folder.mkdir()
    board = Board(folder)
    board.set_up(1, "A day")
    board.close()
    for name in afterwards.HUB:
        (folder / name).touch()
    home, other = homes.make("seat-01"), homes.make("seat-02")
    (tmp_path / "lib/seat-01").symlink_to(home)
    (home / "notes").write_text("what somebody wrote")
    assert home in afterwards.remove(folder)
    assert not folder.exists() and not home.exists() and other.is_dir()
    assert not (tmp_path / "lib/seat-01").is_symlink()


@pytest.mark.long
def test_a_terminal_of_a_seat_finds_ppslab(tmp_path: Path) -> None:
    """JupyterLab's is a login shell, whose /etc/profile sets PATH anew."""
    home = tmp_path / "home"
    home.mkdir()
    words = f"exec env -i HOME={home} PATH=/usr/bin:/bin bash -lc 'command -v ppslab; echo $PATH'"
    seat = os.environ | {"HOME": str(home), "JUPYTERHUB_USER": "seat-01", "SHELL": "/bin/sh"}
    done = subprocess.run(
        [f"{sys.prefix}/bin/ppslab", "workshop", "shell", "sh", "-c", words],
        env=seat, capture_output=True, text=True, check=True,
    )  # fmt: skip
    program, path = done.stdout.splitlines()
    assert Path(program) == Path(sys.executable).with_name("ppslab")
    assert "/usr/sbin" in path.split(":"), "where Debian has ip and tc"


def test_a_seat_has_the_machines_kernel_where_its_own_ppslab_looks(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(homes, "HOMES", tmp_path / "private")
    monkeypatch.delenv("PPSLAB_KERNEL", raising=False)
    monkeypatch.setenv("PPSLAB_CACHE", str(tmp_path / "roots"))
    home = homes.make("seat-01")
    bound = homes.kernels(home)
    source, _, target = bound.split()[0].partition(":")
    assert source == f"-{tmp_path / 'roots/kernel'}", "a dash: it may be missing"
    monkeypatch.delenv("PPSLAB_CACHE")
    monkeypatch.delenv("XDG_CACHE_HOME", raising=False)
    monkeypatch.setattr(Path, "home", lambda: home)
    assert Path(target) == guest_kernel.kernel_dir()
    assert Path(target).is_dir(), "else systemd makes it, and the seat may not write beside it"
