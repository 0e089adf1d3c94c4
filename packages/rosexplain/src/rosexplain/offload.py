"""The switch chip: bridging and L3 hardware offload, line by line."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, TypeAlias

from rosexplain import decide, matching
from rosexplain.decide import Reason, with_
from rosexplain.firewall import Marking
from rosexplain.language import gettext
from rosexplain.matchers import NO, YES
from rosexplain.matching import numbers
from rosexplain.network import FASTTRACK, TUNNELS, Network, Vlans
from rosexplain.ordered import unique
from rosexplain.parse import Command
from rosexplain.queues import of_kids
from rosexplain.rows import Row
from rosexplain.secrets import is_mac
from rosexplain.selection import is_number
from rosexplain.traffic import Traffic
from rosexplain.vrf import vrfs

MTU_PROFILES = 8

Seen: TypeAlias = tuple[str, Command | None, str]
"""The id of a rule, the line that it is seen by or None, and what was seen."""


def findings(lines: list[Command], ways: int, members: dict[str, Vlans]) -> list[Seen]:
    """All of them, on a chip that spreads over `ways` next hops (0: not printed).

    `members`: by interface the VLANs of which it is a tagged member (`Network.tagged`).
    """
    menus: dict[str, list[Command]] = {}
    for line in lines:
        menus.setdefault(line.menu, []).append(line)
    limits: list[Seen] = []
    switch = menus.get("/interface/ethernet/switch", [])
    if not any(line.properties.get("l3-hw-offloading") == "yes" for line in switch):
        limits.append(("switch-off", None, "The export does not set it"))
    bridges = [line for line in menus.get("/interface/bridge", []) if line.command == "add"]
    limits += [("second-bridge", line, "") for line in bridges[1:]]
    limits += _vlans(menus, [_name(line) for line in bridges], members)
    if menus.get("/ipv6/route") and not ipv6_hw(lines):
        limits.append(("ipv6-off", menus["/ipv6/route"][0], ""))
    limits += _paths(menus.get("/ip/route", []), ways)
    limits += _macs(lines)
    mtus = {line.properties["mtu"] for line in lines if "mtu" in line.properties}
    if len(mtus) > MTU_PROFILES:
        limits.append(("mtu", None, str(len(mtus)) + " different MTUs"))
    return limits


def ipv6_hw(lines: list[Command]) -> bool:
    """Return True if an export has IPv6 routed in hardware; RouterOS's default is no."""
    settings = "/interface/ethernet/switch/l3hw-settings"
    return any(line.menu == settings and line.properties.get("ipv6-hw") == "yes" for line in lines)


def _name(line: Command) -> str:
    return line.properties.get("name", "")


def _vlans(
    menus: dict[str, list[Command]], bridges: list[str], members: dict[str, Vlans]
) -> list[Seen]:
    """VLAN interfaces elsewhere than on a bridge that is a tagged member of their VLAN."""
    added = [line for line in menus.get("/interface/vlan", []) if line.command == "add"]
    bonds = {_name(line) for line in menus.get("/interface/bonding", [])}
    inner = {_name(line) for line in added}
    elsewhere: list[Seen] = []
    untagged: list[Seen] = []
    for line in added:
        below, number = [line.properties.get(name, "") for name in ("interface", "vlan-id")]
        where = gettext("it is on {port}").format(port=below)
        if below in inner:
            elsewhere.append(("vlan-in-vlan", line, ""))
        elif below not in bridges:
            elsewhere.append(("vlan-elsewhere", line, where))
            elsewhere += [("vlan-on-bond", line, where)] if below in bonds else []
        if below in bridges and (below not in members or not members[below].has(number)):
            text = below + " is not a tagged member of VLAN " + number
            untagged.append(("bridge-tagged", line, text))
    return elsewhere + untagged


def _paths(routes: list[Command], ways: int) -> list[Seen]:
    hops: dict[str, int] = {}
    limits: list[Seen] = []
    for line in routes:
        target = line.properties.get("dst-address", "0.0.0.0/0")
        count = hops.get(target, 0) + len(line.properties.get("gateway", "").split(","))
        hops[target] = count
        if ways and count > ways:
            text = target + " has " + str(count) + " next hops; the chip supports " + str(ways)
            limits.append(("paths", line, text))
    return limits


