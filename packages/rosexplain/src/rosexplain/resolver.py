"""A DNS resolver or SOCKS proxy that strangers reach, and the rules that shut them out."""

from __future__ import annotations

from rosexplain import secrets
from rosexplain.addresses import Range, private, range_of, span
from rosexplain.commands import selector
from rosexplain.firewall import TRANSLATES, Step, walk
from rosexplain.hosts import OUTSIDE, Ends, first_packet
from rosexplain.interfaces import NoInterfaceError
from rosexplain.matchers import NO, NO_MATCHERS, YES, Matching
from rosexplain.matching import Met
from rosexplain.network import FILTER, LOOPBACK, REFUSES, TUNNELS, Network
from rosexplain.ordered import unique
from rosexplain.packet import Packet, Protected
from rosexplain.parse import Command
from rosexplain.rows import Row, quoted
from rosexplain.selection import is_number
from rosexplain.trace import led
from rosexplain.unused import COUNTING
from rosexplain.uplinks import ANYWHERE

INPUT, PORT = "input", 53
PROTOCOLS = ("udp", "tcp")
SOURCES = ("src-address", "src-address-list")
DNS, NAT = "/ip/dns", "/ip/firewall/nat"
PROXY, PROXY_PORT = "/ip/proxy", "8080"
RELAYS = (("socks-on", "/ip/socks", "1080"), ("web-proxy-on", PROXY, PROXY_PORT))
"""The rules of proxies, each with its menu and the port where none is set (fact socks-proxy)."""
SERVES = ("/ip/dhcp-server", "/ip/dns/static", "/ip/dns/adlist")
"""Menus of a router that somebody in its LAN asks for names."""


def met(net: Network) -> list[Met]:
    """The rules of a resolver and of proxies with their lines, where strangers get in."""
    rules: list[Met] = []
    if net.unwritten(4) or (net.routes_nothing and _is_inside(net)):
        return rules
    value, line = net.setting(DNS, "allow-remote-requests")
    if value == "yes" and line is not None and _asking(net):
        rules.append(("open-resolver", [line]))
    for rule, menu, port in RELAYS:
        value, line = net.setting(menu, "enabled")
        if value == "yes" and line is not None and _relayed(net, menu, port):
            rules.append((rule, [line]))
    return rules + _refusing(net)


def _refusing(net: Network) -> list[Met]:
    """The rules of networks whose hosts are told to ask the router, and are refused an answer.

    `dns-refused`: those networks of DHCP; `dns-limited`: the rules that accept some questions only.
    None where a hotspot is on: its dynamic rules redirect and accept its hosts' questions before.
    """
    refused: list[Command] = []
    limited: list[Command] = []
    ends = Ends(net, 4)
    asked = net.setting(DNS, "allow-remote-requests")[0] == "yes"
    rules = net.rows.of(NAT)
    hotspots = [net.above(row.get("interface")) for row in net.rows.of("/ip/hotspot")]
    # A rule of dstnat may take such questions elsewhere.
    asked = asked and not any(str(PORT) in row.get("dst-port").split(",") for row in rules)
    for row in net.rows.of("/ip/dhcp-server/network") if asked else []:
        for name in [name for name in ends.lan if name not in hotspots]:
            own, host = ends.router(name), ends.host(name)
            told = [range_of(text) for text in row.get("dns-server").split(",")]
            if own is None or own[0] not in told or host is None:
                continue
            packet = first_packet(4, name, host, own, "udp", PORT)
            packet.chain = INPUT
            way = walk(net, packet, "filter", INPUT)
            if way.end is None or way.end.action not in REFUSES:
                continue
            accepting = [step for step in way.steps if step.action == "accept"]
            some = [step.row for step in accepting if step.verdict != NO]
            by_rate = [one for one in some if one.get("limit")]
            refused += [row.command("dns-server")] if way.end.sure and not some else []
            limited += [one.command("limit") for one in by_rate] if by_rate == some else []
    every = [("dns-refused", refused), ("dns-limited", unique(limited, id))]
    return [(rule, lines) for rule, lines in every if lines]


def _is_inside(net: Network) -> bool:
    """Return True if a device that routes nothing has private addresses alone, or its WAN's LAN."""
    own = _addresses(net)
    shut = bool(own) and _are_private(own)
    return shut or _has_one_network(net) or all(name in net.lan for name in net.wan)


def _addresses(net: Network) -> list[Row]:
    """The router's addresses, without loopbacks, on which nobody else is."""
    rows = [row for row in net.rows.of("/ip/address") if row.get("interface") != LOOPBACK]
    return [row for row in rows if not net.is_loopback(row)]


