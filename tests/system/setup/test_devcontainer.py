"""The workplace of Codespaces and VS Code: its file is one, and its steps do what they say."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest

from tests.support.waiting import PATIENCE
from tests.system.setup.conftest import Run

ROOT = Path(__file__).resolve().parents[3]
FOLDER = ROOT / ".devcontainer"

#: What containers.dev's reference of devcontainer.json lets stand beside `build`.
KEYS = """
    name build features privileged init remoteUser hostRequirements postCreateCommand
    postStartCommand waitFor forwardPorts portsAttributes customizations
""".split()
STEPS = "initializeCommand onCreateCommand updateContentCommand postCreateCommand postStartCommand"


@pytest.fixture(scope="module")
def told() -> dict[str, Any]:
    data = json.loads((FOLDER / "devcontainer.json").read_text())
    assert isinstance(data, dict)
    return data


def test_it_says_what_the_schema_knows(told: dict[str, Any]) -> None:
    assert set(told) <= set(KEYS)
    assert isinstance(told["forwardPorts"], list)
    assert set(told["portsAttributes"]) == {str(port) for port in told["forwardPorts"]}
    assert set(told["hostRequirements"]) == {"cpus", "memory", "storage"}
    assert re.fullmatch(r"\d+gb", told["hostRequirements"]["memory"])
    assert told["waitFor"] in STEPS.split()


def test_labs_and_docker_need_a_privileged_workplace(told: dict[str, Any]) -> None:
    assert told["privileged"] is True
    (feature,) = told["features"]
    assert re.fullmatch(r"ghcr\.io/devcontainers/features/docker-in-docker:\d+\.\d+\.\d+", feature)


def test_every_file_that_it_names_is_here(told: dict[str, Any]) -> None:
    dockerfile = FOLDER / told["build"]["dockerfile"]
    context = (FOLDER / told["build"]["context"]).resolve()
    assert context == ROOT
    text = dockerfile.read_text()
    for source in re.findall(r"^COPY (\S+)", text, re.M):
        assert (context / source).exists()
        # .dockerignore lets nothing else through.
        assert source.split("/")[0] in {"images", "traffic", "LICENSE"}
    for step in ("postCreateCommand", "postStartCommand"):
        assert os.access(ROOT / told[step], os.X_OK)
    assert f"--shell /bin/bash {told['remoteUser']}" in text


def test_it_stands_on_the_base_of_the_images() -> None:
    base = r"^ARG BASE=(debian:bookworm-slim@sha256:[0-9a-f]{64})$"
    files = [FOLDER / "Dockerfile", *(ROOT / "images").glob("*/Dockerfile")]
    assert len({re.findall(base, path.read_text(), re.M)[0] for path in files}) == 1


# --- its steps ------------------------------------------------------------------------------


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


def test_create_without_containerlab_is_a_workplace_still(place: Path) -> None:
    program(place, "make")
    program(place, "sudo", code=3)
    done = step(place, "create")
    assert done.returncode == 0
    assert "containerlab is not here" in done.stderr


def test_create_without_setup_is_none(place: Path) -> None:
    program(place, "make", code=2)
    program(place, "sudo")
    assert step(place, "create").returncode != 0
    assert "get-containerlab" not in (place / "calls").read_text()


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


@pytest.mark.long
def test_start_without_docker(place: Path) -> None:
    program(place, "docker", code=1)
    runs, lacks = start(place).split("what does not")
    assert "--backend containerlab" not in runs
    assert "Docker does not answer" in lacks


def test_start_names_targets_that_exist(run: Run) -> None:
    targets = set(re.findall(r"^  make (\S+)", run("make").stdout, re.M))
    named = set(re.findall(r"\bmake ([a-z-]+)", (FOLDER / "start").read_text()))
    assert named <= targets
