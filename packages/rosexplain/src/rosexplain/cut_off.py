"""Networks that nothing gets through to, or that reach no internet.

They are without source NAT or without a port in their VLAN, or a bridge has taken their WAN.
"""

from __future__ import annotations

from dataclasses import dataclass

from rosexplain import radios
from rosexplain.addresses import Range, apart, plain, private, range_of, within
from rosexplain.firewall import TRANSLATES, walk
from rosexplain.interface_lists import EVERY
from rosexplain.matchers import NO, YES
from rosexplain.matching import Met
from rosexplain.network import REFUSES, Network, Vlans
from rosexplain.ordered import unique
from rosexplain.packet import Packet
from rosexplain.parse import Command
from rosexplain.rows import Row
from rosexplain.selection import is_number
from rosexplain.uplinks import ANYWHERE, CHOOSE, of_main, to_internet

STEERS = ("mark-routing", "mark-connection", "route")
"""Actions of mangle that may give a network another way out than the table main's."""
TO_ADDRESSES = ("masquerade", "src-nat")
"""Actions that translate a network of any length; netmap maps each address to one of its own."""
OF_NETWORK = ("src-address", "in-interface", "in-interface-list")
"""Words by which such a rule is about a network."""
MOST_NETWORKS = 40
"""Networks that are asked about."""
VLAN_TABLE = "/interface/bridge/vlan"
DOT1X = "/interface/dot1x/server"
"""The menu of servers that may give a host's port another VLAN."""
ADDRESSED = ("/ip/address", "/ip/dhcp-client", "/ip/dhcp-server", "/ipv6/address")
"""Menus by which an interface is one of the router's own."""
ETHERNET = "ethernet"


@dataclass(frozen=True)
class Leaving:
    """A network, the interface to the internet that it is not translated on, and its line.

    E.g. `192.168.10.0/24`, `ether1`.
    """

    network: str
    out: str
    line: Command


def met(net: Network) -> list[Met]:
    """The rules about them that hold, each with the lines that meet it."""
    every = [
        ("untranslated", unique([one.line for one in leaving(net)], id)),
        ("untranslated-part", [row.command("src-address") for row, _ in narrow(net)]),
        ("vlan-without-port", [line for one in portless(net) for line in one]),
        ("vlan-in-other-vlan", [row.first for row in astray(net)]),
        ("vlan-filtering-for-one", [row.command("vlan-filtering") for row in alone(net)]),
        ("vlan-untagged-only", [row.first for row in one_way(net)]),
        ("wan-in-bridge", taking_wan(net)),
    ]
    return [(rule, lines) for rule, lines in every if lines]


def leaving(net: Network) -> list[Leaving]:
    """The networks with DHCP whose new packets no rule of srcnat translates on their way out.

    Only of a router that translates others: whoever translates nothing may have a router in front
    that knows the networks.  None of what a rule drops, leads elsewhere, or leaves as it is on
    purpose; nor where an address list, or a rule for each of several networks, decides who is let
    out.
    """
    rules = net.rows.where("/ip/firewall/nat", "chain", "srcnat")
    rules = [row for row in rules if row.get("action") in TRANSLATES]
    named = unique([one for one in [range_of(row.get("src-address")) for row in rules] if one])
    chosen = [
        one for one in named if not any(within(one, other) for other in named if other != one)
    ]
    if not rules or _led_elsewhere(net) or len(chosen) > 1 or any(map(_admits, rules)):
        return []
    every: list[Leaving] = []
    outs = to_internet(net.rows, net.kinds, net.bridge_of, net.wan)
    outs = [out for out in outs if not (net.is_idle(out) or _is_unbound(net, out))]
    for row in net.rows.of("/ip/address")[:MOST_NETWORKS] if outs else []:
        above, bounds = net.above(row.get("interface")), range_of(row.get("address"))
        if above not in net.served or bounds is None or not private(bounds, 4):
            continue
        for out in outs:
            if above != out and _untranslated(net, above, bounds, out):
                every.append(Leaving(_network(row, bounds), out, row.first))
    return every


def _is_unbound(net: Network, out: str) -> bool:
    """Return True for a DHCP client whose default route would take all from the lines in use.

    Those have default routes of a greater distance, so this one has no lease, or leads nowhere.
    """
    clients = net.rows.where("/ip/dhcp-client", "interface", out)
    near = [row.get("default-route-distance", "1") for row in clients]
    routes = [row.get("distance", "1") for row in net.rows.of("/ip/route") if of_main(row)]
    known = bool(near and routes) and all(map(is_number, near + routes))
    return known and out not in net.wan and min(map(int, near)) < min(map(int, routes))


def _admits(rule: Row) -> bool:
    """Return True if a list decides whom a rule translates: others may be kept in on purpose."""
    return bool(rule.get("src-address-list"))


