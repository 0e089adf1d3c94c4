"""The matchers of rules: what each says of a packet, and which rules of a chain may match it."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from rosexplain import secrets
from rosexplain.addresses import BITS, Range, private, span
from rosexplain.interface_lists import BUILT_IN, EVERY, MATCHERS
from rosexplain.language import N_
from rosexplain.network import (
    DYNAMIC,
    FASTTRACK,
    KIND,
    MARKS,
    REFUSES,
    Network,
    dynamic,
    entry,
    mark_of,
)
from rosexplain.ordered import unique
from rosexplain.packet import OUTPUT, Packet, Protected
from rosexplain.rows import Row
from rosexplain.selection import is_number

YES, NO, PERHAPS = "yes", "no", N_("perhaps")

NO_MATCHERS = {
    "action", "chain", "comment", "disabled", "log", "log-prefix", "passthrough", "jump-target",
    "reject-with", "address-list", "address-list-timeout", "to-addresses", "to-ports",
    "new-connection-mark", "new-packet-mark", "new-routing-mark", "new-mss", "new-ttl", "new-dscp",
    "new-priority", "hw-offload", "place-before", "randomise-ports", "sniff-id", "sniff-target",
    "sniff-target-port", "route-dst", "same-not-by-dst", "dst-limit-mode", "socks5-server",
}  # fmt: skip

ADDRESSES = {"src-address": "src", "dst-address": "dst"}
"""Matchers for one end of a packet."""

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
"""The names of a router's own interfaces, which a compact export need not mention."""


STATIC = ("ethernet", "bridge", "vlan", "bonding", "vrrp", "macvlan", "eoip", "gre", "ipip",
          "vxlan", "wireguard", "veth", "vpls")  # fmt: skip
"""Kinds of interfaces that no session and no radio makes, so none adds them to a list."""


READS = {
    "src-address": "src", "src-address-list": "src", "dst-address": "dst",
    "dst-address-list": "dst", "out-interface": "out", "out-interface-list": "out",
    "connection-state": "state", "protocol": "protocol", "src-port": "port", "dst-port": "port",
    "port": "port", "icmp-options": "icmp", "connection-nat-state": "nat",
    "ipsec-policy": "ipsec", "dst-address-type": "chain",
}  # fmt: skip
"""The part of a packet that each matcher reads; those for what it came in by begin with `in-`."""
OF_PACKET = ("src-address", "dst-address", "connection-state", "protocol", "src-port", "dst-port",
             "port", "icmp-options", "connection-nat-state")  # fmt: skip
"""Matchers that read nothing of the router: a change of it changes none of their verdicts."""


def part_of(name: str) -> str:
    """The part of a packet that a matcher reads; empty for none."""
    return READS.get(name, "in" if name.startswith("in-") else "")


def alike(net: Network, packet: Packet, table: str, chain: str) -> tuple[Any, ...]:
    """All that the rules of a chain read of a packet but its marks: the same of packets alike."""
    lists = net.firewall_of(packet.family)
    key = (table, chain)
    if key not in lists.parts_read:
        rows = lists.chains[table].get(chain, [])
        if any(row.get("action") == "jump" for row in rows):
            rows = [row for rows in lists.chains[table].values() for row in rows]
        names = {name for row in rows for name, _ in conditions(row) if name not in MARKS}
        lists.parts_read[key] = sorted({part_of(name) for name in names})
    read = lists.parts_read[key]
    if not read:
        return ()
    parts = packet.parts()
    return tuple([parts[part] for part in read])


def conditions(row: Row) -> list[tuple[str, str]]:
    """Return a rule's matchers with their values, in their order, read once."""
    if row.conditions is None:
        # `set [find] x=y` gives every row a value that its own line does not name.
        names = unique(row.names + sorted(row.menu.every)) if row.menu.every else row.names
        row.conditions = []
        for name in names:
            value = "" if name in NO_MATCHERS else row.get(name)
            if value or name == "content":
                row.conditions.append((name, value))
    return row.conditions


ENDING = REFUSES + ("jump", "return")
"""Actions by which a packet may be refused, or come to a rule that does."""