def _macs(lines: list[Command]) -> list[Seen]:
    first = ""
    limits: list[Seen] = []
    for line in lines:
        if not line.menu.startswith("/interface/"):
            continue
        mac = line.properties.get("mac-address") or line.properties.get("admin-mac") or ""
        if not is_mac(mac):
            continue
        first = first or mac[:-3].upper()
        if mac[:-3].upper() != first:
            limits.append(("mac", line, mac + " differs from " + first + ":xx"))
    return limits


# An export does not say it; `/interface/ethernet/switch/port/print` on the router does.

COUNTED, ELSEWHERE = "l3hw-ports-counted", "l3hw-other-switch"
"""The fact behind a port of which no source says where it is, and behind one that is elsewhere."""

ETHER = "ether"


def apart(net: Network, port: str) -> Reason | None:
    """Return a reason by which a port is not, or perhaps not, the chip's; None where it is.

    The fact of the reason says which: `ELSEWHERE` or `COUNTED`.
    """
    counted = net.chip_ports
    if counted is None or net.kinds.get(port, "ethernet") != "ethernet":
        return None
    name = default_name(net, port)
    number = name[len(ETHER) :] if name.startswith(ETHER) else ""
    if not is_number(number):
        return None  # all others are counted
    if name in counted["elsewhere"]:
        return Reason(ELSEWHERE, "", [], port)
    count = counted["ethernet"]
    if count is not None and int(number) <= count:
        return None
    return Reason(COUNTED, "", [], port)


def default_name(net: Network, port: str) -> str:
    """Return a port's name before anybody renames it; one that is off has one too."""
    menu = net.rows.menus.get("/interface/ethernet")
    for row in menu.with_value("name", port) if menu else []:
        return str(row.get("default-name") or row.key)
    return port


BY_BOND, BY_HORIZON = "bonding-hardware-modes", "bridge-hardware-horizon"
"""The facts by which a chip leaves a port of its own to the CPU."""

BRIDGED_BONDS = ("802.3ad", "balance-xor", "active-backup")
"""The modes of bonds that a chip bridges; one that says no mode has another."""


def as_port(net: Network, port: Row) -> str:
    """The fact by which a chip that is known leaves a bridge's port to the CPU; empty: none."""
    if not net.chip:
        return ""
    if port.get("horizon", "none") not in ("none", ""):
        return BY_HORIZON
    bonds = net.rows.where("/interface/bonding", "name", port.get("interface"))
    return BY_BOND if any(bond.get("mode") not in BRIDGED_BONDS for bond in bonds) else ""


BY_SETTING = "bridge-hardware-features"
"""The fact by which a chip leaves a whole bridge to the CPU."""

SNOOPING = (("igmp", "igmp-snooping"), ("dhcp", "dhcp-snooping"), ("vlan", "vlan-filtering"))


PROTOCOL = "protocol-mode"
OF_PLAIN_TAGS = ("88E6393X", "88E6191X", "88E6190", "MT7621", "MT7531", "EN7523", "RTL8367")
"""Chips that filter VLANs by a single tag of one type (fact bridge-vlan-filtering-0x8100)."""
ETHER_TYPE, PLAIN_TAG = "ether-type", "0x8100"


def refused(net: Network) -> list[str]:
    """The words of what the small chip of a model does not forward, in this version."""
    chip = net.small_chip
    if chip is None:
        return []
    late = chip["since"] and net.numbers and net.numbers < numbers(chip["since"])
    return list(chip["refuses"]) + (["rstp", "mstp", "vlan"] if late else [])