def _are_private(rows: list[Row]) -> bool:
    own = [range_of(row.get("address")) for row in rows]
    return all(one is not None and private(one, 4) for one in own)


def _has_one_network(net: Network) -> bool:
    """Return True if a device has one network alone, which is another router's LAN."""
    used = _addresses(net) + net.rows.of("/ip/dhcp-client")
    names = unique([net.above(row.get("interface")) for row in used
                    if net.kinds.get(row.get("interface")) not in TUNNELS])  # fmt: skip
    wan = unique([net.above(name) for name in net.wan])
    return len(names) == 1 and wan == names and _is_of_hosts(net, names[0])


def _is_of_hosts(net: Network, name: str) -> bool:
    """Return True if an interface is a bridge with hosts on its ports, and no public address.

    Another router leases addresses there.
    """
    rows = [row for row in _addresses(net) if net.above(row.get("interface")) == name]
    ports = net.port_rows.get(name, [])
    return len(ports) > 1 and name not in net.served and _are_private(rows)


def _relayed(net: Network, menu: str, usual: str) -> list[Packet]:
    """The packets by which strangers reach a proxy that asks for no password; `usual`: its ports.

    None where a rule of its own denies whom the rules before it do not allow.
    """
    rules = [row for row in net.rows.of(menu + "/access") if row.get("action") == "deny"]
    if net.setting(menu, "auth-method")[0] == "password" or any(map(_denies_strangers, rules)):
        return []
    return [one for port in _ports(net, menu, usual) for one in _asking(net, "tcp", port)]


def _denies_strangers(rule: Row) -> bool:
    """Return True if a rule of a proxy denies all, or all but some sources."""
    names = [name for name in rule.names if name not in NO_MATCHERS and rule.get(name)]
    source = rule.get("src-address", ANYWHERE)
    return (source == ANYWHERE or source[0] == "!") and names in ([], ["src-address"])


def _ports(net: Network, menu: str, usual: str) -> list[int]:
    """The ports of a proxy: `8080,3128` are two."""
    texts = (net.setting(menu, "port")[0] or usual).split(",")
    return [int(text) for text in texts if is_number(text)]


def proxy_ports(net: Network) -> list[int]:
    """The ports of the web proxy; none where they cannot be read."""
    return _ports(net, PROXY, PROXY_PORT)


def dropping(net: Network, ports: list[int] | None = None) -> list[str]:
    """The rules that drop what asks DNS, or a proxy's `ports`, from the WAN, before accepting ones.

    One for the list WAN where it has all such interfaces, otherwise one for each of them.  None
    where the LAN asks by such an interface too, or nobody is known to ask; but a switch without a
    host that may ask it is nobody's resolver, and answers no one then.
    """
    dns = ports is None
    ports = [PORT] if ports is None else ports
    hosts = Ends(net, 4).lan or net.lets_clients_in
    serves = any(map(net.rows.of, SERVES)) or net.setting(DNS, "use-doh-server")[0]
    if dns and net.routes_nothing and not (hosts or serves):
        return [DNS + "/set allow-remote-requests=no"]
    protocols = PROTOCOLS if dns else PROTOCOLS[1:]
    asking = {protocol: [one for port in ports for one in _asking(net, protocol, port)]
              for protocol in protocols}  # fmt: skip
    names = unique([name for packet in asking[protocols[0]] for name in packet.ins or []])
    if not hosts or any(_leases(net, name) or name in net.lan for name in names):
        return []
    plain = " ipsec-policy=in,none" if net.has_ipsec else ""
    words = [("in-interface-list", key) for key in net.lists if key.upper() == "WAN"
             and all(name in net.lists[key] for name in names)][:1]  # fmt: skip
    words = words or [("in-interface", name) for name in names]
    if not all(secrets.shows(FILTER, name, value) for name, value in words):
        return []
    dropped = ",".join(map(str, ports))
    return [
        FILTER + "/add chain=" + INPUT + " action=drop protocol=" + protocol
        + " dst-port=" + dropped + " " + name + "=" + quoted(value) + plain
        + _before_accept(net, asking[protocol])
        for name, value in words for protocol in protocols if asking[protocol]
    ]  # fmt: skip


def _before_accept(net: Network, asking: list[Packet]) -> str:
    """The place before the first rule that lets such questions in; empty where none is."""
    accepting = [step.top for packet in asking for step in _accepts(net, packet)[:1]]
    first = [row for row in net.rows.of(FILTER) if row in accepting][:1]
    return "".join([" place-before=" + selector(row) for row in first])


