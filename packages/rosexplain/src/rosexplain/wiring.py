"""Ports, bridges, tunnels and ways back: what several lines of an export show together."""

from __future__ import annotations

from collections.abc import Iterator

from rosexplain.addresses import Range, apart, as_number, bounds_of, range_of, span, within
from rosexplain.device import header, is_wired
from rosexplain.firewall import TRANSLATES
from rosexplain.matching import PORTS, Met, numbers
from rosexplain.network import FILTER, ON_PORTS, TUNNELS, Network, once
from rosexplain.ordered import unique
from rosexplain.parse import Command
from rosexplain.queues import bits_of
from rosexplain.radios import MENUS
from rosexplain.rows import Row
from rosexplain.selection import is_gone, is_number
from rosexplain.uplinks import ANYWHERE, CLIENTS

OF_PORTS = (PORTS,) + MENUS
"""The menus of ports with a wire or a radio."""
COPPER = "ether"
"""How the names of twisted-pair ports begin."""

RATES = (("qsfp56-dd", (50, 100, 200, 400)), ("qsfp28", (25, 50, 100)), ("qsfpplus", (10, 40)),
         ("sfp56", (25, 50)), ("sfp28", (25,)), ("sfp-sfpplus", (10,)), ("sfp", (1,)),
         ("ether", (1,)))  # fmt: skip
"""How names of ports begin, and the rates [Gbit/s] with which they do all that they can.

A port of several lanes is often split, so the rate of one lane or more is all of its own.
"""
SINCE_MODES = "7.12"
"""The version from which on `advertise` applies to ports with modules (ethernet-modes-of-modules).
"""

MODULES = ("sfp-sfpplus", "sfp28", "qsfp")
"""How names of ports above 1 Gbit/s begin."""
FASTER = ("S+", "XS", "XQ")
"""Parts of the models' names that have such ports: `CCR2004-16G-2S+`."""

QUEUE_RATE = "egress-rate-queue"
"""The beginning of the property of each of a port's queues."""
FULL = 1500
"""Bytes of a full packet; its header of 14 bytes counts as little as the checksum."""
STORAGE = ("iscsi", "vsan", "nfs", "ceph", "storage", "migration")
"""Words in comments for traffic whose packets are often large."""

JUMBO = 4000
"""Bytes of a packet that fits into no port with the L2MTU that it comes with."""

ADDS = (("vxlan", 50), ("eoip", 42), ("gre", 24), ("ipip", 20))
"""Bytes that a kind of tunnel adds to a packet, with IPv4 outside."""
PATH = 1500
PEERS = "/interface/wireguard/peers"
ALLOWED = "allowed-address"
PROTOCOLS = ("/routing/ospf/instance", "/routing/bgp/connection", "/routing/bgp/peer",
             "/routing/rip/interface", "/routing/rip/instance")  # fmt: skip
"""The menus of routing protocols that are on."""
WIREGUARD_MTU = 1420
"""The default (fact wireguard-mtu)."""

MULTIGIGABIT = ("CCR20", "CCR21", "CCR22", "5009")
"""Models with several cores and ports above 1 Gbit/s."""

CLAMPS = ("eoip", "gre", "ipip", "6to4", "eoipv6", "gre6", "ipipv6")
"""Kinds of tunnels with clamp-tcp-mss."""

TAGGED_ONLY = "admit-only-vlan-tagged"
"""The frame-types of a port that is in the VLANs of the table alone, and not in its pvid's."""
FEW = ("ether1", "ether2", "ether3")
"""The ports of a machine that somebody rents."""
DHCP_SERVER = "/ip/dhcp-server"
MEMBER = "/interface/list/member"
MOST_FEW = 20
"""Addresses that a visitors' network runs out of."""
NAT = "/ip/firewall/nat"
WITH_ADDRESS = (DHCP_SERVER, "/ip/dhcp-client", "/ip/hotspot", "/routing/ospf/interface")
"""Menus whose rows go to the bridge with a port's address."""


