"""The ends of a packet's way as the switch chip sees them: ports that it routes for, or not."""

from __future__ import annotations

from typing import Any

from ppslab.theory.packet_path.explain.chip_lines.refusals import vrf_of
from ppslab.theory.packet_path.explain.chip_lines.wired import ELSEWHERE, apart, default_name
from ppslab.theory.packet_path.explain.deciding import Reason
from ppslab.theory.packet_path.explain.network import TUNNELS, Network
from ppslab.theory.packet_path.exports.reading import Command
from ppslab.theory.packet_path.exports.row import Row

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
RULES = {"pppoe-client": "pppoe-client", "pppoe-server": "pppoe-server",
         "eoip": "tunnel-chip", "gre": "tunnel-chip", "ipip": "tunnel-chip",
         "l2tp-client": "tunnel-chip", "wireguard": "tunnel-without",
         "ovpn-client": "tunnel-without", "sstp-client": "tunnel-without",
         "pptp-client": "tunnel-without", "6to4": "tunnel-without", "eoipv6": "tunnel-without",
         "gre6": "tunnel-without"}  # fmt: skip
"""The rule that says of a kind of tunnel that no chip ends it."""


class Side:
    """One port of an end: its state, the lines that say so, and why where it is no setting."""

    def __init__(self, state: str, lines: list[Command], reason: Reason | None = None) -> None:
        self.state = state
        self.lines = lines
        self.reason = reason

    def join(self, other: Side) -> None:
        """Take in the lines of another in the same state."""
        self.lines = self.lines + [line for line in other.lines if line not in self.lines]
        if self.reason is not None and other.reason is not None:
            mine = self.reason.lines
            self.reason.lines = mine + [each for each in other.reason.lines if each not in mine]


class End:
    """Interfaces of which the chip makes the same; `sides` has each state that a port is in."""

    def __init__(self, name: str, vlan: bool, sides: list[Side]) -> None:
        self.names = [name]
        self.vlan = vlan
        self.sides = sides

    @property
    def mark(self) -> str:
        """All that decides about it."""
        said = [s.state + " " + (s.reason.fact if s.reason else "") for s in self.sides]
        return str(self.vlan) + ", ".join(sorted(said))


def ends(net: Network, chip: dict[str, Any], names: list[str] | None) -> list[End]:
    """The ends that these interfaces come to; None: any interface, so each state that there is."""
    if not names:
        rows = [row for row in net.rows.of(PORTS) if row.get(SETTING) == "no"]
        off = [Side(OFF, [row.command(SETTING) for row in rows])] if rows else []
        every = _every(net)
        if every is not None and every[0] == "no":
            return [End("", False, [Side(OFF, [every[1]])])]
        return [End("", False, [Side(ON, [])] + off)]
    found: dict[str, End] = {}
    order: list[End] = []
    said = {row.name: row for row in net.rows.of(PORTS) if row.says(SETTING)}
    for name in names:
        end = End(name, net.kinds.get(name) == "vlan", _sides(net, chip, name, said))
        if end.mark in found:
            known = found[end.mark]
            known.names.append(name)
            for index in range(len(known.sides)):
                known.sides[index].join(end.sides[index])
        else:
            found[end.mark] = end
            order.append(end)
    return order


def _sides(net: Network, chip: dict[str, Any], name: str, said: dict[str, Row]) -> list[Side]:
    """The states of what carries an interface, each once; `said`: the switch's ports by name."""
    vlans = net.rows.where("/interface/vlan", "name", name)
    below = [name] if net.kinds.get(name) in RULES else net.ports_below(name)
    ports = [side for port in below for side in _of_port(net, chip, port, said)]
    if vlans:
        ports = _of_vlan(net, chip["classes"], vlans[0], ports)
    bridges = [b for b in net.bridges_below([name]) if net.port_rows.get(b)]
    if bridges and len(_hardware(net)) > 1:
        lines = [row.first for row in net.rows.of("/interface/bridge")][1:]
        reason = Reason("l3hw-one-bridge", "second-bridge", lines, "")
        ports = [Side(OPEN, lines, reason) if s.state == ON else s for s in ports]
    vrf = vrf_of(net, name)
    if vrf is not None:
        ports = _of_vrf(chip["classes"], vrf, name, ports)
    found: dict[str, Side] = {}
    for side in ports or [Side(ON, [])]:
        mark = side.state + (side.reason.fact if side.reason else "")
        if mark in found:
            found[mark].join(side)
        else:
            found[mark] = side
    return [found[mark] for mark in sorted(found)]


