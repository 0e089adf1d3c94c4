"""The classes of traffic of a configuration, and the rules that several lines match together."""

from __future__ import annotations

from rosexplain import (
    cut_off,
    frames,
    gateways,
    logs,
    searching,
    shares,
    stateless,
    strangers,
    vrf,
    wiring,
)
from rosexplain.addresses import Range, apart, bounds_of, private, range_of, span
from rosexplain.firewall import TRANSLATES, Marking, led_to, marking, of_forwarded, walk
from rosexplain.interface_lists import named_by
from rosexplain.language import N_, few_of, gettext
from rosexplain.marks import marked
from rosexplain.matchers import NO, YES, conditions
from rosexplain.matching import Met, met_by
from rosexplain.network import (
    FASTTRACK,
    FILTER,
    KIND,
    MARKS,
    NO_MARK,
    REFUSES,
    TOP,
    TUNNELS,
    Network,
)
from rosexplain.ordered import unique
from rosexplain.packet import Packet, Protected
from rosexplain.parse import Command
from rosexplain.queues import (
    binding,
    clients_of,
    elsewhere,
    hurried,
    limitless,
    of_clients,
    of_global,
    of_marks,
    of_nobody,
    of_pcq,
)
from rosexplain.radios import queues_of_caps
from rosexplain.rows import Row
from rosexplain.selection import is_gone, is_number
from rosexplain.unused import (
    CLASSIFIER,
    marked_again,
    matches_nothing,
    nowhere,
)
from rosexplain.uplinks import ANYWHERE, leads_as_main

BRIDGED, NEW, ESTABLISHED, LOCAL, OTHER = "bridged", "new", "established", "local", "other"
CARRIED, PROTECTED = "carried", "protected"
VETH = "veth"
"""The kind of a container's interface."""

DECISIVE = (BRIDGED, ESTABLISHED, CARRIED)
"""The kinds that decide whether a router is fast: a first packet is one of many."""

TRACKED = N_(", established TCP and UDP")
THERE = N_(", established")
CONTAINERS = N_("to and from containers on {names}")
TITLED = ("established", KIND)
"""The classes whose title says where they are translated."""

MOST_NAMED = 3
"""Tunnels that a title names."""

STAYS = ("accept", "jump", "return", "log", "passthrough")
"""Actions of a rule of NAT that translate nothing."""


class Traffic:
    """A class: its kind, its title, its family, and its packet, None where bridged.

    `short`: the title in few words, such as `LAN to WAN`; `rest`: what the whole title adds.
    """

    def __init__(self, name: str, short: str, kind: str, family: int = 4, rest: str = "") -> None:
        self.name = name
        self.short = short
        self.title = self._untranslated = short + rest
        self.by_router = False
        """True if the CPU translates its addresses, and the title says so."""
        self.kind = kind
        self.family = family
        self.packet: Packet | None = None
        self.interface = ""
        self.of_kind = ""
        """The bridge or the tunnel that it is about, and its kind: `eoip`."""
        self.members: list[str] = []
        """The names of all such that it is about."""
        self.row: Row | None = None

    def call(self, title: str) -> None:
        """Give it another title, which is short."""
        self.title = self.short = title

    def translated(self, words: str, by_router: bool) -> None:
        """Add to the title what becomes of its addresses, where a title has it."""
        if self.name in TITLED:
            self.title, self.by_router = self._untranslated + ", " + words, by_router


def classes(net: Network) -> list[Traffic]:
    """All that the configuration has, bridges first."""
    result: list[Traffic] = []
    for row in net.rows.of("/interface/bridge"):
        result += [_about(row, "bridged-", BRIDGED, "bridge")] if _has_ports(net, row) else []
    result += _routed(net)
    for kind in TUNNELS + ("pppoe-client", VETH):
        for row in net.rows.of("/interface/" + kind):
            result.append(_about(row, "carried-", CARRIED, kind))
    # A peer may create policies while it is connected, as for road warriors.
    creating = [row for row in net.rows.of("/ip/ipsec/identity")
                if row.get("generate-policy") not in ("no", "")]  # fmt: skip
    if net.policies or creating:
        result.append(Traffic("ipsec", gettext("encrypted by an IPsec policy"), PROTECTED))
    return result