class Chain:
    """The rules of a chain, sorted by their matchers.

    So a packet is asked by few of a long list: the rest has a matcher that it does not match.
    Some of its rules are the bits of a number, the first rule's the highest.
    """

    def __init__(self, rows: list[Row]) -> None:
        self.rows = rows
        self._end = 1 << len(rows)
        self.fasttrack = 0
        """FastTrack's rules."""
        self.marked = 0
        """The rules that ask for a mark, which another rule may give in between."""
        self.ends = any(row.get("action") in ENDING for row in rows)
        """False if all packets pass it, as they do a chain of marks alone."""
        self._having: dict[str, dict[str, int]] = {}
        """The rules by matcher and value."""
        self._asking: dict[str, int] = {}
        """The rules by matcher."""
        self._entries: dict[str, list[tuple[int, int, str]]] = {}
        """The values of a matcher of addresses: first, last and text."""
        self._may: dict[Any, int] = {}
        """The rules that may match by a matcher, and what it reads of a packet."""
        bit = self._end
        for row in rows:
            bit >>= 1
            self.fasttrack |= bit if row.get("action") == FASTTRACK else 0
            for name, value in conditions(row):
                if name in MARKS:
                    self.marked |= bit
                else:
                    values = self._having.setdefault(name, {})
                    values[value] = values.get(value, 0) | bit
                    self._asking[name] = self._asking.get(name, 0) | bit
        names = sorted(self._having, key=lambda name: (len(self._having[name]), name))
        self._names = [(name, part_of(name)) for name in names]
        """The matchers, and what each reads, those with few values first.

        What these leave may be nothing.
        """

    def may(self, asked: Matching) -> int:
        """The rules that may match a packet, whatever its marks."""
        left = self._end - 1
        for name, part in self._names:
            if not left:
                break
            key = (name, asked.parts[part])
            may = self._may.get(key)
            if may is None:
                may = (self._end - 1) ^ self._asking[name]
                rules, known = self._having[name], asked.known(name)
                for value in self._near(name, asked):
                    # The lists of values are long, and most verdicts known from another chain.
                    if (known.get(value) or asked.verdict(name, value)) != NO:
                        may |= rules[value]
                self._may[key] = may
            left &= may
        return left

    def _near(self, name: str, asked: Matching) -> Iterable[str]:
        """The values of a matcher that may match: of addresses, those near to the packet's."""
        bounds = asked.bounds(name)
        if bounds is None:
            return self._having[name]
        if name not in self._entries:
            self._entries[name] = [entry(value) for value in self._having[name]]
        low, high = bounds
        return [value for first, last, value in self._entries[name]
                if first <= high and low <= last]  # fmt: skip

    def numbers(self, rules: int) -> list[int]:
        """Their numbers, in order: `[0, 2]` of `0b1010` in a chain of four."""
        # Bytes: of a text, MicroPython's find counts from the front, and split makes texts.
        bits = bin(self._end | rules)[3:].encode()
        numbers = []
        number = bits.find(b"1")
        while number >= 0:
            numbers.append(number)
            number = bits.find(b"1", number + 1)
        return numbers


class Matching:
    """The verdicts of matchers on a packet, once for all that are alike in what a matcher reads."""

    def __init__(self, net: Network, packet: Packet) -> None:
        self.net = net
        self.packet = packet
        self.parts = packet.parts()
        self._verdicts: dict[str, dict[str, str]] = {}

    def key(self, name: str) -> tuple[str, Any]:
        """A matcher and the part of the packet that it reads."""
        return name, self.parts[part_of(name)]

    def bounds(self, name: str) -> Range | None:
        """The first and last address that a matcher reads; None: of no address, or of any."""
        end = ADDRESSES.get(name)
        packet = self.packet
        if end is None or (packet.src_internet if end == "src" else packet.dst_internet):
            return None
        ranges = packet.src if end == "src" else packet.dst
        if not ranges:
            return None
        return min([one[0] for one in ranges]), max([one[1] for one in ranges])

    def known(self, name: str) -> dict[str, str]:
        """The verdicts of a matcher that are known, by its value."""
        if name not in self._verdicts:
            lists = self.net.firewall_of(self.packet.family)
            kept = self.net.matchers if name in OF_PACKET else lists.matchers
            self._verdicts[name] = kept.setdefault(self.key(name), {})
        return self._verdicts[name]

    def verdict(self, name: str, value: str) -> str:
        """Return a matcher's verdict; not a mark's, which depends on the rules before."""
        verdicts = self._verdicts.get(name)
        if verdicts is None:
            verdicts = self.known(name)
        verdict = verdicts.get(value)
        if verdict is None:
            verdict = verdicts[value] = _matcher(
                self.net, name, value, self.packet, self.packet.family
            )
        return verdict

    def against(self, row: Row, marks: bool = True) -> tuple[str, list[str]]:
        """Return a rule's verdict, and the matchers by which it does not match, or perhaps not.

        `marks`: those for marks are asked too.
        """
        open_: list[str] = []
        for name, value in conditions(row):
            if name not in MARKS:
                verdict = self.verdict(name, value)
            else:
                verdict = _mark(self.net, row, name, value, self.packet) if marks else YES
            if verdict == NO:
                return NO, [name]
            if verdict == PERHAPS:
                open_.append(name)
        return (PERHAPS, open_) if open_ else (YES, open_)


