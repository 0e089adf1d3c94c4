"""A load of two flows, for every tester, and a node for those that need none."""

from __future__ import annotations

from ppslab.testbed.testers.contract import Load
from tests.support.flow_factory import make_flow

FLOW = make_flow()
BACKWARDS = {"name": "r21", "src": "198.18.2.2", "dst": "198.18.1.2"}
BACK = make_flow(**BACKWARDS, tx_name="p2", rx_name="p1")
WEIGHTS = {"r21": 3, "v6": 3}
V6 = make_flow(name="v6", src="2001:2:0:1::2", dst="2001:2:0:2::2")
LOAD = Load(
    flows=(FLOW, BACK), ports={"p1": "eth1", "p2": "eth2"}, size=64, seconds=0.1, rate=10_000.0,
    settle_seconds=0.0, drain_seconds=0.0, weights=WEIGHTS,
)  # fmt: skip


class Nowhere:
    """A node on which nothing runs."""

    def run(self, argv, **_):
        raise AssertionError(argv)

    read = run