def _has_ports(net: Network, bridge: Row) -> bool:
    """True if a bridge has ports, or is given some when a client comes, as CAPsMAN and PPP do."""
    return bool(net.port_rows.get(bridge.name)) or frames.is_joined_later(net, bridge)


def _frames_for_nothing(net: Network) -> list[Met]:
    """The setting by which bridged packets pass the IP firewall, if nothing there is for them.

    Where no bridge has a port, it keeps a switch's chip from FastTrack's connections all the same.
    """
    settings = net.rows.single(frames.SETTINGS)
    if settings is None or not frames.is_idle(net):
        return []
    line = settings.command(frames.ASKED)
    bridges = net.rows.of("/interface/bridge")
    if any(_has_ports(net, bridge) for bridge in bridges):
        return [("ip-firewall-without-rule", [line])]
    return [("ip-firewall-for-nothing", [line])] if net.chip else []


def titled(traffic: Traffic, names: str) -> str:
    """Return the title of a class about bridges or tunnels."""
    if traffic.kind == BRIDGED:
        return gettext("bridged in {names}").format(names=names)
    if traffic.of_kind == VETH:
        return gettext(CONTAINERS).format(names=names)
    return gettext("through {names} ({kind})").format(names=names, kind=traffic.of_kind)


def _about(row: Row, prefix: str, kind: str, of_kind: str) -> Traffic:
    traffic = Traffic(prefix + row.name, "", kind)
    traffic.interface, traffic.of_kind, traffic.row = row.name, of_kind, row
    traffic.members = [row.name or gettext("an unnamed tunnel")]
    traffic.call(titled(traffic, traffic.members[0]))
    return traffic


def _routed(net: Network) -> list[Traffic]:
    tracked, there = gettext(TRACKED), gettext(THERE)
    outward, first = gettext("LAN to WAN"), gettext(", the first packet of a connection")
    tunnels = _only_ways_out(net)
    if tunnels:
        outward = gettext("LAN to {names}").format(names=few_of(tunnels, MOST_NAMED))
    established = _class_of(net, "established", outward, ESTABLISHED, tracked, outs=tunnels)
    speaks = any(net.rows.of(menu) for menu in net.rules.by_id["transit"]["menus"])
    if speaks and not established.by_router and not tunnels:
        outward = gettext("through this router")  # what crosses it is other networks'
        established = _class_of(net, "established", outward, ESTABLISHED, tracked)
    result = [established, _class_of(net, "new", outward, NEW, first, outs=tunnels)]
    forwards = [row for row in net.rows.of("/ip/firewall/nat") if row.get("chain") == "dstnat"]
    if forwards:
        inward = gettext("WAN to LAN, forwarded port")
        traffic = _class_of(net, "port-forward", inward, ESTABLISHED, there)
        packet = traffic.packet
        if packet is not None:
            traffic.packet = packet = _forwarded(net, packet.back(), forwards)
            packet.nat = ["dstnat"]
        result.append(traffic)
    local = net.inside + net.leased
    if len(local) > 1 or _several_on(net, local):
        between = gettext("between LAN networks")
        traffic = _class_of(net, "lan-to-lan", between, ESTABLISHED, there)
        if traffic.packet is not None:
            traffic.packet.ins = traffic.packet.outs = local
            traffic.packet.src = traffic.packet.dst = _networks(net, local, TOP[4])
            traffic.packet.dst_internet = False
            traffic.packet.nat = ["none"]
        result.append(traffic)
    over = [name for name in sorted(net.sessions) if name not in net.wan]
    if over:
        sessions = gettext("PPPoE sessions to WAN")
        result.append(_class_of(net, KIND, sessions, ESTABLISHED, tracked, ins=over))
    traffic = _class_of(net, "other", gettext("LAN to WAN, ICMP, GRE and ESP"), OTHER)
    if traffic.packet is not None:
        traffic.packet.protocols = ["icmp", "gre", "ipsec-esp"]
    result.append(traffic)
    result.append(Traffic("to-router", gettext("to the router itself"), LOCAL))
    if _has_ipv6(net):
        result.append(_class_of(net, "ipv6", "IPv6", ESTABLISHED, tracked, family=6))
    return result


