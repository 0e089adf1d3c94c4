"""The scripts that make images, where the system is another or a program is missing."""

from __future__ import annotations

import os
import re
import subprocess
from pathlib import Path

import pytest


def test_a_snapshot_is_debians_only(root: Path, tmp_path: Path) -> None:
    """images/install, with an os-release of another system."""
    script = (root / "images/install").read_text().replace("/etc/os-release", str(tmp_path / "os"))
    (tmp_path / "os").write_text("ID=ubuntu\nPRETTY_NAME='Ubuntu 24.04'\n")
    done = subprocess.run(
        ["sh", "-c", script, "install", "iperf3"],
        env={"SNAPSHOT": "20261120T000000Z", "PATH": os.environ["PATH"]},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 2 and "SNAPSHOT=none" in done.stderr


@pytest.mark.parametrize(
    ("missing", "helps"),
    [("debootstrap", "apt-get install debootstrap"), ("docker", "apt-get install docker.io")],
)
def test_image_base_says_what_is_missing(
    tmp_path: Path, root: Path, missing: str, helps: str
) -> None:
    script = (root / "scripts/containers/image-base").read_text()
    # Its own PATH=... line would bring this machine's programs back in.
    script = re.sub(r"^PATH=.*\n", "", script, flags=re.M)
    for each in {"debootstrap", "docker"} - {missing}:
        (tmp_path / each).write_text("#!/bin/sh\n")
        (tmp_path / each).chmod(0o755)
    done = subprocess.run(
        ["/bin/bash", "-c", script],
        env={"PATH": str(tmp_path)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 3 and helps in done.stderr
