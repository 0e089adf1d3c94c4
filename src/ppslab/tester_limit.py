"""The tester's own limit: its ports cabled to each other, no router between them.

What a run finds within 10 % of it says nothing of the router.
"""

from __future__ import annotations

from contextlib import ExitStack
from statistics import median

from ppslab import topology
from ppslab.backends import Backend
from ppslab.instruments import ppstraffic
from ppslab.lab import Flow
from ppslab.results import Tester
from ppslab.trial import Bench

TRIALS = 3
TOPOLOGY = "back-to-back"


def tester_limit(stack: ExitStack, backend: Backend, bench: Bench, sizes: list[int]) -> Tester:
    """Send as fast as the tester can over a cable; the median of three trials a frame size.

    The receiving half runs on the CPU that the router will have, as it will in the searches.
    """
    cable = topology.find(TOPOLOGY)
    node_name = cable.links[0].a.node
    left, right = cable.links[0].a.interface, cable.links[0].b.interface
    node = stack.enter_context(backend.deploy(cable)).node(node_name)
    tester = ppstraffic.Tester(node)
    if bench.cpus.router is not None:
        queue = f"/sys/class/net/{right}/queues/rx-0/rps_cpus"
        node.run(["sh", "-ec", f"echo {1 << bench.cpus.router:x} > {queue}"])
    flows = [_cabled(flow) for flow in bench.lab.words.flows[_group(bench)]]
    send: dict[int, float] = {}
    receive: dict[int, float] = {}
    for size in sizes:
        offered, received = [], []
        for _ in range(TRIALS):
            counts = tester.trial(
                flows=flows,
                ports={"left": left, "right": right},
                size=size,
                seconds=bench.profile.cost.trial_seconds,
                rate=None,
                learning_frames=bench.profile.waits.learning_frames,
                settle_seconds=bench.profile.waits.settle_seconds,
                drain_seconds=bench.profile.waits.drain_seconds,
                tx_cpu=bench.cpus.sender,
                rx_cpu=bench.cpus.sender,
            )
            offered.append(counts.offered / counts.send_seconds)
            received.append(counts.received / counts.send_seconds)
        send[size], receive[size] = median(offered), median(received)
    return Tester(
        name=tester.name, version=tester.version(), send_limit=send, receive_limit=receive
    )


def _group(bench: Bench) -> str:
    return bench.lab.conditions[bench.lab.words.reference].flows


def _cabled(flow: Flow) -> Flow:
    return flow.model_copy(update={"tx_name": "left", "rx_name": "right"})