def _forwarded(net: Network, packet: Packet, forwards: list[Row]) -> Packet:
    """A forwarded port's packet, where no rule forwards to the LAN: to the hosts that they name."""
    texts = unique([row.get("to-addresses") for row in forwards])
    hosts = [one for one in map(range_of, texts) if one is not None]
    inside = any(not apart(one, own) for one in hosts for own in packet.dst or [])
    if len(hosts) < len(texts) or packet.dst is None or inside:
        return packet
    outs = [row.get("interface") for text in texts for row in net.connected(text)]
    sources = [range_of(row.get("src-address")) for row in forwards]
    packet.dst, packet.outs = hosts, unique(outs) or None
    known = [one for one in sources if one is not None]
    if len(known) == len(sources):
        packet.src, packet.src_internet = known, False
    return packet


OF_IPV6 = ("/ipv6/address", "/ipv6/dhcp-client", "/ipv6/route", "/ipv6/dhcp-server", "/ipv6/pool",
           "/ipv6/nd/prefix", "/routing/ospf-v3/interface")  # fmt: skip
"""Menus that give a network IPv6; a firewall for it stands in the default configuration too."""
BY_SESSION = (("/interface/lte/apn", "ipv6-interface"), ("/ppp/profile", "dhcpv6-pd-pool"),
              ("/ppp/profile", "remote-ipv6-prefix-pool"))  # fmt: skip
"""Menus and properties by which a session gives a network IPv6."""


def _has_ipv6(net: Network) -> bool:
    settings = net.rows.single("/ipv6/settings")
    if settings is not None and settings.get("disable-ipv6") == "yes":
        return False
    if not _gives_ipv6(net, settings):
        # A part of an export shows no addresses at all.
        part = not net.rows.of("/ip/address") and not net.rows.of("/ip/dhcp-client")
        return part and bool(net.rows.of("/ipv6/firewall/filter"))
    return not _local_ipv6(net, settings)


def _gives_ipv6(net: Network, settings: Row | None) -> bool:
    """Return True if hosts may have addresses of IPv6, or the router learns its own.

    A router that forwards accepts no advertisements unless it is told to.
    """
    if settings is not None and settings.get("accept-router-advertisements") == "yes":
        return True
    sessions = [row for menu, name in BY_SESSION for row in net.rows.of(menu) if row.get(name)]
    sessions += net.rows.where("/routing/ospf/instance", "version", "3")
    return bool(sessions) or any(net.rows.of(menu) for menu in OF_IPV6)


def _local_ipv6(net: Network, settings: Row | None) -> bool:
    """Return True if IPv6 is one network's own: local addresses, and nothing that leads out."""
    if net.rows.of("/ipv6/dhcp-client") or net.rows.of("/ipv6/route"):
        return False
    if settings is not None and settings.get("accept-router-advertisements") == "yes":
        return False
    pools = {row.name: row.get("prefix") for row in net.rows.of("/ipv6/pool")}
    rows = net.rows.of("/ipv6/address")
    texts = [pools.get(row.get("from-pool")) or row.get("address") for row in rows]
    if not rows or len({row.get("interface") for row in rows}) > 1:
        return False
    ranges = [bounds_of(text) for text in texts]
    return all(one is not None and private(one, 6) for one in ranges)


def _class_of(
    net: Network,
    name: str,
    short: str,
    kind: str,
    rest: str = "",
    family: int = 4,
    ins: list[str] | None = None,
    outs: list[str] | None = None,
) -> Traffic:
    """A class by its packet."""
    traffic = Traffic(name, short, kind, family, rest)
    packet = _packet(net, "new" if kind == NEW else "established", family, ins, outs)
    packet.nat = ["srcnat"] if _translated(net, packet) else None
    if packet.nat:
        traffic.translated(gettext("translated"), True)
    traffic.packet = packet
    return traffic


def _packet(
    net: Network,
    state: str,
    family: int = 4,
    ins: list[str] | None = None,
    outs: list[str] | None = None,
) -> Packet:
    """A packet from the LAN to the WAN; `ins`: the sessions that it comes in by instead.

    Of those the addresses are open.  `outs`: the interfaces that it leaves by instead.
    """
    packet = Packet(state)
    packet.ins = ins or net.inside or None
    packet.outs = outs or net.wan or None
    packet.src = None if ins else _networks(net, packet.ins, TOP[family])
    packet.dst_internet = bool(net.wan)
    # What a policy encrypts is a class of its own.
    packet.ipsec = False
    packet.family = family
    return packet