def _of_vrf(classes: list[str], vrf: Row, name: str, ports: list[Side]) -> list[Side]:
    """The ports of a VRF, whose packets the chip may route by the table main."""
    fact = VRF_BY_MAIN if "no-vrf" in classes else VRF_IN_CHIP
    lines = [vrf.command("interfaces")]
    reason = Reason(fact, "vrf", lines, name + " is in one")
    found = []
    for side in ports or [Side(ON, [])]:
        if side.state == ON:
            found.append(Side(OPEN, lines, reason))
        elif side.state == OFF:
            found.append(Side(OFF, side.lines, reason))
        else:
            found.append(side)
    return found


def _hardware(net: Network) -> list[str]:
    """The bridges that have a port which may be in hardware."""
    return [
        bridge
        for bridge in net.port_rows
        if any(row.get("hw") != "no" for row in net.port_rows[bridge])
    ]


def _cpu(fact: str, rule: str, lines: list[Command], why: str = "") -> list[Side]:
    return [Side(CPU, lines, Reason(fact, rule, lines, why))]


def _of_vlan(net: Network, classes: list[str], row: Row, ports: list[Side]) -> list[Side]:
    """What a VLAN interface makes of the ports below it."""
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
        reason = Reason("l3hw-vlan-on-bridge", "vlan-elsewhere", [row.first], "it is on " + below)
        return [Side(OPEN, [row.first], reason) if s.state == ON else s for s in ports]
    return ports


def _untagged(row: Row, bridge: str, ports: list[Side]) -> list[Side]:
    """What the chip does not route for certain: the bridge may become a member by itself."""
    why = "here " + bridge + " is no tagged member of it"
    reason = Reason("l3hw-bridge-tagged", "bridge-tagged", [row.first], why)
    return [Side(OPEN, [row.first], reason) if s.state == ON else s for s in ports]


def _of_port(net: Network, chip: dict[str, Any], port: str, said: dict[str, Row]) -> list[Side]:
    """The states that a port, a bond or a tunnel may be in."""
    kind = net.kinds.get(port, "")
    if kind == "vxlan" and "no-vxlan" not in chip["classes"]:
        reason = Reason("l3hw-both-ports", "", [], "no source says it of packets into a VXLAN")
        return [Side(OPEN, [], reason)]
    if kind in TUNNELS or kind in RULES:
        lines = [row.first for row in net.rows.where("/interface/" + kind, "name", port)]
        if kind == "vxlan":
            return _cpu("l3hw-vxlan", "vxlan", lines)
        return _cpu("l3hw-tunnels", RULES.get(kind, ""), lines)
    if kind in NO_PORTS:
        return _cpu("l3hw-both-ports", "", [], port + " is no port of the switch")
    bridge = net.bridge_of.get(port, "")
    rows = [row for row in net.port_rows.get(bridge, []) if row.get("interface") == port]
    if rows and rows[0].get("hw") == "no":
        return _cpu("l3hw-layer-2", "bridge-hw-off", [rows[0].command("hw")])
    if kind == "bonding":
        bond = net.rows.where("/interface/bonding", "name", port)[0]
        if bond.get("mode") not in BONDS:
            return _cpu("l3hw-bonding", "bonding-mode", [bond.command("mode")])
        slaves = [name for name in bond.get("slaves").split(",") if name]
        return [side for name in slaves for side in _wired(net, name, said)]
    return _wired(net, port, said)


def _wired(net: Network, port: str, said: dict[str, Row]) -> list[Side]:
    """A port's states: by its setting where it is the chip's, and the CPU's where it may not be."""
    reason = apart(net, port)
    if reason is None:
        return _setting(net, port, said)
    cpu = [Side(CPU, reason.lines, reason)]
    return cpu if reason.fact == ELSEWHERE else _setting(net, port, said) + cpu


def _every(net: Network) -> tuple[str, Command] | None:
    """What is set for all ports at once."""
    menu = net.rows.menus.get(PORTS)
    told = menu.every.get(SETTING) if menu else None
    return (told[0], told[1]) if told else None


def _setting(net: Network, port: str, said: dict[str, Row]) -> list[Side]:
    """A port's l3-hw-offloading: one state, or both where it may be one that a number names."""
    own = [said[name] for name in (port, default_name(net, port)) if name in said]
    every = _every(net)
    if own:
        off = own[0].get(SETTING) == "no"
        return [Side(OFF if off else ON, [own[0].command(SETTING)])]
    told, lines = (every[0], [every[1]]) if every else (net.default(PORTS, SETTING), [])
    found = [Side(OFF if told == "no" else ON, lines)]
    other = [said[n] for n in said if n.isdigit() and said[n].get(SETTING) != told]
    if other:
        lines = [row.command(SETTING) for row in other]
        found.append(Side(ON if told == "no" else OFF, lines))
    return found
