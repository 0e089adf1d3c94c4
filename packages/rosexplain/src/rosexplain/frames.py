"""What the setting use-ip-firewall is for: rules, queues and services for bridged packets.

With it, the IP firewall sees bridged packets come in and leave by their bridge; routed packets pass
the firewall without it.  A gateway's rules are seldom for what two of its hosts exchange, and then
the setting does nothing but close the bridge's fast path.
"""

from __future__ import annotations

from rosexplain import queues, scripts
from rosexplain.addresses import Range, range_of, span, touches, united, within
from rosexplain.firewall import TRANSLATES, Step, walk
from rosexplain.matchers import NO, Matching
from rosexplain.network import LISTING, MARKS, OF_FRAMES, REFUSES, VLAN, Network, once
from rosexplain.ordered import unique
from rosexplain.packet import Packet
from rosexplain.rows import Row
from rosexplain.selection import is_gone, is_number
from rosexplain.unused import EVERY_TABLE, FILLS, LISTS, NETWORKS, only_accepts

SETTINGS, ASKED, FOR_VLANS = (
    "/interface/bridge/settings", "use-ip-firewall", "use-ip-firewall-for-vlan"
)  # fmt: skip
BRIDGE = "/interface/bridge"
BY_PORT = ("in-bridge-port", "out-bridge-port", "in-bridge-port-list", "out-bridge-port-list")
"""Matchers of a bridge's ports, which match nothing without the setting."""
COUNT = ("/ip/traffic-flow", "/ip/accounting")
"""Menus of what counts the packets that pass the IP firewall."""
CHANGES = ("change-ttl", "change-dscp", "set-priority", "clear-df", "strip-ipv4-options",
           "sniff-tzsp", "sniff-pc")  # fmt: skip
"""Actions of mangle that change or copy each packet."""
WAYS = (("raw", "prerouting"), ("mangle", "prerouting"), ("nat", "dstnat"), ("mangle", "forward"),
        ("filter", "forward"), ("mangle", "postrouting"))  # fmt: skip
"""The chains that a bridged packet passes, in their order."""
TO_HOSTS = ("dst-nat", "netmap")
"""Actions that lead packets to another host."""
GROUPS = {4: "224.0.0.0/4", 6: "ff00::/8"}
GIVEN_6 = "2a00::/12"
"""Addresses of IPv6 that a provider gives, which no list of reserved ones has (IANA)."""
OF_ROUTED = ("ttl", "content", "layer7-protocol", "tls-host")
"""Matchers of how many routers a packet passed, and of what hosts ask of the internet."""
MOST_NETWORKS = 20
"""Networks on a bridge that are asked about; the rest is taken to be like them."""
SERVICES = (20, 21, 22, 23, 25, 53, 67, 68, 69, 80, 88, 110, 111, 123, 135, 137, 138, 139, 143, 161,
            162, 389, 443, 445, 465, 500, 514, 515, 548, 554, 587, 631, 636, 853, 873, 902, 989,
            990, 993, 995)  # fmt: skip
"""The system ports of services that hosts of one network ask of each other (IANA's registry)."""
STREAMS = ("/tool/sniffer", "streaming-enabled", "yes")
"""The sniffer that is set up to do so."""


def is_asked(net: Network, name: str = ASKED) -> bool:
    """Return True if bridged packets pass the IP firewall; `name`: those of a kind alone."""
    settings = net.rows.single(SETTINGS)  # no default of which the answer would speak
    return settings is not None and settings.get(name) == "yes"


@once
def is_idle(net: Network) -> bool:
    """Return True if the setting is on and nothing is for bridged packets.

    A service or a script may add rules, a lease a queue; a part of an export does not tell.
    """
    if not is_asked(net) or net.missing or scripts.may_change(net.rows, scripts.FIREWALL):
        return False
    if net.rows.where(queues.LEASES, queues.RADIUS, "yes"):
        return False
    return not purposes(net)