def _only_ways_out(net: Network) -> list[str]:
    """The tunnels that the LAN's packets may leave by, where the filter drops them to the WAN.

    So it is where all has to pass a VPN, or what leads elsewhere is learned by OSPF.
    """
    others = set(net.inside + net.wan + list(net.bridge_of))
    tunnels = [name for name in sorted(net.kinds)
               if net.kinds[name] in TUNNELS and name not in others]  # fmt: skip
    if not tunnels or not net.wan or not net.inside or not _drops(net, net.wan):
        return []
    return [name for name in tunnels if not _drops(net, [name])]


def _drops(net: Network, outs: list[str]) -> bool:
    """Return True if a rule surely drops the first packets from the LAN to some interfaces."""
    packet = _packet(net, "new", outs=outs)
    return marking(net, packet).dropped is not None


def _translated(net: Network, packet: Packet) -> bool:
    """Return True if a rule of srcnat may translate the first packet of such a connection."""
    first = packet.copied()
    first.state = "new"
    steps = walk(net, first, "nat", "srcnat").steps
    return any(step.verdict != NO and step.action not in STAYS for step in steps)


def _networks(net: Network, names: list[str] | None, top: str) -> list[Range] | None:
    rows = net.rows.of(top + "/address")
    if any(row.says("from-pool") for row in rows):
        return None  # its network is what the provider gives
    networks = [bounds_of(row.get("address")) for row in rows
                if net.above(row.get("interface")) in (names or [])]  # fmt: skip
    return [one for one in networks if one is not None] or None


def _several_on(net: Network, names: list[str]) -> bool:
    """Return True if interfaces have addresses in networks that have nothing in common.

    One bridge may have several: their hosts reach each other by the router all the same.
    """
    networks = [one for one in _networks(net, names, TOP[4]) or [] if one[0] < one[1]]
    return any(apart(networks[0], one) for one in networks[1:])


MOST_ASKED = 100
"""Policies and routing rules whose packets are led through the firewall; the rest is taken to be
like them."""

OF_EACH_PACKET = (
    "change-ttl", "change-dscp", "set-priority", "clear-df", "strip-ipv4-options", "sniff-tzsp",
    "sniff-pc",
)  # fmt: skip
"""Actions of mangle that change or copy a packet; `change-mss` acts on a connection's first."""

SMALL = {"eoip": 1458, "gre": 1476, "ipip": 1480, "vxlan": 1450}
"""MTU of a tunnel with mtu=auto on a path of 1500 bytes."""


def is_chr(net: Network) -> bool:
    """Return True for a virtual machine; an x86 has the adapters of a computer."""
    return bool(net.virtual) and net.model[:3].upper() != "X86"


def adapters(net: Network) -> str:
    """The rule of network adapters that no export shows: a host gives a CHR its own."""
    return "chr-adapters" if is_chr(net) else "x86-adapters"


def rules_met_together(net: Network, markings: list[Marking]) -> list[Met]:
    """All of them; `markings`: what the firewall makes of the classes that it was asked about."""
    met: list[Met] = []
    if net.virtual:
        met += [(adapters(net), [])] + ([("chr-before-7", [])] if is_chr(net) else [])
    met += wiring.met(net) + stateless.met(net) + cut_off.met(net)
    met += gateways.met(net) + strangers.met(net) + vrf.met(net) + searching.met(net)
    met += shares.met(net)
    for row, word in _of_empty_lists(net):
        rule = "empty-list-idle" if _does_without(net, row, word) else "empty-list"
        met += [(rule, [row.command(word)])]
    masquerading = [row for row in net.rows.where("/ip/firewall/nat", "action", "masquerade")
                    if net.kinds.get(row.get("out-interface")) == "pppoe-client"]  # fmt: skip
    met += met_by(
        [
            ("radius-timeout", "timeout", hurried(net.rows)),
            ("port-advertises", "advertise", _slow_ports(net)),
            ("pcq-rate", "pcq-rate", [row for row, _ in of_pcq(net.rows)]),
            ("shared-out-again", CLASSIFIER, list(marked_again(net, shared=True))),
            ("mangle-passed", "", _passed_mangle(net)),
            ("masquerade-reconnects", "action", masquerading),
        ]
    )
    met += logs.met(net)
    met += _frames_for_nothing(net)
    fasttrack = _fasttrack(net)
    met += _order(net, markings, fasttrack)
    if fasttrack and reaches(net, Packet()):
        met += _beside(net, fasttrack)
    inside = [tunnel.name for tunnel, _ in wiring.in_wireguard(net)]
    fitting = [name for name in net.kinds if net.kinds[name] in SMALL]
    for port, bridge in _pairs(net):
        kind = net.kinds.get(port, "") if port not in inside else ""
        if kind in SMALL:
            tunnel = next(r for r in net.rows.of("/interface/" + kind) if r.name == port)
            others = [row for row in net.port_rows[bridge] if row.get("interface") not in fitting]
            if tunnel.get("mtu", "auto") == "auto" and _mtu(net, bridge) == "auto" and others:
                rows = [row for row in net.port_rows[bridge] if row.get("interface") == port]
                met.append(("bridge-mtu", [tunnel.first, rows[0].first]))
    return met


