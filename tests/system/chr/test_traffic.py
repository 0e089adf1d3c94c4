"""Packets through the router: which path they take shows in its counters."""

from __future__ import annotations

from typing import Any

import pytest
from scapy.layers.inet import IP, UDP
from scapy.layers.l2 import Ether

from ppslab.model.lab import lab as labs
from ppslab.model.lab.lab import Condition, Flow, Lab
from ppslab.model.lab.packets import Ethernet, first_value
from ppslab.testbed.routers.routeros.router import RouterOSRouter
from tests.system.chr.conftest import TEST_PORTS, Make
from tests.system.chr.machine import Wires

pytestmark = pytest.mark.guest

FRAMES = 200
"""Of 64 bytes, 1000 a second: under the megabit that a free licence lets out."""

PAYLOAD = b"ppslab test packet"


def frames(flow: Flow, ethernet: Ethernet, *ends: Any) -> list[bytes]:
    """The flow's first frame so many times, without FCS; `ends`: its addresses, the other way."""
    ports = [first_value(flow.transport.src_port), first_value(flow.transport.dst_port)]
    src, dst = map(first_value, ends or (flow.internet.src, flow.internet.dst))
    sport, dport = reversed(ports) if ends else ports
    packet = Ether(src=ethernet.src, dst=ethernet.dst) / IP(src=src, dst=dst, ttl=flow.internet.ttl)
    return [bytes(packet / UDP(sport=sport, dport=dport) / PAYLOAD)] * FRAMES


def through(wires: Wires, lab: Lab, condition: Condition, router: RouterOSRouter) -> dict[str, int]:
    """Send the condition's first stream through; by how much each counter grew."""
    flow = lab.flows(condition)[0]
    ports = dict(zip(lab.spec.ports, TEST_PORTS, strict=False))
    with router:
        router.apply(condition)
        assert not router.read_back(condition).problems
        if flow.answered:
            # Established it is after an answer, and fast-tracked after that.
            back = frames(flow, flow.answered.ethernet, flow.internet.dst, flow.internet.src)
            for _ in range(3):
                wires.send(ports[flow.tx_name], frames(flow, flow.ethernet)[:5])
                wires.send(ports[flow.rx_name], back[:5])
            wires.heard(ports[flow.tx_name], 0.2)
        wires.heard(ports[flow.rx_name], 0.1)
        before = router.counters(condition)
        wires.send(ports[flow.tx_name], frames(flow, flow.ethernet))
        heard = [each for each in wires.heard(ports[flow.rx_name]) if PAYLOAD in each]
        assert len(heard) >= 0.9 * FRAMES, f"{len(heard)} of {FRAMES} frames came through"
        after = router.counters(condition)
    return {name: after[name] - before.get(name, 0) for name in after}


@pytest.mark.parametrize(
    ("name", "condition", "fast", "slow"),
    [
        # Whether these counters move with virtio no recording shows.
        ("fastpath", "routing-fast-path", ("ipv4-fast-path-packets", "p1 fp-rx-packet"), ""),
        ("fastpath", "routing-plain", ("p1 rx-packet",), "ipv4-fast-path-packets"),
        ("fastpath", "routing-connection-tracking", ("p1 rx-packet",), "ipv4-fast-path-packets"),
        ("fastpath", "routing-25-ip-filter-rules", ("p1 rx-packet",), "ipv4-fast-path-packets"),
        ("fasttrack", "fasttrack", ("ipv4-fasttrack-packets",), ""),
    ],
)
def test_the_path_that_packets_take_shows_in_counters(
    wires: Wires, router_of: Make, name: str, condition: str, fast: tuple[str, ...], slow: str
) -> None:
    lab = labs.find(name)
    grown = through(wires, lab, lab.conditions[condition], router_of(lab))
    assert all(grown[counter] >= 0.9 * FRAMES for counter in fast), grown
    assert not slow or grown[slow] == 0, grown
