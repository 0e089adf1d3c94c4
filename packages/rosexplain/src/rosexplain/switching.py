"""Bridges and their switch chips: ports that the chip leaves to the CPU, beside the paths."""

from __future__ import annotations

from rosexplain import bridging, offload, radios
from rosexplain.device import is_wired
from rosexplain.matching import Met
from rosexplain.network import Network
from rosexplain.offload import BridgePort
from rosexplain.ordered import unique
from rosexplain.parse import Command
from rosexplain.rows import Row
from rosexplain.selection import is_gone

KEPT = "ports-kept-from-chip"
LEFT_TO_CPU, UNTIL_7_1 = "ports-left-to-cpu", "protocol-until-7-1"
BY_MASTER = "ports-by-master"
ON_VLAN = ("/ip/address", "/ipv6/address", "/ip/dhcp-client", "/interface/pppoe-client",
           "/interface/pppoe-server/server")  # fmt: skip
"""Menus of what is set up on an interface."""
SEVERAL = ("CRS1", "CRS2")
"""Switches whose chip forwards for several bridges (fact bridge-one-hardware)."""


def met(net: Network) -> list[Met]:
    """The ids of the rules that hold, each with its lines."""
    listed = net.chip or net.small_chip
    if net.numbers and net.numbers < bridging.SINCE and (listed or bridging.may_have_chip(net)):
        return [(BY_MASTER, _by_master(net))]
    if not listed:
        return []
    bridges = _bridges(net)
    ports = {row.name: _wired(net, row) for row in bridges}
    apart = _apart(net, ports)
    return [
        (LEFT_TO_CPU, _lines([port for port in _off(ports) if port not in apart])),
        ("ports-with-horizon", _lines(_with_horizon(ports))),
        ("ports-apart", _lines(apart)),
        ("chips-apart", _of_other_chips(net, bridges)),
        ("bridges-of-one-chip", [row.first for row in bridges if row.name in _rivals(net, ports)]),
        (_by_cpu(net), _with_protocol(net)),
        ("snooping-by-cpu", _snooping(net)),
        ("settings-by-cpu", _several(net)),
    ]


def mended(net: Network) -> list[tuple[str, list[Command]]]:
    """The rules that have a remedy, and so are notes too, as `met`.

    A protocol counts where nothing else leaves the bridge to the CPU; before RouterOS 7.1 the
    default one does, which few chose.
    """
    if not net.chip and not net.small_chip:
        kept = _kept(net) if bridging.may_have_chip(net) else []
        return [(KEPT, kept)] if kept else []
    if net.numbers and net.numbers < bridging.SINCE:
        late = net.small_chip and net.small_chip["since"]  # RouterOS 6 has no such bridge for it
        by_master = [] if late else _by_master(net)
        return [(BY_MASTER, by_master)] if by_master else []
    ports = {row.name: _wired(net, row) for row in _bridges(net)}
    apart = _apart(net, ports)
    off = _off(ports)
    horizon = [port for port in _with_horizon(ports) if offload.let_to(net, port.row)]
    every = [
        (LEFT_TO_CPU, _lines([port for port in off if port not in apart])),
        ("ports-with-horizon", _lines(horizon)),
    ]
    if _by_cpu(net) == UNTIL_7_1:
        every.append((UNTIL_7_1, _with_protocol(net)))
    return [(rule, lines) for rule, lines in every if lines]


def vlans_on_ports(net: Network) -> list[Row]:
    """The VLAN interfaces on a bridge's port, which see none of the port's frames."""
    return [row for row in net.rows.of("/interface/vlan")
            if row.get("interface") in net.bridge_of and row.name not in net.bridge_of]  # fmt: skip


def leased(net: Network) -> list[Row]:
    """Those that ask for a lease by DHCP, as of a provider's TV: another MAC gets another one."""
    asking = [row.get("interface") for row in net.rows.of("/ip/dhcp-client")]
    return [row for row in vlans_on_ports(net) if row.name in asking]


def vlans_bridged(net: Network) -> list[Command]:
    """The ports of bridges that are VLAN interfaces on several ports of one chip.

    None of a bridge that joins two VLANs, which no VLAN table does.
    """
    below = {row.name: row.get("interface") for row in net.rows.of("/interface/vlan")}
    numbers = {row.name: row.get("vlan-id") for row in net.rows.of("/interface/vlan")}
    every: list[Command] = []
    for bridge in sorted(net.port_rows) if net.chip or net.small_chip else []:
        rows = [row for row in net.port_rows[bridge] if row.get("interface") in below]
        wires = unique([below[row.get("interface")] for row in rows])
        chips = [_group(net, port) for port in wires if is_wired(offload.default_name(net, port))]
        chips = [place for place in chips if place >= 0 or not _groups(net)]
        one = len(unique([numbers[row.get("interface")] for row in rows])) == 1
        alike = one and len(unique(chips)) < len(chips)
        every += [row.command("interface") for row in rows] if alike else []
    return every