def _passed_mangle(net: Network) -> list[Row]:
    """The rules of mangle for each forwarded packet, of which FastTrack may take most."""
    chains = of_forwarded(net, "mangle")
    return [row for row in net.rows.of("/ip/firewall/mangle")
            if row.get("action") in OF_EACH_PACKET and row.get("connection-state") != "new"
            and row.get("chain", "prerouting") in chains and bypasses_mangle(net, row)
            ]  # fmt: skip


def _slow_ports(net: Network) -> list[Row]:
    """The ports that advertise no more than 100 Mbit/s; none where several, and all, do so.

    A verbose export of a device without gigabit ports has such lines for each port.  Of a bridge to
    the internet with several ports, which one the line is on is not known.
    """
    slower: list[str] = net.small_chip["slow"] if net.small_chip else []
    if net.fast_ethernet:
        return []
    ports = [row for row in net.rows.of("/interface/ethernet") if row.get("advertise")
             and (row.get("default-name") or row.name) not in slower]  # fmt: skip
    one_of = [row.get("interface") for bridge in net.wan for row in net.port_rows.get(bridge, [])]
    without = one_of if len(one_of) > 1 else []
    without += [row.name for row in ports if row.get("auto-negotiation") == "no"]
    slow = [row for row in ports if _slowly(row) and row.name not in without]
    return [] if len(slow) == len(ports) > 1 else slow


def _slowly(port: Row) -> bool:
    """Return True if a port advertises no rate above 100 Mbit/s."""
    rates = [rate for rate in port.get("advertise").split(",") if rate]
    return bool(rates) and all(rate.partition("-")[0] in ("10M", "100M") for rate in rates)


ENDS_OF_ACCESS = ("in-interface", "in-interface-list", "src-address", "src-address-list")
"""Matchers of whom a rule lets in."""
OF_ROUTED = ("forward", "srcnat", "dstnat")
"""The chains that a device which routes nothing leaves empty."""


def _of_empty_lists(net: Network) -> list[tuple[Row, str]]:
    """The rules of a firewall that name an interface list without members, each with the word.

    Where nothing is routed, packets meet those for the router itself only.
    """
    rows: list[tuple[Row, str]] = []
    if not net.empty_lists:
        return rows
    for top in ("/ip", "/ipv6"):
        for table in ("raw", "mangle", "nat", "filter"):
            for row in net.rows.of(top + "/firewall/" + table):
                if net.routes_nothing and row.get("chain") in OF_ROUTED:
                    continue
                rows += [(row, word) for word, name in named_by(row) if name in net.empty_lists]
    return rows


def _does_without(net: Network, row: Row, word: str) -> bool:
    """Return True if nothing changes for a router whose rule has an empty list at a matcher.

    So of a translation that another rule does, of a guard before one that refuses all, of what
    accepts packets where other rules let some in, and of a WAN where there is none.
    """
    if row.get(word)[0] == "!":
        return False
    inside = net.members_of("LAN")
    if row.get(word).upper() == "WAN" and net.wan and all(name in inside for name in net.wan):
        return True
    action, chain = row.get("action", "accept"), row.get("chain")
    others = net.rows.where(row.menu.path, "chain", chain)
    if action in TRANSLATES:
        return chain == "srcnat" and _translated(net, _packet(net, "new"))
    if action in REFUSES:
        behind = others[others.index(row) + 1 :]
        return any(one.get("action") in REFUSES and not conditions(one) for one in behind)
    if action != "accept":
        return action in ("log", "passthrough") or action[:4] == "add-"
    return any(one.get("action", "accept") == "accept" and not _of_lists(net, one)
               and any(one.get(name) for name in ENDS_OF_ACCESS) for one in others)  # fmt: skip


