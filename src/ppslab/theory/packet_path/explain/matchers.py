"""The matchers of a firewall's rule against a packet that is known in part: yes, no, or perhaps."""

from __future__ import annotations

from ppslab.theory.packet_path.explain.addresses import (
    BITS,
    apart,
    family_of,
    private,
    span,
    within,
)
from ppslab.theory.packet_path.explain.network import MARKS, Network
from ppslab.theory.packet_path.explain.network.interface_lists import BUILT_IN, EVERY, MATCHERS
from ppslab.theory.packet_path.explain.network.sessions import DYNAMIC, KIND, dynamic
from ppslab.theory.packet_path.explain.packets import OUTPUT, Packet
from ppslab.theory.packet_path.exports import secrets
from ppslab.theory.packet_path.exports.row import Row

YES, NO, PERHAPS = "yes", "no", "perhaps"

NO_MATCHERS = (
    "action", "chain", "comment", "disabled", "log", "log-prefix", "passthrough", "jump-target",
    "reject-with", "address-list", "address-list-timeout", "to-addresses", "to-ports",
    "new-connection-mark", "new-packet-mark", "new-routing-mark", "new-mss", "new-ttl", "new-dscp",
    "new-priority", "hw-offload", "place-before", "randomise-ports", "sniff-id", "sniff-target",
    "sniff-target-port", "route-dst", "same-not-by-dst", "dst-limit-mode", "socks5-server",
)  # fmt: skip

DROPPED = {"src-address": "src", "dst-address": "dst"}

EACH = {
    "all-ethernet": (
        ("ethernet",),
        ("bonding", "eoip", "eoipv6", "macvlan", "mesh", "veth", "vpls", "vrrp", "vxlan"),
    ),
    "all-ppp": (
        ("l2tp-client", "ovpn-client", "pppoe-client", KIND, "pptp-client", "sstp-client"),
        ("lte",),
    ),
    "all-vlan": (("vlan",), ()),
    "all-wireless": (("wireless",), ("wifi", "wifiwave2")),
}
"""Names for every interface of a kind: the kinds that they mean, and those of which nobody says."""

NAMED = (("ether", "ethernet"), ("sfp", "ethernet"), ("qsfp", "ethernet"), ("combo", "ethernet"),
         ("wlan", "wireless"), ("wifi", "wifi"), ("lte", "lte"), (DYNAMIC, KIND))  # fmt: skip
"""How a router names what it has of itself, which a compact export need not mention."""


STATIC = ("ethernet", "bridge", "vlan", "bonding", "vrrp", "macvlan", "eoip", "gre", "ipip",
          "vxlan", "wireguard", "veth", "vpls")  # fmt: skip
"""Kinds of interfaces that no session and no radio makes, so none adds them to a list."""


class Protected(Packet):
    """A packet that an IPsec policy is about: `way` is `out` into the tunnel, or `in` out of it."""

    def __init__(self, way: str) -> None:
        super().__init__()
        self.way = way
        self.ipsec = True


def against(net: Network, row: Row, packet: Packet, family: int) -> tuple[str, list[str]]:
    """Whether a rule matches, and the words of the rule by which it does not, or perhaps not."""
    open_: list[str] = []
    plain = not row.menu.every
    for name in row.names:
        if name in NO_MATCHERS:
            continue
        value = row.values[name][0] if plain else row.get(name)
        if value == "" and name != "content":
            continue
        if name in MARKS:
            verdict = _mark(net, row, name, value, packet)
        else:
            verdict = _matcher(net, name, value, packet, family)
        if verdict == NO:
            empty = name in MATCHERS and value in net.empty_lists
            return NO, [
                secrets.pair(row.menu.path, name, value)
                + (", which has no members" if empty else "")
            ]
        if verdict == PERHAPS:
            open_.append(secrets.pair(row.menu.path, name, value))
    return (PERHAPS, open_) if open_ else (YES, [])


def _turned(verdict: str, inverted: bool) -> str:
    if not inverted or verdict == PERHAPS:
        return verdict
    return NO if verdict == YES else YES


def _matcher(net: Network, name: str, value: str, packet: Packet, family: int) -> str:
    inverted = value.startswith("!")
    value = value[1:] if inverted else value
    found = _plain(net, name, value, packet, family)
    return _turned(found, inverted)


def _plain(net: Network, name: str, value: str, packet: Packet, family: int) -> str:
    if packet.chain == OUTPUT and name[:3] == "in-":
        return NO  # it came in by no interface
    if name == "connection-state":
        return YES if packet.state in value.split(",") else NO
    if name == "connection-nat-state":
        return _among(value.split(","), packet.nat)
    if name == "protocol":
        return _among([value], packet.protocols)
    if name in ("in-interface", "out-interface"):
        possible = packet.ins if name[0] == "i" else packet.outs
        if value in EACH:
            return _all([_of_kind(net, value, each) for each in possible or []])
        # A rule may name a user's session, and a class is about all of them.
        several = [each for each in possible or [] if dynamic(each) and each in net.sessions]
        return PERHAPS if several and dynamic(value) else _among([value], possible)
    if name in MATCHERS:
        return _in_list(net, value, packet.ins if name[0] == "i" else packet.outs)
    if name in ("src-address", "dst-address"):
        return _address(packet, name[:3], value, family)
    if name in ("src-address-list", "dst-address-list"):
        return _listed(net, packet, name[:3], value, family)
    if name in ("src-port", "dst-port", "port"):
        return _port(packet, name, value)
    if name == "ipsec-policy":
        return _ipsec(net, packet, value)
    if name == "dst-address-type" and value == "local":
        return NO if packet.chain == "forward" else PERHAPS
    if name == "fragment":
        return NO
    return PERHAPS


