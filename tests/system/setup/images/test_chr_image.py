"""CHR's image: vrnetlab at its commit, its launcher, and MikroTik's own image."""

from __future__ import annotations

import os
import re
import runpy
import subprocess
import sys
from pathlib import Path

import pytest

from ppslab.core.errors import CannotHereError
from ppslab.testbed.backends.images import Docker
from ppslab.testbed.backends.images.chr import COMMIT, FILES, context, official, vrnetlab
from tests.system.setup.images.telling import silent

# --- vrnetlab -------------------------------------------------------------------------------


def git(folder: Path, *argv: str) -> str:
    who = ("-c", "user.name=x", "-c", "user.email=x@example.org")
    done = subprocess.run(
        ["git", "-C", str(folder), *who, *argv], check=True, capture_output=True, text=True
    )
    return done.stdout.strip()


@pytest.fixture
def clone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A repository that has vrnetlab's files, and is taken for it."""
    folder = tmp_path / "clone"
    for each in (*FILES, "LICENSE"):
        (folder / each).parent.mkdir(parents=True, exist_ok=True)
        (folder / each).write_text(each)
    git(folder.parent, "init", "--quiet", str(folder))
    git(folder, "add", ".")
    git(folder, "commit", "--quiet", "-m", "x")
    monkeypatch.setattr(
        "ppslab.testbed.backends.images.chr.COMMIT", git(folder, "rev-parse", "HEAD")
    )
    return folder


def test_vrnetlab_comes_at_its_commit_and_once(clone: Path, tmp_path: Path) -> None:
    said: list[str] = []
    there = vrnetlab(tmp_path / "vrnetlab", said.append, str(clone))
    assert (there / FILES[2]).read_text() == FILES[2]
    vrnetlab(tmp_path / "vrnetlab", said.append, "nowhere")
    assert len(said) == 1


def test_another_commit_is_not_taken(clone: Path, tmp_path: Path) -> None:
    folder = tmp_path / "vrnetlab"
    vrnetlab(folder, silent, str(clone))
    git(folder, "commit", "--quiet", "--allow-empty", "-m", "another")
    with pytest.raises(CannotHereError, match=r"cannot be fetched from .*/nowhere"):
        vrnetlab(folder, silent, str(tmp_path / "nowhere"))
    assert not folder.exists()


def test_the_pin_is_a_commit() -> None:
    assert re.fullmatch(r"[0-9a-f]{40}", COMMIT)


def test_the_folder_for_docker_is_what_the_dockerfile_copies(
    clone: Path, tmp_path: Path, root: Path
) -> None:
    there = context(root, tmp_path / "context", clone)
    (there / "chr-7.20.8.vmdk").write_text("")
    text = (root / "images/chr/Dockerfile").read_text()
    for source in re.findall(r"^COPY (.*) \S+$", text, re.M):
        for each in source.replace("${CHR}", "7.20.8").split():
            # The bill of materials is made after the first build.
            assert (there / each).exists() or each == "chr.cdx.jso[n]", each
    assert os.access(there / "launch", os.X_OK)


@pytest.mark.parametrize(
    ("flags", "device", "env", "launched"),
    [
        ("vmx", True, {}, "|1024|True"),
        ("svm", True, {"QEMU_MEMORY": "512"}, "|512|True"),
        ("vmx", False, {}, "max|1024|False"),
        # A /dev/kvm on a CPU that cannot: QEMU would end at it, so it goes.
        ("sse2", True, {}, "max|1024|False"),
        ("sse2", False, {"QEMU_CPU": "qemu64"}, "qemu64|1024|False"),
    ],
)
def test_the_launcher_is_told_what_this_host_lacks(
    root: Path, tmp_path: Path, flags: str, device: bool, env: dict[str, str], launched: str
) -> None:
    kvm, cpu = tmp_path / "kvm", tmp_path / "cpuinfo"
    cpu.write_text(f"flags : fpu {flags}\n")
    if device:
        kvm.touch()
    script = (root / "images/chr/launch").read_text()
    assert 'exec python3 /launch.py "$@"' in script
    for real, here in {
        "/dev/kvm": str(kvm),
        "/proc/cpuinfo": str(cpu),
        "exec python3 /launch.py": "exec sh -c 'echo \"$QEMU_CPU|$QEMU_MEMORY\"'",
    }.items():
        script = script.replace(real, here)
    done = subprocess.run(
        ["sh", "-c", script],
        env={"PATH": os.environ["PATH"], **env},
        capture_output=True,
        text=True,
        check=True,
    )
    assert f"{done.stdout.strip()}|{kvm.exists()}" == launched


# --- MikroTik's own image, and the script ---------------------------------------------------

DOUBLE = """#!/usr/bin/env bash
case "$1 $2" in
    "version --format") echo 20.10.24 ;;
    "image inspect") [[ -n ${HERE_ALREADY:-} ]] && echo '[{}]' || exit 1 ;;
    "pull --quiet") [[ -z ${NO_HUB:-} ]] || { echo "manifest unknown" >&2; exit 1; } ;;
    "run --rm") cat "$DEVICES" ;;
    *) exit 9 ;;
esac
"""

BARE = "Inter-|   Receive\n face |bytes\n    lo:       0       0\n"


@pytest.fixture
def docker(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Docker:
    (tmp_path / "docker").write_text(DOUBLE)
    (tmp_path / "docker").chmod(0o755)
    (tmp_path / "devices").write_text(BARE)
    monkeypatch.setenv("DEVICES", str(tmp_path / "devices"))
    return Docker(str(tmp_path / "docker"))


def test_the_official_image_and_the_faults_it_will_meet(docker: Docker, tmp_path: Path) -> None:
    clean = official("7.22", docker, silent)
    assert not any("tunl0" in line for line in clean)
    assert any("kind: linux" in line for line in clean)
    (tmp_path / "devices").write_text(f"{BARE} tunl0:       0       0\n  sit0: 0 0\n  eth0: 0\n")
    fault = official("7.22", docker, silent)[0]
    assert fault.startswith("sit0, tunl0: ")
    assert "fb_tunnels_only_for_init_net=1" in fault


def test_an_official_image_that_is_not_there(
    docker: Docker, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("NO_HUB", "1")
    with pytest.raises(CannotHereError) as caught:
        official("7.20.8", docker, silent)
    assert "manifest unknown" in caught.value.reason
    assert "since 7.22" in caught.value.remedy and "make chr CHR=7.20.8" in caught.value.remedy


@pytest.mark.parametrize(
    ("argv", "code", "says"),
    [
        ((), 2, "which version? make chr CHR=7.20.8"),
        (("--version", "6.49"), 2, "no version of RouterOS 7"),
        (("--version", "7.20.8", "--file", "/nowhere.img"), 2, "/nowhere.img: is not there"),
        (("--version", "7.20.8", "--file", "Makefile"), 2, "Makefile: is no disk"),
    ],
)
def test_the_script_says_what_is_wrong(
    root: Path,
    argv: tuple[str, ...],
    code: int,
    says: str,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    """Run in this process: as one of its own it takes longer than all it does."""
    monkeypatch.chdir(root)
    monkeypatch.setattr(sys, "argv", ["scripts/containers/chr", *argv])
    with pytest.raises(SystemExit) as ended:
        runpy.run_path("scripts/containers/chr", run_name="__main__")
    assert ended.value.code == code and says in capsys.readouterr().err