def narrow(net: Network) -> list[tuple[Row, str]]:
    """The rules of srcnat for a part of a network with DHCP, each with the whole network.

    `src-address=10.80.0.0/24` beside `address=10.80.0.1/22`: what is outside leaves untranslated.
    None where another rule translates other parts of the network, where the rest does not leave,
    or where the addresses that DHCP leases are all in the part: the rest may be without on purpose.
    """
    rules = [row for row in net.rows.of("/ip/firewall/nat") if row.get("chain") == "srcnat"]
    every: list[tuple[Row, str]] = []
    if not rules or _led_elsewhere(net):
        return []
    for row in net.rows.of("/ip/address")[:MOST_NETWORKS]:
        bounds = range_of(row.get("address"))
        if net.above(row.get("interface")) not in net.served or bounds is None:
            continue
        about = [(rule, range_of(rule.get("src-address"))) for rule in rules]
        about = [(rule, one) for rule, one in about if one is None or not apart(one, bounds)]
        whole = _network(row, bounds)
        parts = [(rule, whole) for rule, one in about
                 if one is not None and one != bounds and within(one, bounds)
                 and rule.get("action") in TRANSLATES and one[0] == bounds[0]]  # fmt: skip
        sources = unique([rule.get("src-address") for rule, _ in parts])
        if len(sources) == 1 and len(parts) == len(about):
            inner = range_of(sources[0])
            if inner is not None and _rest_leaves(net, row, inner, bounds):
                every += [(rule, to) for rule, to in parts if rule.get("action") in TO_ADDRESSES]
    return every


def _led_elsewhere(net: Network) -> bool:
    """Return True if IPsec or another table may take what a network sends to the internet."""
    encrypted = net.rows.where("/ip/ipsec/policy", "dst-address", ANYWHERE)
    return bool(encrypted) or any(net.rows.of(menu) for menu in CHOOSE)


def _rest_leaves(net: Network, row: Row, part: Range, whole: Range) -> bool:
    """Return True if what is behind a part of a network leaves as it is where the part does not."""
    name = net.above(row.get("interface"))
    pools = [one.get("address-pool") for one in net.rows.of("/ip/dhcp-server")
             if net.above(one.get("interface")) == name]  # fmt: skip
    leased = [range_of(text) for pool in net.rows.of("/ip/pool") if pool.name in pools
              for text in pool.get("ranges").split(",")]  # fmt: skip
    if leased and all(one is not None and within(one, part) for one in leased):
        return False
    rest = (part[1] + 1, whole[1])
    outs = [out for out in net.wan if out != name]
    return any(
        _untranslated(net, name, rest, out) and not _untranslated(net, name, part, out)
        for out in outs
    )


def _network(row: Row, bounds: Range) -> str:
    """An address's network: `192.168.10.0/24` of `192.168.10.1/24`."""
    length = row.get("address").partition("/")[2]
    return plain(bounds[0].to_bytes(4, "big")) + "/" + (length or "32")


def _untranslated(net: Network, name: str, bounds: Range, out: str) -> bool:
    packet = Packet("new")
    packet.ins, packet.outs, packet.src = [name], [out], [bounds]
    packet.dst_internet, packet.ipsec = True, False
    if any(
        step.verdict != NO and step.action in TRANSLATES + ("accept",)
        for step in walk(net, packet, "nat", "srcnat").steps
    ):
        return False
    for table, chain in (("raw", "prerouting"), ("filter", "forward")):
        way = walk(net, packet, table, chain)
        if way.end is not None and way.end.action in REFUSES:
            return False
    steps = walk(net, packet, "mangle", "prerouting").steps
    return not any(
        step.action in STEERS
        and (step.verdict == YES or (step.verdict != NO and any(map(step.row.says, OF_NETWORK))))
        for step in steps
    )


def portless(net: Network) -> list[list[Command]]:
    """The bridges whose trunks are in no VLAN: the lines of the trunks, and of VLANs without ports.

    A trunk is a port that admits only tagged frames.  With MVRP, ports join VLANs by themselves.
    """
    every: list[list[Command]] = []
    for bridge in net.rows.where("/interface/bridge", "vlan-filtering", "yes"):
        trunks, table = _trunks(net, bridge), _of_bridge_alone(net, bridge)
        if trunks and table and bridge.get("mvrp") != "yes":
            every.append([row.first for row in trunks + table])
    return every


def astray(net: Network) -> list[Row]:
    """The ports of bridges with VLANs that are VLAN interfaces, and stay in VLAN 1 by their pvid.

    Where the bridge's table has their own VLAN, for other ports: so those with one tag more.
    """
    ids = {row.name: row for row in net.rows.of("/interface/vlan")}
    used = [row.get("interface") for row in net.rows.of("/ip/address")]
    every: list[Row] = []
    for bridge in net.rows.where("/interface/bridge", "vlan-filtering", "yes"):
        for port in net.port_rows.get(bridge.name, []):
            name = port.get("interface")
            if name not in ids or name in used or port.get("pvid", "1") != "1":
                continue
            below, number = ids[name].get("interface"), ids[name].get("vlan-id")
            table = [row for row in net.rows.where(VLAN_TABLE, "bridge", bridge.name)
                     if number != "1" and Vlans().add(row.get("vlan-ids")).has(number)]  # fmt: skip
            members = [one for row in table for word in ("tagged", "untagged")
                       for one in row.get(word).split(",") if one]  # fmt: skip
            for _ in ids:  # an outer tag's VLAN interface is below an inner one's
                below = ids[below].get("interface") if below in ids else below
            if members and name not in members and net.above(below) != bridge.name:
                every.append(port)
    return [row for row in every if row.get("frame-types") != "admit-only-vlan-tagged"]


