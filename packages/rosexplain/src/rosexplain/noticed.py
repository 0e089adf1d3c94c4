"""What an export shows beside its paths: rules, marks and queues that do nothing."""

from __future__ import annotations

from collections.abc import Iterator

from rosexplain import (
    leases,
    offload,
    radios,
    searching,
    services,
    switching,
    tunnels,
    unused,
)
from rosexplain.classify import Explanation
from rosexplain.cut_off import DOT1X, portless
from rosexplain.device import SWITCHES, is_wired
from rosexplain.firewall import TRANSLATES
from rosexplain.frames import frames_guarded, is_joined_later
from rosexplain.matching import Met, met_by
from rosexplain.names import met as names_met
from rosexplain.names import misspelling
from rosexplain.network import NO_MARK, ON_PORTS, Network, Vlans
from rosexplain.ordered import unique
from rosexplain.parse import Command
from rosexplain.queues import (
    READ_BY,
    SET_BY,
    ByKind,
    marks_in,
    marks_of,
    of_one_device,
    of_tight_guests,
    of_unlimited_guests,
    unlimited_parents,
)
from rosexplain.rows import Row, Rows
from rosexplain.selection import is_number
from rosexplain.uplinks import (
    CLIENTS,
    PRIVATE_TUNNELS,
    answered,
    main_routes,
    off_by_default,
)
from rosexplain.wiring import TAGGED_ONLY, vlans_in_themselves

WITHOUT_TABLE = ("IPQ-PPE", "98PX1012", "QCA8386")
"""Chips without a VLAN table (fact switch-vlan-table)."""

OF_NAMES = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_."
"""Letters of a script's name; a command has a space or a slash."""

RUN = "/system script run "

ENCRYPTED = ("eoip", "gre", "ipip", "vxlan")
"""Kinds of tunnels that encrypt nothing themselves."""

OPENVPN = "/interface/ovpn"
"""The beginning of the menus of OpenVPN."""

OF_FULL_FRAME = 1522
"""The least MPLS MTU for a full frame of a VPLS, to a neighbour by one label (fact vpls-frame)."""

OF_EVERY_RULE = ("chain", "action", "comment")
"""What a bridge filter says beside the frames that it matches."""
FRAME_NAT = "/interface/bridge/nat"
HASHED, IN_TURN = ("802.3ad", "balance-xor"), "balance-rr"
"""Modes of a bond that hash a connection, and the default one, which takes its links in turn."""


def noticed(explanation: Explanation) -> list[Met]:
    """The rules about such things that hold, each with its lines."""
    net = explanation.net
    by_cpu, old = _by_cpu(explanation), net.numbers[:1] == (6,)
    slips = misspelling(net)
    again = [row for row in unused.marked_again(net, shared=False) if searching.alone(net, row)]
    leased = switching.leased(net)
    by_rows = [
        ("connection-mark-again", unused.MARKS, again),
        ("vlan-on-port", "interface", [row for row in switching.vlans_on_ports(net)
                                       if row not in leased]),
        ("vlan-leased-on-port", "interface", leased),
        ("uplink-among-hosts", "", _among_hosts(net)),
        ("queue-parent-limitless", "", unlimited_parents(net.rows)),
        ("vlan-in-own-bridge", "interface", _vlans_in_own_bridge(net)),
        ("vlan-as-member", "tagged", _vlans_as_members(net)),
        ("port-outside-bridge", "ports", _outside_bridges(net)),
        ("gateway-of-others", "gateway", _sent_elsewhere(net)),
        ("schedule-of-unseen-script", "on-event", _of_unseen_scripts(net.rows)),
        ("default-by-tunnel", "", _default_by_tunnel(net)),
        ("switch-as-router", "", _translating_switch(explanation)),
        ("client-off", "", [row for kind in CLIENTS for row in net.rows.of("/interface/" + kind)
                            if off_by_default(row)]),
        ("guests-unlimited", "", of_unlimited_guests(net.rows)),
        ("account-of-one-device", "", of_one_device(net.rows)),
        ("guests-tight", "rate-limit", of_tight_guests(net.rows)),
        ("vpls-fragments", "", _fragmented(net)),
        ("vlan-by-chip" if has_table(net) else "vlan-by-cpu", "vlan-filtering",
         filtered_by_cpu(net)),
    ] + _bonds(net.rows)  # fmt: skip
    met = (
        _incomplete(net)
        + _without_frames(net)
        + switching.met(net)
        + unused.met(net)
        + radios.met(net)
        + services.met(net)
        + met_by(by_rows)
        + [
            ("guests-by-frames", _between_guests(net)),
            ("vlans-bridged", _vlans_bridged(net)),
            (
                "tunnel-encrypted-by-cpu" if net.fast_ethernet else "tunnel-encrypted",
                list(_encrypted(net)) or _between_networks(net),
            ),
            ("tunnel-by-cpu", by_cpu),
            ("ovpn-by-tcp-alone", [line for line in by_cpu if OPENVPN in line.menu and old]),
            ("mark-unset", [line for line in _marks(net, READ_BY, SET_BY) if line not in slips]),
            ("mark-unread", [line for line in _marks(net, SET_BY, READ_BY) if line not in slips]),
        ]
        + names_met(net)
        + leases.met(net)
    )
    return [(rule, lines) for rule, lines in met if lines]