def met(net: Network) -> list[Met]:
    """The ids of the rules that hold, each with the lines that meet it."""
    ports = net.rows.of("/interface/ethernet")
    idle = [id(row) for row in idle_ports(net)]
    used = [row for row in ports if id(row) not in idle]
    fixed = _not_negotiating(net)
    bonds = _fixed_bonds(net, fixed)
    gone = [row for row in net.rows.of("/interface/bridge/port") if is_gone(row.get("bridge"))]
    alone = [row for row in gone if any(net.rows.where(menu, "interface", row.get("interface"))
                                        for menu in ON_PORTS + WITH_ADDRESS)]  # fmt: skip
    every = [
        ("module-advertises", [row.command("advertise") for row in used if _lowered(net, row)]),
        ("port-rate-of-module", [row.command("speed") for row in used if _fixed_below(row)]),
        ("fast-ethernet-ports", _slow_ports(net)),
        ("speed-without-effect", [row.command("speed") for row in used if _without_effect(row)]
         if not net.fast_ethernet else []),
        _sharing(net),
        (
            "port-without-negotiation",
            [row.command("auto-negotiation") for row in fixed
             if not any(row in rows for rows in bonds)],
        ),
        ("leg-without-negotiation", [rows[0].command("auto-negotiation") for rows in bonds]),
        ("l2mtu-below-full", [row.command("l2mtu") for row in ports if _drops_full(net, row)]),
        ("l2mtu-of-some-ports", list(_without_jumbo(net))),
        ("port-queue-rate", list(_queue_rates(net))),
        ("veth-in-bridge", [row.command("interface") for row in _veths(net)]),
        ("vlan-in-itself", [row.first for row in vlans_in_themselves(net)]),
        ("vlan-mtu-small", [row.command("mtu") for row in _narrow_vlans(net)]),
        ("bridge-gone", [row.command("bridge") for row in gone if row not in alone]),
        ("bridge-gone-of-used", [row.command("bridge") for row in alone]),
        ("address-on-port", list(_on_ports(net, True))),
        ("address-alone-on-port", list(_on_ports(net, False))),
        ("pool-of-few", [row.command("ranges") for row in _small_pools(net)]),
    ] + _clients_on_ports(net) + [
        ("uplink-in-bridge", [row.first for rows in net.port_rows.values() for row in rows
                              if row.get("interface") in cut_in_bridges(net)]),
        ("pool-elsewhere", [server.command("interface") for server, _ in leasing_elsewhere(net)]),
        ("dns-of-itself", [row.command("servers") for row in asking_itself(net)]),
        ("dns-unanswered", [row.command("dns-server") for row in naming_router(net)]),
        ("session-and-cores", list(_fast_sessions(net))),
        ("tunnel-in-wireguard", [tunnel.first for tunnel, _ in in_wireguard(net)]),
        ("wireguard-overlap", [row.command(ALLOWED) for row in sharing_peers(net)]),
        ("wireguard-unrouted", [row.command(ALLOWED) for row in _unrouted(net)]),
        ("answers-elsewhere", list(_answers_elsewhere(net))),
        ("tunnel-mss-kept", list(_unclamped(net))),
        ("session-mss-kept", list(_sessions_unclamped(net))),
        ("wireguard-mss-kept", list(_default_by_wireguard(net))),
        ("mss-rule-off", [row.first for row in _mss_rules_off(net)]),
    ]  # fmt: skip
    holding = [(rule, lines) for rule, lines in every if lines]
    if net.model[:3].upper() == "CHR":
        holding.append(("chr-licence", []))
    unnamed = net.device_unknown or (net.virtual and not header(net.exports, "model"))
    if unnamed and header(net.exports, "software id") and _has_few_ports(net):
        holding.append(("licence-unknown", []))
    if any(word in net.version for word in ("alpha", "beta", "rc")):
        holding.append(("test-version", []))
    if net.fast_ethernet:
        holding.append(("fast-ethernet", []))
    return holding


def _has_few_ports(net: Network) -> bool:
    """Return True if an export has the shape of a rented machine: ports for its networks, no more.

    No bridge has a port, no radio has a row, and its ports are among FEW.
    """
    if net.port_rows or any(net.rows.all_of(menu) for menu in OF_PORTS[1:]):
        return False
    ports = [row.get("default-name") for row in net.rows.all_of("/interface/ethernet")]
    return len(ports) > 1 and all(port in FEW for port in ports)


def _default_name(row: Row) -> str:
    return row.get("default-name") or row.name


@once
def _default_names(net: Network) -> dict[str, str]:
    """The ports' names before anybody renamed them, by their names."""
    return {row.name: _default_name(row) for row in net.rows.of(PORTS)}


