"""ppstraffic, built plain and with sanitizers, and a private network namespace to run it in."""

from __future__ import annotations

import fcntl
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.support.waiting import PATIENCE
from tests.testbed.testers.traffic.cable import Namespace

ROOT = Path(__file__).resolve().parents[4]


def build(target: str, product: str) -> Path:
    """Build `target` of traffic/Makefile; the file it makes.

    Another worker that wants it meanwhile waits, and finds nothing left to do.
    """
    lock = ROOT / "_build/traffic/.lock"
    lock.parent.mkdir(parents=True, exist_ok=True)
    with lock.open("w") as held:
        fcntl.flock(held, fcntl.LOCK_EX)
        done = subprocess.run(
            ["nice", "make", "-C", str(ROOT / "traffic"), target],
            capture_output=True,
            text=True,
            check=False,
        )
    assert done.returncode == 0, done.stderr
    return ROOT / "_build" / product


@pytest.fixture(scope="session")
def ppstraffic() -> Path:
    """The static binary."""
    return build("all", "bin/ppstraffic")


@pytest.fixture(scope="session")
def ppstraffic_asan() -> Path:
    """The binary that ends at the first memory error or undefined operation."""
    return build("asan", "asan/ppstraffic")


@pytest.fixture
def namespace() -> Iterator[Namespace]:
    """A fresh namespace in which t1 and t2 are the ends of one cable."""
    wanted = [tool for tool in ("unshare", "nsenter", "ip") if shutil.which(tool) is None]
    if wanted:
        pytest.skip(f"not installed: {', '.join(wanted)}")
    private = ["unshare", "--net"]
    if os.geteuid() != 0:
        private += ["--user", "--map-root-user"]
    # The holder waits for the end of its input: it ends with the test, however the test ends.
    holder = subprocess.Popen(
        [*private, "sh", "-c", "echo ready; read end"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    assert holder.stdout and holder.stdin and holder.stderr
    try:
        if holder.stdout.readline() != "ready\n":
            pytest.skip(f"no network namespace here: {holder.stderr.read().strip()}")
        space = Namespace(holder)
        space.sh(
            """
            ip link set lo up
            ip link add t1 type veth peer name t2
            for port in t1 t2; do
                [ ! -e /proc/sys/net/ipv6 ] || echo 1 > /proc/sys/net/ipv6/conf/$port/disable_ipv6
                ip link set $port mtu 9500 up
            done
            """
        )
        yield space
    finally:
        holder.stdin.close()
        holder.wait(timeout=PATIENCE)
        holder.stdout.close()
        holder.stderr.close()


@pytest.fixture
def harmful(namespace: Namespace) -> Iterator[Namespace]:
    """The namespace with the forwarder between p1 and p2."""
    namespace.sh(
        """
        ip link del t1
        ip link add t1 type veth peer name r1
        ip link add t2 type veth peer name r2
        for port in t1 t2 r1 r2; do
            [ ! -e /proc/sys/net/ipv6 ] || echo 1 > /proc/sys/net/ipv6/conf/$port/disable_ipv6
            ip link set $port up
        done
        """
    )
    router = subprocess.Popen(
        namespace.argv([sys.executable, ROOT / "tests/testbed/testers/traffic/forwarder.py"]),
        stdout=subprocess.PIPE,
        text=True,
    )
    assert router.stdout
    try:
        assert router.stdout.readline() == "ready\n"
        yield namespace
    finally:
        router.kill()
        router.wait()
        router.stdout.close()
