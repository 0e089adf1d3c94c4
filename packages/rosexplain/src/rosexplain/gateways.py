"""Default routes by which nothing leaves, as their gateways are in no network of the router."""

from __future__ import annotations

from rosexplain import scripts, secrets
from rosexplain.addresses import Range, private, range_of, within
from rosexplain.device import is_wired
from rosexplain.matching import Met, met_by
from rosexplain.network import NO_MARK, OTHER_ENDS, Network, once
from rosexplain.ordered import unique
from rosexplain.radios import MENUS as RADIOS
from rosexplain.rows import Row
from rosexplain.selection import is_number
from rosexplain.unused import MARK, unmet
from rosexplain.uplinks import (
    ANYWHERE,
    APN,
    CHOOSE,
    CLIENT,
    CLIENTS,
    MAIN,
    MODEMS,
    PRIVATE_TUNNELS,
    is_default,
    main_routes,
    of_main,
    of_profile,
    off_by_default,
    table_of,
    towards,
)

ADDRESSES, ROUTES, NAT = "/ip/address", "/ip/route", "/ip/firewall/nat"
FAR = "default-route-distance"
"""The property of a client or of a modem's profile."""
ZEROTIER = "/zerotier/interface"
"""The menu of a network whose controller may send a default route."""
BROADCAST = ("ethernet", "bridge", "vlan", "bonding", "wireless", "wifi", "wifiwave2")
"""Kinds of interfaces on which a packet needs the MAC address of its next hop."""
PROTOCOLS = ("/routing/ospf/instance", "/routing/bgp/peer", "/routing/bgp/connection",
             "/routing/rip/instance", "/routing/isis/instance")  # fmt: skip
"""Menus of routing protocols."""
ASK = (MODEMS,) + tuple(["/interface/" + kind for kind in CLIENTS])
"""Menus of clients."""
GIVE = OTHER_ENDS + ASK + ("/ppp/secret", "/ip/ipsec/policy", "/ip/ipsec/mode-config",
                            "/interface/pppoe-server/server")  # fmt: skip
"""Menus that may give a router addresses that no export shows."""
BRING = PROTOCOLS + ASK + ("/routing/ospf/network", "/routing/rip/network", "/interface/ppp-client")
"""Menus of what may bring a default route that no export shows."""
MARKING = ("/ip/firewall/mangle", "action", "mark-routing")
"""The menu and the action of the rules that choose a table."""
NAMED = (("/ip/dhcp-server/network", "dns-server"), ("/ip/dhcp-server/network", "gateway"),
         ("/ip/dns", "servers"))  # fmt: skip
"""Properties with the addresses of routers in front."""


def met(net: Network) -> list[Met]:
    """The rules that hold where no default route has a gateway, each with its lines."""
    lost, far = _unreachable(net), _by_distance(net)
    return met_by(
        [
            ("gateway-unreachable", "gateway", lost),
            ("uplink-spare-unreachable", "gateway", _lost_spares(net)),
            ("uplinks-standing-by", "distance", _standing_by(net, far)),
            ("uplink-radio-alike", "", _alike(net, far)),
            ("client-in-own-network", "", _asking_own(net, far)),
            ("default-route-missing", "", _missing(net)),
            ("default-by-host", "gateway", _by_host(net)),
            ("uplink-idle", "gateway", _idle(net)),
            ("gateway-by-port", "gateway", _by_port(net)),
            ("gateways-alike", "", _sharing(net)),
            ("address-without-prefix", "address", _narrow(net, lost)),
            ("line-of-main", "new-routing-mark", _by_line_of_main(net)),
        ]
    )


def _unreachable(net: Network) -> list[Row]:
    """The default routes of the table main, if the gateways of all are in no network here.

    An address may be given too, as by DHCP or to a tunnel: of such a router it is not known.
    """
    routes = [row for row in net.rows.of(ROUTES) if of_main(row)]
    return routes if all(_is_lost(net, row) for row in routes) else []


def _lost_spares(net: Network) -> list[Row]:
    """The default routes of main that are inactive for that reason, beside one that is not."""
    routes = [row for row in net.rows.of(ROUTES) if of_main(row) and row.get("gateway")]
    lost = [row for row in routes if _is_lost(net, row)]
    return lost if len(lost) < len(routes) else []