def _of_lists(net: Network, row: Row) -> bool:
    """Return True if a rule names an interface list without members."""
    return any(name in net.empty_lists for _, name in named_by(row))


def _fasttrack(net: Network) -> list[Row]:
    menus = (FILTER, "/ip/firewall/mangle")
    return [row for menu in menus for row in net.rows.where(menu, "action", FASTTRACK)]


def _pairs(net: Network) -> list[tuple[str, str]]:
    return [(r.get("interface"), b) for b in sorted(net.kinds) for r in net.port_rows.get(b, [])]


def _mtu(net: Network, bridge: str) -> str:
    rows = net.rows.where("/interface/bridge", "name", bridge)
    return rows[0].get("mtu", "auto") if rows else "auto"


def _order(net: Network, markings: list[Marking], fasttrack: list[Row]) -> list[Met]:
    met: list[Met] = []
    front = unique([step.row.first for direction in markings if direction.answer == NO
                    for step in direction.front], id)  # fmt: skip
    if front and fasttrack:
        met.append(("accept-in-front", front + [row.first for row in fasttrack]))
    other = bool(front) or any(m.unlike for m in markings)
    if fasttrack and markings and all(m.answer == NO for m in markings) and not other:
        met.append(("never-reached", [row.command("action") for row in fasttrack]))
    tracking, line = net.setting("/ip/firewall/connection/tracking", "enabled")
    if fasttrack and tracking == "no":
        met.append(("tracking-off", [line] if line else []))
    untracked = [m.untracked.row.first for m in markings if m.untracked]
    if fasttrack and untracked:
        met.append(("not-tracked", untracked[:1]))
    return met


def _beside(net: Network, fasttrack: list[Row]) -> list[Met]:
    met: list[Met] = []
    rule = fasttrack[0].first
    reached = [row for row in net.policies[:MOST_ASKED] if not kept_out(net, row)]
    if reached:
        met.append(("fasttrack-and-ipsec", [rule] + [row.first for row in reached]))
    marks = [row for row in routing_marks(net)[:MOST_ASKED] if bypasses_mangle(net, row)]
    if marks:
        unmarked = [row for row in fasttrack if not row.says("connection-mark")]
        by = (unmarked + fasttrack)[0]
        met.append(("fasttrack-and-marks", [by.first] + [row.first for row in marks]))
    tables = [row for row in other_tables(net)[:MOST_ASKED] if bypasses_table(net, row)]
    if tables:
        met.append(("fasttrack-and-tables", [rule] + [row.first for row in tables]))
    nobody = of_nobody(net.rows) + elsewhere(net.rows)
    idle = {id(row) for row in limitless(net.rows) + queues_of_caps(net) + nobody}
    simple = [row for row in net.rows.of("/queue/simple") if id(row) not in idle]
    queues = [row for row in simple[:MOST_ASKED]
              if any(_passed(net, target) for target in row.get("target").split(","))
              ] + simple[MOST_ASKED:]  # fmt: skip
    queues += [row for row in of_global(net.rows) if id(row) not in idle]
    if not any(row.says("connection-mark") or row.says("packet-mark") for row in fasttrack):
        queues += [row for row in of_marks(net.rows) if id(row) not in idle]
    known = {id(row) for row in queues}
    first = [row for row in binding(net.rows) if id(row) in known]
    lines = unique([row.first for row in first + queues], id) + _clients_passed(net)
    if lines:
        met.append(("fasttrack-and-queues", [rule] + lines))
    return met


def _clients_passed(net: Network) -> list[Command]:
    """The lines that make queues for clients whose packets FastTrack may take."""
    return [row.command(name) for row, name in of_clients(net.rows)[:MOST_ASKED]
            if any(_passed(net, text) for text in clients_of(net.rows, row))]  # fmt: skip


