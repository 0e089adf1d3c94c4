"""The tester without a router: two of its ports cabled to each other.

What it costs to send, carry and receive a frame that way is the tester's own part of every trial;
what it can carry is the limit beyond which a run says nothing of a router.
"""

from __future__ import annotations

from collections.abc import Callable

from ppslab.model.lab import topology
from ppslab.model.lab.lab import Flow
from ppslab.model.lab.topology import Topology
from ppslab.testbed.backends import Deployment, Node
from ppslab.testbed.testers.contract import Tester

TOPOLOGY = "back-to-back"


class BackToBack:
    """A tester of its own, whose two ports are the ends of one wire."""

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
        """The topology to deploy for it."""
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
