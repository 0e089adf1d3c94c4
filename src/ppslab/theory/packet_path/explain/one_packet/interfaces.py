"""By which interfaces a packet comes in and leaves: as asked, and as the IP firewall sees it.

A frame that comes in by a port of a bridge comes in by the bridge for the IP firewall: the port is
what the matcher `in-bridge-port` is for (MikroTik's manual, Common Firewall Matchers and Actions).
"""

from __future__ import annotations

from ppslab.theory.packet_path.explain.addresses import span, within
from ppslab.theory.packet_path.explain.network import Network
from ppslab.theory.packet_path.explain.network.interface_lists import EVERY, unique
from ppslab.theory.packet_path.explain.network.sessions import dynamic
from ppslab.theory.packet_path.explain.one_packet.placing import in_a_network
from ppslab.theory.packet_path.explain.packets import Packet

FACTORY = ("ether", "sfp", "sfp-sfpplus", "sfpplus", "qsfp", "qsfpplus", "combo", "wlan", "wifi",
           "lte")  # fmt: skip
"""What the names of ports begin with that a router has of itself, and a compact export omits."""

KIND = 2
"""Slashes in the menu of a kind of interface, as /interface/vlan."""

NAMES = ("interface", "in-interface", "out-interface", "slaves")
"""Words of a row that name an interface."""

NO_INTERFACES = ("", EVERY, "none", "dynamic", "static", "all-ethernet", "all-ppp", "all-vlan",
                 "all-wireless")  # fmt: skip
MOST_NAMED = 12


class NoInterfaceError(ValueError):
    """A packet's interface that the export does not have; `known`: those that it names."""

    def __init__(self, name: str, known: list[str], why: str = "") -> None:
        more = len(known) - MOST_NAMED
        there = ", ".join(known[:MOST_NAMED]) + (" and " + str(more) + " more" if more > 0 else "")
        said = "the export has no interface '" + name + "'"
        super().__init__(why or said + (": it names " + there if there else ""))
        self.name = name
        self.known = known


class Entered:
    """A packet with its interfaces as the IP firewall sees them; `says`: what that changes.

    `in_port`, `out_port`: the port of a bridge or a bond that was asked for, else empty.
    """

    def __init__(self, net: Network, packet: Packet) -> None:
        self.net = net
        self.says: list[str] = []
        self.in_port = self.out_port = ""
        self.given = packet.outs is not None
        if packet.ins or packet.outs:
            self._checked((packet.ins or []) + (packet.outs or []))
        if packet.ins:
            self.in_port, packet.ins = self._seen(packet.ins[0], packet, True)
        if packet.outs:
            self.out_port, packet.outs = self._seen(packet.outs[0], packet, False)

    def _checked(self, asked: list[str]) -> None:
        """NoInterfaceError where one is neither named in the export nor a port's name by birth."""
        known, renamed = known_interfaces(self.net)
        for name in asked:
            if name in known or (dynamic(name) and self.net.sessions):
                continue
            if name in renamed:
                why = "'" + name + "' is called '" + renamed[name] + "' in the export"
                raise NoInterfaceError(name, known, why)
            if self.net.lists.get(name):
                members = ", ".join(self.net.lists[name][:MOST_NAMED])
                why = "'" + name + "' is a list of interfaces: name one of them (" + members + ")"
                raise NoInterfaceError(name, [], why)
            if name != "lo" and (name[-1:] not in "0123456789" or _stem(name) not in FACTORY):
                raise NoInterfaceError(name, known)
            self.says.append(
                "The export does not name " + name + ": it is taken for a port that is in no "
                "bridge and in no list."
            )

    def _seen(self, name: str, packet: Packet, comes_in: bool) -> tuple[str, list[str]]:
        """The port, empty where it is none, and the interfaces that the firewall may see."""
        above = above_of(self.net, name)
        if above == name:
            return "", [name]
        vlans = [row.name for row in self.net.rows.of("/interface/vlan")
                 if row.get("interface") == above]  # fmt: skip
        may = [above] + vlans
        ends = packet.src if comes_in else packet.dst
        own = _connected(self.net, may, ends[0] if ends else None, packet.family)
        seen = own or may
        way = "comes in by" if comes_in else "leaves by"
        said = "It " + way + " " + name + ", a port of " + above + ": the IP firewall sees "
        said += " or ".join(seen)
        if len(seen) > 1:
            said += ", which depends on the frame's VLAN (name one of them to be sure)"
        self.says.append(said + ".")
        return name, seen

    def leaving(self, outs: list[str] | None) -> list[str] | None:
        """The interfaces that it leaves by: an address may stand on a port of a bridge."""
        if self.given or outs is None:
            return outs
        seen = [above_of(self.net, name) for name in outs]
        for index in range(len(outs)):
            if seen[index] != outs[index]:
                said = "It leaves by " + outs[index] + ", a port of " + seen[index]
                self.says.append(said + ": the IP firewall sees " + seen[index] + ".")
        return unique(seen)

    def stays_in_bridge(self, packet: Packet) -> bool:
        """Whether the bridge forwards it from port to port: it never gets to the router."""
        there = self.given or in_a_network(self.net, packet)
        if packet.chain != "forward" or not self.in_port or packet.ins != packet.outs:
            return False
        ins = packet.ins or []
        return there and len(ins) == 1 and bool(self.net.bridges_below(ins))

    def bridged_in_firewall(self) -> bool:
        """Whether the bridge asks the IP firewall."""
        row = self.net.rows.single("/interface/bridge/settings")
        return row is not None and row.get("use-ip-firewall") == "yes"

    def bridged_said(self) -> str:
        """What becomes of a frame that stays in its bridge."""
        bridge = self.net.bridges_below([self.in_port])[0]
        said = "Its destination is behind the same bridge: " + bridge + " forwards it by itself, "
        if self.bridged_in_firewall():
            return said + "and asks the IP firewall (use-ip-firewall=yes)."
        return said + "and no rule of the IP firewall is asked (use-ip-firewall is not yes)."