def _translating_switch(explanation: Explanation) -> list[Row]:
    """The rules of NAT of a switch whose chip translates nothing, by which its CPU is a router."""
    net, main = explanation.net, explanation.main
    chip = net.chip is not None and "no-nat" not in net.chip["classes"]
    if net.model[:3] != SWITCHES or main is None or not main.traffic.by_router or chip:
        return []
    return [row for row in net.rows.where("/ip/firewall/nat", "chain", "srcnat")
            if row.get("action") in TRANSLATES]  # fmt: skip


def _among_hosts(net: Network) -> list[Row]:
    """The DHCP clients that ask where the router serves hosts, if no default route is elsewhere."""
    served = net.served + [net.above(row.get("interface")) for row in net.rows.of("/ip/hotspot")]
    ways = [net.above(name) for name in main_routes(net.rows, net.kinds)]
    return [row for row in answered(net.rows)
            if net.above(row.get("interface")) in served
            and all(way == net.above(row.get("interface")) for way in ways)]  # fmt: skip


def _between_guests(net: Network) -> list[Command]:
    """The bridge filters of a router, where all that they do is to keep virtual radios apart."""
    if net.routes_nothing:
        return []  # forward sees none of their frames
    rules = net.rows.of("/interface/bridge/filter")
    virtual = [row.name for menu in radios.MENUS for row in net.rows.of(menu)
               if row.get("master-interface", "none") != "none"]  # fmt: skip
    drops = [(row.get("chain"), row.get("action")) == ("forward", "drop") for row in rules]
    ends = [[row.get(name) for name in row.names if name not in OF_EVERY_RULE] for row in rules]
    kept = all(drops) and all(len(own) == 1 and own[0] in virtual for own in ends)
    return [row.first for row in rules] if kept and not net.rows.of(FRAME_NAT) else []


def _bonds(rows: Rows) -> list[tuple[str, str, list[Row]]]:
    """The bonds by what their mode makes of several links; one link leaves nothing to share."""
    bonds = [row for row in rows.of("/interface/bonding") if row.get("slaves")]
    # A bond of MLAG has its second link at the other switch.
    mlag = [row for row in bonds if row.get("mlag-id")]
    several = [row for row in bonds if "," in row.get("slaves")]
    return [
        ("bond-of-one", "slaves", [row for row in bonds if row not in several + mlag]),
        ("bond-one-link", "mode", [row for row in several if row.get("mode") in HASHED]),
        ("bond-round-robin", "mode", [row for row in several
                                      if row.get("mode", IN_TURN) == IN_TURN]),
    ]  # fmt: skip


def _incomplete(net: Network) -> list[Met]:
    """The commands before what RouterOS did not export, where a rule is about such menus.

    Of a menu that was exported alone, its first.
    """
    if net.is_part:
        return [("export-of-part", net.exports[0].commands[:1])]
    menus = {menu for rule in net.base["rules"] for menu in rule["menus"]} | {""}
    ends = [
        [command for command in export.commands if command.number < number][-1:]
        for export in net.exports for menu, number in export.missing if menu in menus
    ]  # fmt: skip
    rule = "export-without-firewall" if net.unwritten(4) else "export-incomplete"
    return [(rule, unique([command for end in ends for command in end], id))]


def _without_frames(net: Network) -> list[Met]:
    """The rules of VLAN interfaces with an address that the bridge's table gives no frame.

    Not where a radio, a client, 802.1X or MVRP may join a VLAN by itself.
    """
    used = {row.get("interface") for row in net.rows.of("/ip/address")}
    empty: list[Command] = []
    untagged: list[Command] = []
    for bridge in net.rows.where("/interface/bridge", "vlan-filtering", "yes"):
        table = net.rows.where("/interface/bridge/vlan", "bridge", bridge.name)
        joined = bridge.get("mvrp") == "yes" or is_joined_later(net, bridge)
        joined = joined or radios.join(net, bridge.name) or bool(net.rows.of(DOT1X))
        if not table or joined or radios.is_cap(net):
            continue
        pvids = [row.get("pvid", "1") for row in net.port_rows.get(bridge.name, []) + [bridge]]
        for row in net.rows.where("/interface/vlan", "interface", bridge.name):
            number = row.get("vlan-id")
            if row.name not in used or number in ("", "1"):
                continue
            own = sorted(net.of_vlan(bridge.name, number), key=lambda one: one.place)
            members = {name for one in own for way in ("tagged", "untagged")
                       for name in one.get(way).split(",")} - {bridge.name, ""}  # fmt: skip
            if not members and number not in pvids:
                empty.append(row.command("vlan-id"))
            elif own and all(bridge.name in one.get("untagged").split(",") for one in own):
                untagged += [one.command("untagged") for one in own]
    # Where a trunk is in no VLAN, that is the cause, with its command.
    empty = [] if portless(net) else empty
    return [("vlan-of-no-port", empty), ("vlan-untagged-to-router", unique(untagged, id))]