def vlans_to_move(net: Network) -> list[Met]:
    """The rule of those that something is set up on, where each may move to its bridge.

    Not where the bridge filters VLANs, or has another VLAN interface of that number; nor where
    another VLAN of the port is in a bridge, as all of them need one bridge with vlan-filtering.
    """
    used = [row.get("interface") for menu in ON_VLAN for row in net.rows.of(menu)]
    by_lease = leased(net)
    rows = [row for row in vlans_on_ports(net) if row.name in used and row not in by_lease]
    rows = [row for row in rows if not is_gone(net.above(row.get("interface")))]
    filters = [row.name for row in net.rows.where("/interface/bridge", "vlan-filtering", "yes")]
    numbers = [net.above(row.get("interface")) + " " + row.get("vlan-id")
               for row in net.rows.of("/interface/vlan")]  # fmt: skip
    bridged = [row.get("interface") for row in net.rows.of("/interface/vlan")
               if row.name in net.bridge_of]  # fmt: skip
    filtered = any(net.above(row.get("interface")) in filters for row in rows)
    filtered = filtered or any(row.get("interface") in bridged for row in rows)
    if not rows or filtered or len(unique(numbers)) < len(numbers):
        return []
    return [("vlan-on-port", [row.command("interface") for row in rows])]


def radios_by_manager(net: Network) -> list[Met]:
    """The rule of what lets a CAPsMAN forward what its access points receive."""
    if not net.rows.where("/caps-man/manager", "enabled", "yes"):
        return []
    rows = [row for row, _ in radios.tunnelled(net)] + radios.unbridged(net)
    own = radios.asks_itself(net) and radios.can_forward(net)
    rule = "cap-of-itself" if own else "capsman-datapath"
    return [(rule, [row.first for row in unique(rows, id)])] if rows else []


def _bridges(net: Network) -> list[Row]:
    """The bridges that the chip may forward for."""
    return [row for row in net.rows.of("/interface/bridge")
            if not offload.of_bridge(net, row.name)[0]]  # fmt: skip


def _by_cpu(net: Network) -> str:
    """The rule of bridges whose protocol the chip refuses, by whether RouterOS 7.1 changes it."""
    return UNTIL_7_1 if net.small_chip and net.small_chip["since"] else "protocol-by-cpu"


def _with_protocol(net: Network) -> list[Command]:
    """The bridges between whose ports the CPU forwards because of their protocol alone."""
    rows = [row for row in net.rows.of("/interface/bridge")
            if _refused(net, row) == [offload.PROTOCOL]]  # fmt: skip
    rows = [row for row in rows if len([port for port in _wired(net, row) if port.of_chip]) > 1]
    return [row.command("protocol-mode") for row in rows]


def _snooping(net: Network) -> list[Command]:
    """The bridges with several ports of a chip that cannot snoop IGMP, where they do."""
    rows = net.rows.where("/interface/bridge", "igmp-snooping", "yes")
    rows = [row for row in rows if len([port for port in _wired(net, row) if port.of_chip]) > 1]
    return [row.command("igmp-snooping") for row in rows
            if _refused(net, row) == ["igmp-snooping"]]  # fmt: skip


def _refused(net: Network, row: Row) -> list[str]:
    """The properties of a bridge and its ports by which its chip forwards nothing."""
    return unique([name for _, name in offload.refusing(net, row)])


def _several(net: Network) -> list[Command]:
    """The settings of bridges with several ports of a chip that refuses more than one of them.

    Not those that filter VLANs by the CPU anyway, with the default protocol.
    """
    lines: list[Command] = []
    for row in net.rows.of("/interface/bridge"):
        names = _refused(net, row)
        known = "vlan-filtering" in names and not row.says(offload.PROTOCOL)
        names = [name for name in names if not (known and name == offload.PROTOCOL)]
        if len(names) > 1 and len([port for port in _wired(net, row) if port.of_chip]) > 1:
            lines += [one.command(name) for one, name in offload.refusing(net, row)]
    return unique(lines, id)


def _by_master(net: Network) -> list[Command]:
    """The ports of bridges with several ports of a wire, which are the CPU's before 6.41."""
    ports = [_wired(net, row) for row in net.rows.of("/interface/bridge")]
    return _lines([port for own in ports if len(own) > 1 for port in own])