def alone(net: Network) -> list[Row]:
    """The bridges with an address that filter VLANs though all ports are untagged in the same one.

    That is not the bridge's own, so what comes in by a port with its pvid reaches no address.  None
    where radios or clients may join in a VLAN of their own.
    """
    used = [row.get("interface") for menu in ADDRESSED for row in net.rows.of(menu)]
    every: list[Row] = []
    for bridge in net.rows.where("/interface/bridge", "vlan-filtering", "yes"):
        table = net.rows.where(VLAN_TABLE, "bridge", bridge.name)
        ports = net.port_rows.get(bridge.name, [])
        members = table[0].get("untagged").split(",") if len(table) == 1 else []
        number = table[0].get("vlan-ids") if members else ""
        own = bridge.get("pvid", "1")
        inside = all(row.get("interface") in members for row in ports) and bool(ports)
        pvids = [row.get("pvid", "1") for row in ports]
        plain = number in pvids and all(pvid in (own, number) for pvid in pvids)
        others = net.rows.where("/interface/vlan", "interface", bridge.name)
        tagged = members and (table[0].get("tagged") or bridge.name in members)
        if inside and plain and bridge.name in used and is_number(number) and number != own:
            joined = bridge.get("mvrp") == "yes" or radios.join(net, bridge.name)
            every += [bridge] if not (others or tagged or joined or net.rows.of(DOT1X)) else []
    return every


def one_way(net: Network) -> list[Row]:
    """The ports that the VLAN table has untagged in one VLAN, and that no pvid puts into it.

    None of a bridge whose VLAN 1 somebody may work with, the router's address among them.
    """
    every: list[Row] = []
    used = [row.get("interface") for menu in ADDRESSED for row in net.rows.of(menu)]
    for bridge in net.rows.where("/interface/bridge", "vlan-filtering", "yes"):
        if bridge.name not in used and bridge.get("pvid", "1") == "1":
            ports = net.port_rows.get(bridge.name, [])
            every += [port for port in ports if not port.says("pvid") and untagged_in(net, port)]
    return [row for row in every if row.get("frame-types") != "admit-only-vlan-tagged"]


def untagged_in(net: Network, port: Row) -> str:
    """The one VLAN in which the table has a port untagged: `40`; empty where it is not one.

    Empty too where the table has the port in VLAN 1, which is then meant.
    """
    name, numbers = port.get("interface"), []
    for row in net.rows.where(VLAN_TABLE, "bridge", port.get("bridge")):
        untagged = name in row.get("untagged").split(",")
        if untagged or name in row.get("tagged").split(","):
            if "1" in row.get("vlan-ids").split(","):
                return ""
            numbers += [row.get("vlan-ids")] if untagged else []
    return numbers[0] if len(numbers) == 1 and is_number(numbers[0]) else ""


def taking_wan(net: Network) -> list[Command]:
    """The ports of bridges that are interface lists with an interface to the internet in them."""
    uplinks = set(net.wan)
    wan = [name for name in net.wan if net.kinds.get(name, ETHERNET) == ETHERNET]
    for row in net.rows.of("/interface/pppoe-client"):
        wan += [row.get("interface")] if row.name in uplinks else []
    wan = [name for name in wan if name not in net.bridge_of]
    taking: list[Command] = []
    for row in net.rows.of("/interface/bridge/port"):
        listed = row.get("interface")
        members = wan if listed in (EVERY, "static") else net.lists.get(listed, [])
        taking += [row.first] if any(name in members for name in wan) else []
    return taking


def _trunks(net: Network, bridge: Row) -> list[Row]:
    """The ports of a bridge that admit only tagged frames, and are a member of no VLAN."""
    named: list[str] = []
    for row in net.rows.where(VLAN_TABLE, "bridge", bridge.name):
        named += (row.get("tagged") + "," + row.get("untagged")).split(",")
    rows = net.port_rows.get(bridge.name, [])
    rows = [row for row in rows if row.get("interface") not in list(net.lists) + named]
    return [row for row in rows if row.get("frame-types") == "admit-only-vlan-tagged"]


def _of_bridge_alone(net: Network, bridge: Row) -> list[Row]:
    """The lines of a bridge's VLAN table that name the bridge as the only member."""
    rows = net.rows.where(VLAN_TABLE, "bridge", bridge.name)
    return [row for row in rows if row.get("tagged") == bridge.name and not row.get("untagged")]
