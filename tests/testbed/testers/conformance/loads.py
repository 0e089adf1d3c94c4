"""The flows and the load that each tester is asked for."""

from __future__ import annotations

from ppslab.model.lab.packets import Flow
from ppslab.testbed.testers.contract import Load
from tests.support.flow_factory import make_flow
from tests.testbed.testers.conformance.subjects import PORTS


def flow(number: int, **changes: object) -> Flow:
    """From port p1 to p2, or for number 2 the other way."""
    here, there = (1, 2) if number == 1 else (2, 1)
    words: dict[str, object] = {
        "name": f"r{here}{there}",
        "tx_name": f"p{here}",
        "rx_name": f"p{there}",
        "src_mac": f"02:00:c6:12:0{here}:02",
        "dst_mac": f"02:00:c6:12:0{here}:01",
        "src": f"198.18.{here}.2",
        "dst": f"198.18.{there}.2",
    }
    return make_flow(**(words | changes))


V6 = {"src": "2001:2:0:1::2", "dst": "2001:2:0:2::2"}

LOAD = Load(
    flows=(flow(1), flow(2)), ports=PORTS, size=128, seconds=0.5, rate=2000.0,
    settle_seconds=0.02, drain_seconds=0.1, weights={"r12": 3},
)  # fmt: skip