def purposes(net: Network, bridges: list[str] | None = None) -> list[Row]:
    """The rows that decide about bridged packets, or may; `bridges`: of these alone."""
    if not is_asked(net):
        return []
    rows = [row for menu in EVERY_TABLE for row in net.rows.of(menu)
            if any(row.get(name) and not is_gone(row.get(name)) for name in BY_PORT)]  # fmt: skip
    for bridge in seen(net):
        if bridges is None or bridge in bridges:
            networks = networks_of(net, bridge)
            rows += _rules(net, bridge, networks) + _limits(net, bridge, networks)
            rows += _services(net, bridge)
    return unique(rows, id)


def seen(net: Network) -> list[str]:
    """The bridges whose packets pass the IP firewall: between two ports or more.

    Those of vlan-filtering take a setting of their own (fact bridge-vlans-for-firewall).
    """
    for_vlans = is_asked(net, FOR_VLANS)
    names: list[str] = []
    for bridge in net.rows.of(BRIDGE):
        ports = [row.get("interface") for row in net.port_rows.get(bridge.name, [])]
        several = len(ports) > 1 or any(name in net.lists for name in ports)
        filters = bridge.get("vlan-filtering") in ("yes", "true") and not for_vlans
        if (several or is_joined_later(net, bridge)) and not filters:
            names.append(bridge.name)
    return names


def is_joined_later(net: Network, bridge: Row) -> bool:
    """Return True if a menu above the bridge's ports names it, for a radio or a client to join."""
    for path, menu in net.rows.menus.items():
        if path.startswith(BRIDGE):
            continue
        if menu.on_with("bridge", bridge.name) or menu.on_with("datapath.bridge", bridge.name):
            return True
    return False


def networks_of(net: Network, bridge: str) -> list[Range] | None:
    """The IPv4 addresses on a bridge whose hosts reach all others by this router.

    None where packets from anybody to anybody may be bridged: another gateway is on the bridge, or
    it filters VLANs, of which the router need not have an address in each.
    """
    names = [bridge] + [row.name for row in net.rows.where(VLAN, "interface", bridge)]
    rows = [row for row in net.rows.of("/ip/address")
            if row.get("interface") in names or net.above(row.get("interface")) == bridge
            ]  # fmt: skip
    clients = [row.get("interface") for row in net.rows.of("/ip/dhcp-client")]
    filters = [row.name for row in net.rows.where(BRIDGE, "vlan-filtering", "yes")]
    if not rows or bridge in filters or any(name in net.wan + clients for name in names):
        return None
    networks = [one for one in [range_of(row.get("address")) for row in rows] if one is not None]
    gateways = [range_of(part.partition("%")[0]) for row in net.rows.of("/ip/route")
                for part in row.get("gateway").split(",")]  # fmt: skip
    if any(one is not None and touches(one, united(networks)) for one in gateways):
        return None
    for profile in net.rows.where(queues.PROFILES, "bridge", bridge):
        pool = [range_of(text) for text in queues.pool_of(net.rows, profile)]
        networks += [one for one in pool if one is not None]
    return networks


def _rules(net: Network, bridge: str, networks: list[Range] | None) -> list[Row]:
    """The rules of the IP firewall that decide about packets between ports of a bridge.

    Hosts of two networks exchange theirs by the router, whatever bridge they are on.
    """
    rows: list[Row] = []
    ends: list[Range | None] = [None]
    for one in ends if networks is None else unique(networks)[:MOST_NETWORKS]:
        rows += _frame_rules(net, bridge, 4, not_own(net, one), one is None)
    if not net.rows.where("/ipv6/settings", "disable-ipv6", "yes"):
        rows += _frame_rules(net, bridge, 6, _hosts(net, bridge), networks is None)
    return rows


def _frame_rules(
    net: Network, bridge: str, family: int, hosts: list[Range], is_open: bool
) -> list[Row]:
    """The same of a family, and of packets between some hosts; `is_open`: of any to these."""
    rows: list[Row] = []
    if not any(net.firewall_of(family).chains[table] for table, _ in WAYS):
        return []
    for state in ("new", "established"):
        packet = Packet(state)
        packet.family = family
        packet.ins = packet.outs = [bridge]
        packet.ipsec = False
        packet.protocols = ["tcp", "udp", "icmp" if family == 4 else "icmpv6"]
        packet.src = None if is_open else hosts
        packet.dst = None if is_open and family == 6 else hosts
        rows += _deciding(net, packet, is_open)
        packet = packet.copied()
        packet.dst = [span(GROUPS[family])]
        rows += [row for row in _deciding(net, packet, False) if row.get("dst-address")]
    return rows


