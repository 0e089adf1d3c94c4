"""The classes of traffic that a configuration has, each with a packet that stands for it."""

from __future__ import annotations

from ppslab.theory.packet_path.explain.addresses import Range, span
from ppslab.theory.packet_path.explain.firewall import Walk
from ppslab.theory.packet_path.explain.matchers import NO
from ppslab.theory.packet_path.explain.network import TUNNELS, Network
from ppslab.theory.packet_path.explain.network.sessions import KIND
from ppslab.theory.packet_path.explain.packets import Packet
from ppslab.theory.packet_path.exports.row import Row

BRIDGED, NEW, ESTABLISHED, LOCAL, OTHER = "bridged", "new", "established", "local", "other"
CARRIED, PROTECTED = "carried", "protected"
VETH = "veth"
"""The kind of a container's interface."""

DECISIVE = (BRIDGED, ESTABLISHED, CARRIED)
"""The kinds that decide whether a router is fast: a first packet is one of many."""

TRACKED = ", established TCP and UDP"
TITLED = ("established", KIND)
"""The classes whose title says where they are translated."""

STAYS = ("accept", "jump", "return", "log", "passthrough")
"""Actions of a rule of NAT that translate nothing."""


class Traffic:
    """A class: its kind, what it is called, its family, and its packet, None where bridged."""

    def __init__(self, name: str, title: str, kind: str, family: int = 4) -> None:
        self.name = name
        self.title = title
        self.kind = kind
        self.family = family
        self.packet: Packet | None = None
        self.interface = ""
        self.of_kind = ""
        """The bridge or the tunnel that it is about, and its kind: `eoip`."""
        self.members: list[str] = []
        """The names of all such that it is about."""
        self.row: Row | None = None


def classes(net: Network) -> list[Traffic]:
    """All that the configuration has, bridges first."""
    found: list[Traffic] = []
    for row in [each for each in net.rows.of("/interface/bridge") if _has_ports(net, each)]:
        found.append(_about(row, "bridged-", BRIDGED, "bridge"))
    found += _routed(net)
    for kind in TUNNELS + ("pppoe-client", VETH):
        for row in net.rows.of("/interface/" + kind):
            found.append(_about(row, "carried-", CARRIED, kind))
    if any(row.get("template") != "yes" for row in net.rows.of("/ip/ipsec/policy")):
        found.append(Traffic("ipsec", "encrypted by an IPsec policy", PROTECTED))
    return found


def _has_ports(net: Network, bridge: Row) -> bool:
    """Whether a bridge has ports, or is given some when a client comes, as CAPsMAN and PPP do."""
    if net.port_rows.get(bridge.name):
        return True
    for path, menu in net.rows.menus.items():
        for name in ("bridge", "datapath.bridge"):
            given = [row for row in menu.with_value(name, bridge.name) if row.on]
            if given and not path.startswith("/interface/bridge"):
                return True
    return False


def titled(each: Traffic, names: str) -> str:
    """What a class about bridges or tunnels is called."""
    if each.kind == BRIDGED:
        return "bridged in " + names
    if each.of_kind == VETH:
        return "to and from containers by " + names
    return "carried by " + names + " (" + each.of_kind + ")"


def _about(row: Row, prefix: str, kind: str, of_kind: str) -> Traffic:
    each = Traffic(prefix + row.name, "", kind)
    each.interface, each.of_kind, each.row = row.name, of_kind, row
    each.members = [row.name or "a tunnel without a name"]
    each.title = titled(each, each.members[0])
    return each


def _routed(net: Network) -> list[Traffic]:
    established = _made(net, "established", "LAN to WAN" + TRACKED, ESTABLISHED)
    found = [established, _made(net, "new", "LAN to WAN, the first packet of a connection", NEW)]
    forwards = [row for row in net.rows.of("/ip/firewall/nat") if row.get("chain") == "dstnat"]
    if forwards:
        each = _made(net, "port-forward", "WAN to LAN, a forwarded port, established", ESTABLISHED)
        packet = each.packet
        if packet is not None:
            each.packet = packet = packet.back()
            packet.nat = ["dstnat"]
        found.append(each)
    inside = [name for name in net.lan if name not in net.wan]
    if len(inside) > 1:
        each = _made(net, "lan-to-lan", "between networks of the LAN, established", ESTABLISHED)
        if each.packet is not None:
            each.packet.outs = each.packet.ins
            each.packet.dst, each.packet.dst_internet = each.packet.src, False
            each.packet.nat = ["none"]
        found.append(each)
    over = [name for name in sorted(net.sessions) if name not in net.wan]
    if over:
        found.append(_made(net, KIND, "PPPoE sessions to WAN" + TRACKED, ESTABLISHED, ins=over))
    each = _made(net, "other", "LAN to WAN, ICMP, GRE and ESP", OTHER)
    if each.packet is not None:
        each.packet.protocols = ["icmp", "gre", "ipsec-esp"]
    found.append(each)
    found.append(Traffic("to-router", "to the router itself", LOCAL))
    if _has_ipv6(net):
        found.append(_made(net, "ipv6", "IPv6, established TCP and UDP", ESTABLISHED, 6))
    return found


def _has_ipv6(net: Network) -> bool:
    settings = net.rows.single("/ipv6/settings")
    if settings is not None and settings.get("disable-ipv6") == "yes":
        return False
    menus = ("/ipv6/address", "/ipv6/dhcp-client", "/ipv6/firewall/filter", "/ipv6/route")
    return any(net.rows.of(menu) for menu in menus)


def _made(
    net: Network, name: str, title: str, kind: str, family: int = 4, ins: list[str] | None = None
) -> Traffic:
    """A class by its packet; `ins`: the sessions that it comes in by, whose addresses are open."""
    each = Traffic(name, title, kind, family)
    packet = Packet("new" if kind == NEW else "established")
    packet.ins = ins or [one for one in net.lan if one not in net.wan] or None
    packet.outs = net.wan or None
    top = "/ip" if family == 4 else "/ipv6"
    packet.src = None if ins else _networks(net, packet.ins, top)
    packet.dst_internet = bool(net.wan)
    # What a policy encrypts is a class of its own.
    packet.ipsec = False
    packet.family = family
    packet.nat = ["srcnat"] if _translated(net, packet, family) else None
    if packet.nat and name in TITLED:
        each.title += ", translated"
    if name == "other":
        packet.state = "established"
    each.packet = packet
    return each


def _translated(net: Network, packet: Packet, family: int) -> bool:
    """Whether a rule of srcnat may translate the first packet of such a connection."""
    first = packet.copied()
    first.state = "new"
    walk = Walk(net, first, family)
    walk.chain(net.firewall_of(family).chains["nat"], "srcnat")
    return any(step.verdict != NO and step.action not in STAYS for step in walk.steps)


def _networks(net: Network, names: list[str] | None, top: str) -> list[Range] | None:
    found = []
    for row in net.rows.of(top + "/address"):
        if row.says("from-pool"):
            return None  # its network is what the provider gives
        if names and net.above(row.get("interface")) in names:
            try:
                found.append(span(row.get("address")))
            except ValueError:
                continue
    return found or None