def of_bridge(net: Network, bridge: str) -> tuple[str, list[Command]]:
    """The settings of a bridge with which its chip does not forward, and their lines; else empty.

    Without one of several the chip forwards no more than with all of them.
    """
    chip = net.small_chip
    row = next((row for row in net.rows.of("/interface/bridge") if row.name == bridge), None)
    if chip is None or row is None or not refusing(net, row):
        return "", []
    lines = [one.command(name) for one, name in refusing(net, row)]
    return chip["chip"] + " with " + " and ".join(settings(net, row)), unique(lines, id)


def settings(net: Network, row: Row) -> list[str]:
    """The settings of a bridge that its small chip refuses: `protocol-mode=rstp, the default`."""
    return unique([name + "=" + (one.get(name) or protocol_of(row) + ", the default")
                   for one, name in refusing(net, row)])  # fmt: skip


def refusing(net: Network, row: Row) -> list[tuple[Row, str]]:
    """The rows of a bridge and its ports, each with a property by which its chip forwards nothing.

    The chip is a small one.
    """
    chip, refuses = net.small_chip, refused(net)
    every = [(row, setting) for word, setting in SNOOPING
             if word in refuses and row.get(setting) in ("yes", "true")]  # fmt: skip
    mode = protocol_of(row)
    by_mode = mode != "none" and ("mstp" if mode == "mstp" else "rstp") in refuses
    every += [(row, PROTOCOL)] if by_mode else []
    if chip is None or chip["chip"] not in OF_PLAIN_TAGS or row.get("vlan-filtering") != "yes":
        return every
    every += [(row, ETHER_TYPE)] if row.get(ETHER_TYPE, PLAIN_TAG) != PLAIN_TAG else []
    return every + [(row, "tag-stacking") for row in net.port_rows.get(row.name, [])
                    if row.get("tag-stacking") == "yes"]  # fmt: skip


def protocol_of(bridge: Row) -> str:
    """The protocol by which a bridge finds loops, `rstp` by default."""
    return bridge.get(PROTOCOL, "rstp")


ZEROTIER = "/zerotier/interface"

OF_CHIP = ("ethernet", "bonding")
"""Kinds of ports that a switch chip may have; what a CPU makes, as a VLAN, is none."""


class BridgePort:
    """A port of a bridge: its `kind`, the fact by which the chip `refused` it, `wired`: where.

    `wired` is None where the port is the chip's for certain.
    """

    def __init__(self, net: Network, row: Row) -> None:
        self.row = row
        self.name: str = row.get("interface")
        self.kind = _kind(net, self.name)
        self.refused = as_port(net, row)
        self.wired: Reason | None = apart(net, self.name)

    @property
    def off(self) -> bool:
        """Return True if hw=no keeps it from the chip."""
        return self.row.get("hw") == "no"

    @property
    def of_chip(self) -> bool:
        """Return True if the chip may have it, but for hw=no."""
        elsewhere = self.wired is not None and self.wired.fact == ELSEWHERE
        return not self.refused and self.kind in OF_CHIP and not elsewhere

    @property
    def unsourced(self) -> Reason | None:
        """The reason by which it may be the chip's or not; None: a source settles it."""
        return self.wired if self.wired is not None and self.wired.fact == COUNTED else None


def bridge_ports(net: Network, bridge: str) -> list[BridgePort]:
    """The ports of a bridge, in the order of their rows."""
    return [BridgePort(net, row) for row in net.port_rows.get(bridge, [])]


def let_to(net: Network, row: Row) -> str:
    """The ports that a bridge's port with a horizon forwards to: those of another, and the CPU's.

    Empty where the bridge has a bond, or the device several chips.
    """
    ports = bridge_ports(net, row.get("bridge"))
    several = net.small_chip is not None and len(net.small_chip["ports"]) > 1
    if several or [port for port in ports if port.kind == "bonding"]:
        return ""
    others = [port for port in ports if port.row.get("horizon") != row.get("horizon")]
    return ",".join([port.name for port in others if port.kind == "ethernet"] + ["switch1-cpu"])


