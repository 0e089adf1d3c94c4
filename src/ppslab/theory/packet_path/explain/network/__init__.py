"""What a configuration says of the router: version, model, interfaces, lists, LAN and WAN."""

from __future__ import annotations

from typing import Any

from ppslab.theory.packet_path.explain.matching import numbers
from ppslab.theory.packet_path.explain.network import device, edges, interface_lists
from ppslab.theory.packet_path.explain.network.interface_lists import unique
from ppslab.theory.packet_path.explain.network.sessions import KIND, dynamic, sessions
from ppslab.theory.packet_path.explain.network.vlans import Vlans, tagged
from ppslab.theory.packet_path.exports.reading import Command, Export
from ppslab.theory.packet_path.exports.row import ADDED, Row
from ppslab.theory.packet_path.exports.rows import Rows, rows_of

TUNNELS = ("eoip", "gre", "ipip", "vxlan", "l2tp-client", "pptp-client", "sstp-client",
           "ovpn-client", "wireguard", "6to4", "eoipv6", "gre6", "vpls")  # fmt: skip
KINDS = ("bridge", "bonding", "vlan", "vrrp", "pppoe-client", "lte", "wireless", "wifi",
         "ethernet", "wifiwave2", "macvlan", "mesh", "veth", KIND) + TUNNELS  # fmt: skip
FASTTRACK = "fasttrack-connection"
"""The action of a rule that marks connections for FastTrack."""

LOOPBACK = "lo"
"""Every router's own: nothing comes in by it from elsewhere."""

MARKS = ("connection-mark", "packet-mark", "routing-mark")
"""What mangle gives a packet or its connection, as a matcher names it."""

SERVERS = ("l2tp-server", "pptp-server", "sstp-server", "ovpn-server")
OTHER_ENDS = ("/zerotier/interface", "/interface/ovpn-server/server", "/interface/vrrp",
              "/ip/hotspot", "/ip/vrf", "/mpls/interface", "/interface/l2tp-ether")  # fmt: skip
"""Menus whose rows are ends of ways that no address shows."""

REFUSES = ("drop", "reject", "tarpit")
DECIDES = REFUSES + (FASTTRACK, "notrack")
"""Actions of a rule that decide about FastTrack, for the packets that come to it."""


class Lists:
    """What the rules of a firewall refer to: address lists, lists that rules fill, marks."""

    def __init__(self, rows: Rows, top: str) -> None:
        self.addresses: dict[str, list[Row]] = {}
        for row in rows.of(top + "/firewall/address-list"):
            self.addresses.setdefault(row.get("list"), []).append(row)
        self.filled: set[str] = set()
        self.marks: dict[str, set[str]] = {}
        self.asking: set[int] = set()
        """The rules that have a matcher for a mark, by the row's id."""
        self.marks_decide = False
        """Whether one of them is in a table that has a rule which decides, so that it may too."""
        self.chains: dict[str, dict[str, list[Row]]] = {}
        for table in ("filter", "mangle", "nat", "raw"):
            chains: dict[str, list[Row]] = {}
            asked = decides = False
            for row in rows.of(top + "/firewall/" + table):
                decides = decides or row.get("action") in DECIDES
                chains.setdefault(row.get("chain"), []).append(row)
                self.filled.add(row.get("address-list"))
                for name in MARKS:
                    if row.says(name):
                        asked = True
                        self.asking.add(id(row))
                    if row.get("new-" + name):
                        self.marks.setdefault(name, set()).add(row.get("new-" + name))
            self.marks_decide = self.marks_decide or (asked and decides)
            self.chains[table] = chains


