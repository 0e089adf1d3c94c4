"""What brings system packages: their list, the script, and three tries of what is fetched."""

from __future__ import annotations

import os
import re
import shutil
from pathlib import Path

import pytest

from tests.system.setup.conftest import Run

SCRIPT = "scripts/setup/system-packages"


@pytest.fixture
def listed(run: Run) -> list[list[str]]:
    done = run(SCRIPT, "--list")
    assert done.returncode == 0, done.stderr
    return [line.split("\t") for line in done.stdout.splitlines()]


@pytest.fixture
def machine(tmp_path: Path) -> dict[str, str]:
    """A machine that has the shell's own tools and nothing else: not even apt-get or sudo."""
    programs = tmp_path / "bin"
    programs.mkdir()
    for name in ("bash", "env", "dirname", "grep", "id", "cat"):
        found = shutil.which(name)
        assert found, name
        (programs / name).symlink_to(found)
    return {"PATH": str(programs)}


def install(machine: dict[str, str], name: str, script: str) -> None:
    path = Path(machine["PATH"]) / name
    path.write_text(f"#!/bin/bash\n{script}\n")
    path.chmod(0o755)


def packages(tmp_path: Path, text: str) -> dict[str, str]:
    path = tmp_path / "packages.txt"
    path.write_text(text)
    return {"PPSLAB_SYSTEM_PACKAGES": str(path)}


@pytest.mark.long
def test_debian_knows_every_package(run: Run, listed: list[list[str]]) -> None:
    release = Path("/etc/os-release")
    if not (release.exists() and re.search(r"^ID=debian$", release.read_text(), re.MULTILINE)):
        pytest.skip("not a Debian")
    names = [package.split("|")[0] for _, package, *_ in listed]
    told = run("apt-cache", "policy", *names).stdout
    known = re.findall(r"^(\S+):\n  Installed: .*\n  Candidate: (?!\(none\))", told, re.MULTILINE)
    # Without lists (a container of docker build) apt knows only what is installed: that is enough
    # for what make test needs, since it has just installed all of it.
    assert set(names) == {name.split(":")[0] for name in known}


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("build gcc gcc\n", "packages.txt:1:"),
        ("# a comment\n\nbild gcc gcc compiles\n", "packages.txt:3:"),
    ],
)
def test_a_bad_list_is_told_with_its_line(
    run: Run, tmp_path: Path, text: str, message: str
) -> None:
    done = run(SCRIPT, "--list", env=packages(tmp_path, text))
    assert done.returncode == 2
    assert message in done.stderr


def test_a_program_of_ones_own_is_as_good_as_the_package(
    run: Run, tmp_path: Path, machine: dict[str, str]
) -> None:
    env = machine | packages(tmp_path, "build pps-none xcc|ppscc compiles\n")
    assert run(SCRIPT, "build", env=env).returncode == 3
    install(machine, "ppscc", "true")
    done = run(SCRIPT, "build", env=env)
    assert (done.returncode, done.stdout) == (0, "")


@pytest.mark.parametrize("sudo", [None, "exit 1"], ids=["no sudo", "sudo wants a password"])
def test_without_root_it_says_what_to_ask_for(
    run: Run, tmp_path: Path, machine: dict[str, str], sudo: str | None
) -> None:
    called = tmp_path / "called"
    install(machine, "apt-get", f"echo called > {called}")
    (Path(machine["PATH"]) / "id").unlink()
    install(machine, "id", "echo 1000")
    if sudo:
        install(machine, "sudo", sudo)
    done = run(SCRIPT, "build", env=machine | packages(tmp_path, "build pps-none ppscc compiles\n"))
    assert done.returncode == 3
    assert "sudo apt-get install --no-install-recommends pps-none\n" in done.stderr
    assert not called.exists()


@pytest.mark.parametrize("euid", [0, 1000], ids=["root", "sudo"])
def test_it_installs_what_is_missing_and_only_that(
    run: Run, tmp_path: Path, machine: dict[str, str], euid: int
) -> None:
    calls = tmp_path / "calls"
    install(machine, "apt-get", f'echo "$DEBIAN_FRONTEND $*" >> {calls}')
    (Path(machine["PATH"]) / "id").unlink()
    install(machine, "id", f"echo {euid}")
    install(machine, "sudo", 'test "$1" = -n && shift && exec "$@"')
    for name in ("flock", "mktemp", "rm", "tail", "true"):
        (Path(machine["PATH"]) / name).symlink_to(shutil.which(name) or os.devnull)
    env = packages(tmp_path, "build pps-none ppscc compiles\nbuild bash bash runs this\n")
    done = run(SCRIPT, "build", env=machine | env | {"TMPDIR": str(tmp_path)})
    assert done.returncode == 0, done.stderr
    update, installing = calls.read_text().splitlines()
    assert update.endswith(" update")
    assert installing.startswith("noninteractive -y ")
    assert installing.endswith(" install --no-install-recommends pps-none")


# --- what fetches gets three tries, and what a killed set-up left half done is mended -----------

FAST = {"PPSLAB_PAUSES": "0 0"}
FAILS = 'echo try >> "$0"; test "$(wc -l < "$0")" -gt {}'


@pytest.mark.parametrize(("failures", "tries", "code"), [(0, 1, 0), (2, 3, 0), (3, 3, 1)])
def test_three_tries(run: Run, tmp_path: Path, failures: int, tries: int, code: int) -> None:
    told = tmp_path / "tries"
    done = run("scripts/setup/again", "bash", "-c", FAILS.format(failures), told, env=FAST)
    assert done.returncode == code
    assert len(told.read_text().splitlines()) == tries
    assert done.stderr.count("trying again") == tries - 1
    stopped = run("scripts/setup/again", "bash", "-c", "exit 130", env=FAST)
    assert (stopped.returncode, stopped.stderr) == (130, "")


def test_a_dpkg_that_was_killed_is_mended_first(run: Run, tmp_path: Path) -> None:
    """apt-get would refuse for ever: "dpkg was interrupted"."""
    if os.geteuid() != 0:
        pytest.skip("wants root, or a sudo without a password")
    told, programs = tmp_path / "told", {"PATH": str(tmp_path)}
    for name in ("dpkg", "apt-get"):
        install(programs, name, f'echo "{name} $*" >> {told}')
    env = {**FAST, "PATH": f"{tmp_path}:{os.environ['PATH']}"}
    env |= packages(tmp_path, "python pps-none pps-none nothing\n")
    done = run("scripts/setup/system-packages", "python", env=env)
    assert done.returncode == 0, done.stderr
    first, *rest = told.read_text().splitlines()
    assert first == "dpkg --configure -a"
    assert [line.split()[0] for line in rest] == ["apt-get", "apt-get"]