def rate_of(mode: str) -> float:
    """Gbit/s of a link mode: `40G-baseCR4`, `1000M-full`; 0 where it has none."""
    amount = mode.partition("-")[0]
    digits, unit = amount[:-1], amount[-1:]
    if not digits or not is_number(digits.replace(".", "", 1)) or unit not in ("M", "G"):
        return 0
    return float(digits) / (1000 if unit == "M" else 1)


def _lowered(net: Network, row: Row) -> bool:
    """Return True if a port with a module advertises less than its own rate."""
    if not row.get("advertise") or row.get("auto-negotiation") == "no" or not net.numbers:
        return False
    if _default_name(row)[: len(COPPER)] == COPPER or net.numbers < numbers(SINCE_MODES):
        return False
    return _below_own(row, max([rate_of(mode) for mode in row.get("advertise").split(",")]))


def _below_own(port: Row, rate: float) -> bool:
    """Return True if a rate [Gbit/s] is less than a port can do, by its name: 1 of `sfp28-1`."""
    for begin, own in RATES:
        if _default_name(port)[: len(begin)] == begin:
            return 0 < rate < own[-1] and rate not in own
    return False


def _fixed_below(row: Row) -> bool:
    """Return True if a port has a fixed rate of 1 Gbit/s or more that is less than it can do."""
    rate = rate_of(row.get("speed").replace("bps", ""))
    half = row.get("speed").endswith("-half")
    return row.get("auto-negotiation") == "no" and rate >= 1 and not half and _below_own(row, rate)


def _without_effect(row: Row) -> bool:
    """Return True if a copper port has a rate below 1 Gbit/s that only a fixed one would have."""
    rate = rate_of(row.get("speed").replace("bps", ""))
    copper = _default_name(row)[: len(COPPER)] == COPPER
    return copper and 0 < rate < 1 and not row.says("auto-negotiation")  # else it is verbose


def _slow_ports(net: Network) -> list[Command]:
    """The ports of 100 Mbit/s in use, in bridges or alone, of a device that has faster ones too."""
    slow: list[str] = net.small_chip["slow"] if net.small_chip else []
    named = _default_names(net)
    rows = [row for bridge in sorted(net.port_rows) for row in net.port_rows[bridge]]
    rows += [row for menu in ON_PORTS for row in net.rows.of(menu)]
    return [row.command("interface") for row in rows
            if named.get(row.get("interface"), row.get("interface")) in slow]  # fmt: skip


def _sharing_port(net: Network, faster: bool) -> list[Command]:
    """The routed VLANs of the first port that has several; `faster`: of a copper port."""
    used = [row.get("interface") for menu in ("/ip/address", "/ip/dhcp-client")
            for row in net.rows.of(menu)]  # fmt: skip
    named = _default_names(net)
    vlans: dict[str, list[Command]] = {}
    for row in net.rows.of("/interface/vlan"):
        port = row.get("interface")
        own = named.get(port, port)
        if row.name in used and (own[: len(COPPER)] == COPPER or (is_wired(own) and not faster)):
            vlans.setdefault(port, []).append(row.command("interface"))
    several = [vlans[port] for port in sorted(vlans) if len(vlans[port]) > 1]
    return several[0] if several else []


def _sharing(net: Network) -> Met:
    """The VLANs that share a port, by whether a faster one is free."""
    slower = _sharing_port(net, True)
    if slower and _has_free_module(net):
        return "vlans-share-slower-port", slower
    return "vlans-share-port", _sharing_port(net, False)


def _has_free_module(net: Network) -> bool:
    """Return True if a model has ports above 1 Gbit/s, as `RB5009UG+S+IN`, and nothing uses any."""
    if not any(end in net.model for end in FASTER):
        return False
    named = _default_names(net)
    used: list[str] = []
    for path, menu in net.rows.menus.items():
        used += [] if path == PORTS else [named.get(name, name) for name in menu.mentioned()]
    return not any(name[: len(begin)] == begin for name in used for begin in MODULES)


def _not_negotiating(net: Network) -> list[Row]:
    """The copper ports in use that do not negotiate, but for those with a rate below 1 Gbit/s.

    Those have a rule of their own; a virtual machine's adapters negotiate nothing.
    """
    rows = net.rows.where(PORTS, "auto-negotiation", "no")
    if net.virtual or not rows:
        return []
    idle = [id(row) for row in idle_ports(net)]
    return [
        row for row in rows
        if _default_name(row)[: len(COPPER)] == COPPER and id(row) not in idle
        and not 0 < rate_of(row.get("speed").replace("bps", "")) < 1
    ]  # fmt: skip


