"""A packet, the matchers of rules, and its trace through the firewall's tables."""

from __future__ import annotations

from typing import Any

from rosexplain import secrets
from rosexplain.language import N_
from rosexplain.network import (
    BITS,
    BUILT_IN,
    DYNAMIC,
    EVERY,
    FASTTRACK,
    KIND,
    MARKS,
    MATCHERS,
    REFUSES,
    Network,
    Range,
    dynamic,
    family_of,
    mark_of,
    private,
    span,
    unique,
)
from rosexplain.parse import Row
from rosexplain.selection import is_number

# A traffic class is a packet with much left open; `--packet` fills in more.  What is open makes a
# matcher answer "perhaps".

STATES = ("new", "established", "related", "invalid", "untracked")
PROTOCOLS = ("tcp", "udp", "icmp", "icmpv6", "gre", "ipsec-esp", "ipsec-ah", "sctp", "ipencap")
OUTPUT = "output"
"""The chain of the router's own packets, which come in by no interface."""

WORDS = ("in=, out=, src=ADDRESS[:PORT], dst=ADDRESS[:PORT], dst=[IPV6]:PORT, ipv6, "
         "tcp, udp, icmp, gre, new, established")  # fmt: skip


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
        return {
            "src": (self.family, _frozen(self.src), self.src_internet),
            "dst": (self.family, _frozen(self.dst), self.dst_internet),
            "in": (self.chain == OUTPUT, _frozen(self.ins)),
            "out": _frozen(self.outs),
            "state": (self.state, self.perhaps_untracked),
            "protocol": protocols,
            "port": (protocols, self.src_port, self.dst_port),
            "icmp": self.icmp,
            "nat": _frozen(self.nat),
            "ipsec": self.ipsec,
            "chain": self.chain,
            "": None,
        }

    def back(self) -> Packet:
        """The packets of the same connection the other way, their marks not known."""
        other = self._turned()
        other.family = self.family
        other.chain = self.chain
        other.ins, other.outs = self.outs, self.ins
        other.protocols = self.protocols
        other.src, other.dst = self.dst, self.src
        other.src_internet, other.dst_internet = self.dst_internet, self.src_internet
        other.src_port, other.dst_port = self.dst_port, self.src_port
        other.nat, other.ipsec = self.nat, self.ipsec
        other.perhaps_untracked, other.icmp = self.perhaps_untracked, self.icmp
        return other

    def _turned(self) -> Packet:
        return Packet(self.state)

    def copied(self) -> Packet:
        """The same packet, to change without changing this one."""
        same = self.back().back()
        same.marks, same.marks_at, same.marked_by = self.marks, self.marks_at, self.marked_by
        same.marks_by = self.marks_by
        return same


def _frozen(values: list[Any] | None) -> tuple[Any, ...] | None:
    return None if values is None else tuple(values)


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
    named = False
    families: list[int] = []
    for word in text.replace(",", " ").split():
        name, equals, value = word.partition("=")
        if not equals and word in ("ipv4", "ipv6"):
            families.append(int(word[3]))
            continue
        if not equals:
            _bare(packet, word.lstrip("/"))
            named = named or word.lstrip("/") in PROTOCOLS
            continue
        if not value:
            raise ValueError("'" + word + "' has no value")
        if name in ("in", "in-interface"):
            packet.ins = [value]
        elif name in ("out", "out-interface"):
            packet.outs = [value]
        elif name in ("state", "connection-state"):
            _bare(packet, value)
        elif name in ("protocol", "proto"):
            _bare(packet, value)
            named = True
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
        if name == "src":
            packet.src_port = int(port)
        else:
            packet.dst_port = int(port)
    if address:
        spans = [span(address)]
        if name == "src":
            packet.src = spans
        else:
            packet.dst = spans
        return [family_of(address)]
    return []


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