def _all(verdicts: list[str]) -> str:
    """One verdict for all that is possible; nothing known is perhaps."""
    if not verdicts or PERHAPS in verdicts or (YES in verdicts and NO in verdicts):
        return PERHAPS
    return verdicts[0]


def _kind(net: Network, interface: str) -> str:
    """An interface's kind; empty where neither the export nor its name says it."""
    if interface in net.kinds:
        return net.kinds[interface]
    for begins, kind in NAMED:
        if interface.startswith(begins):
            return kind
    return ""


def _of_kind(net: Network, value: str, interface: str) -> str:
    """Whether an interface is one of `all-ppp` and its like."""
    kind = _kind(net, interface)
    sure, open_ = EACH[value]
    if not kind or kind in open_:
        return PERHAPS
    return YES if kind in sure else NO


def _in_list(net: Network, value: str, possible: list[str] | None) -> str:
    """Whether an interface is in a list, one of the router's own or of the export."""
    if value == EVERY:
        return YES
    if value == "none":
        return NO
    if value in BUILT_IN:
        return _all([_built_in(net, value, each) for each in possible or []])
    if value in net.empty_lists:
        return NO  # whatever interface it is
    found = _among(net.lists.get(value, []), possible)
    return PERHAPS if found == NO and _may_be_added(net, value, possible or []) else found


def _built_in(net: Network, value: str, interface: str) -> str:
    """Whether an interface is in `dynamic` or in `static`."""
    if not _kind(net, interface):
        return PERHAPS
    # What the export configures, and a port that the router has of itself, is not dynamic.
    return YES if dynamic(interface) == (value == "dynamic") else NO


def _may_be_added(net: Network, value: str, possible: list[str]) -> bool:
    """Whether one of these interfaces may be in a list that no line puts it into."""
    kinds = [_kind(net, each) for each in possible]
    return (
        value in net.open_lists
        or (value in net.fed_lists and any(kind not in STATIC for kind in kinds))
        or (value in net.dynamic_lists and any(dynamic(each) for each in possible))
    )


def _among(wanted: list[str], possible: list[str] | None) -> str:
    if possible is None or not possible:
        return PERHAPS
    met = [each in wanted for each in possible]
    if all(met):
        return YES
    return PERHAPS if any(met) else NO


def _address(packet: Packet, end: str, value: str, family: int) -> str:
    known = packet.src if end == "src" else packet.dst
    internet = packet.src_internet if end == "src" else packet.dst_internet
    try:
        rule = span(value)
    except ValueError:
        return PERHAPS
    if family_of(value) != family:
        return NO
    if rule == (0, (1 << BITS[family]) - 1):
        return YES
    if internet:
        return NO if private(rule, family) else PERHAPS
    if not known:
        return PERHAPS
    if all(within(each, rule) for each in known):
        return YES
    return NO if all(apart(each, rule) for each in known) else PERHAPS


def _listed(net: Network, packet: Packet, end: str, value: str, family: int) -> str:
    lists = net.firewall_of(family)
    rows, filled = lists.addresses.get(value, []), value in lists.filled
    verdicts = [_address(packet, end, row.get("address"), family) for row in rows]
    if YES in verdicts:
        return YES
    return PERHAPS if filled or PERHAPS in verdicts else NO


def _port(packet: Packet, name: str, value: str) -> str:
    if not any(each in ("tcp", "udp", "sctp") for each in packet.protocols):
        return NO
    ports = {"src-port": [packet.src_port], "dst-port": [packet.dst_port]}.get(
        name, [packet.src_port, packet.dst_port]
    )
    known = [port for port in ports if port is not None]
    for part in value.split(","):
        first, _, last = part.partition("-")
        if not first.isdigit() or (last and not last.isdigit()):
            return PERHAPS
        if any(int(first) <= port <= int(last or first) for port in known):
            return YES
    return NO if len(known) == len(ports) else PERHAPS


def _ipsec(net: Network, packet: Packet, value: str) -> str:
    protected = value.endswith("ipsec")
    way = value.partition(",")[0]
    if isinstance(packet, Protected) and way in ("in", "out") and way != packet.way:
        return NO if protected else YES
    if packet.ipsec is not None:
        return YES if packet.ipsec == protected else NO
    if not net.has_ipsec:
        return NO if protected else YES
    return PERHAPS


def _mark(net: Network, row: Row, name: str, value: str, packet: Packet) -> str:
    inverted = value.startswith("!")
    value = value[1:] if inverted else value
    none = value in ("no-mark", "main")
    known = packet.marks_before(row)
    if known is not None:
        return _turned(_among(["" if none else value], known[name]), inverted)
    made = net.firewall_of(packet.family).marks.get(name, set())
    if none:
        return _turned(PERHAPS if made else YES, inverted)
    return _turned(PERHAPS if value in made else NO, inverted)