def _kind(net: Network, name: str) -> str:
    """The kind of a bridge's port; one that no line makes is the router's own, as ether2."""
    if name in net.lists:
        return "ethernet"  # of many ports nothing is known but that they are ports
    if name in net.kinds:
        return net.kinds[name]
    for path in net.rows.menus:
        above, _, kind = path.rpartition("/")
        interface_menu = above == "/interface" and kind != "list"
        if (interface_menu or path == ZEROTIER) and net.rows.where(path, "name", name):
            return kind if interface_menu else "zerotier"
    return "ethernet"


ON, OFF, CPU, OPEN = "on", "off", "cpu", "open"
"""A port with l3-hw-offloading=yes, one with no, what is the CPU's in any case, and what may be the
chip's or the CPU's."""

PORTS = "/interface/ethernet/switch/port"
SETTING = "l3-hw-offloading"
BONDS = ("802.3ad", "balance-xor")
NO_PORTS = ("lte", "wireless", "wifi", "wifiwave2", "veth")
VRF_BY_MAIN, VRF_IN_CHIP = "l3hw-vrf-main-table", "l3hw-vrf-hardware"
"""The facts that leave open what a chip does with a VRF: one that routes by main alone, and one
that has VRFs since nobody says which version."""


@dataclass
class Side:
    """One port of an end: its state, the lines that say so, and why where it is no setting."""

    state: str
    lines: list[Command]
    reason: Reason | None = None

    def join(self, other: Side) -> None:
        """Take in the lines of another in the same state."""
        self.lines = self.lines + [line for line in other.lines if line not in self.lines]
        if self.reason is not None and other.reason is not None:
            mine = self.reason.lines
            self.reason.lines = mine + [one for one in other.reason.lines if one not in mine]


class End:
    """Interfaces of which the chip makes the same; `sides` has each state that a port is in."""

    def __init__(self, name: str, vlan: bool, sides: list[Side]) -> None:
        self.names = [name]
        self.vlan = vlan
        self.sides = sides

    @property
    def mark(self) -> tuple[Any, ...]:
        """All that decides about it."""
        states = [(s.state, s.reason.fact if s.reason else "") for s in self.sides]
        return (self.vlan, tuple(sorted(states)))


def ends(net: Network, chip: dict[str, Any], names: list[str] | None) -> list[End]:
    """The ends that these interfaces come to; None: any interface, so each state that there is."""
    if not names:
        rows = [row for row in net.rows.of(PORTS) if row.get(SETTING) == "no"]
        off = [Side(OFF, [row.command(SETTING) for row in rows])] if rows else []
        every = _every(net)
        if every is not None and every[0] == "no":
            return [End("", False, [Side(OFF, [every[1]])])]
        return [End("", False, [Side(ON, [])] + off)]
    by_mark: dict[tuple[Any, ...], End] = {}
    order: list[End] = []
    port_rows = {row.name: row for row in net.rows.of(PORTS) if row.says(SETTING)}
    for name in names:
        end = End(name, net.kinds.get(name) == "vlan", _sides(net, chip, name, port_rows))
        if end.mark in by_mark:
            known = by_mark[end.mark]
            known.names.append(name)
            for index in range(len(known.sides)):
                known.sides[index].join(end.sides[index])
        else:
            by_mark[end.mark] = end
            order.append(end)
    return order


def _sides(net: Network, chip: dict[str, Any], name: str, port_rows: dict[str, Row]) -> list[Side]:
    """The states of what carries an interface, each once; `said`: the switch's ports by name."""
    vlans = net.rows.where("/interface/vlan", "name", name)
    below = [name] if net.kinds.get(name) in net.rules.not_of_chip else net.ports_below(name)
    ports = [side for port in below for side in _of_port(net, chip, port, port_rows)]
    if vlans:
        ports = _of_vlan(net, chip["classes"], vlans[0], ports)
    bridges = [b for b in net.bridges_below([name]) if net.port_rows.get(b)]
    hardware = [ports for ports in net.port_rows.values()
                if any(row.get("hw") != "no" for row in ports)]  # fmt: skip
    if bridges and len(hardware) > 1:
        lines = [row.first for row in net.rows.of("/interface/bridge")][1:]
        reason = Reason("l3hw-one-bridge", "second-bridge", lines, "")
        ports = [Side(OPEN, lines, reason) if s.state == ON else s for s in ports]
    for vrf in [vrf for vrf in vrfs(net) if name in vrf.names][:1]:
        ports = _of_vrf(chip["classes"], vrf.row, name, ports)
    by_state: dict[str, Side] = {}
    for side in ports or [Side(ON, [])]:
        mark = side.state + (side.reason.fact if side.reason else "")
        if mark in by_state:
            by_state[mark].join(side)
        else:
            by_state[mark] = side
    return [by_state[mark] for mark in sorted(by_state)]


