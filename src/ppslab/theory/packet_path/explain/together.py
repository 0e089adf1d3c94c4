"""The rules that several lines meet together: the firewall's order, FastTrack beside others."""

from __future__ import annotations

from typing import Any

from ppslab.theory.packet_path.explain.addresses import Range, span
from ppslab.theory.packet_path.explain.firewall import Marking, marking
from ppslab.theory.packet_path.explain.matchers import NO, YES, Protected
from ppslab.theory.packet_path.explain.network import FASTTRACK, Network
from ppslab.theory.packet_path.explain.network.interface_lists import named_by
from ppslab.theory.packet_path.explain.packets import Packet
from ppslab.theory.packet_path.exports.reading import Command
from ppslab.theory.packet_path.exports.row import Row

Met = Any  # tuple[str, list[Command]]
"""The id of a rule and the lines that meet it, the deciding one first."""

MOST_ASKED = 100
"""Policies and routing rules whose packets are led through the firewall; the rest is taken to be
like them."""

SMALL = {"eoip": 1458, "gre": 1476, "ipip": 1480, "vxlan": 1450}
"""MTU of a tunnel with mtu=auto on a path of 1500 bytes."""


def found(net: Network, markings: list[Marking]) -> list[Met]:
    """All of them; `markings`: what the firewall makes of the classes that it was asked about."""
    met: list[Met] = []
    if net.virtual:
        met.append(("chr-adapters", []))
    met += [("empty-list", [row.command(word)]) for row, word in _of_empty_lists(net)]
    fasttrack = _fasttrack(net)
    met += _order(net, markings, fasttrack)
    if fasttrack and _reaches(net, Packet()):
        met += _beside(net, fasttrack)
    for row in net.rows.of("/ip/firewall/nat"):
        out = row.get("out-interface")
        if row.get("action") == "masquerade" and net.kinds.get(out) == "pppoe-client":
            met.append(("masquerade-reconnects", [row.command("action")]))
    for port, bridge in _pairs(net):
        kind = net.kinds.get(port, "")
        if kind in SMALL:
            tunnel = next(r for r in net.rows.of("/interface/" + kind) if r.name == port)
            if tunnel.get("mtu", "auto") == "auto" and _mtu(net, bridge) == "auto":
                rows = [row for row in net.port_rows[bridge] if row.get("interface") == port]
                met.append(("bridge-mtu", [tunnel.first, rows[0].first]))
    return met


def _of_empty_lists(net: Network) -> list[Met]:
    """The rules of a firewall that name an interface list without members, and by which word."""
    found: list[Met] = []
    if not net.empty_lists:
        return found
    for top in ("/ip", "/ipv6"):
        for table in ("raw", "mangle", "nat", "filter"):
            for row in net.rows.of(top + "/firewall/" + table):
                found += [(row, word) for word, name in named_by(row) if name in net.empty_lists]
    return found


def _fasttrack(net: Network) -> list[Row]:
    menus = ("/ip/firewall/filter", "/ip/firewall/mangle")
    return [row for menu in menus for row in net.rows.of(menu) if row.get("action") == FASTTRACK]


def _pairs(net: Network) -> list[tuple[str, str]]:
    return [(r.get("interface"), b) for b in sorted(net.kinds) for r in net.port_rows.get(b, [])]


def _mtu(net: Network, bridge: str) -> str:
    for row in net.rows.of("/interface/bridge"):
        if row.name == bridge:
            return row.get("mtu", "auto")
    return "auto"


def _order(net: Network, markings: list[Marking], fasttrack: list[Row]) -> list[Met]:
    met: list[Met] = []
    front: list[Command] = []
    for each in markings:
        for step in each.front:
            if step.row.first not in front and each.answer == NO:
                front.append(step.row.first)
    if front and fasttrack:
        met.append(("accept-in-front", front + [row.first for row in fasttrack]))
    other = bool(front) or any(m.unlike for m in markings)
    if fasttrack and markings and all(m.answer == NO for m in markings) and not other:
        met.append(("never-reached", [row.command("action") for row in fasttrack]))
    told, line = net.setting("/ip/firewall/connection/tracking", "enabled")
    if fasttrack and told == "no":
        met.append(("not-tracked", [line] if line else []))
    untracked = [m.untracked.row.first for m in markings if m.untracked]
    if fasttrack and untracked:
        met.append(("not-tracked", untracked[:1]))
    return met