def _hosts(net: Network, bridge: str) -> list[Range]:
    """The addresses of IPv6 by which hosts on a bridge are known beyond it."""
    rows = [row for row in net.rows.of("/ipv6/address") if row.get("interface") == bridge
            and not row.says("from-pool")]  # fmt: skip
    own = [one for one in [range_of(row.get("address")) for row in rows] if one is not None]
    return own or [span(GIVEN_6)]


def not_own(net: Network, network: Range | None = None) -> list[Range]:
    """All IPv4 addresses but the router's own; `network`: of this alone."""
    own = [range_of(row.get("address").partition("/")[0]) for row in net.rows.of("/ip/address")]
    ends = sorted([one[0] for one in own if one is not None])
    ranges: list[Range] = []
    first, last = network or span("0.0.0.0/0")
    for end in ends:
        if first <= end <= last:
            ranges += [(first, end - 1)] if first < end else []
            first = end + 1
    return ranges + ([(first, last)] if first <= last else [])


def _deciding(net: Network, packet: Packet, is_open: bool) -> list[Row]:
    """The rules that do something to a bridged packet; `is_open`: to anybody it may go."""
    rows: list[Row] = []
    given = net.firewall_of(packet.family).marks
    packet.marks = {name: [""] + sorted(given.get(name, set())) for name in MARKS}
    for table, chain in WAYS:
        way = walk(net, packet, table, chain)
        rows += [step.row for step in way.steps
                 if step.verdict != NO and _decides(net, step.row, table, is_open)
                 and not _of_others(net, packet, step)]  # fmt: skip
        if way.end is not None and way.end.sure and way.end.action in REFUSES:
            break
    return rows


def _of_others(net: Network, packet: Packet, step: Step) -> bool:
    """Return True if a rule is for addresses of a list alone that hosts on a bridge never get into.

    So it is with a list of strangers, which rules fill that name the interface to the internet.
    """
    lists = net.firewall_of(packet.family)
    by_hand = [value for menu, given in LISTING for row in net.rows.of(menu)
               for value in row.get(given).split(",")]  # fmt: skip
    for word in step.matchers:
        name, ranges = step.row.get(word), packet.src if word[:3] == "src" else packet.dst
        if word not in LISTS or ranges is None or name[:1] == "!" or name in by_hand:
            continue
        if any(touches((first, last), ranges) for first, last, _ in lists.entries(name)):
            continue
        by_rule = [row for menu in EVERY_TABLE for row in net.rows.where(menu, "address-list", name)
                   if row.get("action") in FILLS]  # fmt: skip
        if by_rule and all(_names_others(net, row, packet) for row in by_rule):
            return True
    return False


def _names_others(net: Network, row: Row, packet: Packet) -> bool:
    """Return True if the addresses that a rule lists are none of hosts on a packet's bridge."""
    bridges = packet.ins or []
    hosts = packet.copied()
    hosts.ins = bridges + [one.name for name in bridges
                           for one in net.rows.where(VLAN, "interface", name)]  # fmt: skip
    hosts.outs = hosts.ins
    way = "in-" if row.get("action") == FILLS[0] else "out-"
    asked = Matching(net, hosts)
    return any(row.get(word) and asked.verdict(word, row.get(word)) == NO
               for word in (way + "interface", way + "interface-list"))  # fmt: skip


def _decides(net: Network, row: Row, table: str, is_open: bool) -> bool:
    """Return True if a rule does something to a packet that it matches.

    A hop limit is that of a router, so a rule about it is for routed packets, and so is one about
    sites of the internet.  A host on the bridge to which packets of another are led answers it by
    the bridge: the firewall has to see that.
    """
    action = row.get("action")
    if row.get("hop-limit") or (not is_open and any(row.get(name) for name in OF_ROUTED)):
        return False
    if table == "nat":
        leads = action in (TRANSLATES if is_open else TO_HOSTS)
        return leads and not _forwards_port(row)
    if action == "mark-packet":
        by_any = is_open or any(row.get(name) for name in NETWORKS + LISTS)
        return row.get("new-packet-mark") in _read_marks(net, by_any)
    return action in REFUSES + FILLS + CHANGES


