"""A packet, with what is not known of it left open."""

from __future__ import annotations

from typing import Any

from rosexplain.addresses import Range, family_of, span
from rosexplain.network import MARKS
from rosexplain.rows import Row
from rosexplain.selection import is_number

# A traffic class is a packet with much left open; `--packet` fills in more.  What is open makes a
# matcher answer "perhaps".

STATES = ("new", "established", "related", "invalid", "untracked")
PROTOCOLS = ("tcp", "udp", "icmp", "icmpv6", "gre", "ipsec-esp", "ipsec-ah", "sctp", "ipencap")
OUTPUT = "output"
"""The chain of the router's own packets, which come in by no interface."""

WORDS = ("in=, out=, src=ADDRESS[:PORT], dst=ADDRESS[:PORT], dst=[IPV6]:PORT, ipv6, "
         "tcp, udp, icmp, gre, new, established")  # fmt: skip

SPELLINGS = {"in-interface": "in", "out-interface": "out", "connection-state": "state",
             "proto": "protocol"}  # fmt: skip


class Packet:
    """`ins` and `outs`: interfaces that it may come in or leave by; None: any.

    `protocols`: those that it may be of; `src`, `dst`: ranges of addresses, `internet` beside them
    for an address that somebody else has; None: any.  `ports`: by direction.
    """

    def __init__(self, state: str = "established") -> None:
        self.chain = "forward"
        self.family = 4
        self.ins: list[str] | None = None
        self.outs: list[str] | None = None
        self.protocols: list[str] = ["tcp", "udp"]
        self.state = state
        self.src: list[Range] | None = None
        self.dst: list[Range] | None = None
        self.src_internet = False
        self.dst_internet = False
        self.src_list = ""
        self.dst_list = ""
        """The address list that an end is in for certain, whatever its address."""
        self.src_port: int | None = None
        self.dst_port: int | None = None
        self.nat: list[str] | None = None
        self.ipsec: bool | None = None
        self.marks: dict[str, list[str]] | None = None
        """The values that each mark may have, by its matcher, empty for none; None: not known."""
        self.marks_at: dict[int, list[Any]] | None = None
        """The sets of marks (`marks.Marks`) at each rule of mangle that asks, by the row's id."""
        self.marks_by: tuple[int, ...] = ()
        """The ids of the ways through mangle that `marks_at` is of: it is the same if they are."""
        self.marked_by: dict[str, list[Row]] = {}
        """The rules of mangle that give it a mark, or may, by `packet-mark=x`."""
        self.perhaps_untracked = False
        """True if a rule of raw that only perhaps matches it leaves it untracked."""
        self.icmp: int | None = None
        """The type of an ICMP message; None: any."""

    def marks_before(self, row: Row) -> dict[str, list[str]] | None:
        """The marks that it may have when a rule is asked."""
        own = self.marks_at.get(id(row)) if self.marks_at is not None else None
        return possible(own) if own else self.marks

    def parts(self) -> dict[str, Any]:
        """All that matchers read of it but its marks, by `READS`: alike of packets alike.

        E.g. `{"state": ("established", False), "nat": None, ...}`.
        """
        protocols = tuple(self.protocols)
        src = None if self.src is None else tuple(self.src)
        dst = None if self.dst is None else tuple(self.dst)
        return {
            "src": (self.family, src, self.src_internet, self.src_list),
            "dst": (self.family, dst, self.dst_internet, self.dst_list),
            "in": (self.chain == OUTPUT, None if self.ins is None else tuple(self.ins)),
            "out": None if self.outs is None else tuple(self.outs),
            "state": (self.state, self.perhaps_untracked),
            "protocol": protocols,
            "port": (protocols, self.src_port, self.dst_port),
            "icmp": self.icmp,
            "nat": None if self.nat is None else tuple(self.nat),
            "ipsec": self.ipsec,
            "chain": self.chain,
            "": None,
        }

    def back(self) -> Packet:
        """The packets of the same connection the other way, their marks not known."""
        other = self.copied()
        other.ins, other.outs = self.outs, self.ins
        other.src, other.dst = self.dst, self.src
        other.src_internet, other.dst_internet = self.dst_internet, self.src_internet
        other.src_list, other.dst_list = self.dst_list, self.src_list
        other.src_port, other.dst_port = self.dst_port, self.src_port
        other.marks, other.marks_at, other.marked_by, other.marks_by = None, None, {}, ()
        return other

    def _of_kind(self) -> Packet:
        return Packet(self.state)

    def copied(self) -> Packet:
        """The same packet, to change without changing this one."""
        same = self._of_kind()
        same.family, same.chain, same.protocols = self.family, self.chain, self.protocols
        same.ins, same.outs = self.ins, self.outs
        same.src, same.dst = self.src, self.dst
        same.src_internet, same.dst_internet = self.src_internet, self.dst_internet
        same.src_list, same.dst_list = self.src_list, self.dst_list
        same.src_port, same.dst_port = self.src_port, self.dst_port
        same.nat, same.ipsec = self.nat, self.ipsec
        same.perhaps_untracked, same.icmp = self.perhaps_untracked, self.icmp
        same.marks, same.marks_at, same.marked_by = self.marks, self.marks_at, self.marked_by
        same.marks_by = self.marks_by
        return same


