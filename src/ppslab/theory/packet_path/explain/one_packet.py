"""One packet's way through the firewall, rule by rule: `--packet "dst=1.1.1.1:443/tcp"`."""

from __future__ import annotations

from typing import Any

from ppslab.theory.packet_path.explain import matching
from ppslab.theory.packet_path.explain.addresses import number, span, within
from ppslab.theory.packet_path.explain.firewall import REFUSES, Walk, marking
from ppslab.theory.packet_path.explain.matchers import NO, PERHAPS, YES
from ppslab.theory.packet_path.explain.network import Network
from ppslab.theory.packet_path.explain.packets import Packet

MOST_SHOWN = 400


def tables(packet: Packet) -> list[tuple[str, str]]:
    """The tables and chains that it meets, in their order (manual: Packet Flow)."""
    chain = packet.chain
    first = [("raw", "prerouting"), ("mangle", "prerouting")]
    nat = [("nat", "dstnat")] if packet.state == "new" else []
    if chain == "input":
        return first + nat + [("mangle", "input"), ("filter", "input")]
    last = [("nat", "srcnat")] if packet.state == "new" else []
    return first + nat + [("mangle", "forward"), ("filter", "forward")] + last


def place_of(net: Network, packet: Packet) -> None:
    """Find out whither it goes: to the router itself, or out by which interface."""
    if not packet.dst:
        return
    to = packet.dst[0]
    best = -1
    top = "/ip" if packet.family == 4 else "/ipv6"
    for row in net.rows.of(top + "/address"):
        address, _, length = row.get("address").partition("/")
        if row.says("from-pool"):
            continue  # its network is what the provider gives
        try:
            if number(address) == to[0] == to[1] and row.get("eui-64") != "yes":
                packet.chain = "input"
                return
            if within(to, span(row.get("address"))) and int(length or "128") > best:
                best = int(length or "128")
                packet.outs = packet.outs or [row.get("interface")]
        except ValueError:
            continue
    if packet.outs is None and net.wan:
        packet.outs = net.wan


def walked(net: Network, packet: Packet) -> dict[str, Any]:
    """Every rule that it is asked by, and what becomes of it."""
    place_of(net, packet)
    steps: list[dict[str, Any]] = []
    ended = ""
    for table, chain in tables(packet):
        walk = Walk(net, packet, packet.family)
        walk.chain(net.firewall_of(packet.family).chains[table], chain)
        for step in walk.steps:
            steps.append(
                {
                    "table": table,
                    "chain": step.row.get("chain"),
                    "verdict": step.verdict,
                    "why": step.why,
                    "action": step.action,
                    "sure": step.sure,
                    "command": step.row.first,
                }
            )
        # What a rule may refuse is gone there: the others come to the end for certain.
        others = Walk(net, packet, packet.family, True)
        others.chain(net.firewall_of(packet.family).chains[table], chain)
        end = others.end
        if end and end.sure and end.action in REFUSES:
            ended = end.action
            break
    return {
        "chain": packet.chain,
        "family": packet.family,
        "out": packet.outs or [],
        "steps": steps[:MOST_SHOWN],
        "left": max(0, len(steps) - MOST_SHOWN),
        "ended": ended or "accept",
        "fasttrack": "no" if ended else _fasttracked(net, packet),
    }


def _fasttracked(net: Network, packet: Packet) -> str:
    """Whether a rule that it meets marks its connection, as for a class of packets."""
    tracked = packet.protocols[0] in ("tcp", "udp") and packet.state in ("established", "related")
    has = matching.has_fasttrack(net.base, net.numbers, packet.family)
    if not tracked or not has or packet.chain != "forward":
        return NO
    found = marking(net, packet, packet.family)
    if found.untracked and found.untracked.verdict != NO:
        return NO if found.untracked.verdict == YES else PERHAPS
    return found.answer