def _beside(net: Network, fasttrack: list[Row]) -> list[Met]:
    met: list[Met] = []
    rule = fasttrack[0].first
    policies = [row for row in net.rows.of("/ip/ipsec/policy") if row.get("template") != "yes"]
    reached = [row for row in policies[:MOST_ASKED] if not _kept_out(net, row)]
    if reached:
        met.append(("fasttrack-and-ipsec", [rule] + [row.first for row in reached]))
    marks = [
        row
        for row in net.rows.of("/ip/firewall/mangle")
        if row.get("action") == "mark-routing" and row.get("chain", "prerouting") == "prerouting"
    ]
    unmarked = [row for row in fasttrack if not row.says("connection-mark")]
    if marks and unmarked:
        met.append(("fasttrack-and-marks", [unmarked[0].first] + [row.first for row in marks]))
    tables = [row for row in _other_tables(net)[:MOST_ASKED] if _fasttracked(net, row)]
    if tables:
        met.append(("fasttrack-and-tables", [rule] + [row.first for row in tables]))
    queues = net.rows.of("/queue/simple")
    queues = queues + [row for row in net.rows.of("/queue/tree") if row.get("parent") == "global"]
    if queues:
        met.append(("fasttrack-and-queues", [rule] + [row.first for row in queues]))
    return met


def _kept_out(net: Network, policy: Row) -> bool:
    """Whether the firewall keeps a policy's packets from FastTrack's rules, in both directions."""
    try:
        ends = [_span(policy.get("src-address")), _span(policy.get("dst-address"))]
    except ValueError:
        return False
    if ":" in policy.get("src-address") + policy.get("dst-address"):
        return True  # FastTrack's rule is IPv4's
    inside = [name for name in net.lan if name not in net.wan] or None
    for way in ("out", "in"):
        packet = Protected(way)
        packet.ins, packet.outs = inside, net.wan or None
        packet.src, packet.dst = ends
        if way == "in":
            packet.ins, packet.outs = packet.outs, packet.ins
            packet.src, packet.dst = packet.dst, packet.src
        if _reaches(net, packet):
            return False
    return True


def _other_tables(net: Network) -> list[Row]:
    """The routing rules, of RouterOS 7 and 6, that look up another table than main."""
    rows = net.rows.of("/routing/rule") + net.rows.of("/ip/route/rule")
    looks = [row for row in rows if row.get("action", "lookup").startswith("lookup")]
    # A mark that such a rule asks for is given by mangle, which has a note of its own.
    looks = [row for row in looks if not row.says("routing-mark")]
    return [row for row in looks if row.get("table", "main") not in ("", "main")]


def _fasttracked(net: Network, rule: Row) -> bool:
    """Whether FastTrack may take what a routing rule sends to its table."""
    packet = Packet()
    packet.ipsec = False
    packet.ins = [rule.get("interface")] if rule.get("interface") else None
    try:
        packet.src, packet.dst = _span(rule.get("src-address")), _span(rule.get("dst-address"))
    except ValueError:
        return True
    if ":" in rule.get("src-address") + rule.get("dst-address"):
        return False  # FastTrack's rule is IPv4's
    return _reaches(net, packet) or _reaches(net, packet.back())


def _span(text: str) -> list[Range] | None:
    """The range of an address; None for any."""
    return [span(text)] if text and text != "0.0.0.0/0" else None


def _reaches(net: Network, packet: Packet) -> bool:
    """Whether a FastTrack rule may mark the connection of such a packet."""
    found = marking(net, packet)
    if found.untracked is not None and found.untracked.verdict == YES:
        return False
    return found.answer != NO