def _sent_elsewhere(net: Network) -> list[Row]:
    """The networks of DHCP with another router's address, if a server here serves them.

    All of a device that stands aside: its server may be off, until that router is.
    """
    own = {row.get("address").partition("/")[0] for row in net.rows.of("/ip/address")}
    aside = net.stands_aside
    rows: list[Row] = []
    for row in net.rows.of("/ip/dhcp-server/network"):
        gates = [gate for gate in row.get("gateway").split(",") if gate]
        if any(gate in own for gate in gates):
            continue
        near = [net.above(one.get("interface")) for gate in gates for one in net.connected(gate)]
        rows += [row] if aside or any(name in net.served for name in near) else []
    return rows


def _vlans_in_own_bridge(net: Network) -> list[Row]:
    """The ports of a bridge that are VLAN interfaces on the bridge, or on another of its ports."""
    below = {row.name: row.get("interface") for row in net.rows.of("/interface/vlan")}
    mended = vlans_in_themselves(net)
    return [row for bridge in sorted(net.port_rows) for row in net.port_rows[bridge]
            if net.above(below.get(row.get("interface"), "")) == bridge
            and row not in mended]  # fmt: skip


def _vlans_as_members(net: Network) -> list[Row]:
    """The rows of the VLAN table that name a VLAN interface of the bridge in a port's place."""
    own = [(row.get("interface"), row.name) for row in net.rows.of("/interface/vlan")]
    return [row for row in net.rows.of("/interface/bridge/vlan")
            if any((row.get("bridge"), name) in own and name not in net.bridge_of
                   for name in row.get("tagged").split(","))]  # fmt: skip


def _outside_bridges(net: Network) -> list[Row]:
    """The rows of a chip's VLAN table with a port of no bridge and no use, beside a bridged one."""
    used = [row.get("interface") for menu in ON_PORTS for row in net.rows.of(menu)]
    used += [name for row in net.rows.of("/interface/bonding")
             for name in row.get("slaves").split(",")]  # fmt: skip
    rows: list[Row] = []
    for row in net.rows.of("/interface/ethernet/switch/vlan"):
        ports = [name for name in row.get("ports").split(",") if is_wired(name)]
        outside = [name for name in ports if name not in net.bridge_of and name not in used]
        rows += [row] if outside and any(name in net.bridge_of for name in ports) else []
    return rows


def has_table(net: Network) -> bool:
    """Return True if a small chip has a VLAN table of its own."""
    chip = net.small_chip
    return chip is not None and not chip["since"] and chip["chip"] not in WITHOUT_TABLE


def _vlans_bridged(net: Network) -> list[Command]:
    """Those that a chip would forward, by the bridge's table or its own, if nothing guards them."""
    able = "vlan" not in offload.refused(net) or has_table(net)
    lines = switching.vlans_bridged(net) if able else []
    return lines if lines and not frames_guarded(net) else []


def filtered_by_cpu(net: Network) -> list[Row]:
    """The bridges with VLANs of several ports that the chip does not filter by their table."""
    if "vlan" not in offload.refused(net):
        return []
    rows = net.rows.where("/interface/bridge", "vlan-filtering", "yes")
    return [row for row in rows if _share_vlan(net, row.name)]


def _share_vlan(net: Network, bridge: str) -> bool:
    """Return True if two Ethernet ports of a bridge are, or may be, in the same VLAN."""
    ports = [one.name for one in offload.bridge_ports(net, bridge) if one.kind == "ethernet"]
    rows = [row for row in net.port_rows.get(bridge, []) if row.get("interface") in ports]
    pvids = [row.get("pvid", "1") for row in rows if row.get("frame-types") != TAGGED_ONLY]
    if len(unique(pvids)) < len(pvids) or len(ports) == 1:
        return len(ports) > 1
    for row in net.rows.where("/interface/bridge/vlan", "bridge", bridge):
        ids = Vlans().add(row.get("vlan-ids"))
        own = [one.get("interface") for one in rows if ids.has(one.get("pvid", "1"))]
        own += row.get("tagged").split(",") + row.get("untagged").split(",")
        if len(unique([port for port in own if port in ports])) > 1:
            return True
    return False