def _fixed_bonds(net: Network, fixed: list[Row]) -> list[list[Row]]:
    """The links of each bond of which none negotiates; `fixed`: the ports that do not.

    With all of them changed at once, and down, the bond is down too.
    """
    names = [row.get("slaves").split(",") for row in net.rows.of("/interface/bonding")]
    every = [(legs, [row for leg in legs for row in fixed if row.name == leg]) for legs in names]
    return [rows for legs, rows in every if len(rows) == len(legs) > 1]


def _queue_rates(net: Network) -> Iterator[Command]:
    """The rates of single queues of a switch's ports."""
    for row in net.rows.of("/interface/ethernet/switch/qos/port"):
        for name in row.names:
            if name[: len(QUEUE_RATE)] == QUEUE_RATE and bits_of(row.get(name)):
                yield row.command(name)


@once
def idle_ports(net: Network) -> list[Row]:
    """The ports without an address, a bridge, a VLAN or another use.

    None of a part of an export that shows no port in use.
    """
    if not (net.wan or net.lan or net.port_rows) or not net.rows.of(PORTS):
        return []
    named: set[str] = set()
    for path, menu in net.rows.menus.items():
        if path != PORTS and path[-13:] != "/address-list":
            named.update(menu.mentioned())
    return [row for row in net.rows.of(PORTS) if (row.name or _default_name(row)) not in named]


def _without_jumbo(net: Network) -> Iterator[Command]:
    """The ports of a bridge for large packets that these do not fit into.

    The MTU of the bridge or of a port says that such packets are meant, where others take them; or,
    on a switch, a comment that names storage.
    """
    own = {row.name or _default_name(row): row for row in net.rows.of("/interface/ethernet")}
    bonds = {row.name: row.get("slaves").split(",") for row in net.rows.of("/interface/bonding")}
    for bridge in net.rows.of("/interface/bridge"):
        ports = [(name, row) for row in net.port_rows.get(bridge.name, [])
                 for name in bonds.get(row.get("interface"), [row.get("interface")])
                 if is_wired(name) or name in own]  # fmt: skip
        rows = [own[name] for name, _ in ports if name in own]
        meant = max([_number(row.get("mtu")) for row in rows + [bridge]])
        taking = any(_number(row.get("l2mtu")) >= meant for row in rows)
        vlans = net.rows.where("/interface/bridge/vlan", "bridge", bridge.name)
        said = [row.get("comment").lower() for row in rows + vlans if net.chip]
        stores = any(word in comment for comment in said for word in STORAGE)
        for name, port in ports if (meant >= JUMBO and taking) or stores else []:
            row = own.get(name)
            small = row.says("l2mtu") if row is not None and meant < JUMBO else True
            if small and (row is None or _number(row.get("l2mtu")) < max(meant, JUMBO)):
                yield row.command("l2mtu") if row and row.says("l2mtu") else port.first


def _drops_full(net: Network, row: Row) -> bool:
    """Return True if a full packet does not fit into a port that bridges it to another one."""
    value, bridge = row.get("l2mtu"), net.bridge_of.get(row.name or _default_name(row), "")
    return is_number(value) and int(value) < FULL and len(net.port_rows.get(bridge, [])) > 1


def _number(text: str) -> int:
    return int(text) if is_number(text) else 0


def _veths(net: Network) -> list[Row]:
    """The containers' ports of bridges that have ports with wires too."""
    veths = [row.name for row in net.rows.of("/interface/veth")]
    return [row for bridge in sorted(net.port_rows) for row in net.port_rows[bridge]
            if row.get("interface") in veths and row.get("pvid", "1") == "1"
            and any(is_wired(one.get("interface")) for one in net.port_rows[bridge])
            ]  # fmt: skip


def vlans_in_themselves(net: Network) -> list[Row]:
    """The ports of bridges that are a VLAN interface on the bridge, in that same VLAN.

    The interface works by itself where the bridge is a tagged member of its VLAN.
    """
    vlans = {row.name: row for row in net.rows.of("/interface/vlan")}
    ports: list[Row] = []
    for bridge in net.rows.where("/interface/bridge", "vlan-filtering", "yes"):
        for port in net.port_rows.get(bridge.name, []):
            vlan = vlans.get(port.get("interface"))
            if vlan is None or vlan.get("interface") != bridge.name:
                continue
            number, members = vlan.get("vlan-id", "1"), net.tagged.get(bridge.name)
            if number == port.get("pvid", "1") and members is not None and members.has(number):
                ports.append(port)
    return ports