def _kept(net: Network) -> list[Command]:
    """The ports with hw=no of bridges with several, which no other setting keeps from a chip.

    Not of one beside a bridge that a chip, which forwards for one, may have now.
    """
    kept: list[Command] = []
    bridges = net.rows.of("/interface/bridge")
    ports = {row.name: [port for port in _wired(net, row) if not port.refused] for row in bridges}
    in_use = [name for name in sorted(ports)
              if len([port for port in ports[name] if not port.off]) > 1]  # fmt: skip
    for row in bridges:
        off = [port for port in ports[row.name] if port.off]
        free = row.name in in_use or not in_use
        if len(off) > 1 and free and row.get("vlan-filtering") != "yes":
            kept += _lines(off)
    return unique(kept, id)  # a bridge may have two lines


def _lines(ports: list[BridgePort]) -> list[Command]:
    return [port.row.command("interface") for port in ports]


def _wired(net: Network, bridge: Row) -> list[BridgePort]:
    ports = offload.bridge_ports(net, bridge.name)
    return [port for port in ports if is_wired(offload.default_name(net, port.name))]


def _off(ports: dict[str, list[BridgePort]]) -> list[BridgePort]:
    """The ports with hw=no of bridges that the chip has other ports of, or none at all.

    A bridge with hw=no on all its ports leaves the chip to another bridge on purpose.
    """
    off: list[BridgePort] = []
    own = {name: [port for port in ports[name] if port.of_chip] for name in sorted(ports)}
    in_use = [name for name in own if any(not port.off for port in own[name])]
    for name in sorted(own):
        if name in in_use or (not in_use and len(own[name]) > 1):
            off += [port for port in own[name]
                    if port.off and port.row.get("horizon", "none") in ("", "none")]  # fmt: skip
    return off


def _with_horizon(ports: dict[str, list[BridgePort]]) -> list[BridgePort]:
    """The ports that the chip refuses for their horizon, in bridges of which it has others."""
    refused: list[BridgePort] = []
    for name in sorted(ports):
        if any(port.of_chip and not port.off for port in ports[name]):
            refused += [port for port in ports[name] if port.refused == offload.BY_HORIZON]
    return refused


def _groups(net: Network) -> list[list[str]]:
    """The ports of each switch chip, where the manual lists them."""
    groups: list[list[str]] = net.small_chip["ports"] if net.small_chip else []
    return groups


def _group(net: Network, name: str) -> int:
    """The place of a port's chip in the list; -1 for a port of none."""
    name = offload.default_name(net, name)
    for place, group in enumerate(_groups(net)):
        if name in group:
            return place
    return -1


def _chips(net: Network, row: Row) -> list[int]:
    """The places of the chips of a bridge's port, which may be a list of ports, or a bond."""
    bonds = {bond.name: bond.get("slaves") for bond in net.rows.of("/interface/bonding")}
    name = row.get("interface")
    ports = [port for one in net.lists.get(name, [name]) for port in bonds.get(one, one).split(",")]
    return [place for place in [_group(net, port) for port in ports] if place >= 0]


def _apart(net: Network, ports: dict[str, list[BridgePort]]) -> list[BridgePort]:
    """The ports with a wire that are no chip's, in bridges with ports of a chip."""
    apart: list[BridgePort] = []
    for name in sorted(ports):
        other = [port for port in ports[name] if _elsewhere(net, port)]
        apart += other if len(other) < len(ports[name]) else []
    return apart


def _elsewhere(net: Network, port: BridgePort) -> bool:
    if port.wired is not None:
        return port.wired.fact == offload.ELSEWHERE
    return bool(_groups(net)) and port.kind == "ethernet" and _group(net, port.name) < 0


def _of_other_chips(net: Network, bridges: list[Row]) -> list[Command]:
    """The ports of a second chip, in bridges with ports of the first one."""
    others: list[Command] = []
    for bridge in bridges:
        chips = [(row, _chips(net, row)) for row in net.port_rows.get(bridge.name, [])]
        first = min([place for _, places in chips for place in places] + [len(_groups(net))])
        others += [row.command("interface") for row, places in chips
                   if any(place > first for place in places)]  # fmt: skip
    return others


def _rivals(net: Network, ports: dict[str, list[BridgePort]]) -> list[str]:
    """The bridges that want the same chip, which forwards for one of them."""
    if net.model.upper()[:4] in SEVERAL:
        return []
    rivals: list[str] = []
    for place in range(max(1, len(_groups(net)))):
        wanting = []
        for name in sorted(ports):
            own = [port for port in ports[name] if port.of_chip and not port.off]
            if _groups(net):
                own = [port for port in own if _group(net, port.name) == place]
            wanting += [name] if len(own) > 1 else []
        rivals += wanting if len(wanting) > 1 else []
    return rivals