def kept_out(net: Network, policy: Row) -> bool:
    """True if the firewall keeps a policy's packets from FastTrack's rules, in both directions."""
    try:
        ends = [_span(policy.get("src-address")), _span(policy.get("dst-address"))]
    except ValueError:
        return False
    if ":" in policy.get("src-address") + policy.get("dst-address"):
        return True  # FastTrack's rule is IPv4's
    for way in ("out", "in"):
        packet = Protected(way)
        packet.ins, packet.outs = net.inside or None, net.wan or None
        packet.src, packet.dst = ends
        if way == "in":
            packet.ins, packet.outs = packet.outs, packet.ins
            packet.src, packet.dst = packet.dst, packet.src
        if reaches(net, marked(net, packet)):
            return False
    return True


def keeps_policy(row: Row) -> bool:
    """Return True if a rule accepts what IPsec protects, one way."""
    policies = [way + ",ipsec" for way in ("in", "out")]
    return row.get("action", "accept") == "accept" and row.get("ipsec-policy") in policies


def accepts_policy(net: Network, row: Row) -> bool:
    """Return True if a rule of forward accepts established packets of IPsec, and not FastTrack."""
    if row.get("chain") != "forward" or not keeps_policy(row):
        return False
    packet = protected(net, row)
    steps = walk(net, packet, "filter", "forward").steps
    known = any(step.row is row and step.verdict != NO for step in steps)
    return known and not reaches(net, packet)


def protected(net: Network, row: Row) -> Packet:
    """An established packet of IPsec on the way that a rule names, with the ends that it names."""
    way = row.get("ipsec-policy").partition(",")[0]
    packet = Protected(way)
    packet.ins, packet.outs = net.inside or None, net.wan or None
    if way == "in":
        packet.ins, packet.outs = packet.outs, packet.ins
    for name in ("src-address", "dst-address"):
        bounds = range_of(row.get(name))
        if bounds is not None:
            setattr(packet, name[:3], [bounds])
    return packet


def routing_marks(net: Network) -> list[Row]:
    """The rules of mangle that send forwarded packets to another table than main.

    A table without a route leaves them to main, where FastTrack's packets go too, and a rule of an
    interface that is gone sends none.
    """
    chains = led_to(net, 4, "mangle", "prerouting")
    idle = list(nowhere(net))
    rows = [row for row in net.rows.where("/ip/firewall/mangle", "action", "mark-routing")
            if row not in idle and not matches_nothing(row)
            and row.get("chain", "prerouting") in chains]  # fmt: skip
    marks = [(row, row.get("new-routing-mark")) for row in rows]
    return [row for row, mark in marks if mark != "main"
            and not leads_as_main(net.rows, net.kinds, row.get("dst-address"), mark)
            ]  # fmt: skip


def bypasses_mangle(net: Network, rule: Row) -> bool:
    """Return True if packets that a rule of mangle is for may bypass it, fast-tracked."""
    if rule.get("protocol", "tcp") not in ("tcp", "udp"):
        return False  # FastTrack takes no other
    packet = Packet()
    packet.ipsec = False
    of = [rule] + only_jumps(net, rule)
    named = matched(of, "in-interface")
    listed = net.lists.get(matched(of, "in-interface-list"), [])
    packet.ins = [named] if named and named[0] != "!" else [net.above(one) for one in listed]
    packet.ins = packet.ins or None
    leaves = matched(of, "out-interface")
    packet.outs = [leaves] if leaves and leaves[0] != "!" else None
    # None for any, and where all others are meant.
    ends = [bounds_of(matched(of, name)) for name in ("src-address", "dst-address")]
    packet.src, packet.dst = [[one] if one is not None else None for one in ends]
    packet.src_list = matched(of, "src-address-list").partition("!")[0]
    packet.dst_list = matched(of, "dst-address-list").partition("!")[0]
    given = net.firewall_of(4).marks
    marks = {name: [""] + sorted(given.get(name, set())) for name in MARKS}
    connection = matched(of, "connection-mark")
    if connection not in marks[MARKS[0]] + [NO_MARK] and connection[0] != "!":
        return False  # no rule gives it
    if connection and connection[0] != "!":
        marks[MARKS[0]] = [connection if connection != NO_MARK else ""]
    packet.marks = marks
    protocol = matched(of, "protocol")
    packet.protocols = [protocol] if protocol in packet.protocols else packet.protocols
    for port in _ports(matched(of, "dst-port")):
        packet.dst_port = port
        other = packet.back()
        other.marks = marks
        if reaches(net, packet) or reaches(net, other):
            return True
    return False


