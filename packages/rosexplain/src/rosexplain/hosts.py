"""Whom packets come from: a router's interfaces, a host behind each, and their first packets."""

from __future__ import annotations

from rosexplain.addresses import Range, span
from rosexplain.network import TOP, Network
from rosexplain.ordered import unique
from rosexplain.packet import Packet

OUTSIDE = {4: "203.0.113.5", 6: "2001:db8:ffff::5"}
"""A host of the internet (RFC 5737, RFC 3849)."""
PORTS = ("tcp", "udp", "sctp")


class Ends:
    """The interfaces that packets come from, each with a host behind it where one is known."""

    def __init__(self, net: Network, family: int) -> None:
        self.net = net
        self.family = family
        self.hosts: dict[str, tuple[Range, Range]] = {}
        """By interface: the router's address there, and a neighbour's."""
        for row in net.rows.of(TOP[family] + "/address"):
            try:
                own = span(row.get("address").partition("/")[0])
                whole = span(row.get("address"))
            except ValueError:
                continue
            host = whole[0] + (0 if whole[1] == whole[0] + 1 else 1)  # of two, both are hosts
            host += 1 if host == own[0] else 0
            if host <= whole[1]:
                name = net.above(row.get("interface"))
                if name:
                    self.hosts.setdefault(name, (own, (host, host)))
        self.wan = unique([net.above(name) for name in net.wan if name])
        self.lan = [name for name in self.hosts if name not in self.wan]
        if not self.lan:
            self.lan = unique([net.above(name) for name in net.inside])

    def host(self, interface: str) -> list[Range] | None:
        """A host of an interface's network; None where no network is known."""
        return [self.hosts[interface][1]] if interface in self.hosts else None

    def router(self, interface: str) -> list[Range] | None:
        """The router's own address there."""
        return [self.hosts[interface][0]] if interface in self.hosts else None


def first_packet(
    family: int,
    name: str,
    src: list[Range] | None,
    dst: list[Range] | None,
    protocol: str,
    port: int,
) -> Packet:
    """The first packet of a connection; `port` is an ICMP message's type where it is one."""
    packet = Packet("new")
    packet.family = family
    packet.ins = [name]
    packet.src, packet.dst = src, dst
    packet.protocols = [protocol]
    packet.ipsec = False
    if protocol in PORTS:
        packet.src_port, packet.dst_port = 50000, port
    elif protocol[:4] == "icmp":
        packet.icmp = port
    return packet