def _read_marks(net: Network, by_any: bool) -> set[str]:
    """The marks of packets that something reads.

    What a gateway marks for its queues is for its line, unless the queues are those of a bridge's
    port; `by_any`: these marks are for hosts, or for anybody.
    """
    menus = [one for one in queues.READ_BY["packet"] if by_any or one[0] in OF_FRAMES]
    read = queues.marks_of(net.rows, tuple(menus), queues.limitless(net.rows))
    for branch in queues.branches(net.rows):
        read.update(branch.marks if branch.root in net.bridge_of else [])
    return read


def _forwards_port(row: Row) -> bool:
    """Return True if a rule of dstnat forwards a port that is no service's of hosts.

    It is meant for what comes to the router: no host of a bridge asks another for such a port, as
    it does for DNS or the web, which somebody may redirect in passing.
    """
    first = row.get("dst-port").replace(",", "-").split("-")[0]
    return row.get("action") == "dst-nat" and is_number(first) and int(first) not in SERVICES


def _limits(net: Network, bridge: str, networks: list[Range] | None) -> list[Row]:
    """The queues that limit packets between ports of a bridge.

    A gateway's queue for a whole network is for the line that its hosts share.
    """
    idle = queues.limitless(net.rows)
    rows = [row for row in net.rows.of(queues.SIMPLE)
            if row not in idle and queues.limits(row) and _is_for(net, row, bridge, networks)
            ]  # fmt: skip
    for row, _ in queues.of_clients(net.rows):
        leased = row.menu.path == queues.LEASE
        leased = leased and (networks is None or _inside(row.get("address"), networks))
        joined = row.menu.path == queues.PROFILES and row.get("bridge") == bridge
        rows += [row] if leased or joined else []
    if networks is None:
        rows += [one.rows[0] for one in queues.branches(net.rows)
                 if one.root == queues.GLOBAL and queues.takes(one.marks, [])
                 and one.rows[0] not in idle]  # fmt: skip
    return rows


def _is_for(net: Network, row: Row, bridge: str, networks: list[Range] | None) -> bool:
    """Return True if a simple queue is for a port or for hosts of a bridge, not for them all."""
    other = row.get("dst")
    one = range_of(other)
    if (
        other
        and networks is not None
        and not (net.above(other) == bridge if one is None else touches(one, united(networks)))
    ):
        return False
    for target in row.get("target").split(","):
        if range_of(target) is None:
            on = net.above(target) == bridge and (target != bridge or networks is None)
        else:
            on = networks is None or _inside(target, networks)
        if on or (not target and networks is None):
            return True
    return False


def _inside(text: str, networks: list[Range]) -> bool:
    """Return True if some hosts of these networks have an address of a range, but not all."""
    one = range_of(text)
    if one is None or not touches(one, united(networks)):
        return False
    return not any(within(network, one) for network in networks)


def _services(net: Network, bridge: str) -> list[Row]:
    """The services with rules of their own for a bridge's packets, and what counts these."""
    rows = [row for row in net.rows.of("/ip/hotspot") if net.above(row.get("interface")) == bridge]
    rows += queues.of_kids(net.rows)
    for menu in COUNT:
        for row in net.rows.of(menu):
            names = row.get("interfaces", "all").split(",")
            if row.get("enabled") in ("yes", "true") and any(
                name == "all" or net.above(name) == bridge for name in names
            ):
                rows.append(row)
    return rows


def frames_guarded(net: Network) -> bool:
    """Return True if what a chip bypasses may refuse or limit a bridge's frames.

    There hw=no on a port may be a guard.  A port's own queue tree limits frames in any case, the
    firewall and simple queues see them with use-ip-firewall, and the sniffer's collector those of
    its port.
    """
    idle = queues.limitless(net.rows)
    on_ports = [row for row in net.rows.of("/queue/tree") if row.get("parent") in net.bridge_of]
    if not only_accepts(net) or any(row not in idle for row in on_ports):
        return True
    streams = [row.get("filter-interface") for row in net.rows.where(*STREAMS)]
    if any(name in net.bridge_of for one in streams for name in one.split(",")):
        return True
    return bool(purposes(net))