def _default_by_tunnel(net: Network) -> list[Row]:
    """The tunnels that a default route of the table main leads into."""
    names = main_routes(net.rows, net.kinds)
    return [row for kind in PRIVATE_TUNNELS for row in net.rows.of("/interface/" + kind)
            if row.name in names]  # fmt: skip


def _of_unseen_scripts(rows: Rows) -> list[Row]:
    """The schedules that run, at intervals, a script by its name which no export has."""
    names = [row.name for row in rows.of("/system/script")]
    events = [(row, row.get("on-event")) for row in rows.of("/system/scheduler")]
    events = [(row, event[len(RUN) :].strip() if event[: len(RUN)] == RUN else event)
              for row, event in events]  # fmt: skip
    return [row for row, event in events
            if event and all(letter in OF_NAMES for letter in event)
            and event not in names and row.says("interval")]  # fmt: skip


def _fragmented(net: Network) -> list[Row]:
    """The VPLS of RouterOS 6 whose full frames are larger than any MPLS MTU of the export.

    It is off until a line says otherwise.  Without the default row, the MPLS MTU is the L2MTU.
    """
    sizes = [row.get("mpls-mtu") for row in net.rows.of("/mpls/interface")]
    wide = any(is_number(text) and int(text) >= OF_FULL_FRAME for text in sizes)
    usual = [row for row in net.rows.all_of("/mpls/interface") if row.get("default") == "yes"]
    if net.numbers[:1] != (6,) or wide or not all(row.on for row in usual):
        return []
    return [row for menu in ("/interface/vpls", "/interface/vpls/bgp-vpls")
            for row in net.rows.where(menu, "disabled", "no")]  # fmt: skip


def _encrypted(net: Network) -> Iterator[Command]:
    """The tunnels whose packets IPsec protects, each with the policy where it is a line."""
    for kind in ENCRYPTED:
        for row in net.rows.of("/interface/" + kind):
            policies = [one for one in tunnels.protecting(net, row) if one.get("template") != "yes"]
            if row.get("ipsec-secret") or policies:
                yield row.first
                for policy in policies:
                    yield policy.first
    rows = [row for row in net.rows.of("/interface/l2tp-client") if not off_by_default(row)]
    rows += net.rows.where("/interface/l2tp-server/server", "enabled", "yes")
    for row in rows:
        if row.get("use-ipsec") in ("yes", "require", "required"):
            yield row.first


def _between_networks(net: Network) -> list[Command]:
    """The policies by which IPsec is a tunnel between two networks, if their peers are on."""
    off = [row.name for row in net.rows.all_of("/ip/ipsec/peer") if not row.on]
    return [row.first for row in net.policies
            if row.get("tunnel") in ("yes", "true") and row.get("peer") not in off
            and row.get("action", "encrypt") == "encrypt"]  # fmt: skip


def _by_cpu(explanation: Explanation) -> list[Command]:
    """The tunnels and servers that encrypt without IPsec, and are on; PPTP by a profile for it."""
    net = explanation.net
    peers = [row.get("interface") for row in net.rows.of("/interface/wireguard/peers")]
    rows = [row for row in net.rows.of("/interface/wireguard") if row.name in peers]
    for kind in ("ovpn-client", "sstp-client", "pptp-client"):
        rows += [row for row in net.rows.of("/interface/" + kind)
                 if not off_by_default(row) and row.get("cipher") != "null"
                 and (kind != "pptp-client"
                      or _is_encrypting(net, row.get("profile")))]  # fmt: skip
    lines = [row.first for row in rows]
    for rule in ("ovpn-server-sessions", "ovpn-servers-sessions", "sstp-server-sessions"):
        lines += explanation.met.get(rule, [])
    servers = net.rows.where("/interface/pptp-server/server", "enabled", "yes")
    if servers and _is_encrypting(net, servers[0].get("default-profile")):
        lines += explanation.met.get("pptp-server-sessions", [])
    return lines


def _is_encrypting(net: Network, profile: str) -> bool:
    """Return True if sessions with a profile are encrypted; without one it is that for it."""
    rows = net.rows.where("/ppp/profile", "name", profile)
    named = profile in ("", "default-encryption")
    return named or any(row.get("use-encryption") in ("yes", "required") for row in rows)


def _marks(net: Network, asked: ByKind, others: ByKind) -> Iterator[Command]:
    """The lines of `asked` whose mark is in none of `others`; none where menus may be missing."""
    for kind, properties in asked.items() if "" not in net.missing else ():
        known = {NO_MARK} | marks_of(net.rows, others[kind])
        for menu, name in properties:
            for row in net.rows.of(menu):
                marks = marks_in(row.get(name))
                if marks and not known.intersection(marks):
                    yield row.command(name)