def words_of(net: Network, row: Row, verdict: str, names: list[str]) -> list[str]:
    """A rule's matchers, with their values, as they may be shown."""
    words: list[str] = []
    for name in names:
        value = row.get(name)
        empty = verdict == NO and name in MATCHERS and value in net.empty_lists
        word = secrets.pair(row.menu.path, name, value, net.names())
        words.append(word + (", which has no members" if empty else ""))
    return words


def _turned(verdict: str, inverted: bool) -> str:
    if not inverted or verdict == PERHAPS:
        return verdict
    return NO if verdict == YES else YES


def _matcher(net: Network, name: str, value: str, packet: Packet, family: int) -> str:
    inverted = value.startswith("!")
    value = value[1:] if inverted else value
    verdict = _plain(net, name, value, packet, family)
    return _turned(verdict, inverted)


def _plain(net: Network, name: str, value: str, packet: Packet, family: int) -> str:
    if name in ADDRESSES:
        return _address(packet, ADDRESSES[name], value, family)
    if packet.chain == OUTPUT and name.startswith("in-"):
        return NO  # it came in by no interface
    if name == "connection-state":
        states = [packet.state] + (["untracked"] if packet.perhaps_untracked else [])
        return _among(value.split(","), states)
    if name == "icmp-options" and packet.icmp is not None:
        return _icmp(value, packet.icmp)
    if name == "connection-nat-state":
        return _among(value.split(","), packet.nat)
    if name == "protocol":
        return _among([value], packet.protocols)
    if name in ("in-interface", "out-interface"):
        possible = packet.ins if name[0] == "i" else packet.outs
        if value in net.bridge_of and value not in (possible or []):
            return NO  # the firewall sees the bridge in the port's place
        if value in EACH:
            return _all([_of_kind(net, value, interface) for interface in possible or []])
        # A rule may name a user's session, and a class is about all of them.
        several = [
            interface
            for interface in possible or []
            if dynamic(interface) and interface in net.sessions
        ]
        return PERHAPS if several and dynamic(value) else _among([value], possible)
    if name in MATCHERS:
        return _in_list(net, value, packet.ins if name[0] == "i" else packet.outs)
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
    for prefix, kind in NAMED:
        if interface.startswith(prefix):
            return kind
    return ""


def _of_kind(net: Network, value: str, interface: str) -> str:
    """Return the verdict on an interface for `all-ppp` and its like."""
    kind = _kind(net, interface)
    sure, open_ = EACH[value]
    if not kind or kind in open_:
        return PERHAPS
    return YES if kind in sure else NO


def _in_list(net: Network, value: str, possible: list[str] | None) -> str:
    """Return the verdict on interfaces for a list, the router's own or the export's."""
    if value == EVERY:
        return YES
    if value == "none":
        return NO
    if value in BUILT_IN:
        return _all([_built_in(net, value, interface) for interface in possible or []])
    if value in net.empty_lists:
        return NO  # whatever interface it is
    verdict = _among(net.lists.get(value, []), possible)
    return PERHAPS if verdict == NO and _may_be_added(net, value, possible or []) else verdict


