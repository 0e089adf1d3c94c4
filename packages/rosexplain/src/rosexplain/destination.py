"""A packet's destination: the router itself, out by an interface, or nowhere."""

from __future__ import annotations

from rosexplain.addresses import Range, family_of, span, within
from rosexplain.language import gettext
from rosexplain.network import TOP, Network, spelled
from rosexplain.packet import OUTPUT, Packet

ASKS_FOR_ADDRESS = {4: "/ip/dhcp-client", 6: "/ipv6/dhcp-client"}
BY_SESSION = ("pppoe-client", "l2tp-client", "pptp-client", "sstp-client", "ovpn-client", "lte")
"""Interfaces that the other end gives an address."""


class Never:
    """A kind of destination that is never forwarded, and the standard that says so."""

    def __init__(self, network: str, kind: str, source: str) -> None:
        self.network = network
        self.kind = kind
        self.source = source
        self.nowhere = kind == "loopback"
        """True if not even the router itself takes it from outside."""
        self.ask = ("/ipv6" if ":" in network else "/ip") + "/firewall/filter/print stats"

    def sentence(self, net: Network) -> str:
        """The rule in a sentence."""
        text = f"The destination is a {self.kind} address, which no router may forward "
        text += f"({self.source}). "
        if self.nowhere:
            return text + spelled(net, self.ask) + " shows whether a rule matches it first."
        return text + "The rules below apply if the address is the router's own."

    def ended(self, words: str) -> str:
        """Return its end in words, after what the rules for the router itself make of it."""
        if self.nowhere:
            return gettext("not forwarded")
        text = gettext("not forwarded; if the address is the router's own: {words}")
        return text.format(words=words)


NEVER = (
    Never("127.0.0.0/8", "loopback", "RFC 1122, 3.2.1.3"),
    Never("::1/128", "loopback", "RFC 4291, 2.5.3"),
    Never("169.254.0.0/16", "link-local", "RFC 3927, 2.7"),
    Never("fe80::/10", "link-local", "RFC 4291, 2.5.6"),
)


def never_forwarded(packet: Packet) -> Never | None:
    """The kind of its destination, where that is never forwarded."""
    if not packet.dst:
        return None
    for kind in NEVER:
        own = family_of(kind.network) == packet.family
        if own and within(packet.dst[0], span(kind.network)):
            return kind
    return None


def place(net: Network, packet: Packet) -> None:
    """Find out whither it goes: to the router itself, or out by which interface."""
    if not packet.dst:
        return
    own, outs = _looked_up(net, packet)
    if packet.chain == OUTPUT:
        packet.outs = packet.outs or ([] if own else outs or net.wan or None)
    elif own or never_forwarded(packet):
        packet.chain, packet.outs = "input", None
    elif packet.outs is None:
        packet.outs = outs or net.wan or None


def _looked_up(net: Network, packet: Packet) -> tuple[bool, list[str]]:
    """Return True for an address of the router, and the interfaces in whose network it is."""
    if not packet.dst:
        return False, []
    key = (packet.family, packet.dst[0])
    if key not in net.looked_up:
        net.looked_up[key] = _look_up(net, packet.family, packet.dst[0])
    own, outs = net.looked_up[key]
    return own, outs[:]


def _look_up(net: Network, family: int, to: Range) -> tuple[bool, list[str]]:
    outs: list[str] = []
    best = -1
    for row in net.rows.of(TOP[family] + "/address"):
        if row.says("from-pool"):
            continue  # its network is what the provider gives
        address, _, length = row.get("address").partition("/")
        try:
            if span(address) == to and row.get("eui-64") != "yes":
                return True, outs
            if within(to, span(row.get("address"))) and int(length or "128") > best:
                best, outs = int(length or "128"), [row.get("interface")]
        except ValueError:
            continue
    return False, outs


def in_a_network(net: Network, packet: Packet) -> bool:
    """Return True if its destination is in a network that an address of the router names."""
    return bool(_looked_up(net, packet)[1])


def dynamic_interface(net: Network, packet: Packet) -> str:
    """The interface that a packet comes in by, where its destination may be what that was given.

    Empty where it cannot: the destination is in a network that the export names, or is not known.
    """
    if not packet.dst or packet.chain != "forward" or not packet.ins:
        return ""
    if in_a_network(net, packet):
        return ""
    dynamic_names = [row.get("interface") for row in net.rows.of(ASKS_FOR_ADDRESS[packet.family])]
    dynamic_names += [name for name, kind in net.kinds.items() if kind in BY_SESSION]
    name = packet.ins[0]
    return name if len(packet.ins) == 1 and name in dynamic_names else ""