class Protected(Packet):
    """A packet that an IPsec policy is about: `way` is `out` into the tunnel, or `in` out of it."""

    def __init__(self, way: str, state: str = "established") -> None:
        super().__init__(state)
        self.way = way
        self.ipsec = True

    def _turned(self) -> Packet:
        return Protected("in" if self.way == "out" else "out", self.state)

    def parts(self) -> dict[str, Any]:
        """The same, and whether it is on its way into a tunnel."""
        parts = super().parts()
        parts["ipsec"] = (self.ipsec, self.way)
        return parts


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
        self._having: dict[str, dict[str, int]] = {}
        """The rules by matcher and value."""
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
        self._names = sorted(self._having, key=lambda name: (len(self._having[name]), name))
        """The matchers, those with few values first: what they leave may be nothing."""

    def may(self, asked: Matching) -> int:
        """The rules that may match a packet, whatever its marks."""
        left = self._end - 1
        for name in self._names:
            if not left:
                break
            key = asked.key(name)
            may = self._may.get(key)
            if may is None:
                may = self._end - 1
                rules, known = self._having[name], asked.known(name)
                for value in rules:
                    # The lists of values are long, and most verdicts known from another chain.
                    if (known.get(value) or asked.verdict(name, value)) == NO:
                        may ^= rules[value]
                self._may[key] = may
            left &= may
        return left

    def numbers(self, rules: int) -> list[int]:
        """Their numbers, in order: `[0, 2]` of `0b1010` in a chain of four."""
        bits = bin(self._end | rules)[3:]
        numbers = []
        number = bits.find("1")
        while number != -1:
            numbers.append(number)
            number = bits.find("1", number + 1)
        return numbers


class Matching:
    """The verdicts of matchers on a packet, once for all that are alike in what a matcher reads."""

    def __init__(self, net: Network, packet: Packet, parts: dict[str, Any] | None = None) -> None:
        self.net = net
        self.packet = packet
        self.parts = parts or packet.parts()
        self._verdicts: dict[str, dict[str, str]] = {}

    def key(self, name: str) -> tuple[str, Any]:
        """A matcher and the part of the packet that it reads."""
        return name, self.parts[READS.get(name, "in" if name[:3] == "in-" else "")]

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


def _words(net: Network, row: Row, verdict: str, names: list[str]) -> list[str]:
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
    if packet.chain == OUTPUT and name[:3] == "in-":
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


ENDS = ("accept",) + REFUSES
TRANSLATES = ("dst-nat", "redirect", "netmap", "src-nat", "masquerade", "same",
              "endpoint-independent-nat")  # fmt: skip
MOST_JUMPS = 20
MOST_STEPS = 20_000
"""Rules that one packet is asked by: jumps can make more of them than a list has."""
MOST_STATES = 50
"""Combinations of marks that are followed; whoever has more gets "perhaps"."""


def stops(row: Row) -> bool:
    """Return True if a rule of mangle passes no packet on, whatever its action."""
    return row.get("passthrough") in ("no", "false")


def ends(row: Row) -> bool:
    """Return True if a packet that a rule matches meets no further rule of its table.

    Behind `jump` and `return` it meets those of another chain, behind all others the next rule.
    """
    return row.get("action", "accept") in ENDS + TRANSLATES or stops(row)


class Step:
    """A rule that a packet is asked by: its line, its verdict and its action.

    `by`: the jump that leads to its chain, None in the first chain; `matchers`: the names of those
    by which it does not match, or perhaps not; `sure`: whether the packet comes here for certain.
    """

    def __init__(
        self,
        net: Network,
        row: Row,
        by: Step | None,
        verdict: str,
        matchers: list[str],
        sure: bool,
    ) -> None:
        self.net = net
        self.row = row
        self.by = by
        self.verdict = verdict
        self.matchers = matchers
        self.action = row.get("action", "accept")
        self.sure = sure

    @property
    def why(self) -> list[str]:
        """The matchers with their values, as they may be shown: of few steps among thousands."""
        return _words(self.net, self.row, self.verdict, self.matchers)

    @property
    def jumps(self) -> list[Step]:
        """The jumps that lead to its chain, the last first."""
        jumps: list[Step] = []
        jump = self.by
        while jump is not None:
            jumps.append(jump)
            jump = jump.by
        return jumps

    @property
    def top(self) -> Row:
        """The rule of the first chain by which the packet comes to this one."""
        return ([self] + self.jumps)[-1].row


