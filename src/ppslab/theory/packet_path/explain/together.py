"""The rules that several lines meet together: the firewall's order, FastTrack beside others."""

from __future__ import annotations

from typing import Any

from ppslab.theory.packet_path.explain.firewall import FASTTRACK, Marking
from ppslab.theory.packet_path.explain.matchers import NO
from ppslab.theory.packet_path.explain.network import Network
from ppslab.theory.packet_path.exports.reading import Command
from ppslab.theory.packet_path.exports.rows import Row

Met = Any  # tuple[str, list[Command]]
"""The id of a rule and the lines that meet it, the deciding one first."""

SMALL = {"eoip": 1458, "gre": 1476, "ipip": 1480, "vxlan": 1450}
"""MTU of a tunnel with mtu=auto on a path of 1500 bytes."""


def found(net: Network, markings: list[Marking]) -> list[Met]:
    """All of them; `markings`: what the firewall makes of the classes that it was asked about."""
    met: list[Met] = []
    if net.virtual:
        met.append(("chr-adapters", []))
    fasttrack = _fasttrack(net)
    met += _order(net, markings, fasttrack)
    if fasttrack:
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
    for marking in markings:
        for step in marking.front:
            if step.row.first not in front and marking.answer == NO:
                front.append(step.row.first)
    if front and fasttrack:
        met.append(("accept-in-front", front + [row.first for row in fasttrack]))
    if fasttrack and markings and all(m.answer == NO for m in markings) and not front:
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
    if policies and not _kept_out(net, fasttrack[0]):
        met.append(("fasttrack-and-ipsec", [rule] + [row.first for row in policies]))
    marks = [
        row
        for row in net.rows.of("/ip/firewall/mangle")
        if row.get("action") == "mark-routing" and row.get("chain", "prerouting") == "prerouting"
    ]
    unmarked = [row for row in fasttrack if not row.says("connection-mark")]
    if marks and unmarked:
        met.append(("fasttrack-and-marks", [unmarked[0].first] + [row.first for row in marks]))
    queues = net.rows.of("/queue/simple")
    queues = queues + [row for row in net.rows.of("/queue/tree") if row.get("parent") == "global"]
    if queues:
        met.append(("fasttrack-and-queues", [rule] + [row.first for row in queues]))
    return met


def _kept_out(net: Network, rule: Row) -> bool:
    """Whether accept rules in front of FastTrack's keep IPsec's packets out, in both directions."""
    ways: set[str] = set()
    if rule.get("ipsec-policy").endswith(",none"):
        return True
    for row in net.rows.of("/ip/firewall/filter"):
        if row is rule:
            break
        if row.get("action", "accept") != "accept" or row.get("chain") != "forward":
            continue
        policy = row.get("ipsec-policy")
        if policy.endswith(",ipsec"):
            ways.add(policy.split(",")[0])
        elif row.says("src-address") and row.says("dst-address"):
            ways.add("in" if "in" not in ways else "out")  # the tunnel's networks by name
    raw = [row for row in net.rows.of("/ip/firewall/raw") if row.get("action") == "notrack"]
    return len(ways) == 2 or len(raw) >= 2
