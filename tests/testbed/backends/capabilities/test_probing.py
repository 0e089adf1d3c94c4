"""What this machine can do is found by trying; what it lacks, it says with who refused and why."""

from __future__ import annotations

import errno
import json
import os
import shutil
import subprocess
import tempfile
from pathlib import Path

import pytest

from ppslab.testbed.backends.capabilities import features
from ppslab.testbed.backends.prober.probing import (
    ALL_FEATURES,
    Absence,
    AbsentError,
    Obstacle,
    command,
    of_errno,
)

pytestmark = pytest.mark.usefixtures("own_cache")

ALL = frozenset(features.MEANINGS)


def interfaces() -> str:
    """What `ip link` shows on the host, without counters."""
    return subprocess.run(["ip", "-br", "link"], capture_output=True, text=True, check=True).stdout


def test_probing_answers_for_every_feature_and_leaves_the_host_alone() -> None:
    before = interfaces(), Path("/proc/mounts").read_text()
    found = features.host_features()
    assert (interfaces(), Path("/proc/mounts").read_text()) == before
    assert set(found) == ALL == set(ALL_FEATURES)
    for feature in found.values():
        assert feature.present == (not feature.why)
        assert feature.present or feature.remedy, f"{feature.name} has no remedy"


def test_an_unprivileged_user_namespace_loads_no_bpf() -> None:
    python = shutil.which("python3", path="/usr/bin:/bin")
    if python is None:
        pytest.skip("no Python that every user may run")
    # Whoever may not read this checkout may read a copy.
    with tempfile.TemporaryDirectory() as folder:
        Path(folder).chmod(0o755)
        package = Path(folder) / "ppslab"
        source = features.PROBER.parents[2]
        ignored = shutil.ignore_patterns("__pycache__")
        shutil.copytree(
            source / "testbed/backends/prober", package / "testbed/backends/prober", ignore=ignored
        )
        for name in (
            "__init__.py",
            "testbed/__init__.py",
            "testbed/backends/__init__.py",
            "core/__init__.py",
            "core/version.py",
        ):
            (package / name).parent.mkdir(exist_ok=True)
            shutil.copy(source / name, package / name)
        argv = [*features.prober_command(python)[:-1], str(package / "testbed/backends/prober")]
        if os.geteuid() == 0:
            argv = ["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups", *argv]
        done = subprocess.run(argv, capture_output=True, text=True, cwd="/", check=False)
    assert done.stdout, done.stderr
    found = json.loads(done.stdout)
    if found["netns"]:
        pytest.skip(f"no user namespaces here: {found['netns']}")
    assert found["veth"] is None
    allowed = Path("/proc/sys/kernel/unprivileged_bpf_disabled")
    if not allowed.exists() or allowed.read_text().strip() == "0":
        pytest.skip("this kernel lets every user load BPF")
    assert found["bpf"]["obstacle"] == Obstacle.NOT_ALLOWED


def test_a_missing_program_is_named_with_its_package() -> None:
    absence = Absence(Obstacle.NO_PROGRAM, program="nft")
    found = features.features_from(json.dumps({"nft": absence.data(), "netns": None}))
    assert found["nft"].why == "nft is not installed"
    assert found["nft"].remedy == "sudo apt-get install nftables"
    assert found["netns"].present
    assert found["veth"].why == "not probed"


def test_a_prober_that_breaks_means_no_features() -> None:
    found = features.features_from("Segmentation fault", "killed by a signal")
    assert {feature.why for feature in found.values()} == {"killed by a signal"}


def test_a_program_that_is_not_there_is_no_refusal_of_the_kernel() -> None:
    with pytest.raises(AbsentError) as caught:
        command("no-such-program-as-this --help")
    assert caught.value.absence == Absence(Obstacle.NO_PROGRAM, program="no-such-program-as-this")


@pytest.mark.parametrize(
    ("printed", "obstacle"),
    [
        ("RTNETLINK answers: Operation not permitted", Obstacle.NOT_ALLOWED),
        ("Error: Permission denied", Obstacle.NOT_ALLOWED),
        ("Error: Unknown device type.", Obstacle.REFUSED),
        ("", Obstacle.REFUSED),
    ],
)
def test_what_a_command_prints_says_who_refused(printed: str, obstacle: Obstacle) -> None:
    with pytest.raises(AbsentError) as caught:
        command(["sh", "-c", f"echo '{printed}' >&2; exit 2"])
    shown = printed.removeprefix("Error: ") or "failed"
    assert caught.value.absence == Absence(obstacle, f"sh: {shown}")


@pytest.mark.parametrize(
    ("number", "obstacle"),
    [
        (errno.EPERM, Obstacle.NOT_ALLOWED),
        (errno.EACCES, Obstacle.NOT_ALLOWED),
        (errno.EAFNOSUPPORT, Obstacle.REFUSED),
        (None, Obstacle.REFUSED),
    ],
)
def test_an_errno_says_who_refused(number: int | None, obstacle: Obstacle) -> None:
    assert of_errno(number, "any words") == Absence(obstacle, "any words")


WORDS = "not permitted, denied, restricted; nft is not installed"
"""Nothing is decided on the words."""


@pytest.mark.parametrize(
    ("name", "absence", "user", "remedy"),
    [
        ("netns", Absence(Obstacle.RESTRICTED, WORDS), 1000, "sudo sysctl kernel.apparmor"),
        ("netns", Absence(Obstacle.NOT_ALLOWED, WORDS), 1000, "run with sudo"),
        ("bpf", Absence(Obstacle.NOT_ALLOWED, WORDS), 1000, "run with sudo"),
        ("bpf", Absence(Obstacle.NOT_ALLOWED, WORDS), 0, "use --backend vm"),
        ("bpf", Absence(Obstacle.REFUSED, WORDS), 1000, "use --backend vm"),
        ("bpf", Absence(Obstacle.NO_PROGRAM, program="bpftool"), 1000, "sudo apt-get install"),
        ("perf-cycles", Absence(Obstacle.REFUSED, WORDS), 1000, "a machine whose hypervisor"),
    ],
)
def test_each_obstacle_has_its_remedy(
    monkeypatch: pytest.MonkeyPatch, name: str, absence: Absence, user: int, remedy: str
) -> None:
    monkeypatch.setattr(os, "geteuid", lambda: user)
    assert features.Feature(name, absence).remedy.startswith(remedy)


@pytest.mark.parametrize(
    ("absence", "user", "there"),
    [
        (Absence(Obstacle.NO_PROGRAM, program="nft"), 0, True),
        (Absence(Obstacle.NOT_ALLOWED, WORDS), 1000, True),
        (Absence(Obstacle.NOT_ALLOWED, WORDS), 0, False),
        (Absence(Obstacle.REFUSED, WORDS), 1000, False),
    ],
)
def test_a_container_has_what_only_this_user_lacks(
    monkeypatch: pytest.MonkeyPatch, absence: Absence, user: int, there: bool
) -> None:
    monkeypatch.setattr(os, "geteuid", lambda: user)
    monkeypatch.setattr(
        features, "host_features", lambda: {"nft": features.Feature("nft", absence)}
    )
    assert ("nft" in features.features_of("containerlab")) == there