def _of_vrf(classes: list[str], vrf: Row, name: str, ports: list[Side]) -> list[Side]:
    """The ports of a VRF, whose packets the chip may route by the table main."""
    fact = VRF_BY_MAIN if "no-vrf" in classes else VRF_IN_CHIP
    lines = [vrf.command("interfaces")]
    reason = Reason(fact, "vrf", lines, name + " is in a VRF")
    return [
        Side(OPEN, lines, reason) if side.state == ON
        else Side(OFF, side.lines, reason) if side.state == OFF else side
        for side in ports or [Side(ON, [])]
    ]  # fmt: skip


def _cpu(fact: str, rule: str, lines: list[Command], why: str = "") -> list[Side]:
    return [Side(CPU, lines, Reason(fact, rule, lines, why))]


def _of_vlan(net: Network, classes: list[str], row: Row, ports: list[Side]) -> list[Side]:
    """Return the sides of a VLAN interface, by the ports below it."""
    if row.get(SETTING) == "no":
        return _cpu("l3hw-per-vlan", "vlan-off", [row.command(SETTING)])
    below = row.get("interface")
    kind = net.kinds.get(below)
    if kind == "vlan":
        return _cpu("l3hw-qinq", "vlan-in-vlan", [row.first])
    if row.get("use-service-tag") == "yes":
        return _cpu("l3hw-qinq", "service-tag", [row.command("use-service-tag")])
    if kind == "bridge":
        member = below in net.tagged and net.tagged[below].has(row.get("vlan-id"))
        return ports if member else _untagged(row, below, ports)
    if kind == "bonding" and "on-port" in classes:
        return _cpu("l3hw-vlan-on-port-7xxx", "vlan-on-bond", [row.first])
    if "on-bridge" in classes:
        why = gettext("it is on {port}").format(port=below)
        reason = Reason("l3hw-vlan-on-bridge", "vlan-elsewhere", [row.first], why)
        return [Side(OPEN, [row.first], reason) if s.state == ON else s for s in ports]
    return ports


def _untagged(row: Row, bridge: str, ports: list[Side]) -> list[Side]:
    """Return the ports as open: a member that an export does not show may be there."""
    why = "here " + bridge + " is not a tagged member of it"
    reason = Reason("l3hw-bridge-tagged", "bridge-tagged", [row.first], why)
    return [Side(OPEN, [row.first], reason) if s.state == ON else s for s in ports]


def _of_port(
    net: Network, chip: dict[str, Any], port: str, port_rows: dict[str, Row]
) -> list[Side]:
    """The states that a port, a bond or a tunnel may be in."""
    kind = net.kinds.get(port, "")
    if kind == "vxlan" and "no-vxlan" not in chip["classes"]:
        why = gettext("no source covers packets that enter a VXLAN")
        return [Side(OPEN, [], Reason("l3hw-both-ports", "", [], why))]
    if kind in TUNNELS or kind in net.rules.not_of_chip:
        lines = [row.first for row in net.rows.where("/interface/" + kind, "name", port)]
        if kind == "vxlan":
            return _cpu("l3hw-vxlan", "vxlan", lines)
        return _cpu("l3hw-tunnels", net.rules.not_of_chip.get(kind, ""), lines)
    if kind in NO_PORTS:
        return _cpu("l3hw-both-ports", "", [], port + " is not a port of the switch")
    bridge = net.bridge_of.get(port, "")
    rows = [row for row in net.port_rows.get(bridge, []) if row.get("interface") == port]
    if rows and rows[0].get("hw") == "no":
        return _cpu("l3hw-layer-2", "bridge-hw-off", [rows[0].command("hw")])
    if kind == "bonding":
        bond = net.rows.where("/interface/bonding", "name", port)[0]
        if bond.get("mode") not in BONDS:
            return _cpu("l3hw-bonding", "bonding-mode", [bond.command("mode")])
        slaves = [name for name in bond.get("slaves").split(",") if name]
        return [side for name in slaves for side in _wired(net, name, port_rows)]
    return _wired(net, port, port_rows)