def _narrow_vlans(net: Network) -> list[Row]:
    """The VLAN interfaces of a router on ports for full packets, that take none themselves.

    Not on a bridge with a tunnel.
    """
    if net.routes_nothing:
        return []
    small = [row.name for menu in ("/interface/ethernet", "/interface/bridge", "/interface/bonding")
             for row in net.rows.of(menu) if 0 < _number(row.get("mtu")) < FULL]  # fmt: skip
    rows: list[Row] = []
    for row in net.rows.of("/interface/vlan"):
        carriers = [row.get("interface")] + net.ports_below(row.get("interface"))
        tunnels = any(net.kinds.get(name) in TUNNELS or name in small for name in carriers)
        rows += [row] if 0 < _number(row.get("mtu")) < FULL and not tunnels else []
    return rows


def _on_ports(net: Network, served: bool) -> Iterator[Command]:
    """The addresses on ports of bridges that are on, with what serves the port, or without such."""
    bridges = [row.name for row in net.rows.of("/interface/bridge")]
    own_names = [row.name for menu in OF_PORTS for row in net.rows.of(menu)]
    for row in net.rows.of("/ip/address"):
        port = row.get("interface")
        if net.bridge_of.get(port) not in bridges or not (is_wired(port) or port in own_names):
            continue
        if any(own.get("pvid", "1") != "1" for own in net.port_rows[net.bridge_of[port]]
               if own.get("interface") == port):  # fmt: skip
            continue  # it is a VLAN's, and so would be the bridge's VLAN interface
        serving = [one for menu in WITH_ADDRESS for one in net.rows.where(menu, "interface", port)]
        if bool(serving) == served:
            for one in [row] + serving:
                yield one.command("interface")


def _small_pools(net: Network) -> list[Row]:
    """The pools of which a hotspot's hosts get their addresses, where these are few."""
    guests = [row.get("interface") for row in net.rows.of("/ip/hotspot")]
    names = [row.get("address-pool") for row in net.rows.of(DHCP_SERVER)
             if row.get("interface") in guests]  # fmt: skip
    few: list[Row] = []
    for row in net.rows.of("/ip/pool"):
        ranges = [range_of(text) for text in row.get("ranges").split(",")]
        size = sum(one[1] - one[0] + 1 for one in ranges if one is not None)
        if row.name in names and row.get("next-pool", "none") == "none" and 0 < size <= MOST_FEW:
            few.append(row)
    return few


UPLINKING = ("/ip/dhcp-client", "/ipv6/dhcp-client", "/interface/pppoe-client")
"""Menus of the clients that make a port an uplink."""


@once
def cut_in_bridges(net: Network) -> list[str]:
    """The ports of bridges by which alone NAT lets hosts out, with a client that gets no answer.

    No port that carries a VLAN of the table, so that other hosts are behind it.
    """
    rules = [row for row in net.rows.where(NAT, "chain", "srcnat")
             if row.get("action") in TRANSLATES]  # fmt: skip
    outs = [name for row in rules for name in (
        net.lists.get(row.get("out-interface-list"), []) if row.get("out-interface-list")
        else [row.get("out-interface")])]  # fmt: skip
    carrying = [name for row in net.rows.of("/interface/bridge/vlan")
                for name in (row.get("tagged") + "," + row.get("untagged")).split(",")]  # fmt: skip
    if not outs or any(name not in net.bridge_of or name in carrying for name in outs):
        return []
    asking = [row.get("interface") for menu in UPLINKING for row in net.rows.of(menu)]
    return [name for name in unique(outs) if name in asking]


