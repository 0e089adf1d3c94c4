"""Programs that backends need are asked once, but for one that was late."""

from __future__ import annotations

import subprocess
from collections.abc import Iterator

import pytest

from ppslab.testbed.backends.capabilities import tools

SAID = {
    tools.QEMU: "QEMU emulator version 7.2.22 (Debian 1:7.2)\n",
    "docker version": "20.10.24\n",
    "docker images": "debian:12\nvrnetlab/mikrotik_routeros:7.20.8\n",
    "containerlab version": "    version: 0.59.0\n",
}


@pytest.fixture(autouse=True)
def asked(monkeypatch: pytest.MonkeyPatch) -> Iterator[list[str]]:
    """What was asked; a program that is in `late` does not answer as often as it is there."""
    found: list[str] = []

    def run(argv: list[str], **_: object) -> subprocess.CompletedProcess[str]:
        name = argv[0] if argv[0] == tools.QEMU else " ".join(argv[:2])
        found.append(name)
        if found.count(name) <= late.count(name):
            raise subprocess.TimeoutExpired(argv, tools.SECONDS)
        return subprocess.CompletedProcess(argv, 0, SAID[name], "")

    late.clear()
    monkeypatch.setattr(tools.subprocess, "run", run)
    monkeypatch.setattr(tools.platform, "machine", lambda: "x86_64")
    monkeypatch.setattr(tools.shutil, "which", lambda name: f"/usr/bin/{name}")
    for each in (tools._qemu, tools.containerlab_tools):
        each.cache_clear()
    yield found
    for each in (tools._qemu, tools.containerlab_tools):
        each.cache_clear()


late: list[str] = []


def test_what_is_known_is_not_asked_again(asked: list[str]) -> None:
    for _ in range(2):
        assert tools.qemu() == tools.Tool("QEMU", True, "7.2.22")
        found = {tool.name: tool.detail for tool in tools.containerlab_tools()}
        assert found == {
            "Docker engine": "20.10.24",
            "containerlab": "0.59.0",
            "CHR image": "vrnetlab/mikrotik_routeros:7.20.8",
        }
    assert len(asked) == 4


def test_a_qemu_that_was_late_is_not_hidden_for_good() -> None:
    late.append(tools.QEMU)
    assert tools.qemu() == tools.Tool("QEMU", False, "did not answer in 60 s")
    assert tools.qemu().present


@pytest.mark.parametrize("name", [name for name in SAID if name != tools.QEMU])
def test_neither_is_what_containerlab_needs(name: str) -> None:
    late.append(name)
    assert "did not answer in 60 s" in [tool.detail for tool in tools.containerlab_tools()]
    assert all(tool.present for tool in tools.containerlab_tools())
