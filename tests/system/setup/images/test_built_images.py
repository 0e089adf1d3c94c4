"""The images that this machine's docker has: what is in them, and how their nodes end."""

from __future__ import annotations

import shutil
import subprocess
from collections.abc import Callable

import pytest

from ppslab.testbed.backends.images import IMAGES
from tests.support.waiting import PATIENCE


def real(argv: list[str], **words: object) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        argv,
        capture_output=True,
        text=True,
        timeout=PATIENCE,
        check=False,
        **words,  # type: ignore[call-overload]
    )


@pytest.fixture(scope="module")
def images_here() -> Callable[..., subprocess.CompletedProcess[str]]:
    if shutil.which("docker") is None or real(["docker", "version"]).returncode:
        pytest.skip("no Docker answers here: sudo apt-get install docker.io")
    for name in IMAGES:
        if real(["docker", "image", "inspect", f"ppslab/{name}:latest"]).returncode:
            pytest.skip(f"ppslab/{name}:latest is not here: make images")

    def run(image: str, *argv: str, more: tuple[str, ...] = ()) -> subprocess.CompletedProcess[str]:
        where = ("--rm", "--network", "none", *more, f"ppslab/{image}:latest")
        return real(["docker", "run", *where, *argv])

    return run


def test_the_images_hold_what_the_labs_call(
    images_here: Callable[..., subprocess.CompletedProcess[str]],
) -> None:
    for image, programs in {
        "generator": "ppstraffic iperf3 tcpdump ethtool nft ip tc ping sysctl",
        "linux-router": "bpftool conntrack ethtool modprobe nft ip tc pppd pppoe-server ping "
        "sysctl tcpdump",
    }.items():
        done = images_here(image, "sh", "-ec", f"for p in {programs}; do command -v $p; done")
        assert done.returncode == 0, f"{image}: {done.stdout}"


def test_a_node_waits_as_nobody_special_and_stops_at_once(
    images_here: Callable[..., subprocess.CompletedProcess[str]],
) -> None:
    argv = ["docker", "run", "--detach", "--network", "none", "ppslab/generator:latest"]
    container = real(argv).stdout.strip()
    try:
        command = ["docker", "exec", container, "stat", "--format", "%U", "/proc/1"]
        assert real(command).stdout.strip() == "ppslab"
        done = real(["docker", "stop", "--time", "20", container])
        assert done.returncode == 0
        state = real(["docker", "inspect", "--format", "{{.State.ExitCode}}", container])
        # 143 is SIGTERM's: it did not have to be killed.
        assert state.stdout.strip() == "143"
    finally:
        real(["docker", "rm", "--force", container])


def test_the_tester_needs_no_root(
    images_here: Callable[..., subprocess.CompletedProcess[str]],
) -> None:
    user = ("--user", "ppslab")
    assert images_here("generator", "/usr/lib/ppslab/health", more=user).returncode == 0
    done = images_here("generator", "/usr/lib/ppslab/health", more=(*user, "--cap-drop", "ALL"))
    assert done.returncode == 1 and "CAP_NET_RAW" in done.stderr