class Walk:
    """A packet's way through the chains of a table; `steps`: its trace.

    `end`: the last step that ends all that come to it; `cut`: there are more rules than are
    followed; `forwarded`: only those packets are meant that no rule refuses; `whole`: the rules
    that do not match it are steps too, not FastTrack's alone.
    """

    def __init__(
        self,
        net: Network,
        packet: Packet,
        table: str,
        forwarded: bool = False,
        whole: bool = False,
        parts: dict[str, Any] | None = None,
    ) -> None:
        """`parts`: those of the packet, where they are known."""
        self.net = net
        self.packet = packet
        self.table = table
        self.asked = Matching(net, packet, parts)
        self.forwarded = forwarded
        self.whole = whole
        self.steps: list[Step] = []
        self.end: Step | None = None
        self.cut = False
        self._numbers: dict[int, list[int]] = {}
        self.count = 0
        """The rules that it was asked by, for each set of marks that it may have."""

    def chain(
        self,
        name: str,
        here: list[Any],
        by: Step | None = None,
        sure: bool = True,
        depth: int = 0,
    ) -> tuple[list[Any], list[Any]]:
        """Follow the packets `here` through a chain; those that leave it, and that end in it.

        `here`: one packet, or the sets of marks that it may have; `sure`: it comes for certain.
        """
        back: list[Any] = []
        ended: list[Any] = []
        chain = chain_of(self.net, self.packet.family, self.table, name)
        rows, at = chain.rows, -1
        for number in self.numbers(chain):
            passed = min(number, len(rows) - 1) - at
            if not here or not passed:
                break
            self.count += len(here) * passed
            many = depth > MOST_JUMPS or self.count > MOST_STEPS
            if many or len(here) > MOST_STATES or len(ended) > MOST_STATES:
                self.too_many()
                break
            if number == len(rows):
                break
            row, at = rows[number], number
            whole = sure and not back and not ended and not self.cut
            step, matched, left = self.ask(row, here, by, whole)
            if not matched:
                here = left
                continue
            if step.action == "jump":
                target = row.get("jump-target")
                out, inside = self.chain(target, matched, step, whole and not left, depth + 1)
                left, ended = left + out, self.distinct(ended + inside)
            elif step.action == "return":
                back += matched
            elif step.action in ENDS or stops(row):
                ended = self.distinct(ended + matched)
                self.end = self.end if left else step
            else:
                left = left + matched
            here = self.distinct(left)
        return self.distinct(here + back), ended

    def numbers(self, chain: Chain) -> list[int]:
        """The rules of a chain that are asked, in their order, and the number of all.

        The others are only counted.  A chain that jumps lead to often is looked through once.
        """
        if id(chain) not in self._numbers:
            numbers = list(range(len(chain.rows)))
            if not self.whole:
                numbers = chain.numbers(chain.may(self.asked) | chain.fasttrack)
            self._numbers[id(chain)] = numbers + [len(chain.rows)]
        return self._numbers[id(chain)]

    def ask(
        self, row: Row, here: list[Any], by: Step | None, sure: bool
    ) -> tuple[Step, list[Any], list[Any]]:
        """The step of a rule, the packets that it matches, and those that it does not."""
        verdict, matchers = self.asked.against(row)
        step = Step(self.net, row, by, verdict, matchers, sure)
        self.steps.append(step)
        if verdict == YES:
            return step, here, []
        if verdict == NO or (self.forwarded and step.action in REFUSES):
            return step, [], here
        return step, here, here

    def distinct(self, here: list[Any]) -> list[Any]:
        """The same packets, each once."""
        if len(here) == 2 and here[0] is here[1]:  # so with most rules of a long list
            return here[:1]
        return here if len(here) < 2 else unique(here, id)

    def too_many(self) -> None:
        """There are more rules than are followed."""
        self.cut = True


def chain_of(net: Network, family: int, table: str, name: str) -> Chain:
    """A chain of a table, whose rules are sorted by their matchers once."""
    lists = net.firewall_of(family)
    chains = lists.sorted_chains[table]
    if name not in chains:
        chains[name] = Chain(lists.chains[table].get(name, []))
    chain: Chain = chains[name]
    return chain


def walk(
    net: Network,
    packet: Packet,
    table: str,
    chain: str,
    forwarded: bool = False,
    whole: bool = False,
    parts: dict[str, Any] | None = None,
) -> Walk:
    """A packet's way through a chain of a table, followed once for all packets that are alike.

    `parts`: those of the packet, where they are known.
    """
    walks = net.firewall_of(packet.family).walks[table]
    parts = parts or packet.parts()
    marks = None if packet.marks is None else str(packet.marks)
    within = packet.marks_by if table == "mangle" else ()  # its marks change there alone
    key = (key_of(parts), marks, within, chain, forwarded, whole)
    way: Walk | None = walks.get(key)
    if way is None:
        way = walks[key] = Walk(net, packet, table, forwarded, whole, parts)
        way.chain(chain, [packet])
    return way


class Marking:
    """FastTrack's answer for connections of a kind: yes, no or perhaps, and the rules.

    `by`: FastTrack's rule; `front`: rules that end the packet's way before it; `perhaps`: rules
    that do so for some packets, with what it depends on; `unlike`: FastTrack's rules that it comes
    to, and that are for other packets, whatever their state; `marked_by`: the rules that gave it a
    mark, as the packet knows them; `dropped`: the rule that drops it all.
    """

    def __init__(self) -> None:
        self.answer = NO
        self.by: Row | None = None
        self.there: list[Row] = []
        self.front: list[Step] = []
        self.perhaps: list[Step] = []
        self.unlike: list[Step] = []
        self.marked_by: dict[str, list[Row]] = {}
        self.dropped: Step | None = None
        self.untracked: Step | None = None
        self.steps: list[Step] = []
        self.cut = False


