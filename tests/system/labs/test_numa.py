"""The machine of two sockets that the lab numa orders: its cards, and who serves their packets."""

from __future__ import annotations

import time
from collections.abc import Iterator

import pytest

from ppslab.core.errors import BackendError
from ppslab.measure.testbed.linux import router_of
from ppslab.measure.trial.spec import streams
from ppslab.model.lab import lab, topology
from ppslab.testbed.backends import Backend, Deployment
from ppslab.testbed.backends.capabilities import usable
from ppslab.testbed.backends.vm.backend import open_vm
from ppslab.testbed.routers.linux.router import LinuxRouter
from ppslab.testbed.testers.contract import Load
from ppslab.testbed.testers.ppstraffic import Tester

pytestmark = [pytest.mark.guest, pytest.mark.weekly]

NUMA = lab.find("numa")
WIRING = topology.find("numa")
assert NUMA.spec.machine
MACHINE = NUMA.spec.machine
STATE = usable("vm")
ATTEMPTS = 4


@pytest.fixture(scope="module")
def guest() -> Iterator[Backend]:
    """The lab's machine."""
    if not STATE.usable:
        pytest.skip(f"no vm backend here: {STATE.why}")
    with open_vm(machine=MACHINE) as backend:
        yield backend


@pytest.fixture(scope="module")
def deployed(guest: Backend) -> Iterator[Deployment]:
    """The lab's topology on its cards."""
    with guest.deploy(WIRING) as deployment:
        yield deployment


@pytest.fixture(scope="module")
def router(deployed: Deployment) -> LinuxRouter:
    """The lab's router."""
    return router_of(NUMA, deployed, WIRING)


def test_each_card_is_on_the_socket_that_the_lab_says(deployed: Deployment) -> None:
    script = "".join(
        f"cat /sys/class/net/eth{n}/device/../numa_node /sys/class/net/eth{n}/device/../"
        "local_cpulist; "
        for n in range(1, 5)
    )
    said = deployed.node("dut").run(["sh", "-c", script]).stdout.split()
    assert said == ["0", "0-1", "0", "0-1", "1", "2-3", "1", "2-3"]
    show = "cat /sys/devices/system/node/node*/distance"
    assert deployed.node("dut").run(["sh", "-c", show]).stdout.split() == ["10", "21", "21", "10"]


def test_nobody_else_gets_a_card_that_is_taken(guest: Backend, deployed: Deployment) -> None:
    with pytest.raises(BackendError, match="tester:eth1"):
        guest.deploy(WIRING, run_id="second")
    assert list(guest.deployments()) == [deployed.run_id]
    deployed.node("dut").run(["ip", "link", "show", "dev", "eth1"])


@pytest.mark.parametrize(
    ("name", "shares"),
    [
        ("one-socket", {"cpu0": 0.5, "cpu1": 0.5, "cpu3": 0.0}),
        ("one-cpu", {"cpu0": 1.0, "cpu1": 0.0}),
        ("with-the-tester", {"cpu0": 0.0, "cpu3": 1.0}),
        ("chance", {"socket0": 0.5}),
    ],
)
def test_the_packets_are_served_by_the_cpus_that_the_condition_names(
    deployed: Deployment, router: LinuxRouter, name: str, shares: dict[str, float]
) -> None:
    """A fixed and low rate: what is served where does not depend on the machine's load."""
    condition = NUMA.condition(name)
    load = Load(
        flows=streams(NUMA, condition, "ipv4", "lab"),
        ports=NUMA.spec.ports,
        size=64,
        seconds=0.5,
        rate=2000.0,
        learning_frames=5,
        settle_seconds=0.02,
        drain_seconds=2.0,
        tx_cpu=MACHINE.cpus.sender,
        rx_cpu=MACHINE.cpus.reader,
    )
    router.apply(condition)
    tester = Tester(deployed.node("tester"))
    for attempt in range(ATTEMPTS):  # an interrupt moves with its next occurrence
        assert router.read_back(condition).problems == ()
        before = router.counters(condition)
        counts = tester.trial(load).counts
        after = router.counters(condition)
        grown = {key: (after[key] - before[key]) / counts.offered for key in shares}
        # Of 1000: an emulated sender beside other guests does not get its CPU all the time.
        whole = counts.received == counts.offered > 100
        if whole and grown == pytest.approx(shares, abs=0.1):
            break
        # What took the CPU may need it for a while yet.
        time.sleep(attempt)
    assert grown == pytest.approx(shares, abs=0.1)
    assert counts.received == counts.offered > 100
    assert counts.plain()["reordered"] == 0


def test_an_interrupt_that_is_moved_behind_our_back_spoils_the_condition(
    deployed: Deployment, router: LinuxRouter
) -> None:
    condition = NUMA.condition("one-cpu")
    router.apply(condition)
    number = next(iter(router.chosen["eth2"]))
    script = f"echo 1 >/proc/irq/{number}/smp_affinity_list"
    deployed.node("dut").run(["sh", "-c", script])
    assert router.read_back(condition).problems == (
        f"port eth2: interrupt {number} is for CPU 1, not 0",
    )


def test_a_card_goes_back_and_comes_out_as_new(guest: Backend, deployed: Deployment) -> None:
    deployed.node("dut").run(["ip", "link", "set", "dev", "eth1", "mtu", "1400"])
    deployed.remove()
    with guest.deploy(WIRING, run_id="again") as again:
        link = again.node("dut").run(["ip", "-o", "link", "show", "dev", "eth1"]).stdout
        assert "mtu 9500" in link
        again.node("tester").run(["busybox", "ping", "-c", "1", "-w", "5", "198.18.1.1"])