def _ports(text: str) -> list[int | None]:
    """Ports for which a matcher is asked: the first and last of each range; None: any port."""
    ports: list[int | None] = []
    for part in text.split(","):
        for number in part.split("-"):
            if not is_number(number):
                return [None]
            ports.append(int(number))
    return ports


def only_jumps(net: Network, rule: Row) -> list[Row]:
    """The jumps by which alone a packet comes to a rule of mangle, the last first."""
    chains = led_to(net, 4, "mangle", "prerouting")
    jumps: list[Row] = []
    to = chains.get(rule.get("chain", "prerouting"), [])
    while len(to) == 1 and to[0] not in jumps:
        jumps.append(to[0])
        to = chains.get(to[0].get("chain"), [])
    return jumps


def matched(rows: list[Row], name: str) -> str:
    """The value that the first of some rules which says a matcher has."""
    for row in rows:
        if row.get(name):
            return row.get(name)
    return ""


def other_tables(net: Network) -> list[Row]:
    """The routing rules, of RouterOS 7 and 6, that send others' packets to another table than main.

    One about an address of the router's own, or about its network at a provider, is for what the
    router sends itself.
    """
    rows = net.rows.of("/routing/rule") + net.rows.of("/ip/route/rule")
    # A mark that such a rule asks for is given by mangle, which has a note of its own.
    looks = [row for row in rows if row.get("action", "lookup").startswith("lookup")
             and row.get("routing-mark", "main") in ("", "main")
             and row.get("table", "main") not in ("", "main")]  # fmt: skip
    return [row for row in looks if not is_gone(row.get("interface"))
            and not _of_router(net, row.get("src-address"))]  # fmt: skip


def _of_router(net: Network, source: str) -> bool:
    """Return True if packets from an address or a network are the router's own."""
    rows = net.connected(source)
    own = [row.get("address").partition("/")[0] for row in rows]
    outside = [row for row in rows if net.above(row.get("interface")) in net.wan]
    address, _, length = source.partition("/")
    return (address in own and length in ("", "32")) or (bool(rows) and outside == rows)


def bypasses_table(net: Network, rule: Row) -> bool:
    """Return True if packets that a routing rule is for may bypass it, fast-tracked."""
    packet = Packet()
    packet.ipsec = False
    packet.ins = [rule.get("interface")] if rule.get("interface") else None
    try:
        packet.src, packet.dst = _span(rule.get("src-address")), _span(rule.get("dst-address"))
    except ValueError:
        return True
    if ":" in rule.get("src-address") + rule.get("dst-address"):
        return False  # FastTrack's rule is IPv4's
    return reaches(net, packet) or reaches(net, packet.back())


def of_networks(net: Network, packet: Packet) -> list[Packet]:
    """The packets of each network that a packet may come from; none where no address is known.

    Of all together, rules that leave out one network each leave a doubt. A network with a gateway
    in it is no LAN.
    """
    leading = [row.get("gateway") for row in net.rows.of("/ip/route")
               if row.get("dst-address", ANYWHERE) == ANYWHERE]  # fmt: skip
    outside = [row for gateway in unique(leading) for row in net.connected(gateway)]
    packets: list[Packet] = []
    for row in net.rows.of("/ip/address"):
        name, network = net.above(row.get("interface")), range_of(row.get("address"))
        if row not in outside and name in (packet.ins or []):
            one = packet.copied()
            one.ins, one.src = [name], [network] if network is not None else None
            packets.append(one)
    return packets


def _passed(net: Network, target: str) -> bool:
    """Return True if FastTrack may take packets of an address, of a network or an interface."""
    if is_gone(target) or target in net.disabled:
        return False
    packet = Packet()
    packet.ipsec = False
    try:
        packet.src = _span(target)
        near = net.connected(target) if packet.src else []
        packet.ins = [net.above(row.get("interface")) for row in near] or None
    except ValueError:
        known = target in net.kinds or net.above(target) in net.inside
        packet.ins = [net.above(target)] if known else None
    return reaches(net, packet) or reaches(net, packet.back())


def _span(text: str) -> list[Range] | None:
    """The range of an address; None for any."""
    return [span(text)] if text and text != "0.0.0.0/0" else None


def reaches(net: Network, packet: Packet) -> bool:
    """Return True if a FastTrack rule may mark the connection of such a packet."""
    result = marking(net, packet)
    if result.untracked is not None and result.untracked.verdict == YES:
        return False
    return result.answer != NO