def _wired(net: Network, port: str, port_rows: dict[str, Row]) -> list[Side]:
    """A port's states: by its setting where it is the chip's, and the CPU's where it may not be."""
    reason = apart(net, port)
    if reason is None:
        return _setting(net, port, port_rows)
    cpu = [Side(CPU, reason.lines, reason)]
    return cpu if reason.fact == ELSEWHERE else _setting(net, port, port_rows) + cpu


def _every(net: Network) -> tuple[str, Command] | None:
    """Return the setting for all ports at once, with its line."""
    menu = net.rows.menus.get(PORTS)
    setting = menu.every.get(SETTING) if menu else None
    return (setting[0], setting[1]) if setting else None


def _setting(net: Network, port: str, port_rows: dict[str, Row]) -> list[Side]:
    """A port's l3-hw-offloading: one state, or both where it may be one that a number names."""
    own = [port_rows[name] for name in (port, default_name(net, port)) if name in port_rows]
    every = _every(net)
    if own:
        off = own[0].get(SETTING) == "no"
        return [Side(OFF if off else ON, [own[0].command(SETTING)])]
    value, lines = (every[0], [every[1]]) if every else (net.default(PORTS, SETTING), [])
    sides = [Side(OFF if value == "no" else ON, lines)]
    other = [port_rows[n] for n in port_rows if is_number(n) and port_rows[n].get(SETTING) != value]
    if other:
        lines = [row.command(SETTING) for row in other]
        sides.append(Side(ON if value == "no" else OFF, lines))
    return sides


SWITCH = "/interface/ethernet/switch"
L3HW, IPV6 = SWITCH + "/l3hw-settings", "ipv6-hw"

ROUTE_RULES = ("/routing/rule", "/ip/route/rule")


def needs_cpu(net: Network) -> bool:
    """Return True if a chip that routes would pass by what protects or leads routed packets.

    It meets no IPsec policy, no routing rule, no rp-filter and no rule of kid control (facts
    l3hw-both-ports, l3hw-ipsec and l3hw-one-table).
    """
    checked = net.setting("/ip/settings", "rp-filter")[0] in ("strict", "loose")
    guarded = checked or net.policies or of_kids(net.rows)
    return bool(guarded) or any(net.rows.of(menu) for menu in ROUTE_RULES)


ROUTES, FASTTRACKS, NONE = "routes", "fasttrack", "none"
PER_VLAN = (7, 21)
"""Since when a VLAN has an offload setting of its own, by the fact l3hw-per-vlan."""

NAT = {"l3hw-nat-none": "nat-chip", "l3hw-nat-fasttrack": "nat-fasttrack"}
"""The facts of chips that translate nothing, with the rule of each."""

BY_PACKETS = ["/interface/ethernet/print stats"]
BY_CONNECTIONS = ["/ip/firewall/connection/print count-only where hw-offload"]
BY_NUMBER = PORTS + "/print"


@dataclass
class Mode:
    """One thing that the chip may do: `chip` as packet_way has it, and the reasons for it.

    `instead`: it routes for these reasons, and not because both ports are told to.
    """

    chip: str
    reasons: list[Reason]
    asks: list[str] = field(default_factory=list)
    instead: bool = True

    @property
    def unsourced(self) -> bool:
        """True if no source says that it does this: a port may be the CPU's, or is in a VRF."""
        return any(r.fact in (COUNTED, VRF_BY_MAIN, VRF_IN_CHIP) for r in self.reasons)

    def reasons_for(self, path: str, reasons: list[Reason]) -> list[Reason]:
        """The reasons for a way, with those of this mode where they belong."""
        if path != decide.CHIP:
            return self.reasons + reasons
        return self.reasons if self.instead else reasons + self.reasons


