"""The workplace of Codespaces and VS Code: what its two steps do."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest

from tests.support.waiting import PATIENCE

ROOT = Path(__file__).resolve().parents[4]
FOLDER = ROOT / ".devcontainer"


@pytest.fixture
def place(tmp_path: Path) -> Path:
    """A checkout with the steps in it, and programs that only say that they were called."""
    shutil.copytree(FOLDER, tmp_path / "my checkout/.devcontainer")
    (tmp_path / "bin").mkdir()
    return tmp_path


def program(place: Path, name: str, code: int = 0) -> None:
    path = place / "bin" / name
    path.write_text(f'#!/bin/sh\necho "{name} $*" >>"{place}/calls"\nexit {code}\n')
    path.chmod(0o755)


def step(place: Path, name: str, **env: str) -> subprocess.CompletedProcess[str]:
    system = "/usr/bin:/bin"
    return subprocess.run(
        [place / "my checkout/.devcontainer" / name],
        env={"PATH": f"{place / 'bin'}:{system}", "HOME": str(place)} | env,
        capture_output=True,
        text=True,
        check=False,
        timeout=PATIENCE,
    )


def test_create_brings_what_the_labs_need(place: Path) -> None:
    program(place, "make")
    program(place, "sudo")
    for _ in range(2):
        assert step(place, "create").returncode == 0
    calls = (place / "calls").read_text().splitlines()
    assert calls == ["make setup", "sudo scripts/setup/get-containerlab /usr/local/bin"] * 2
    trusted = (place / ".gitconfig").read_text()
    assert trusted.count(str(place / "my checkout")) == 1
    assert (ROOT / "scripts/setup/get-containerlab").exists()


def start(place: Path, **env: str) -> str:
    done = step(place, "start", PPSLAB_DOCKER_SECONDS="1", **env)
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_start_says_what_runs(place: Path) -> None:
    program(place, "docker")
    program(place, "containerlab")
    (place / "kvm").touch()
    (place / "cpuinfo").write_text("flags : fpu vmx sse2\n")
    env = {"PPSLAB_KVM": str(place / "kvm"), "PPSLAB_CPUINFO": str(place / "cpuinfo")}
    runs, lacks = start(place, PPSLAB_MACHINE="x86_64", **env).split("what does not")
    assert "every lab" in runs and "--backend containerlab" in runs
    assert "CHR" not in lacks and "containerlab" not in lacks
    assert "your own router" in lacks


@pytest.mark.parametrize(
    ("env", "says"),
    [
        ({"PPSLAB_MACHINE": "x86_64", "PPSLAB_KVM": "/nowhere"}, "CHR: there is no KVM here"),
        # A device on a CPU that cannot use it is none.
        (
            {"PPSLAB_MACHINE": "x86_64", "PPSLAB_KVM": "/dev/null", "PPSLAB_CPUINFO": "/dev/null"},
            "CHR: there is no KVM here",
        ),
        ({"PPSLAB_MACHINE": "aarch64"}, "guests: they are x86-64, and this is aarch64"),
    ],
)
def test_start_says_what_does_not_run(place: Path, env: dict[str, str], says: str) -> None:
    program(place, "docker")
    program(place, "containerlab")
    runs, lacks = start(place, **env).split("what does not")
    assert says in lacks
    assert ("every lab" in runs) == (env["PPSLAB_MACHINE"] == "x86_64")
