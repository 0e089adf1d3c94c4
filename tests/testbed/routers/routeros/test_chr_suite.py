"""The tests for a real CHR (tests/system/chr) run on the double here, so we know that they run."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from ppslab.core.errors import UsageError
from tests.system.chr.machine import Machine, Wires, disk_format

ROOT = Path(__file__).resolve().parents[4]

PARTS = ("test_client.py", "test_traffic.py", "test_checks.py")


@pytest.mark.long
def test_they_pass_on_the_double() -> None:
    environment = {**os.environ, "PPSLAB_CHR_DOUBLE": "1"}
    for name in ("PPSLAB_CHR_IMAGE", "PYTEST_ADDOPTS", "PYTEST_CURRENT_TEST"):
        environment.pop(name, None)
    done = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-rs", "-p", "no:cacheprovider",
         *(f"tests/system/chr/{part}" for part in PARTS)],
        cwd=ROOT, env=environment, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stdout + done.stderr
    assert "passed, 1 skipped" in done.stdout.splitlines()[-1]


def test_what_is_no_disk_is_said(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="no file"):
        disk_format(tmp_path / "chr.img")
    packed = tmp_path / "chr-7.20.8.img.zip"
    packed.write_bytes(b"PK")
    with pytest.raises(UsageError, match=r"unpack .* first: unzip"):
        disk_format(packed)


@pytest.mark.skipif(shutil.which("qemu-img") is None, reason="no qemu-img here")
def test_a_disk_is_taken_in_each_form(tmp_path: Path) -> None:
    for kind in ("raw", "vmdk", "qcow2"):
        disk = tmp_path / f"chr.{kind}"
        argv = ["qemu-img", "create", "-q", "-f", kind, str(disk), "1M"]
        subprocess.run(argv, check=True)
        assert disk_format(disk) == kind


def test_nothing_of_the_machine_gets_out(tmp_path: Path) -> None:
    wires = Wires(("ether2", "ether3"))
    try:
        machine = Machine(tmp_path / "chr.img", tmp_path, wires)
        networks = [word for word in machine.arguments(tmp_path / "disk") if "id=" in word]
        assert len(networks) == 3
        for word in networks:
            told = "restrict=on" in word and "hostfwd=tcp:127.0.0.1:" in word
            assert told or ("udp=127.0.0.1:" in word and "localaddr=127.0.0.1:" in word)
    finally:
        wires.close()
