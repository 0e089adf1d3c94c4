"""Packets at the bounds of a firewall: from each side of the router, and at each rule's ends."""

from __future__ import annotations

from rosexplain.addresses import Range, family_of, span
from rosexplain.ending import place_of
from rosexplain.firewall import led_to
from rosexplain.hosts import OUTSIDE, PORTS, Ends, first_packet
from rosexplain.language import gettext
from rosexplain.network import REFUSES, Network
from rosexplain.ordered import unique
from rosexplain.packet import STATES, Packet, Protected
from rosexplain.rows import Row
from rosexplain.selection import is_number

TO_ROUTER = (("tcp", 22), ("tcp", 8291), ("udp", 53), ("udp", 161))
"""Services of a router: SSH, WinBox, DNS, SNMP."""
TO_HOST = (("tcp", 3389), ("udp", 5060))
ICMP = {4: (("icmp", 8),), 6: (("icmpv6", 134), ("icmpv6", 135), ("icmpv6", 128))}
"""An echo request; router advertisement, neighbour solicitation, echo request (RFC 4861, 4443)."""
NUMBERED = {"1": "icmp", "6": "tcp", "17": "udp", "47": "gre", "50": "ipsec-esp", "58": "icmpv6"}

TOPS = (("filter", ("input", "forward")), ("raw", ("prerouting",)))
"""The tables whose rules refuse packets, with the chains by which those come in."""

MOST_RULES = 60
"""Rules of a family at whose bounds packets are made, those that refuse packets first."""
MOST_NETWORKS = 6
"""Networks and WANs that are probed with each other."""


def entering(net: Network, family: int) -> list[tuple[str, Packet]]:
    """New packets from each WAN and each LAN, with true and with forged sources."""
    ends = Ends(net, family)
    packets: list[tuple[str, Packet]] = []
    lan, wan = ends.lan[:MOST_NETWORKS], ends.wan[:MOST_NETWORKS]
    internet = [span(OUTSIDE[family])]
    for name in wan + lan:
        inside = name in lan
        src = ends.host(name) if inside else internet
        forged = [host for host in [ends.host(other) for other in lan if other != name] if host]
        for protocol, port in TO_ROUTER + ICMP[family]:
            packet = first_packet(family, name, src, ends.router(name), protocol, port)
            packet.chain = "input"
            packets.append((_to_router(name, protocol, port), packet))
        for protocol, port in TO_HOST + ICMP[family][-1:]:
            for other in lan:
                if other == name or (inside and ends.host(other) is None):
                    continue
                packet = first_packet(family, name, src, ends.host(other), protocol, port)
                packet.outs = [other]
                packets.append((_forwarded(name, other, protocol, port), packet))
        if not inside:
            for host in forged[:2] + _remote(net, family)[:MOST_NETWORKS]:
                for other in lan:
                    packet = first_packet(family, name, host, ends.host(other), "tcp", 3389)
                    packet.outs = [other]
                    words = gettext("a packet from {name} with a forged source").format(name=name)
                    packets.append((words, packet))
                packet = first_packet(family, name, host, ends.router(name), "tcp", 22)
                packet.chain = "input"
                words = gettext("a packet from {name} with a forged source, to the router")
                packets.append((words.format(name=name), packet))
        else:
            packet = first_packet(family, name, src, internet, "tcp", 443)
            packet.outs = ends.wan or None
            packets.append((gettext("a new connection from {name} out").format(name=name), packet))
    return packets


def _remote(net: Network, family: int) -> list[list[Range]]:
    """A host of each network behind an IPsec policy."""
    hosts: list[list[Range]] = []
    for row in net.policies:
        to = row.get("dst-address")
        try:
            if to and family_of(to) == family and to not in ("0.0.0.0/0", "::/0"):
                first = span(to)
                host = min(first[0] + 1, first[1])
                hosts.append([(host, host)])
        except ValueError:
            continue
    return hosts


def protocol_words(protocol: str, number: int) -> str:
    return protocol + (" type " if protocol[:4] == "icmp" else "/") + str(number)


def _to_router(name: str, protocol: str, port: int) -> str:
    text = gettext("a new packet from {name} to the router ({what})")
    return text.format(name=name, what=protocol_words(protocol, port))


def _forwarded(name: str, other: str, protocol: str, port: int) -> str:
    text = gettext("a new packet from {name} to {other} ({what})")
    return text.format(name=name, other=other, what=protocol_words(protocol, port))


def ending_rules(net: Network, family: int) -> list[tuple[Row, str]]:
    """The rules that packets come to, each with the chain by which; those that refuse first."""
    refusing: list[tuple[Row, str]] = []
    others: list[tuple[Row, str]] = []
    for table, tops in TOPS:
        chains = net.firewall_of(family).chains[table]
        for top in tops:
            for chain in led_to(net, family, table, top):
                for row in chains.get(chain, []):
                    ends = row.get("action", "accept")
                    if ends in REFUSES:
                        refusing.append((row, top))
                    elif ends in ("accept", "notrack"):
                        others.append((row, top))
    return refusing[:MOST_RULES] + others[: max(0, MOST_RULES - len(refusing))]