def asked(net: Network) -> bool:
    """Return True if the switch is told to route, and its model can."""
    return bool(net.chip) and any(row.get(SETTING) == "yes" for row in net.rows.of(SWITCH))


def modes(net: Network, traffic: Traffic, markings: list[Marking]) -> list[Mode]:
    """Return the chip's modes for a class that is routed; empty where the switch routes none of it.

    A class that NAT changes on its way in is decided by the packets back: only they are routed as
    they come, the others are for an address of the router until it has translated them.
    """
    chip, packet = net.chip, traffic.packet
    if not chip or not asked(net):
        return []
    if traffic.family == 6:
        if not _ipv6(net):
            return []
        chip = with_(chip, "fasttrack", False)  # the manual says it of connections of IPv4
    if packet is None:  # what a PPPoE client carries
        return [Mode(NONE, [Reason("l3hw-tunnels", "", [], "")])]
    nat = packet.nat[0] if packet.nat and packet.nat != ["none"] else ""
    ins, outs = packet.ins, packet.outs
    if nat == "dstnat":
        ins, outs = outs, ins
    candidates: list[Mode] = []
    per_vlan = not net.numbers or net.numbers >= PER_VLAN
    same = ins is not None and ins == outs
    entries, leaves = ends(net, chip, ins), ends(net, chip, outs)
    for one in entries:
        for other in leaves:
            if same and one.names == other.names and len(one.names) == 1:
                continue  # nothing is routed from a network into itself
            sides = [(a, b) for a in one.sides for b in other.sides]
            both = one.sides + other.sides
            lines = [line for side in both if side.state == OFF for line in side.lines]
            unsure = len({side.state for side in both}) > 1
            if one.vlan and other.vlan and lines and unsure and per_vlan:
                candidates.append(Mode(NONE, [Reason("l3hw-per-vlan", "port-off", lines, "")]))
                continue
            for a, b in sides:
                candidates += _of_pair(chip, a, b, nat, markings)
    if nat == "dstnat":
        candidates = _translated_in(chip, candidates)
    for mode in candidates:
        if mode.chip == ROUTES and traffic.family == 6:
            row = net.rows.single(L3HW)
            lines = [row.command(IPV6)] if row is not None else []
            mode.reasons = mode.reasons + [Reason("l3hw-ipv6", "", lines, gettext("it is set"))]
        for reason in mode.reasons:
            if reason.fact in NAT:
                translating = net.rows.of("/ip/firewall/nat")
                reason.lines = [row.first for row in translating if row.get("chain") == nat]
    return _distinct(net, candidates)


def _ipv6(net: Network) -> bool:
    """Return True if the chip is told to route IPv6, which it can since a version."""
    since = net.base["facts"]["l3hw-ipv6"]
    setting, _ = net.setting(L3HW, IPV6)
    return setting == "yes" and matching.in_force(since, net.numbers)


def _nat(chip: dict[str, Any], why: str) -> Reason:
    fact = "l3hw-nat-none" if "no-nat" in chip["classes"] else "l3hw-nat-fasttrack"
    return Reason(fact, NAT[fact], [], why)