def _clients_on_ports(net: Network) -> list[tuple[str, list[Command]]]:
    """The hotspots, DHCP clients and servers on ports of bridges: for the bridge, or idle there.

    A client is for the bridge that only masquerade calls the way out, unless rules guard the port
    by its name, or by a list that the bridge cannot be in too.
    """
    addresses = [row.get("interface") for row in net.rows.of("/ip/address")]
    clients = [row.get("interface") for row in net.rows.of("/ip/dhcp-client")]
    outs = [row.get("out-interface") for row in net.rows.where(NAT, "action", "masquerade")]
    every: dict[bool, list[Command]] = {True: [], False: []}
    for menu in WITH_ADDRESS[:2]:
        for row in net.rows.of(menu):
            port = row.get("interface")
            bridge = net.bridge_of.get(port, "")
            if port in addresses or not bridge:
                continue
            # Elsewhere a lease would bring a second default route, or take another client's place.
            alone = [one for one in clients if net.bridge_of.get(one) == bridge] == [port]
            others = [net.bridge_of.get(name, name) for name in net.wan if name != port]
            alone = alone and all(name == bridge for name in others)
            in_vlan = any(own.get("pvid", "1") != "1" for own in net.port_rows[bridge]
                          if own.get("interface") == port)  # fmt: skip
            if port in cut_in_bridges(net):
                continue
            out = bridge in outs and bridge not in addresses + clients + net.served
            # What guards the port holds for nothing that comes by the bridge.
            guarded = [one for one in net.rows.of(FILTER)
                       if one.get("in-interface").lstrip("!") == port]  # fmt: skip
            guarded += [] if listed_with(net, port) else net.rows.where(MEMBER, "interface", port)
            joins = out and alone and not (in_vlan or guarded) and menu != DHCP_SERVER
            every[joins].append(row.command("interface"))
    every[False] += [row.command("interface") for row in net.idle_hotspots]
    return [("client-on-port", every[True]), ("client-idle-on-port", every[False])]


def listed_with(net: Network, port: str) -> str:
    """The list that a bridge's port is in with other ports of the bridge alone; empty without one.

    No rule of such a list matches anything until the bridge is in it.
    """
    bridge = net.bridge_of.get(port, "")
    names = unique([row.get("list") for row in net.rows.where(MEMBER, "interface", port)])
    members = net.lists.get(names[0], []) if len(names) == 1 else []
    alone = all(net.bridge_of.get(name, name) == bridge for name in members)
    return names[0] if bridge and members and alone else ""


def leasing_elsewhere(net: Network) -> list[tuple[Row, str]]:
    """The DHCP servers on interfaces without an address, with the network of their pool elsewhere.

    Each with the one interface that has this network and no server: `(server2, "vlan2")`; without
    it where that has another network too, in which a second server might do harm.
    None of a server for relays or beside VRRP.  With an address, its pool may be what is wrong.
    """
    if not net.rows.of(DHCP_SERVER):
        return []
    addressed = [net.above(row.get("interface")) for row in net.rows.of("/ip/address")]
    leased = [net.above(row.get("interface")) for row in net.rows.of("/ip/dhcp-client")]
    served = net.served
    every: list[tuple[Row, str]] = []
    for row in net.rows.of(DHCP_SERVER):
        name = row.get("interface")
        if net.above(name) in addressed:
            continue
        pools = net.rows.where("/ip/pool", "name", row.get("address-pool"))
        ranges = [part for pool in pools for part in pool.get("ranges").split(",")]
        if not ranges or row.get("relay", "0.0.0.0") != "0.0.0.0":
            continue
        homes = [one.get("interface") for one in net.connected(ranges[0])
                 if all(one in net.connected(part) for part in ranges)]  # fmt: skip
        if len(homes) != 1 or net.above(homes[0]) == net.above(name) or homes[0] in net.bridge_of:
            continue
        home = net.above(homes[0])
        if net.kinds.get(homes[0]) != "vrrp" and home not in served:
            alone = (addressed + leased + net.wan).count(home) == 1
            every.append((row, homes[0] if alone else ""))
    return every


def _answers_elsewhere(net: Network) -> Iterator[Command]:
    """The routes to a router in a LAN whose hosts have another default gateway, and the rule.

    The hosts' packets pass this router, the answers reach them directly.
    """
    drops = [row for row in net.rows.where(FILTER, "connection-state", "invalid")
             if row.get("chain") == "forward" and row.get("action") == "drop"]  # fmt: skip
    if not drops or len(drops[0].names) > 4 or _untracked(net) or _accepts(net, drops[0]):
        return
    for route in net.rows.of("/ip/route"):
        target, gateway = route.get("dst-address"), route.get("gateway")
        main = route.get("routing-table", "main") == "main"
        if target in ("", "0.0.0.0/0") or not gateway or not main:
            continue
        for row in net.connected(gateway):
            served = net.above(row.get("interface")) in net.served
            if served and row.get("interface") not in net.wan:
                yield route.command("gateway")
                yield drops[0].first
                yield row.command("interface")
                return