def _standing_by(net: Network, far: list[tuple[int, Row]]) -> list[Row]:
    """The default routes of the table main, that which carries all packets first.

    None where several share its distance, or something else chooses among them.
    """
    far = [one for one in far if not _is_lost(net, one[1])]
    alone = len(far) > 1 and 0 < far[0][0] < far[1][0]
    return [row for _, row in far] if alone and not _has_halves(net) else []


def _alike(net: Network, far: list[tuple[int, Row]]) -> list[Row]:
    """The DHCP clients on radios whose default route has the distance of another line: the first.

    None where an address or a host of the LAN may make one of the routes inactive.
    """
    nearest = [row for distance, row in far if distance == far[0][0] == 1]
    # A radio is off until a line says otherwise, and a port of a bridge gets no address.
    names = [row.name for menu in RADIOS for row in net.rows.where(menu, "disabled", "no")]
    by_radio = [row for row in nearest if row.menu.path == CLIENT
                and row.get("interface") in names
                and row.get("interface") not in net.bridge_of]  # fmt: skip
    others = [row for row in nearest if row not in by_radio and _carries(net, row)]
    inside = [row for row in nearest for name in _out(net, row) if net.above(name) in net.served]
    return by_radio if others and not inside else []


def _asking_own(net: Network, far: list[tuple[int, Row]]) -> list[Row]:
    """The DHCP clients on interfaces with a DHCP server, with the distance of another way out."""
    nearest = [row for distance, row in far if distance == far[0][0]]
    own = [row for row in nearest if row.menu.path == CLIENT
           and net.above(row.get("interface")) in net.served]  # fmt: skip
    return own if len(own) < len(nearest) else []


def _by_distance(net: Network) -> list[tuple[int, Row]]:
    """The default routes of main and what adds one, the nearest first; none if marks choose."""
    marks = [row.get("new-routing-mark") for row in net.rows.where(*MARKING)]
    every = net.rows.of(ROUTES)
    tables = [table_of(row) for row in every]
    chosen = [row for row in every if table_of(row) in marks and is_default(row)]
    known = all(mark in tables for mark in marks)
    if chosen or not known or any(net.rows.of(menu) for menu in CHOOSE):
        return []
    return _of_main(net)


def _of_main(net: Network) -> list[tuple[int, Row]]:
    """The default routes of main and what adds one, each with its distance, the nearest first."""
    routes = [row for row in net.rows.of(ROUTES) if of_main(row) and row.get("gateway")]
    routes += [row for row in net.rows.of(CLIENT) if row.get("add-default-route") != "no"]
    for kind in CLIENTS:
        routes += net.rows.where("/interface/" + kind, "add-default-route", "yes")
    routes += [row for row in net.rows.of(MODEMS) if row.name not in net.passed
               and of_profile(net.rows, row, "add-default-route") != "no"]  # fmt: skip
    far = [(_distance(net, row), place, row) for place, row in enumerate(routes)]
    far.sort(key=lambda one: one[:2])
    return [(distance, row) for distance, _, row in far if not off_by_default(row)]


def _by_line_of_main(net: Network) -> list[Row]:
    """The rules that give a connection mark's packets to a table by the gateway that main has too.

    By the only one of its nearest default routes, and no other rule leads that mark elsewhere.
    """
    far = _of_main(net)
    nearest = [row for distance, row in far if distance == far[0][0] > 0]
    if len(nearest) != 1 or any(map(net.rows.of, CHOOSE)) or _has_halves(net):
        return []
    gateway = nearest[0].get("gateway") or nearest[0].name
    rules = net.rows.where(*MARKING)
    every: list[Row] = []
    for mark in unique([row.get(MARK) for row in rules]):
        own = [row for row in rules if row.get(MARK) == mark]
        tables = unique([row.get("new-routing-mark") for row in own])
        routes = [(_distance(net, row), row.get("gateway")) for row in net.rows.of(ROUTES)
                  if is_default(row) and table_of(row) == tables[0]]  # fmt: skip
        least = [gate for distance, gate in routes if distance == min(routes)[0]]
        known = mark not in ("", NO_MARK) and mark[0] != "!" and len(tables) == 1
        every += own if known and least == [gateway] else []
    return every


def _out(net: Network, row: Row) -> list[str]:
    """The interfaces by which a default route leaves, or that of the client that adds it."""
    if row.menu.path == ROUTES:
        return _ways(net, row)
    return [row.get("interface") if row.menu.path == CLIENT else row.name]