def untracking(way: Walk) -> Step | None:
    """The step of raw that leaves a packet untracked, sure or perhaps; None: it is tracked."""
    perhaps = None
    for step in way.steps:
        if step.action != "notrack" or step.verdict == NO:
            continue
        if step.verdict == YES and step.sure:
            return step
        perhaps = perhaps or Step(step.net, step.row, step.by, PERHAPS, step.matchers, step.sure)
    return perhaps


def behind_raw(packet: Packet, step: Step | None) -> Packet:
    """The packet as the tables behind raw see it: untracked where a rule of raw left it so."""
    if step is None:
        return packet
    other = packet.copied()
    if step.verdict == YES:
        other.state = "untracked"
    else:
        other.perhaps_untracked = True
    return other


def led_to(net: Network, family: int, table: str, chain: str) -> dict[str, list[Row]]:
    """The chains that a chain's jumps lead to, itself among them; each with the jumps to it."""
    chains = net.firewall_of(family).chains[table]
    jumps: dict[str, list[Row]] = {chain: []}
    todo = [chain]
    while todo:
        for row in chains.get(todo.pop(), []):
            target = row.get("jump-target")
            if row.get("action") != "jump" or not target:
                continue
            if target not in jumps:
                jumps[target] = []
                todo.append(target)
            jumps[target].append(row)
    return jumps


TABLES = (("mangle", "prerouting"), ("mangle", "forward"), ("filter", "forward"))


def marking(net: Network, packet: Packet) -> Marking:
    """Return FastTrack's part in one direction of a connection."""
    top = "/ip" if packet.family == 4 else "/ipv6"
    result = Marking()
    result.marked_by = packet.marked_by
    came = packet
    if packet.marks is not None:
        came = packet.copied()
        came.marks = {name: [""] for name in MARKS}
    parts = packet.parts()
    raw = _walk(net, "raw", "prerouting", came, parts, result)
    result.untracked = untracking(raw)
    if result.untracked is not None and result.untracked.verdict == PERHAPS:
        result.perhaps.append(result.untracked)
    left = result.untracked is not None and result.untracked.verdict == YES
    if raw.end and raw.end.sure and raw.end.action in REFUSES:
        result.dropped = raw.end
        return result
    for table, chain in TABLES:
        menu = top + "/firewall/" + table
        if table == "mangle" and packet.family == 6:
            continue  # /ipv6/firewall/mangle has no FastTrack
        way = _walk(net, table, chain, packet, parts, result)
        _judge(net, menu, way, result)
        end = way.end
        if left:  # FastTrack's rules are judged as of what is tracked, and so are their reasons
            end = walk(net, behind_raw(packet, result.untracked), table, chain, True).end
        if end and end.sure and end.action in REFUSES:
            result.dropped = end
            break
    return result


def _walk(
    net: Network, table: str, chain: str, packet: Packet, parts: dict[str, Any], result: Marking
) -> Walk:
    way = walk(net, packet, table, chain, True, parts=parts)
    result.steps += way.steps
    result.cut = result.cut or way.cut
    return way


def _judge(net: Network, menu: str, way: Walk, result: Marking) -> None:
    """Take the FastTrack rules that the packets meet on their way, or do not."""
    rules = net.rows.where(menu, "action", FASTTRACK)
    if not rules:
        return
    result.there += rules
    sure = [step for step in way.steps if step.action == FASTTRACK and step.sure]
    sure = [step for step in sure if step.verdict == YES]
    if sure and result.answer != YES:
        # A packet goes on after a FastTrack rule: one that only perhaps matches is in nobody's way.
        result.answer, result.by = YES, sure[0].row
        return
    for step in way.steps:
        if step.action != FASTTRACK or step.verdict == NO:
            continue
        answer = YES if step.verdict == YES and step.sure else PERHAPS
        if result.answer == YES:
            return
        result.answer, result.by = answer, step.row
        if answer == YES:
            return
        if step.verdict == PERHAPS:
            result.perhaps.append(step)
        for before in way.steps:
            if before is step:
                break
            if before.verdict == PERHAPS and before.action in ("accept", "jump", "return"):
                result.perhaps.append(before)
        return
    met = [step for step in way.steps if step.action == FASTTRACK]
    result.unlike += [
        step for step in met if [one for one in step.matchers if one != "connection-state"]
    ]
    if way.end is not None and result.answer == NO and not met:
        result.front.append(way.end)
