"""Packets through the router: which path they take shows in its counters."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import pytest
from scapy.layers.inet import IP, UDP
from scapy.layers.l2 import Ether

from ppslab import lab as labs
from ppslab.instruments.flows import Flow
from ppslab.lab import Condition, Lab
from ppslab.routers.routeros.router import RouterOSRouter
from tests.chr.conftest import TEST_PORTS, Chr, Make

FRAMES = 200
"""Of 64 bytes, 1000 a second: under the megabit that a free licence lets out."""

PAYLOAD = b"ppslab test packet"


def frames(flow: Flow) -> list[bytes]:
    """The flow's first frame so many times, without FCS."""
    packet = (
        Ether(src=flow.src_mac, dst=flow.dst_mac)
        / IP(src=flow.src, dst=flow.dst, ttl=flow.ttl)
        / UDP(sport=flow.src_port, dport=flow.dst_port)
        / PAYLOAD
    )
    return [bytes(packet)] * FRAMES


@contextmanager
def standing(router: RouterOSRouter, condition: Condition) -> Iterator[None]:
    """The condition on the router."""
    with router:
        router.apply(condition)
        assert not router.read_back(condition).problems
        yield


def through(chr_: Chr, lab: Lab, condition: Condition, router: RouterOSRouter) -> dict[str, int]:
    """Send the condition's first stream through; by how much each counter grew."""
    flow = Flow.of(lab.flows(condition)[0])
    ports = dict(zip(lab.words.ports, TEST_PORTS, strict=False))
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


def test_the_slow_path_counts_nothing_as_fast(chr_: Chr, router_of: Make) -> None:
    lab = labs.find("fastpath")
    condition = lab.conditions["routing-plain"]
    router = router_of(lab)
    with standing(router, condition):
        grown = through(chr_, lab, condition, router)
    assert grown["p1 rx-packet"] >= 0.9 * FRAMES, grown
    assert grown["ipv4-fast-path-packets"] == 0, grown


@pytest.mark.parametrize("name", ["routing-connection-tracking", "routing-25-ip-filter-rules"])
def test_tracking_and_rules_close_the_fast_path(chr_: Chr, router_of: Make, name: str) -> None:
    lab = labs.find("fastpath")
    condition = lab.conditions[name]
    router = router_of(lab)
    with standing(router, condition):
        grown = through(chr_, lab, condition, router)
    assert grown["ipv4-fast-path-packets"] == 0, grown


def answers(flow: Flow) -> list[bytes]:
    """What the far end sends back."""
    assert flow.reply_src_mac and flow.reply_dst_mac, "a connection has two directions"
    packet = (
        Ether(src=flow.reply_src_mac, dst=flow.reply_dst_mac)
        / IP(src=flow.dst, dst=flow.src, ttl=flow.ttl)
        / UDP(sport=flow.dst_port, dport=flow.src_port)
        / PAYLOAD
    )
    return [bytes(packet)] * 5


def test_fasttrack_counts_what_it_forwards(chr_: Chr, router_of: Make) -> None:
    lab = labs.find("fasttrack")
    condition = lab.conditions["fasttrack"]
    flow = Flow.of(lab.flows(condition)[0])
    ports = dict(zip(lab.words.ports, TEST_PORTS, strict=False))
    router = router_of(lab)
    with standing(router, condition):
        # Established it is after an answer, and fast-tracked after that.
        for _ in range(3):
            chr_.wires.send(ports[flow.tx_name], frames(flow)[:5])
            chr_.wires.send(ports[flow.rx_name], answers(flow))
        chr_.wires.heard(ports[flow.tx_name], 0.2)
        grown = through(chr_, lab, condition, router)
    assert grown["ipv4-fasttrack-packets"] >= 0.9 * FRAMES, grown