def _of_pair(
    chip: dict[str, Any], one: Side, other: Side, nat: str, markings: list[Marking]
) -> list[Mode]:
    """Return the chip's modes from one port to another."""
    for side in (one, other):
        if side.state == CPU and side.reason is not None:
            unsaid = side.reason.fact == COUNTED
            return [Mode(NONE, [side.reason], [BY_NUMBER] if unsaid else [])]
    in_vrf = [side.reason for side in (one, other) if side.state == OFF and side.reason]
    if other.state == OFF and one.state == OFF and in_vrf:
        return [Mode(NONE, [Reason("l3hw-egress-alone", "port-off", one.lines + other.lines, "")])]
    if other.state == OFF and one.state == OFF:
        return _both_off(chip, one.lines + other.lines, nat, markings)
    if other.state == OFF:
        return [Mode(NONE, [Reason("l3hw-egress-alone", "port-off", other.lines, "")])]
    if one.state == OFF:
        reason = Reason("l3hw-ingress-alone", "port-off", one.lines, "")
        return [Mode(ROUTES, [reason], BY_PACKETS), Mode(NONE, [reason], BY_PACKETS)]
    for side in (one, other):
        if side.state == OPEN and side.reason is not None:
            reason = side.reason
            if reason.fact == "l3hw-bridge-tagged":
                return [Mode(ROUTES, [reason])]  # or nothing routes it
            return [Mode(ROUTES, [reason], BY_PACKETS), Mode(NONE, [reason], BY_PACKETS)]
    if nat == "srcnat":
        why = gettext("these ports have l3-hw-offloading=yes, so the packets keep their addresses")
        return [Mode(ROUTES, [_nat(chip, why)], instead=False)]
    return [Mode(ROUTES, [], instead=False)]


def _both_off(
    chip: dict[str, Any], lines: list[Any], nat: str, markings: list[Marking]
) -> list[Mode]:
    """Both ports say no: the chip takes what is fast-tracked, where it can and the rule lets it."""
    if not chip["fasttrack"]:
        if nat:
            return [Mode(NONE, [_nat(chip, "")])]
        return [Mode(NONE, [Reason("l3hw-egress-alone", "port-off", lines, "")])]
    rules = _marking_rules(markings)
    values = [row.get("hw-offload") for row in rules]
    lines = [row.command("hw-offload") for row in rules]
    if values and all(value in ("no", "false") for value in values):
        return [Mode(NONE, [Reason("l3hw-fasttrack-rule", "fasttrack-hw-off", lines, "")])]
    if all(value in ("yes", "true") for value in values):
        return [Mode(FASTTRACKS, [])]
    why = (
        gettext("unknown for a rule without hw-offload")
        if "" in values
        else gettext("one rule has hw-offload=yes, the other has hw-offload=no")
    )
    reason = Reason("l3hw-fasttrack-rule", "", lines, why)
    return [Mode(FASTTRACKS, [], BY_CONNECTIONS), Mode(NONE, [reason], BY_CONNECTIONS)]


def _marking_rules(markings: list[Marking]) -> list[Row]:
    """The FastTrack rules that a class may meet, to the first that takes all of it."""
    rules: list[Row] = []
    for marking in markings:
        for step in marking.steps:
            if step.action != FASTTRACK or step.verdict == NO:
                continue
            if step.row not in rules:
                rules.append(step.row)
            if step.verdict == YES and step.sure:
                break
    return rules


def _translated_in(chip: dict[str, Any], candidates: list[Mode]) -> list[Mode]:
    """The modes of a forwarded port by those of its packets back."""
    translated: list[Mode] = []
    for mode in candidates:
        if mode.chip == ROUTES:
            translated.append(Mode(NONE, [_nat(chip, "")], BY_PACKETS))
            why = gettext("reply packets, which then keep their addresses")
            translated.append(
                Mode(ROUTES, mode.reasons or [Reason("l3hw-both-ports", "", [], why)], BY_PACKETS)
            )
        else:
            translated.append(mode)
    return translated


def _distinct(net: Network, candidates: list[Mode]) -> list[Mode]:
    """Each mode once, what the chip does first; with what tells which port a number is."""
    ranks = {ROUTES: 0, FASTTRACKS: 1, NONE: 2}
    ordered = [mode for rank in (0, 1, 2) for mode in candidates if ranks[mode.chip] == rank]
    distinct = unique(ordered, lambda mode: str([mode.chip, [one.fact for one in mode.reasons]]))
    numbered = [row for row in net.rows.of(PORTS) if row.says(SETTING) and is_number(row.name)]
    if numbered and len(distinct) > 1:
        for mode in distinct:
            mode.asks = [BY_NUMBER] + mode.asks
    return distinct