def from_strangers(net: Network, packet: Packet) -> bool:
    """True if a packet asks the DNS or proxy here from the WAN, and no rule lets its host in."""
    wan = [net.above(name) for name in net.wan]
    ports = [PORT] + proxy_ports(net)
    asks = packet.chain == INPUT and packet.dst_port in ports and packet.protocols[0] in PROTOCOLS
    if not asks or isinstance(packet, Protected) or [n for n in packet.ins or [""] if n not in wan]:
        return False
    asked = Matching(net, packet)
    return not any(
        row.get("action", "accept") == "accept" and row.says(name) and row.get(name)[:1] != "!"
        and asked.against(row, False)[0] != NO
        for row in net.rows.of(FILTER) for name in SOURCES
    )  # fmt: skip


def _asking(net: Network, protocol: str = "udp", port: int = PORT) -> list[Packet]:
    """The packets by which strangers' questions get in, by each interface and own address."""
    ends = Ends(net, 4)
    public = [ends.router(one) for one in ends.hosts if not private(ends.hosts[one][0], 4)]
    packets: list[Packet] = []
    for name in ends.wan:
        if not _has_strangers(net, ends, name):
            continue
        every = [let_in(net, name, own, protocol, port) for own in [ends.router(name)] + public]
        packets += [packet for packet in every if packet is not None]
    return packets


def let_in(
    net: Network, name: str, own: list[Range] | None, protocol: str, port: int
) -> Packet | None:
    """A stranger's first packet to the router by an interface; None if a rule refuses it, or may.

    `own`: the router's address that it is for, None where no export shows it.
    """
    packet = first_packet(4, name, [span(OUTSIDE[4])], own, protocol, port)
    packet.chain = INPUT
    try:
        way = led(net, packet)
    except NoInterfaceError:
        return None
    doubts = [doubt for doubt in way.end.unless
              if doubt.action != "accept" and not _of_few(net, doubt.row)]  # fmt: skip
    own_chain = bool(way.cases) and way.cases[0].packet.chain == INPUT
    if own_chain and not way.nowhere and not way.end.refuses and not doubts:
        return packet
    return None


def _has_strangers(net: Network, ends: Ends, name: str) -> bool:
    """Return True if anybody but hosts that are let in on purpose may send by an interface.

    None does where its one client is on a port of the bridge, nor in the one network of a device,
    in a LAN by its list, or in a private network that a rule names.  Nor where nothing is
    translated: the router behind a private address has a route to the LAN then.
    """
    by_list = name in net.members_of("LAN") and name not in net.members_of("WAN")
    if _has_one_network(net) or (by_list and _is_of_hosts(net, name)):
        return False
    own, host = ends.router(name), ends.host(name)
    if own is None or host is None:
        clients = [row.get("interface") for row in net.rows.of("/ip/dhcp-client")]
        return not any(net.bridge_of.get(port) == name for port in clients)
    if not private(own[0], 4):
        return True
    rules = net.rows.where(NAT, "chain", "srcnat")
    rows = [row for row in _addresses(net) if net.above(row.get("interface")) == name]
    if _are_private(rows) and not any(row.get("action") in TRANSLATES for row in rules):
        return False
    packet = first_packet(4, name, host, own, PROTOCOLS[0], PORT)
    packet.chain = INPUT
    known = [step.top for step in _accepts(net, packet)]
    return not any(row.get(word) and row.get(word)[0] != "!" for row in known for word in SOURCES)


def _of_few(net: Network, row: Row) -> bool:
    """Return True if a rule refuses those that other rules caught before: no stranger's first try.

    By a list that only rules fill, or by how many packets somebody sends.
    """
    listed = row.get("src-address-list")
    lists = net.firewall_of(4)
    caught = bool(listed) and listed[0] != "!" and listed in lists.filled
    if caught and listed not in lists.addresses:
        return True
    return any(row.get(name) for name in COUNTING)


def _leases(net: Network, name: str) -> bool:
    """Return True if the router leases addresses by an interface, or in a network that it has."""
    if name in net.served:
        return True
    addresses = [row for row in net.rows.of("/ip/address")
                 if net.above(row.get("interface")) == name]  # fmt: skip
    own = [range_of(row.get("address")) for row in addresses]
    leased = [range_of(row.get("address")) for row in net.rows.of("/ip/dhcp-server/network")]
    return any(one is not None and one in own for one in leased)


def _accepts(net: Network, packet: Packet) -> list[Step]:
    """The rules of the filter that are sure to accept a packet; none where it meets no rule."""
    steps = walk(net, packet, "filter", INPUT).steps
    return [step for step in steps if step.action == "accept" and step.verdict == YES]
