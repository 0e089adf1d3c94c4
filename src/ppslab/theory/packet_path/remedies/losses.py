"""Lines of this very router that FastTrack or the switch chip no longer reaches."""

from __future__ import annotations

from ppslab.theory.packet_path.explain.network import FASTTRACK, Network
from ppslab.theory.packet_path.exports.reading import Command
from ppslab.theory.packet_path.exports.row import Row

MOST_NAMED = 5

MARKING = ("mark-packet", "change-dscp", "change-ttl", "change-mss", "set-priority", "sniff-tzsp")


def places(lines: list[Command]) -> str:
    """` (home.rsc:12, home.rsc:13 and 4 more)`; empty for none."""
    named: list[str] = []
    for line in lines:
        place = line.file + ":" + str(line.number)
        named += [] if place in named else [place]
    if not named:
        return ""
    more = len(named) - MOST_NAMED
    rest = " and " + str(more) + " more" if more > 0 else ""
    return " (" + ", ".join(named[:MOST_NAMED]) + rest + ")"


def _of(what: str, rows: list[Row]) -> list[str]:
    return [what + places([row.first for row in rows])] if rows else []


def of_fasttrack(net: Network, family: int) -> list[str]:
    """What FastTrack bypasses here (manual, fasttrack-around), and what must stay slow."""
    top = "/ip" if family == 4 else "/ipv6"
    mangle = net.rows.of(top + "/firewall/mangle")
    marks = [row for row in mangle if row.get("action") == "mark-routing"]
    seen = [row for row in mangle if row.get("action") in MARKING]
    lost = _of("it bypasses mangle rules", seen)
    if family == 4:
        lost += _of("connections with a mark stay slow", marks)
        lost += _of(
            "it bypasses the hotspot's universal client and its users' limits",
            net.rows.of("/ip/hotspot"),
        )
        flow = [r for r in net.rows.of("/ip/traffic-flow") if r.get("enabled") == "yes"]
        lost += _of("it bypasses Traffic Flow", flow)
        policies = [r for r in net.rows.of("/ip/ipsec/policy") if r.get("template") != "yes"]
        lost += _of("what IPsec policies protect stays slow", policies)
    return lost


def of_hardware(net: Network) -> list[str]:
    """What does not see the packets that the chip routes (manual, l3hw-firewall)."""
    lost = ["firewall, connection tracking and queues for what the chip routes"]
    for what, menu in (("mangle rules", "/ip/firewall/mangle"), ("simple queues", "/queue/simple"),
                       ("queue trees", "/queue/tree")):  # fmt: skip
        lost += _of(what, net.rows.of(menu))
    forward = [r for r in net.rows.of("/ip/firewall/filter") if r.get("chain") == "forward"]
    return lost + _of("filter rules", [r for r in forward if r.get("action") != FASTTRACK])