class Network:
    """The model of one router, made of its exports."""

    def __init__(
        self,
        exports: list[Export],
        base: dict[str, Any],
        without: list[tuple[str, int]] | None = None,
        more: list[Command] | None = None,
        version: str = "",
    ) -> None:
        self.exports = exports
        self.base = base
        self.rows: Rows = rows_of(exports, without, more)
        for row in self.rows.all_of("/ip/ipsec/policy"):
            if row.key != ADDED and not row.says("template"):
                row.values["template"] = ("yes", row.first, 0)  # the row of itself is the template
        self.version = version or device.header(exports, "version")
        self.virtual = device.virtual(exports)
        """Whether it is a CHR or an x86; None where nothing tells."""
        self.device_unknown = self.virtual is None and bool(device.header(exports, "version"))
        """Whether a router exported it that may be a CHR; lines that were typed are no export."""
        self.model = device.model(exports)
        self.numbers = numbers(self.version)
        self.sessions = sessions(self.rows)
        self.kinds = self._kinds()
        self.kinds.update(dict.fromkeys(self.sessions, KIND))
        self.bridge_of, self.port_rows = self._ports()
        self.lists, self.open_lists = interface_lists.settled(self.rows)
        self.fed_lists = interface_lists.fed(self.rows)
        self.empty_lists = interface_lists.empty(self.rows, self.lists) - self.open_lists
        self.dynamic_lists = interface_lists.including(self.rows, self.fed_lists | {"dynamic"})
        """The lists that an interface may be in which comes and goes while the router runs."""
        self.empty_lists -= self.dynamic_lists
        """The interface lists of the export that have no member, and to which nothing adds one."""
        vlans = self.rows.of("/interface/bridge/vlan")
        self._several_vlans = [
            (Vlans().add(row.get("vlan-ids")), row)
            for row in vlans
            if not row.get("vlan-ids").isdigit()
        ]
        self.tagged = tagged([(row.get("tagged"), row.get("vlan-ids")) for row in vlans])
        self.used: list[dict[str, Any]] = []
        self._lists_of: dict[int, Lists] = {}
        policies = [row for row in self.rows.of("/ip/ipsec/policy") if row.get("template") != "yes"]
        self.has_ipsec = bool(policies or self.rows.of("/ip/ipsec/identity"))
        self.wan = self._wan()
        self.lan = self._lan()

    def firewall_of(self, family: int) -> Lists:
        """What the rules of IPv4's or IPv6's firewall refer to."""
        if family not in self._lists_of:
            self._lists_of[family] = Lists(self.rows, "/ip" if family == 4 else "/ipv6")
        return self._lists_of[family]

    @property
    def chip(self) -> dict[str, Any] | None:
        """The switch chip with L3 hardware offload, where the model is known to have one."""
        return device.row_of(self.model, self.base["chips"])

    @property
    def small_chip(self) -> dict[str, Any] | None:
        """The switch chip of a model without L3 hardware offload, where the manual names it."""
        return device.row_of(self.model, self.base["bridging"])

    @property
    def chip_ports(self) -> dict[str, Any] | None:
        """Which Ethernet ports the manual counts to the chip, where it counts the model's."""
        return device.row_of(self.model, self.base["ports"])

    @property
    def devices(self) -> list[str]:
        """The names of devices that are known, in capitals."""
        rows = self.base["chips"] + self.base["bridging"] + self.base["ports"]
        return [name for row in rows for name in row["devices"]]

    @property
    def mode(self) -> str:
        """How it was exported: compact, terse or verbose."""
        return device.mode(self.exports, self.rows, self.base["defaults"])

    def setting(self, menu: str, name: str) -> tuple[str, Command | None]:
        """A setting, and the line that says it; None: the default, which is noted in `used`."""
        row = self.rows.single(menu)
        if row is not None and row.says(name):
            return row.get(name), row.command(name)
        return self.default(menu, name), None

    def default(self, menu: str, name: str) -> str:
        """What RouterOS has where nothing is said; empty where nobody wrote that down."""
        for each in self.base["defaults"]:
            if each["menu"] == menu and each["property"] == name:
                if each not in self.used:
                    self.used.append(each)
                return str(each["value"])
        return ""

    def _kinds(self) -> dict[str, str]:
        found: dict[str, str] = {}
        for kind in KINDS:
            for row in self.rows.of("/interface/" + kind):
                if row.name:
                    found[row.name] = kind
        return found

    def _ports(self) -> tuple[dict[str, str], dict[str, list[Row]]]:
        below: dict[str, str] = {}
        rows: dict[str, list[Row]] = {}
        for row in self.rows.of("/interface/bridge/port"):
            bridge, port = row.get("bridge"), row.get("interface")
            if bridge and port:
                below[port] = bridge
                rows.setdefault(bridge, []).append(row)
        return below, rows

    def _named(self, name: str) -> list[str]:
        for key, members in self.lists.items():
            if key.upper() == name:
                return members
        return []

    def _wan(self) -> list[str]:
        found = self._named("WAN")
        if found:
            found = self._but_tunnels(found, edges.main_routes(self.rows, self.kinds))
        else:
            found = edges.wan(self.rows, self.kinds)
        for kind in edges.CLIENTS:
            if any(edges.unsaid(row) for row in self.rows.of("/interface/" + kind)):
                self.default("/interface/" + kind, "disabled")
        return unique([name for name in found if name])

    def _lan(self) -> list[str]:
        found = self._named("LAN")
        if not found:
            rows = [row for row in self.rows.of("/ip/address") if not self._is_loopback(row)]
            found = [self.above(row.get("interface")) for row in rows]
            found = [name for name in found if name not in ("", LOOPBACK) + tuple(self.wan)]
        return self._but_tunnels(unique(found), [])

    def _but_tunnels(self, names: list[str], keep: list[str]) -> list[str]:
        """Without the tunnels among others: what a tunnel carries is a class of its own."""
        tunnels = [name for name in names if self.kinds.get(name) in TUNNELS and name not in keep]
        return [name for name in names if name not in tunnels] or names

    @property
    def routes_nothing(self) -> bool:
        """Whether it is a switch or an access point with one network alone: it routes nothing.

        A device that bridges nothing and has one address is a part of an export rather.
        """
        if not self.port_rows:
            return False
        if any(kind in TUNNELS + (KIND, "lte", "veth") for kind in self.kinds.values()):
            return False
        if self.has_ipsec or any(self.rows.of(menu) for menu in OTHER_ENDS):
            return False
        servers = [self.rows.single("/interface/" + kind + "/server") for kind in SERVERS]
        if any(row is not None and row.get("enabled") in ("yes", "true") for row in servers):
            return False
        own = [row for row in self.rows.of("/ip/address") if row.get("interface") != LOOPBACK]
        own = [row for row in own if not self._is_loopback(row)]
        ends = [self.above(name) for name in self.wan + self.lan]
        ends += [self.above(row.get("interface")) for row in own]
        networks = len(own) + len(self.rows.of("/ip/dhcp-client"))
        disabled = [row for row in self.rows.all_of("/ip/address") if not row.on]
        return len(unique(ends)) <= 1 and (networks == 1 or (networks == 0 and bool(disabled)))

    def _is_loopback(self, address: Row) -> bool:
        """Whether one host's address is on a bridge without ports: nothing comes in by it."""
        name, length = address.get("interface"), address.get("address").partition("/")[2]
        alone = self.kinds.get(name) == "bridge" and name not in self.port_rows
        return alone and length in ("", "32")

    def above(self, name: str) -> str:
        """The bridge of a port, by which its packets come in for the IP firewall; else itself."""
        return self.bridge_of.get(name, name)

    def _over(self, name: str) -> list[str]:
        """The interfaces of the servers that a session's frames come in by; else itself."""
        if dynamic(name) and name not in self.sessions:  # a user's, as a packet is asked about
            return unique([each for below in self.sessions.values() for each in below])
        return self.sessions.get(name, [name])

    def bridges_below(self, names: list[str]) -> list[str]:
        """The bridges that packets cross which come in or leave by these interfaces."""
        found: list[str] = []
        for begin in [each for name in names for each in self._over(name)]:
            below = begin
            for _ in range(4):
                if self.kinds.get(below) == "bridge":
                    found.append(below)
                    break
                if below in self.bridge_of:
                    found.append(self.bridge_of[below])
                    break
                rows = self.rows.where("/interface/vlan", "name", below)
                if not rows:
                    break
                below = rows[0].get("interface")
        return unique(found)

    def ports_below(self, name: str) -> list[str]:
        """What carries an interface in the end: ports, bonds, tunnels; of a bridge, its ports."""
        found: list[str] = []
        known: set[str] = set()
        todo = [(each, "") for each in self._over(name)]
        while todo:
            at, vlan = todo.pop(0)
            if at + " " + vlan in known:
                continue
            known.add(at + " " + vlan)
            kind = self.kinds.get(at, "")
            if kind in ("vlan", "vrrp", "macvlan"):
                rows = self.rows.where("/interface/" + kind, "name", at)
                todo += [(row.get("interface"), row.get("vlan-id")) for row in rows]
            elif kind == "bridge":
                todo += [(port, "") for port in self._members(at, vlan)]
            else:
                found.append(at)
        return unique(found)

    def _members(self, bridge: str, vlan: str) -> list[str]:
        """The ports of a bridge, of them those in a VLAN where it tells VLANs apart."""
        rows = self.port_rows.get(bridge, [])
        names = [m for r in rows for m in self.lists.get(r.get("interface"), [r.get("interface")])]
        filters = self.rows.where("/interface/bridge", "vlan-filtering", "yes")
        if not any(row.name == bridge for row in filters):
            return names
        vlan = vlan or next(r.get("pvid", "1") for r in filters if r.name == bridge)
        inside = {r.get("interface") for r in rows if r.get("pvid", "1") == vlan}
        menu = "/interface/bridge/vlan"
        several = [row for vlans, row in self._several_vlans if vlans.has(vlan)]
        for row in self.rows.where(menu, "vlan-ids", vlan) + several:
            if row.get("bridge") == bridge:
                inside |= set((row.get("tagged") + "," + row.get("untagged")).split(","))
        return [name for name in names if name in inside] or names