def _untracked(net: Network) -> bool:
    tracking = net.rows.single("/ip/firewall/connection/tracking")
    off = tracking is not None and tracking.get("enabled") == "no"
    return off or bool(net.rows.where("/ip/firewall/raw", "action", "notrack"))


def _accepts(net: Network, drop: Row) -> bool:
    """Return True if a rule before one that drops accepts what stays in the LAN, or leads on."""
    for row in net.rows.of(FILTER):
        if row is drop:
            return False
        if row.get("chain") != "forward" or row.get("action", "accept") not in ("accept", "jump"):
            continue
        states = row.get("connection-state")
        if (not states or "invalid" in states) and not row.get("ipsec-policy"):
            return True
    return False


def naming_router(net: Network) -> list[Row]:
    """The networks of DHCP whose hosts are told to ask the router for names, who answers nobody.

    None where a rule of dstnat takes such questions elsewhere, as those of a hotspot do for its
    hosts, or no other server is named.
    """
    menu = "/ip/dns"
    if menu not in net.rows.menus or net.setting(menu, "allow-remote-requests")[0] == "yes":
        return []
    rules = net.rows.of("/ip/firewall/nat")
    if net.rows.of("/ip/hotspot") or any("53" in row.get("dst-port").split(",") for row in rules):
        return []
    return [row for row in net.rows.of("/ip/dhcp-server/network")
            if others_than_router(net, row) not in ("", row.get("dns-server"))]  # fmt: skip


def others_than_router(net: Network, row: Row, name: str = "dns-server") -> str:
    """The DNS servers that a network of DHCP is told, without the router's own addresses.

    `name`: `servers` of those that the router asks itself.
    """
    own = [one.get("address").partition("/")[0] for one in net.rows.of("/ip/address")]
    return ",".join([text for text in row.get(name).split(",") if text not in own])


def asking_itself(net: Network) -> list[Row]:
    """The settings of DNS that name the router itself as a server of names."""
    return [row for row in net.rows.of("/ip/dns")
            if others_than_router(net, row, "servers") != row.get("servers")]  # fmt: skip


def _fast_sessions(net: Network) -> Iterator[Command]:
    """The PPPoE clients of devices with ports above 1 Gbit/s."""
    if any(name in net.model.upper() for name in MULTIGIGABIT):
        yield from [row.first for row in net.rows.of("/interface/pppoe-client")]


def in_wireguard(net: Network) -> list[tuple[Row, int]]:
    """The tunnels to ends behind WireGuard whose MTU does not fit, each with the one that does."""
    behind: list[tuple[str, int]] = []
    own_rows = net.rows.of("/interface/wireguard")
    mtus = {row.name: row.get("mtu", str(WIREGUARD_MTU)) for row in own_rows}
    for peer in net.rows.of("/interface/wireguard/peers"):
        mtu = mtus.get(peer.get("interface"), "")
        for network in peer.get("allowed-address").split(",") if is_number(mtu) else []:
            if network not in ("", "0.0.0.0/0", "::/0"):
                behind.append((network, int(mtu)))
    rows: list[tuple[Row, int]] = []
    for kind, added in ADDS:
        for tunnel in net.rows.of("/interface/" + kind):
            ends = [tunnel.get("remote-address")] if kind != "vxlan" else [
                vtep.get("remote-ip") for vtep in net.rows.of("/interface/vxlan/vteps")
                if vtep.get("interface") == tunnel.name]  # fmt: skip
            fits = [mtu - added for network, mtu in behind if _any_inside(ends, network)]
            own = tunnel.get("mtu", "auto")
            size = int(own) if is_number(own) else PATH - added
            if fits and size > min(fits):
                rows.append((tunnel, min(fits)))
    return rows


def _any_inside(addresses: list[str], network: str) -> bool:
    whole, ends = bounds_of(network), map(bounds_of, addresses)
    return whole is not None and any(one is not None and not apart(one, whole) for one in ends)


def _changes_mss(net: Network) -> bool:
    return bool(net.rows.where("/ip/firewall/mangle", "action", "change-mss"))