def _missing(net: Network) -> list[Row]:
    """The default routes that are disabled, where nothing of the export brings an active one."""
    own = [row for row in net.rows.all_of(ROUTES) if is_default(row) and row.get("gateway")]
    brought = any(net.rows.of(menu) for menu in BRING) or any(map(net.rows.of, CHOOSE))
    clients = [row for row in net.rows.of(CLIENT) if row.get("add-default-route") != "no"]
    if any(row.on for row in own) or _has_halves(net) or brought or clients:
        return []
    unseen = scripts.may_change(net.rows, "ip route") or net.rows.of(ZEROTIER)
    return [] if unseen or net.routes_nothing else own


def _by_host(net: Network) -> list[Row]:
    """The default routes to a host of the LAN beside one that leads out, with the same distance.

    None where a script, marks or routing rules may choose among them.
    """
    chosen = scripts.may_change(net.rows, "ip route") or net.rows.where(*MARKING)
    if chosen or any(net.rows.of(menu) for menu in CHOOSE):
        return []
    routes = [(row, _ways(net, row)) for row in net.rows.of(ROUTES) if of_main(row)]
    inside = [row for row, ways in routes
              if ways and all(net.above(name) in net.served for name in ways)]  # fmt: skip
    out = [_distance(net, row) for row, ways in routes if ways and row not in inside]
    return [row for row in inside if out and _distance(net, row) == min(out)]


def _by_port(net: Network) -> list[Row]:
    """The default routes of any table whose gateway is an interface with many hosts behind it."""
    bridges = net.rows.of("/interface/bridge")
    empty = [row.name for row in bridges if not net.port_rows.get(row.name)]  # a loopback's
    return [row for row in net.rows.of(ROUTES) if is_default(row)
            and row.get("gateway") not in empty
            and any(net.kinds.get(name) in BROADCAST or (name not in net.kinds and is_wired(name))
                    for name in row.get("gateway").split(","))]  # fmt: skip


def _sharing(net: Network) -> list[Row]:
    """The nearest default routes of the table main that share all connections over several lines.

    RouterOS 6 makes one route of several only by the gateways of one line of the export.
    """
    routes = [row for row in net.rows.of(ROUTES) if of_main(row) and row.get("gateway")]
    routes += [row for kind in CLIENTS for row in net.rows.of("/interface/" + kind)
               if row.get("add-default-route") == "yes" and not off_by_default(row)]  # fmt: skip
    least = min([_distance(net, row) for row in routes] or [0])
    nearest = [row for row in routes if _distance(net, row) == least]
    several = [row for row in nearest if "," in row.get("gateway")]
    nearest = several if several or net.numbers[:1] == (6,) else nearest
    gates = [text for row in nearest for text in (row.get("gateway") or row.name).split(",")]
    led = [row for row in net.rows.where(*MARKING) if row.get("chain") != "output"]
    chosen = any(map(net.rows.of, CHOOSE)) or any(row not in unmet(net) for row in led)
    ways = unique([name for row in nearest for name in _out(net, row)])
    rules = [row for row in net.rows.where(NAT, "action", "masquerade")
             if row.get("out-interface") in [""] + ways or not ways]  # fmt: skip
    own = [row.get("to-addresses") for row in net.rows.where(NAT, "action", "src-nat")]
    shared = len(unique(gates)) > 1 and len(ways) != 1 and (rules or len(unique(own)) > 1)
    return nearest if shared and not chosen else []


def _carries(net: Network, row: Row) -> bool:
    """Return True if nothing shows that a default route is inactive, or that two halves lead."""
    return not _has_halves(net) and not _is_lost(net, row)


def _has_halves(net: Network) -> bool:
    """Return True for `0.0.0.0/1` or `128.0.0.0/1`, which a tunnel's client sets."""
    return any(row.get("dst-address")[-2:] == "/1" for row in net.rows.of(ROUTES))


def _idle(net: Network) -> list[Row]:
    """The default routes that leave a line idle: disabled, or of a table that nothing selects.

    None by an interface of the main table's own or into a tunnel, nor where a script may choose
    among routes.
    """
    leading = main_routes(net.rows, net.kinds)
    routed = net.rows.where(*MARKING[:2], "route") or net.rows.of("/ip/vrf")
    if not leading or scripts.may_change(net.rows, "ip route") or routed:
        return []
    tables = [row.get("new-routing-mark") for row in net.rows.where(*MARKING)]
    tables += [row.get("table") for menu in CHOOSE for row in net.rows.of(menu)]
    every = [(row, _ways(net, row)) for row in net.rows.all_of(ROUTES) if is_default(row)
             and not (row.on and table_of(row) in [MAIN] + tables)]  # fmt: skip
    return [row for row, ways in every if ways and not any(
        name in leading or net.above(name) in net.served
        or net.kinds.get(name) in PRIVATE_TUNNELS for name in ways)]  # fmt: skip