def _stem(name: str) -> str:
    """`sfp-sfpplus` of `sfp-sfpplus12`, `qsfp` of `qsfp28-1-1`."""
    return name.rstrip("0123456789-")


def above_of(net: Network, name: str) -> str:
    """The bond or the bridge of a port; a bond's bridge where it is in one."""
    for _ in range(4):
        above = net.bridge_of.get(name, "")
        for member in net.bridge_of:  # a list of interfaces may be a port too
            if not above and name in net.lists.get(member, []):
                above = net.bridge_of[member]
        for row in net.rows.of("/interface/bonding"):
            if not above and name in row.get("slaves").split(","):
                above = row.name
        if not above:
            break
        name = above
    return name


def _connected(net: Network, names: list[str], to: object, family: int) -> list[str]:
    """Those of some interfaces in whose network an address is."""
    found: list[str] = []
    if to is None:
        return found
    for row in net.rows.of(("/ip" if family == 4 else "/ipv6") + "/address"):
        try:
            if row.get("interface") in names and within(to, span(row.get("address"))):
                found.append(row.get("interface"))
        except ValueError:
            continue
    return unique(found)


def known_interfaces(net: Network) -> tuple[list[str], dict[str, str]]:
    """Every interface that the exports name, and the ports that they rename, by their old name."""
    found: list[str] = []
    renamed: dict[str, str] = {}
    for path in net.rows.menus:
        kind = path.startswith("/interface/") and path.count("/") == KIND
        own = (kind and path != "/interface/list") or path.endswith("/interface")
        for row in net.rows.all_of(path):
            if own and row.name != "*" and not row.name.isdigit():
                found.append(row.name)
                if row.get("default-name") != row.name:
                    renamed[row.get("default-name")] = row.name
            for word in NAMES:
                for name in row.get(word).lstrip("!").split(","):
                    # A list may be a port of a bridge, and is no interface.
                    is_list = path == "/interface/bridge/port" and name in net.lists
                    found.append("" if is_list else name)
            if path.endswith("/route"):
                gateway = row.get("gateway").rpartition("%")[2]
                found.append("" if "." in gateway or ":" in gateway else gateway)
    found = [name for name in unique(found) if name not in NO_INTERFACES]
    return found, {old: new for old, new in renamed.items() if old not in found}