def _mss_rules_off(net: Network) -> list[Row]:
    """The disabled rules for the MSS, of a router with WireGuard, where no other rule changes it.

    None where a rule for the tunnel alone is the better one.
    """
    if _changes_mss(net) or not net.rows.of("/interface/wireguard"):
        return []
    if any(_default_by_wireguard(net)):
        return []
    rows = net.rows.all_of("/ip/firewall/mangle")
    return [row for row in rows if row.get("action") == "change-mss"]


def _unclamped(net: Network) -> Iterator[Command]:
    """The tunnels that keep the MSS of TCP connections, where no rule of mangle changes it."""
    if _changes_mss(net):
        return
    for kind in CLAMPS:
        for row in net.rows.where("/interface/" + kind, "clamp-tcp-mss", "no"):
            bridged = row.name in net.bridge_of
            if not bridged and row.get("mtu") != "1500":
                yield row.command("clamp-tcp-mss")


def _sessions_unclamped(net: Network) -> Iterator[Command]:
    """The profiles of clients that keep the MSS of TCP connections, likewise."""
    if _changes_mss(net):
        return
    used: list[str] = []
    for kind in CLIENTS:
        used += [row.get("profile", "default") for row in net.rows.of("/interface/" + kind)]
    for row in net.rows.of("/ppp/profile"):
        if row.get("change-tcp-mss") == "no" and row.name in used:
            yield row.command("change-tcp-mss")


def _default_by_wireguard(net: Network) -> Iterator[Command]:
    """The WireGuard interfaces that a default route leads to, likewise.

    A router without NAT may have no rule at all, and one of mangle would close its fast path.
    """
    if _changes_mss(net) or not net.rows.of("/ip/firewall/nat"):
        return
    gateways: list[str] = []
    for route in net.rows.of("/ip/route"):
        if route.get("dst-address", ANYWHERE) == ANYWHERE:
            gateways += route.get("gateway").split(",")
    for row in net.rows.of("/interface/wireguard"):
        if row.name in gateways:
            yield row.first


def sharing_peers(net: Network) -> list[Row]:
    """The WireGuard peers that share a network of their allowed-address with another of the same
    interface.  A smaller network in a larger one is a route of its own, and no fault.
    """
    return [row for row in net.rows.of(PEERS) if _shared(net, row)]


def _unrouted(net: Network) -> list[Row]:
    """The peers with a network behind them that no route of the export leads to any part of.

    A routing protocol may bring the route, and a host's own address needs none.
    """
    if any(net.rows.of(menu) for menu in PROTOCOLS):
        return []
    rows = net.rows.of("/ip/address") + net.rows.of("/ip/route")
    known = [bounds_of(row.get("dst-address", row.get("address"))) for row in rows]
    leading = [one for one in known if one is not None and one[0] > 0]
    return [
        peer for peer in net.rows.of(PEERS)
        if not is_gone(peer.get("interface")) and any(
            0 < one[0] < one[1] and ":" not in part
            and not any(within(one, other) or within(other, one) for other in leading)
            for part, one in _networks(peer)
        )
    ]  # fmt: skip


def own_addresses(net: Network, peer: Row) -> str:
    """A peer's allowed-address with its own address, `10.9.0.2/32`, for each network that it
    shares; empty where it states only the network.
    """
    shared = _shared(net, peer)
    parts: list[str] = []
    for part in peer.get(ALLOWED).split(","):
        address = part.partition("/")[0]
        if part not in shared:
            parts.append(part)
        elif as_number(address) == span(part)[0]:
            return ""
        else:
            parts.append(address + ("/128" if ":" in address else "/32"))
    return ",".join(parts)


def _shared(net: Network, peer: Row) -> list[str]:
    """The networks of a peer that another peer of its interface has too."""
    interface, peers = peer.get("interface"), _peers(net)
    return [part for part, one in _networks(peer)
            if any(other is not peer for other in peers.get((interface, one), []))]  # fmt: skip


@once
def _peers(net: Network) -> dict[tuple[str, Range], list[Row]]:
    """The peers of an interface by each network that they have."""
    peers: dict[tuple[str, Range], list[Row]] = {}
    for row in net.rows.of(PEERS):
        for _, one in _networks(row):
            peers.setdefault((row.get("interface"), one), []).append(row)
    return peers


def _networks(peer: Row) -> list[tuple[str, Range]]:
    every = [(part, bounds_of(part)) for part in peer.get(ALLOWED).split(",")]
    return [(part, one) for part, one in every if one is not None]