def at_bounds(ends: Ends, row: Row, top: str) -> list[tuple[str, Packet]]:
    """Packets inside a rule's match, and one just outside of each of its bounds."""
    net = ends.net
    packets: list[tuple[str, Packet]] = []
    line = place_of(net, row.first)
    words = gettext("a packet that {line} matches").format(line=line)
    beside = gettext("a packet just outside of {line}").format(line=line)
    chains = {"prerouting": ("input", "forward"), "dstnat": ("input",)}.get(top, (top,))
    for chain in chains:
        for name in _coming(ends, row):
            packet = _matching(ends, row, name, chain)
            packets.append((words, packet))
            packets += [(words, other) for other in _at_end(row, packet, 0)]
            packets += [(beside, other) for other in _at_end(row, packet, 1)]
    return packets


def _coming(ends: Ends, row: Row) -> list[str]:
    """The interfaces by which a rule's packets may come, one of each side."""
    net = ends.net
    named = row.get("in-interface")
    if named and named[0] != "!":
        return [net.above(named)]
    listed = row.get("in-interface-list")
    both = ends.wan[:1] + ends.lan[:1]
    if listed and listed[0] != "!":
        members = unique([net.above(name) for name in net.lists.get(listed, [])])
        return members[:1] or both
    if listed:
        out = net.lists.get(listed[1:], [])
        return [name for name in both if name not in out] or both
    if named:
        return [name for name in both if name != net.above(named[1:])] or both
    return both


def _state_of(value: str) -> str:
    """A state that `new,established` or `!new` matches."""
    states = value.lstrip("!").split(",")
    if value[:1] != "!":
        return states[0]
    return next((state for state in STATES if state not in states), STATES[0])


def _matching(ends: Ends, row: Row, name: str, chain: str) -> Packet:
    """A packet that a rule matches, as far as its matchers can be filled in."""
    net, family = ends.net, ends.family
    protocol = row.get("protocol", "tcp").lstrip("!")
    protocol = NUMBERED.get(protocol, protocol)
    if row.get("protocol")[:1] == "!":
        protocol = "tcp" if protocol != "tcp" else "udp"
    policy = row.get("ipsec-policy")
    packet = Packet(_state_of(row.get("connection-state", "new")))
    if policy == "in,ipsec":
        packet = Protected("in", packet.state)
    packet.family, packet.chain, packet.ins, packet.protocols = family, chain, [name], [protocol]
    packet.ipsec = packet.ipsec or False
    inside = name in ends.lan
    src = _address_of(net, row, "src", family)
    dst = _address_of(net, row, "dst", family)
    packet.src = src or (ends.host(name) if inside else [span(OUTSIDE[family])])
    if chain == "input":
        packet.dst = dst or ends.router(name)
    else:
        other = (ends.lan[:1] or [""])[0]
        packet.dst = dst or ([span(OUTSIDE[family])] if inside else ends.host(other))
        if not dst and inside:
            packet.outs = ends.wan or None
        elif not dst and other:
            packet.outs = [other]
    if protocol in PORTS:
        packet.src_port = _port_of(row.get("src-port")) or 50000
        packet.dst_port = _port_of(row.get("dst-port") or row.get("port")) or 443
    elif protocol[:4] == "icmp":
        kind = row.get("icmp-options").partition(":")[0]
        packet.icmp = int(kind) if is_number(kind) else ICMP[family][0][1]
    translated = row.get("connection-nat-state")
    packet.nat = [translated] if translated and translated[0] != "!" else ["none"]
    return packet


def established(ends: Ends, row: Row) -> list[Packet]:
    """The packets of established connections that a rule of forward matches, one of each side."""
    packets = [_matching(ends, row, name, "forward") for name in _coming(ends, row)]
    for packet in packets:
        packet.state, packet.nat = "established", None
    return packets


def _address_of(net: Network, row: Row, end: str, family: int) -> list[Range] | None:
    """The first address that a rule names, or that its list has."""
    value, listed = row.get(end + "-address"), row.get(end + "-address-list")
    names = [value] if value and value[0] != "!" else []
    if listed and listed[0] != "!":
        rows = net.firewall_of(family).addresses.get(listed, [])
        names += [one.get("address") for one in rows[:1]]
    for text in names:
        try:
            if family_of(text) == family:
                first = span(text)[0]
                return [(first, first)]
        except ValueError:
            continue
    return None


def _port_of(text: str) -> int:
    first = text.partition(",")[0].partition("-")[0]
    return int(first) if is_number(first) and len(first) < 6 else 0


def _at_end(row: Row, packet: Packet, past: int) -> list[Packet]:
    """The same packet with the last of a range of the rule, or with one `past` it."""
    others: list[Packet] = []
    for end in ("src", "dst"):
        value = row.get(end + "-address")
        try:
            whole = span(value) if value and value[0] != "!" else None
        except ValueError:
            whole = None
        if whole is None:
            continue
        last = whole[1] + past
        if last >> (32 if packet.family == 4 else 128) or (not past and last == whole[0]):
            continue
        other = packet.copied()
        setattr(other, end, [(last, last)])
        others.append(other)
    part = row.get("dst-port").split(",")[-1].rpartition("-")[2]
    port = int(part) + past if is_number(part) and len(part) < 6 else 0
    if port and port < 65536 and port != packet.dst_port:
        other = packet.copied()
        other.dst_port = port
        others.append(other)
    return others
