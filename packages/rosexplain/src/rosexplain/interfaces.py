"""A packet's interfaces: as they are asked about, and as the IP firewall sees them.

A frame that comes in by a port of a bridge comes in by the bridge for the IP firewall: the port
is what the matcher `in-bridge-port` is for (MikroTik's manual, Common Firewall Matchers and
Actions).
"""

from __future__ import annotations

from rosexplain.addresses import bounds_of, within
from rosexplain.destination import in_a_network
from rosexplain.ending import place_of, tracking_off
from rosexplain.interface_lists import EVERY
from rosexplain.language import gettext
from rosexplain.network import TOP, Network, dynamic
from rosexplain.ordered import unique
from rosexplain.packet import Packet
from rosexplain.rows import Menu
from rosexplain.selection import is_number

FACTORY = ("ether", "sfp", "sfp-sfpplus", "sfpplus", "qsfp", "qsfpplus", "combo", "wlan", "wifi",
           "lte")  # fmt: skip
"""The stems of the names of a router's own ports, which a compact export omits."""

KIND = 2
"""Slashes in the menu of a kind of interface, as /interface/vlan."""

NAMES = ("interface", "in-interface", "out-interface", "slaves")
"""Words of a row that name an interface."""

NO_INTERFACES = ("", EVERY, "none", "dynamic", "static", "all-ethernet", "all-ppp", "all-vlan",
                 "all-wireless")  # fmt: skip
MOST_INTERFACES = 12


class NoInterfaceError(ValueError):
    """A packet's interface that the export does not have; `known`: those that it names."""

    def __init__(self, name: str, known: list[str], why: str = "") -> None:
        left = len(known[MOST_INTERFACES:])
        there = ", ".join(known[:MOST_INTERFACES]) + (f" and {left} more" if left else "")
        text = f"no interface '{name}' in the export"
        super().__init__(why or text + (": it has " + there if there else ""))
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
        off = tracking_off(net)
        if off is not None:
            packet.state = "untracked"
            text = gettext("Connection tracking is off ({line}): no NAT, and no connection states.")
            self.says.append(text.format(line=place_of(net, off)))
        if packet.ins or packet.outs:
            self._checked((packet.ins or []) + (packet.outs or []))
        if packet.ins:
            self.in_port, packet.ins = self._seen(packet.ins[0], packet, True)
        if packet.outs:
            self.out_port, packet.outs = self._seen(packet.outs[0], packet, False)

    def _checked(self, names: list[str]) -> None:
        """NoInterfaceError where one is neither named in the export nor a port's name by birth."""
        if self.net.known_interfaces is None:
            self.net.known_interfaces = known_interfaces(self.net)
        known, renamed = self.net.known_interfaces
        for name in names:
            if name in known or (dynamic(name) and self.net.sessions):
                continue
            if name in renamed:
                why = f"'{name}' is called '{renamed[name]}' in the export"
                raise NoInterfaceError(name, known, why)
            if self.net.lists.get(name):
                members = ", ".join(self.net.lists[name][:MOST_INTERFACES])
                why = f"'{name}' is an interface list: name a member ({members})"
                raise NoInterfaceError(name, [], why)
            if name != "lo" and (name[-1:] not in "0123456789" or _stem(name) not in FACTORY):
                raise NoInterfaceError(name, known)
            text = " is not in the export: it is treated as a port outside all bridges and lists."
            self.says.append(name + text)

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
        way = "arrives on" if comes_in else "leaves through"
        text = f"It {way} {name}, a port of {above}: the IP firewall sees {' or '.join(seen)}"
        if len(seen) > 1:
            text += ", depending on the frame's VLAN (name one of them to be sure)"
        self.says.append(text + ".")
        return name, seen

    def leaving(self, outs: list[str] | None) -> list[str] | None:
        """The interfaces that it leaves by: an address may stand on a port of a bridge."""
        if self.given or outs is None:
            return outs
        seen = [above_of(self.net, name) for name in outs]
        for index, name in enumerate(outs):
            above = seen[index]
            if name != above:
                text = f"It leaves through {name}, a port of {above}: the IP firewall sees {above}."
                self.says.append(text)
        return unique(seen)

    def stays_in_bridge(self, packet: Packet) -> bool:
        """Return True if the bridge forwards it from port to port: it never gets to the router."""
        there = self.given or in_a_network(self.net, packet)
        if packet.chain != "forward" or not self.in_port or packet.ins != packet.outs:
            return False
        ins = packet.ins or []
        return there and len(ins) == 1 and bool(self.net.bridges_below(ins))

    def bridged_in_firewall(self) -> bool:
        """Return True if the bridge asks the IP firewall."""
        row = self.net.rows.single("/interface/bridge/settings")
        return row is not None and row.get("use-ip-firewall") == "yes"

    def bridged_sentence(self, packet: Packet) -> str:
        """Return a sentence about a frame that stays in its bridge."""
        bridge = self.net.bridges_below(packet.ins or [])[0]
        text = f"Its destination is behind the same bridge: {bridge} forwards it "
        if self.bridged_in_firewall():
            return text + "and applies the IP firewall (use-ip-firewall=yes)."
        return text + "without the IP firewall (use-ip-firewall is not yes)."


