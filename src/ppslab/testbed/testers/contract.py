"""The interface of testers, which every instrument implements, in OTG's vocabulary.

The Open Traffic Generator models describe flows by their ports, packets, size, rate and duration;
a `Load` is that for all flows of one trial.  tests/testbed/testers/test_conformance.py holds
every tester to it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from itertools import accumulate, pairwise
from typing import Literal, Protocol

from ppslab.model.lab import topology
from ppslab.model.lab.packets import Flow
from ppslab.model.lab.topology import Topology
from ppslab.testbed.backends import Deployment, Node
from ppslab.testbed.testers.counts import TrialCounts

Ability = Literal[
    "as fast as it can", "ipv6", "stepping fields", "delay", "every frame", "second step",
    "reordering", "random fields", "held fields", "answered flows", "other protocols", "hop limit",
    "cpu time", "VLAN tag",
]  # fmt: skip
"""Abilities that only some testers have.

In a load: `rate` None, IPv6 flows, flows with a count above 1, with a seed, with a `hold` above 1,
with answers, of another protocol than UDP, with a TTL that is not 64, with a VLAN, `keep_frames`,
`then`.  In what is counted: delays in percentiles, `reordered`, `send_cpu_seconds`.
"""


@dataclass(frozen=True)
class Step:
    """A second load in the same trial, without a pause: frames per second over all flows."""

    rate: float
    seconds: float


@dataclass(frozen=True)
class Load:
    """The load of one trial, and the tester's behaviour around it.

    `ports`: a port's name in the flows to the interface that it is on the tester.  `size`: bytes,
    with the frame check sequence (OTG flow.size.fixed).  `seconds`: of sending
    (flow.duration.fixed_seconds).  `rate`: frames per second over all flows (flow.rate.pps),
    None: as fast as it can.  `keep_frames`: keep a record of every frame.
    """

    flows: tuple[Flow, ...]
    ports: Mapping[str, str]
    size: int
    seconds: float
    rate: float | None = None
    then: Step | None = None
    learning_frames: int = 0
    settle_seconds: float = 0.05
    drain_seconds: float = 0.2
    tx_cpu: int | None = None
    rx_cpu: int | None = None
    keep_frames: bool = False
    sleeps: bool = False
    """Between frames, where a tester can: each leaves some 0.1 ms late, and others have its CPU."""
    weights: Mapping[str, int] = field(default_factory=dict)
    """A flow's share of the rate, by its name; one that is not named has 1."""

    def weight(self, flow: Flow) -> int:
        """Return the turns that the flow has for each of a flow of weight 1."""
        return self.weights.get(flow.name, 1)

    def shares(self, total: int) -> list[int]:
        """`total` frames, or anything else, shared among the flows by weight; none is left."""
        weights = [self.weight(flow) for flow in self.flows]
        ends = [total * done // sum(weights) for done in accumulate(weights)]
        return [end - begin for begin, end in pairwise([0, *ends])]


@dataclass(frozen=True)
class Outcome:
    """The result of a trial.  `frames`: the frames file, where the load asked to keep them."""

    counts: TrialCounts
    frames: bytes | None = field(default=None, repr=False)


class Tester(Protocol):
    """An instrument on the ports of a deployed lab.

    What a trial of it holds to: `intended` is the rate times the seconds, shared among the flows
    by their weights; unsent frames are intended and not offered; received are frames of the load
    at their flow's receiving port (distinct ones, where the tester sees duplicates), those that
    come while it drains included and learning frames not.
    After a trial nothing is still sending.
    """

    name: str
    abilities: frozenset[Ability]
    settings: dict[str, str]
    """Its settings here, for the record: never an address, a user or a password."""

    def version(self) -> str:
        """The instrument's own version."""

    def arrange(self, ports: Mapping[str, str], *, separate: bool) -> None:
        """Make the ports ready for trials in which the router has a CPU of its own, or not."""

    def trial(self, load: Load) -> Outcome:
        """Run one trial to its end and drain; an aborted one is returned, with the reason.

        UsageError where the load asks for what the tester cannot; CannotHereError where the
        tester cannot run here; BackendError where it failed.
        """


# --- the tester without a router: two of its ports cabled to each other ---------------------------


TOPOLOGY = "back-to-back"


class BackToBack:
    """A tester of its own, whose two ports are the ends of one wire.

    What it costs to send, carry and receive a frame that way is the tester's own part of every
    trial; what it can carry is the limit beyond which a run says nothing of a router.
    """

    def __init__(
        self,
        deployment: Deployment,
        wiring: Topology,
        make: Callable[[Node], Tester],
        *,
        cards: bool = False,
    ) -> None:
        """`make`: the tester on a node.  `cards`: the wire is one between two network cards."""
        self.cards = cards
        link = wiring.links[0]
        self.node = deployment.node(link.a.node)
        self.tester = make(self.node)
        self.ports = {"left": link.a.interface, "right": link.b.interface}

    @staticmethod
    def wiring() -> Topology:
        return topology.find(TOPOLOGY)

    @staticmethod
    def flows(flows: tuple[Flow, ...]) -> tuple[Flow, ...]:
        """A lab's flows, all of them over the one wire."""
        ends = {"tx_name": "left", "rx_name": "right"}
        return tuple(flow.model_copy(update=ends) for flow in flows)

    def steer(self, cpu: int | None) -> None:
        """Let `cpu` receive what the wire carries; None: the CPU that sends does.

        A card's interrupts say it themselves.  BackendError where this machine cannot steer
        packets.
        """
        if self.cards:
            return
        mask = f"{1 << cpu:x}" if cpu is not None else "0"
        queue = f"/sys/class/net/{self.ports['right']}/queues/rx-0/rps_cpus"
        self.node.run(["sh", "-ec", f"echo {mask} > {queue}"])
