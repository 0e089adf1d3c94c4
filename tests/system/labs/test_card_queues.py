"""The lab's network card: each of its queues counts what it received, and its CPU handles it.

The tester sends at a fixed and low rate: which queue gets what does not depend on the load.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import ExitStack

import pytest

from ppslab.core.errors import BackendError
from ppslab.measure.testbed.linux import router_of
from ppslab.measure.trial.spec import streams
from ppslab.model.lab import lab, topology
from ppslab.model.lab.conditions import Condition
from ppslab.model.lab.machine import QUEUES
from ppslab.testbed.backends import Backend, Deployment
from ppslab.testbed.backends.capabilities import host_features, usable
from ppslab.testbed.backends.vm.backend import open_vm
from ppslab.testbed.routers.linux.router import LinuxRouter
from ppslab.testbed.testers import ppstraffic
from ppslab.testbed.testers.contract import Load
from ppslab.testbed.testers.counts import TrialCounts

LAB = lab.find("cores")
WIRING = topology.find("cores")
assert LAB.spec.machine
MACHINE = LAB.spec.machine
STATE, FEATURE = usable("vm"), host_features()[QUEUES]
pytestmark = [
    pytest.mark.guest,
    pytest.mark.weekly,
    pytest.mark.skipif(not STATE.usable, reason=f"no vm backend here: {STATE.why}"),
    pytest.mark.skipif(not FEATURE.present, reason=f"no {QUEUES} here: {FEATURE.why}"),
]
ONE, FOUR, FOUR_1 = "card-one-queue", "card-four-queues", "card-four-queues-1"
NUMBERS = range(4)
LEARNING = 5


class Guests:
    """The lab's machine with its topology: made once, and made again if QEMU has ended.

    QEMU that emulates several CPUs resets now and then, and a machine that is short of memory
    kills it: one guest that ended must not make every later test red.
    """

    def __init__(self, stack: ExitStack) -> None:
        self._whole = stack
        self._own = stack.enter_context(ExitStack())
        self._deployed: Deployment | None = None
        self._router: LinuxRouter | None = None
        self.backend: Backend | None = None

    def deployed(self) -> Deployment:
        """The topology, on a guest that answers."""
        if self._deployed is None or not self._answers():
            self._deployed = None
            with self._own:
                pass
            self._own = self._whole.enter_context(ExitStack())
            self.backend = self._own.enter_context(open_vm(machine=MACHINE))
            self._deployed = self._own.enter_context(self.backend.deploy(WIRING))
            self._router = router_of(LAB, self._deployed, WIRING)
        return self._deployed

    def router(self) -> LinuxRouter:
        """The lab's router on it."""
        self.deployed()
        assert self._router is not None
        return self._router

    def _answers(self) -> bool:
        assert self.backend is not None
        try:
            self.backend.deployments()
        except BackendError:
            return False
        return True


@pytest.fixture(scope="module")
def guests() -> Iterator[Guests]:
    """One guest for this file."""
    with ExitStack() as stack:
        yield Guests(stack)


def sent(guests: Guests, condition: Condition) -> tuple[TrialCounts, dict[str, int]]:
    """A trial under a condition: the tester's counts, and by how much each counter grew."""
    load = Load(
        flows=streams(LAB, condition, "ipv4", "lab"),
        ports=LAB.spec.ports,
        size=64,
        seconds=0.5,
        rate=2000.0,
        learning_frames=LEARNING,
        settle_seconds=0.02,
        drain_seconds=2.0,
        tx_cpu=MACHINE.cpus.sender,
        rx_cpu=MACHINE.cpus.reader,
    )
    router = guests.router()
    before = router.counters(condition)
    counts = ppstraffic.Tester(guests.deployed().node("tester")).trial(load).counts
    after = router.counters(condition)
    return counts, {name: after[name] - before[name] for name in after}


def channels(deployed: Deployment, node: str) -> list[str]:
    """How many queues a node's card has, and how many are in use."""
    said = deployed.node(node).run(["ethtool", "-l", "eth4"]).stdout
    return [line.split()[1] for line in said.splitlines() if line.startswith("Combined:")]


def test_the_card_has_the_queues_that_the_lab_says(guests: Guests) -> None:
    deployed = guests.deployed()
    assert channels(deployed, "dut")[0] == "4"
    assert channels(deployed, "tester") == ["1", "1"]
    said = deployed.node("dut").run(["ethtool", "-i", "eth4"]).stdout
    assert "driver: virtio_net" in said
    assert "driver: veth" in deployed.node("dut").run(["ethtool", "-i", "eth1"]).stdout


@pytest.mark.parametrize(
    ("name", "holds"),
    [
        (ONE, lambda shares: shares == [1.0, 0.0, 0.0, 0.0]),
        (FOUR, lambda shares: min(shares) >= 0.1),
        (FOUR_1, lambda shares: sorted(shares) == [0.0, 0.0, 0.0, 1.0]),
    ],
)
def test_each_queue_counts_its_frames_and_its_cpu_handles_them(
    guests: Guests, name: str, holds: Callable[[list[float]], bool]
) -> None:
    condition = LAB.condition(name)
    guests.router().apply(condition)
    # An interrupt moves to another CPU as it occurs: the first trial brings all of them over.
    sent(guests, condition)
    assert guests.router().read_back(condition).problems == ()
    counts, grown = sent(guests, condition)
    assert counts.received == counts.offered > 100
    queues = [grown[f"queue {number}"] for number in NUMBERS]
    # Linux 6.10 and later has these counters elsewhere.
    if any(queues):
        assert sum(queues) == counts.received + LEARNING
        assert holds([count / sum(queues) for count in queues]), queues
    cpus = [grown[f"cpu{number}"] for number in NUMBERS]
    assert sum(cpus) == counts.received + LEARNING
    assert holds([count / sum(cpus) for count in cpus]), cpus
    if name != ONE and any(queues):
        assert cpus == queues


def test_queues_that_were_not_set_are_seen(guests: Guests) -> None:
    """The card has one queue, where four were asked for."""
    router = guests.router()
    router.apply(LAB.condition(ONE))
    problems = router.read_back(LAB.condition(FOUR)).problems
    assert "card eth4 uses 1 queues, not 4" in problems
    router.apply(LAB.condition(FOUR))
    assert router.read_back(LAB.condition(FOUR)).problems == ()
    guests.deployed().node("dut").run(["ethtool", "-L", "eth4", "combined", "2"])
    assert "card eth4 uses 2 queues, not 4" in router.read_back(LAB.condition(FOUR)).problems


def test_an_interrupt_that_somebody_moved_is_seen(guests: Guests) -> None:
    router, condition = guests.router(), LAB.condition(FOUR)
    router.apply(condition)
    assert router.read_back(condition).problems == ()
    script = (
        "for v in /sys/class/net/eth4/device/../msi_irqs/*; do read n </sys/kernel/irq/${v##*/}/"
        "actions; case $n in *-input.3) echo 0 >/proc/irq/${v##*/}/smp_affinity_list;; esac; done"
    )
    guests.deployed().node("dut").run(["sh", "-c", script])
    (problem,) = router.read_back(condition).problems
    assert "queue 3 CPU 0" in problem


def test_a_condition_that_follows_finds_the_card_with_one_queue(guests: Guests) -> None:
    router = guests.router()
    router.apply(LAB.condition(FOUR))
    router.apply(LAB.condition("four-cores"))
    assert router.read_back(LAB.condition("four-cores")).problems == ()
    assert channels(guests.deployed(), "dut") == ["4", "1"]