def _stem(name: str) -> str:
    """`sfp-sfpplus` of `sfp-sfpplus12`, `qsfp` of `qsfp28-1-1`."""
    return name.rstrip("0123456789-")


def above_of(net: Network, name: str) -> str:
    """The bond or the bridge of a port; a bond's bridge where it is in one."""
    if name not in net.uppermost:
        net.uppermost[name] = _above_of(net, name)
    return net.uppermost[name]


def _above_of(net: Network, name: str) -> str:
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


def _connected(
    net: Network, names: list[str], to: tuple[int, int] | None, family: int
) -> list[str]:
    """Those of some interfaces in whose network an address is."""
    rows = [row for row in net.rows.of(TOP[family] + "/address") if row.get("interface") in names]
    every = [(row.get("interface"), bounds_of(row.get("address"))) for row in rows]
    return unique([name for name, own in every if to and own and within(to, own)])


def known_interfaces(net: Network) -> tuple[list[str], dict[str, str]]:
    """Every interface that the exports name, and the ports that they rename, by their old name."""
    names: list[str] = []
    renamed: dict[str, str] = {}
    for path, menu in net.rows.menus.items():
        of_menu, renamed_in_menu = menu.once("interfaces", _interfaces)
        # A list may be a port of a bridge, and is no interface.
        lists = net.lists if path == "/interface/bridge/port" else {}
        names += [name for name in of_menu if name not in lists]
        renamed.update(renamed_in_menu)
    names = [name for name in unique(names) if name not in NO_INTERFACES]
    return names, {old: new for old, new in renamed.items() if old not in names}


def _interfaces(menu: Menu) -> tuple[list[str], dict[str, str]]:
    """The interfaces that a menu's rows name, and those that they rename, by their old name."""
    names: list[str] = []
    renamed: dict[str, str] = {}
    path = menu.path
    kind = path.startswith("/interface/") and path.count("/") == KIND
    own = (kind and path != "/interface/list") or path.endswith("/interface")
    words = [word for word in NAMES if word in menu.named()]
    for row in menu.rows:
        if row.removed:
            continue
        if own and row.name != "*" and not is_number(row.name):
            names.append(row.name)
            if row.get("default-name") != row.name:
                renamed[row.get("default-name")] = row.name
        for word in words:
            if value := row.get(word):
                names += value.lstrip("!").split(",")
        if path.endswith("/route"):
            gateway = row.get("gateway").rpartition("%")[2]
            names.append("" if "." in gateway or ":" in gateway else gateway)
    return unique(names), renamed
