"""A topology stands as its file says, quickly, and beside others."""

from __future__ import annotations

import time
from pathlib import Path

import pytest

from ppslab.core.errors import BackendError
from ppslab.testbed.backends import Backend
from tests.testbed.backends.conftest import FASTPATH, Hold, Write, namespaces_in_use, namespaces_of
from tests.testbed.backends.namespaces.exchange import exchange

pytestmark = [pytest.mark.live, pytest.mark.alone]

MOST_PROCESSES = 16
"""It takes 10; with one for each command of FASTPATH it would be 19."""


def forks() -> int:
    """How many processes and threads this machine has started so far."""
    lines = Path("/proc/stat").read_text().splitlines()
    return next(int(line.split()[1]) for line in lines if line.startswith("processes "))


def test_with_few_processes(backend: Backend, write: Write) -> None:
    """What costs time is a process for each command.  Others start some too, but not each time."""
    wiring = write(FASTPATH)
    fewest = 10**9
    for _ in range(20):
        before = forks()
        with backend.deploy(wiring):
            fewest = min(fewest, forks() - before)
        if fewest <= MOST_PROCESSES:
            break
    assert fewest <= MOST_PROCESSES


@pytest.mark.timed(why="a learner waits for a lab by the clock; processes are counted too")
def test_in_less_than_a_second(backend: Backend, write: Write) -> None:
    wiring = write(FASTPATH)
    best = 9.0
    for _ in range(3):
        began = time.perf_counter()
        with backend.deploy(wiring):
            best = min(best, time.perf_counter() - began)
    print(f"deployed in {best:.3f} s")
    assert best < 1.0


def test_frames_pass_and_mtus_hold(backend: Backend, write: Write) -> None:
    with backend.deploy(write(FASTPATH)) as lab:
        assert exchange(lab, 100, "198.18.1.1") == "100"
        assert exchange(lab, 9000, "198.18.1.1") == "9000"
        assert exchange(lab, 1472, "198.18.2.1") == "1472"
        assert exchange(lab, 1473, "198.18.2.1") == "Message too long"
        links = lab.node("dut").run(["ip", "-o", "link"]).stdout
        assert "eth1@" in links and "mtu 9500" in links and "mtu 1500" in links
        assert lab.node("dut").run(["cat", "/proc/sys/net/ipv4/ip_forward"]).stdout == "1\n"
        assert lab.node("tester").run(["cat", "/proc/sys/net/ipv4/ip_forward"]).stdout == "0\n"


def test_ports_count_frames_one_by_one(backend: Backend, write: Write) -> None:
    with backend.deploy(write(FASTPATH)) as lab:
        features = lab.node("dut").run(["ethtool", "-k", "eth1"]).stdout
        on = [line.split(":")[0].strip() for line in features.splitlines() if ": on" in line]
        merging = [n for n in on if any(w in n for w in ("segment", "checksum", "receive", "gro"))]
        assert not merging
        assert "tx-gso-partial: off" in features, "the list was read"


def test_both_ends_on_one_node(backend: Backend, write: Write) -> None:
    text = (
        "name: loop\ntopology:\n  nodes:\n    t: {kind: linux}\n"
        '  links:\n    - endpoints: ["t:eth1", "t:eth2"]\n'
    )
    with backend.deploy(write(text)) as lab:
        seen = lab.node("t").run(["ls", "/sys/class/net"]).stdout.split()
        assert [name for name in seen if name.startswith("eth") or name == "lo"] == [
            "eth1",
            "eth2",
            "lo",
        ]
        states = lab.node("t").run(["ip", "-br", "link"]).stdout
        assert states.count("LOWER_UP") == 3


def test_a_link_that_cannot_be_made_is_named(backend: Backend) -> None:
    link = {"endpoints": [["n", "eth1"], ["n", "eth2"]], "mtu": 1500}
    plain = {"name": "twice", "nodes": {"n": {}}, "links": [link, link]}
    with pytest.raises(BackendError, match=r"twice: node n: link n:eth1 to n:eth2: .*File exists"):
        backend.client.call("deploy", wait=10, run="twice", topology=plain)
    assert "twice" not in backend.deployments()


def test_side_by_side(backend: Backend, write: Write, held: Hold) -> None:
    wiring = write(FASTPATH)
    labs = [backend.deploy(wiring) for _ in range(3)]
    try:
        assert len({lab.run_id for lab in labs}) == 3
        assert set(backend.deployments()) >= {lab.run_id for lab in labs}
        seen = [held(namespaces_of(lab)) for lab in labs]
        assert not (seen[0] & seen[1] or seen[1] & seen[2] or seen[0] & seen[2])
        for lab in labs:
            assert exchange(lab, 100, "198.18.1.1") == "100"
        labs[1].remove()
        labs[1].remove()
        assert exchange(labs[2], 100, "198.18.1.1") == "100"
        with pytest.raises(BackendError, match="is deployed already"):
            backend.deploy(wiring, labs[0].run_id)
    finally:
        for lab in labs:
            lab.remove()
    assert not seen[0] & namespaces_in_use()


def test_the_hosts_interfaces_are_untouched(backend: Backend, write: Write) -> None:
    def state() -> list[object]:
        interfaces = sorted(path.name for path in Path("/sys/class/net").iterdir())
        return [interfaces, Path("/proc/self/mountinfo").read_text()]

    before = state()
    with backend.deploy(write(FASTPATH)):
        assert state() == before
    assert state() == before