PARTS = ("src", "dst", "in", "out", "state", "port", "icmp", "nat", "ipsec", "chain")


def key_of(parts: dict[str, Any]) -> tuple[Any, ...]:
    """A packet's parts as one key."""
    return tuple([parts[part] for part in PARTS])


def possible(marks: list[Any]) -> dict[str, list[str]]:
    """The values that each mark may have."""
    values: dict[str, list[str]] = {name: [] for name in MARKS}
    for mark_set in marks:
        for name in MARKS:
            if mark_set.values[name] not in values[name]:
                values[name].append(mark_set.values[name])
    return values


def parsed(text: str) -> Packet:
    """The packet of `in=ether2 dst=1.1.1.1:443/tcp established`; ValueError says what is wrong."""
    packet = Packet()
    packet.ipsec = False
    families: list[int] = []
    for word in text.replace(",", " ").split():
        name, equals, value = word.partition("=")
        name = SPELLINGS.get(name, name)
        if equals and not value:
            raise ValueError("'" + word + "' has no value")
        if word in ("ipv4", "ipv6"):
            families.append(int(word[3]))
        elif not equals:
            _bare(packet, word.lstrip("/"))
        elif name in ("in", "out"):
            setattr(packet, name + "s", [value])
        elif name in ("state", "protocol"):
            _bare(packet, value)
        elif name in ("src", "dst"):
            families += _end(packet, name, value)
        elif name == "ipsec" and value in ("yes", "no"):
            packet.ipsec = value == "yes"
        elif name == "chain" and value in ("forward", "input", "output"):
            packet.chain = value
        else:
            raise ValueError("unknown word '" + word + "'; use " + WORDS)
    if 4 in families and 6 in families:
        raise ValueError("the packet mixes IPv4 and IPv6: use one of them")
    if packet.chain == OUTPUT and packet.ins:
        raise ValueError("chain=output: the router's own packets have no input interface")
    packet.family = families[0] if families else 4
    if packet.family == 6:
        packet.protocols = ["icmpv6" if one == "icmp" else one for one in packet.protocols]
    return packet


def _bare(packet: Packet, word: str) -> None:
    if word in STATES:
        packet.state = word
    elif word in PROTOCOLS:
        packet.protocols = [word]
    else:
        raise ValueError("unknown word '" + word + "'; use " + WORDS)


def _end(packet: Packet, name: str, value: str) -> list[int]:
    """Take one end in; its family, none where it is but a port."""
    value, slash, protocol = value.partition("/")
    if slash and is_number(protocol[:1]):
        length, slash, protocol = protocol.partition("/")
        value += "/" + length
    if value[:1] == "[":
        address, _, port = value[1:].partition("]")
        if port[:1] == "/":
            address, port = address + port, ""
        colon, port = port[:1], port[1:]
        if "]" not in value or ":" not in address or colon not in ("", ":"):
            raise ValueError("'" + value + "' is not an address as [2001:db8::1]:443")
    elif value.count(":") > 1:
        address, colon, port = value, "", ""
    else:
        address, colon, port = value.partition(":")
    if protocol:
        _bare(packet, protocol)
    if colon:
        if not is_number(port) or int(port) > 65535 or len(port) > 5:
            raise ValueError("'" + port + "' is not a port from 0 to 65535")
        setattr(packet, name + "_port", int(port))
    if address:
        setattr(packet, name, [span(address)])
    return [family_of(address)] if address else []


class Protected(Packet):
    """A packet that an IPsec policy is about: `way` is `out` into the tunnel, or `in` out of it."""

    def __init__(self, way: str, state: str = "established") -> None:
        super().__init__(state)
        self.way = way
        self.ipsec = True

    def _of_kind(self) -> Packet:
        return Protected(self.way, self.state)

    def back(self) -> Packet:
        """The packets of the same connection the other way, into the tunnel or out of it."""
        other = super().back()
        assert isinstance(other, Protected)
        other.way = "in" if self.way == "out" else "out"
        return other

    def parts(self) -> dict[str, Any]:
        """The same, and whether it is on its way into a tunnel."""
        parts = super().parts()
        parts["ipsec"] = (self.ipsec, self.way)
        return parts
