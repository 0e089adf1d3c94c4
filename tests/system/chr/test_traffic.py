"""Packets through the router: which path they take shows in its counters."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import pytest
from scapy.layers.inet import IP, UDP
from scapy.layers.l2 import Ether

from ppslab.model.lab import lab as labs
from ppslab.model.lab.lab import Condition, Flow, Lab
from ppslab.model.lab.packets import Ethernet, Pattern, first_value
from ppslab.testbed.routers.routeros.router import RouterOSRouter
from tests.system.chr.conftest import TEST_PORTS, Chr, Make

pytestmark = pytest.mark.guest

FRAMES = 200
"""Of 64 bytes, 1000 a second: under the megabit that a free licence lets out."""

PAYLOAD = b"ppslab test packet"

Pair = tuple[int | str | Pattern, int | str | Pattern]


def frames(flow: Flow) -> list[bytes]:
    """The flow's first frame so many times, without FCS."""
    addresses = flow.internet.src, flow.internet.dst
    ports = flow.transport.src_port, flow.transport.dst_port
    return [frame(flow.ethernet, addresses, ports, flow.internet.ttl)] * FRAMES


def frame(ethernet: Ethernet, addresses: Pair, ports: Pair, ttl: int) -> bytes:
    """A UDP frame, without FCS; of patterns the first value.  Pairs: source, destination."""
    src, dst = map(first_value, addresses)
    sport, dport = map(first_value, ports)
    packet = Ether(src=ethernet.src, dst=ethernet.dst) / IP(src=src, dst=dst, ttl=ttl)
    return bytes(packet / UDP(sport=sport, dport=dport) / PAYLOAD)


@contextmanager
def standing(router: RouterOSRouter, condition: Condition) -> Iterator[None]:
    """The condition on the router."""
    with router:
        router.apply(condition)
        assert not router.read_back(condition).problems
        yield


def through(chr_: Chr, lab: Lab, condition: Condition, router: RouterOSRouter) -> dict[str, int]:
    """Send the condition's first stream through; by how much each counter grew."""
    flow = lab.flows(condition)[0]
    ports = dict(zip(lab.spec.ports, TEST_PORTS, strict=False))
    chr_.wires.heard(ports[flow.rx_name], 0.1)
    before = router.counters(condition)
    chr_.wires.send(ports[flow.tx_name], frames(flow))
    heard = [each for each in chr_.wires.heard(ports[flow.rx_name]) if PAYLOAD in each]
    assert len(heard) >= 0.9 * FRAMES, f"{len(heard)} of {FRAMES} frames came through"
    after = router.counters(condition)
    return {name: after[name] - before.get(name, 0) for name in after}


def test_the_fast_path_counts_what_it_forwards(chr_: Chr, router_of: Make) -> None:
    """Whether these counters move with virtio: no recording shows it, so only this tells."""
    lab = labs.find("fastpath")
    condition = lab.conditions["routing-fast-path"]
    router = router_of(lab)
    with standing(router, condition):
        grown = through(chr_, lab, condition, router)
    assert grown["ipv4-fast-path-packets"] >= 0.9 * FRAMES, grown
    assert grown["p1 fp-rx-packet"] >= 0.9 * FRAMES, grown


@pytest.mark.parametrize(
    "name", ["routing-plain", "routing-connection-tracking", "routing-25-ip-filter-rules"]
)
def test_the_slow_path_counts_nothing_as_fast(chr_: Chr, router_of: Make, name: str) -> None:
    lab = labs.find("fastpath")
    condition = lab.conditions[name]
    router = router_of(lab)
    with standing(router, condition):
        grown = through(chr_, lab, condition, router)
    assert grown["p1 rx-packet"] >= 0.9 * FRAMES, grown
    assert grown["ipv4-fast-path-packets"] == 0, grown


def answers(flow: Flow) -> list[bytes]:
    """What the far end sends back."""
    assert flow.answered, "a connection has two directions"
    addresses = flow.internet.dst, flow.internet.src
    ports = flow.transport.dst_port, flow.transport.src_port
    return [frame(flow.answered.ethernet, addresses, ports, flow.internet.ttl)] * 5


def test_fasttrack_counts_what_it_forwards(chr_: Chr, router_of: Make) -> None:
    lab = labs.find("fasttrack")
    condition = lab.conditions["fasttrack"]
    flow = lab.flows(condition)[0]
    ports = dict(zip(lab.spec.ports, TEST_PORTS, strict=False))
    router = router_of(lab)
    with standing(router, condition):
        # Established it is after an answer, and fast-tracked after that.
        for _ in range(3):
            chr_.wires.send(ports[flow.tx_name], frames(flow)[:5])
            chr_.wires.send(ports[flow.rx_name], answers(flow))
        chr_.wires.heard(ports[flow.tx_name], 0.2)
        grown = through(chr_, lab, condition, router)
    assert grown["ipv4-fasttrack-packets"] >= 0.9 * FRAMES, grown