def _ways(net: Network, row: Row) -> list[str]:
    """The interfaces of a route's gateways."""
    return [name for text in row.get("gateway").split(",")
            for name in towards(net.rows, net.kinds, text) if name]  # fmt: skip


def _distance(net: Network, row: Row) -> int:
    """The distance of a default route, 1 where nothing says it; 0 of one that cannot be read."""
    text = row.get("distance") or row.get(FAR)
    if row.menu.path == MODEMS:
        text = of_profile(net.rows, row, FAR) or net.default(APN, FAR)
    text = text or "1"
    return int(text) if is_number(text) else 0


def _narrow(net: Network, lost: list[Row]) -> list[Row]:
    """The private addresses without a prefix, which RouterOS takes as /32, near such a gateway.

    Near: in the same /24.  `lost`: the routes by such gateways.
    """
    gates = [range_of(text.partition("@")[0]) for row in lost
             for text in row.get("gateway").split(",")]  # fmt: skip
    every: list[Row] = []
    for row in net.rows.of(ADDRESSES):
        address, _, length = row.get("address").partition("/")
        wide = range_of(widened(row)) if length in ("", "32") else None
        own = range_of(address)
        if wide and own and private(own, 4) and any(gate and within(gate, wide) for gate in gates):
            every.append(row)
    return every


def widened(row: Row) -> str:
    """An address with the prefix /24: `192.168.99.6/24`."""
    return row.get("address").partition("/")[0] + "/24"


def base_of(address: str) -> str:
    """The network of a /24, which RouterOS does not change with the address: `192.168.99.0`."""
    return address.rpartition(".")[0] + ".0"


def in_front(net: Network) -> str:
    """The router in front, as far as an export tells: `10.0.0.1`; empty where it does not.

    It is the only other address that the export names in a network where it leases none.
    """
    mine = [row.get("address").partition("/")[0] for row in net.rows.of(ADDRESSES)]
    texts = [text for menu, name in NAMED for row in net.rows.of(menu)
             for text in row.get(name).split(",")]  # fmt: skip
    near = [text for text in unique(texts) if text not in mine
            and any(net.above(row.get("interface")) not in net.served
                    for row in net.connected(text))]  # fmt: skip
    return near[0] if len(near) == 1 and secrets.shows(ROUTES, "gateway", near[0]) else ""


@once
def _networks(net: Network) -> list[Range] | None:
    """The networks of the router's addresses, also of those that are off, and of other routes.

    None where something may give it others, or none is shown.
    """
    texts: list[str] = []
    for row in net.rows.all_of(ADDRESSES):
        length = row.get("address").partition("/")[2] or "32"
        texts += [row.get("address"), row.get("network") + "/" + length]
    own = [bounds for bounds in map(range_of, texts) if bounds is not None]
    if not own or _given(net):
        return None
    # By default, a gateway is resolved by no route of a routing protocol.
    if any(row.says("target-scope") for row in net.rows.of(ROUTES)) and any(
        map(net.rows.of, PROTOCOLS)
    ):
        return None
    every = [row.get("dst-address", ANYWHERE) for row in net.rows.of(ROUTES)]
    ranges = [range_of(text) for text in every if text != ANYWHERE]
    return own + [bounds for bounds in ranges if bounds is not None]


def _given(net: Network) -> bool:
    clients = [row.get("interface") for row in net.rows.of("/ip/dhcp-client")]
    # A port of a bridge gets no address: the router says so beside such a client.
    return any(name not in net.bridge_of for name in clients) or any(map(net.rows.of, GIVE))


def _is_lost(net: Network, row: Row) -> bool:
    """Return True if all gateways of a route are addresses in no network of the router."""
    networks = _networks(net)
    gates = [range_of(text.partition("@")[0]) for text in row.get("gateway").split(",")]
    return networks is not None and not any(
        gate is None or any(within(gate, one) for one in networks) for gate in gates
    )