def _built_in(net: Network, value: str, interface: str) -> str:
    """Return the verdict on an interface for `dynamic` or `static`."""
    if not _kind(net, interface):
        return PERHAPS
    # What the export configures, and a port that the router has of itself, is not dynamic.
    return YES if dynamic(interface) == (value == "dynamic") else NO


def _may_be_added(net: Network, value: str, possible: list[str]) -> bool:
    """Return True if one of these interfaces may be in a list that no line puts it into."""
    kinds = [_kind(net, interface) for interface in possible]
    return (
        value in net.open_lists
        or (value in net.fed_lists and any(kind not in STATIC for kind in kinds))
        or (value in net.dynamic_lists and any(dynamic(interface) for interface in possible))
    )


def _among(values: list[str], possible: list[str] | None) -> str:
    if possible is None or not possible:
        return PERHAPS
    met = [interface in values for interface in possible]
    if all(met):
        return YES
    return PERHAPS if any(met) else NO


def _address(packet: Packet, end: str, value: str, family: int) -> str:
    known, internet = packet.dst, packet.dst_internet
    if end == "src":
        known, internet = packet.src, packet.src_internet
    try:
        rule = first, last = span(value)
    except ValueError:
        return PERHAPS
    if (family == 6) != (":" in value):
        return NO
    if first == 0 and last == (1 << BITS[family]) - 1:
        return YES
    if internet:
        return NO if private(rule, family) else PERHAPS
    verdict = ""
    for network in known or []:  # a loop, as it is asked of each rule of a long list
        inside = YES if first <= network[0] and network[1] <= last else NO
        if inside == NO and network[0] <= last and first <= network[1]:
            return PERHAPS
        if verdict and verdict != inside:
            return PERHAPS
        verdict = inside
    return verdict or PERHAPS


def _listed(net: Network, packet: Packet, end: str, value: str, family: int) -> str:
    """Return the verdict of an address list, read once for all packets of the same addresses."""
    if value == (packet.src_list if end == "src" else packet.dst_list):
        return YES
    lists = net.firewall_of(family)
    known, internet = packet.dst, packet.dst_internet
    if end == "src":
        known, internet = packet.src, packet.src_internet
    asked = (value, internet, tuple(known or []))
    if asked not in lists.verdicts:
        verdict, entries = NO, lists.entries(value)
        if known and not internet:  # what is far from all of these addresses is no match
            low, high = min([one[0] for one in known]), max([one[1] for one in known])
            entries = [one for one in entries if one[0] <= high and low <= one[1]]
        for _, _, text in entries:
            one = _address(packet, end, text, family)
            if one == YES:
                verdict = YES
                break
            verdict = PERHAPS if one == PERHAPS else verdict
        lists.verdicts[asked] = verdict
    verdict = lists.verdicts[asked]
    return PERHAPS if verdict == NO and value in lists.filled else verdict


def _port(packet: Packet, name: str, value: str) -> str:
    if not any(number in ("tcp", "udp", "sctp") for number in packet.protocols):
        return NO
    ports = {"src-port": [packet.src_port], "dst-port": [packet.dst_port]}.get(
        name, [packet.src_port, packet.dst_port]
    )
    known = [port for port in ports if port is not None]
    for part in value.split(","):
        first, _, last = part.partition("-")
        if not is_number(first) or (last and not is_number(last)):
            return PERHAPS
        if any(int(first) <= port <= int(last or first) for port in known):
            return YES
    return NO if len(known) == len(ports) else PERHAPS


def _icmp(value: str, number: int) -> str:
    """Return the verdict on a message's type for `134:0-255`; its code is not known."""
    kind, colon, codes = value.partition(":")
    if not is_number(kind):
        return PERHAPS
    if int(kind) != number:
        return NO
    return YES if not colon or codes == "0-255" else PERHAPS


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
    mark, inverted = mark_of(value)
    known = packet.marks_before(row)
    if known is not None:
        return _turned(_among([mark], known[name]), inverted)
    given_marks = net.firewall_of(packet.family).marks.get(name, set())
    if not mark:
        return _turned(PERHAPS if given_marks else YES, inverted)
    return _turned(PERHAPS if mark in given_marks else NO, inverted)
