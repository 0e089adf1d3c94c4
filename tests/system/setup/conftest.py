"""What the set-up's tests share: the checkout, and a clean way to run its scripts."""

from __future__ import annotations

import os
import platform
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.support.waiting import PATIENCE

Run = Callable[..., subprocess.CompletedProcess[str]]

# pytest itself runs under `make test`: what make says to its children is not for these.
OF_MAKE = {"MAKEFLAGS", "MFLAGS", "MAKELEVEL", "MAKEOVERRIDES", "GNUMAKEFLAGS", "MAKE_TERMOUT"}


ROOT = Path(__file__).resolve().parents[3]


def silent(_text: str) -> None:
    """Take what a build says of itself, and print nothing."""


@pytest.fixture(scope="session")
def root() -> Path:
    return ROOT


@pytest.fixture(scope="session")
def run(root: Path) -> Run:
    """Run a command in the checkout; `env` is added to the environment."""

    def run(
        *argv: str | Path, env: dict[str, str] | None = None, cwd: Path | None = None
    ) -> subprocess.CompletedProcess[str]:
        clean = {key: value for key, value in os.environ.items() if key not in OF_MAKE}
        return subprocess.run(
            [str(each) for each in argv],
            cwd=cwd or root,
            env=clean | (env or {}),
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=5 * PATIENCE,
            check=False,
        )

    return run


@pytest.fixture
def can_count(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A machine that can count instructions; returns QEMU's stand-in, which only says its version.

    What `ppslab run` measures by depends on it.
    """
    if platform.machine() != "x86_64":
        pytest.skip("instructions are counted on x86-64 only")
    folder = tmp_path_factory.mktemp("bin")
    for name in ("qemu-system-x86_64", "setpriv", "busybox-static", "apt-get", "dpkg-deb"):
        (folder / name).write_text("#!/bin/sh\necho version 9.2.0\n")
        (folder / name).chmod(0o755)
    monkeypatch.setenv("PATH", f"{folder}{os.pathsep}{os.environ['PATH']}")
    monkeypatch.delenv("PPSLAB_KERNEL", raising=False)
    return folder / "qemu-system-x86_64"
