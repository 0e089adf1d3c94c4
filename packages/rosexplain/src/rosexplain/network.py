"""The router of a configuration: version, model, interfaces, lists, addresses, LAN and WAN."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from rosexplain.addresses import BITS, Range, span
from rosexplain.device import LAST_OF_6, coded, header, mode, model, row_of, virtual
from rosexplain.device import version as version_of
from rosexplain.interface_lists import empty, fed, including, settled
from rosexplain.matching import RuleSet, in_force, numbers
from rosexplain.ordered import unique
from rosexplain.parse import Command, Export
from rosexplain.rows import ADDED, Menu, Row, Rows, rows_of
from rosexplain.secrets import Names
from rosexplain.selection import is_gone, is_number
from rosexplain.uplinks import (
    CLIENT,
    CLIENTS,
    connected,
    main_routes,
    off_by_default,
    passed_on,
    served,
    wan,
)

if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import TypeVar

    Answered = TypeVar("Answered")

TOP = {4: "/ip", 6: "/ipv6"}
"""The menu of a family, below which are its addresses, routes and firewall."""

KIND = "pppoe-server"
SERVER, BOUND = "/interface/" + KIND + "/server", "/interface/" + KIND
DYNAMIC = "<pppoe-"
"""The beginning of a dynamic one's name; the user's follows, which no export says."""

MOST_FOLLOWED = 32
"""Interfaces of servers that a bound session is led over; the others are taken to be like them."""


def sessions(rows: Rows) -> dict[str, list[str]]:
    """Each with the interfaces that its frames may come in by; none where no server is on.

    The dynamic ones of a server's interface are one, which has no user's name.
    """
    below = unique([row.get("interface") for row in rows.of(SERVER) if row.get("interface")])
    by_name = {DYNAMIC + "> on " + interface: [interface] for interface in below}
    for row in rows.of(BOUND) if below else []:
        if row.name:
            by_name[row.name] = below[:MOST_FOLLOWED]
    return by_name


def dynamic(name: str) -> bool:
    """Return True if an interface is a session's that no line binds."""
    return name[: len(DYNAMIC)] == DYNAMIC


class Vlans:
    """Those of lists such as 10,20-29."""

    def __init__(self) -> None:
        self.single: set[int] = set()
        self.ranges: set[tuple[int, int]] = set()

    def add(self, listed: str) -> Vlans:
        """Take in those of a list; what is no number is in none."""
        for part in listed.split(","):
            first, _, last = part.partition("-")
            if not is_number(first) or (last and not is_number(last)):
                continue
            if last:
                self.ranges.add((int(first), int(last)))
            else:
                self.single.add(int(first))
        return self

    def has(self, number: str) -> bool:
        """Return True if a VLAN is one of them."""
        if not is_number(number):
            return False
        one = int(number)
        return one in self.single or any(first <= one <= last for first, last in self.ranges)


def tagged(table: list[tuple[str, str]]) -> dict[str, Vlans]:
    """Of each interface the VLANs that it is a tagged member of.

    `table`: for each line what it says of `tagged` and of `vlan-ids`.
    """
    members: dict[str, Vlans] = {}
    for names, listed in table:
        for name in names.split(","):
            members.setdefault(name, Vlans()).add(listed)
    return members


TUNNELS = ("eoip", "gre", "ipip", "vxlan", "l2tp-client", "pptp-client", "sstp-client",
           "ovpn-client", "wireguard", "6to4", "eoipv6", "gre6", "vpls")  # fmt: skip
KINDS = ("bridge", "bonding", "vlan", "vrrp", "pppoe-client", "lte", "wireless", "wifi",
         "ethernet", "wifiwave2", "macvlan", "mesh", "veth", KIND) + TUNNELS  # fmt: skip
ETHERNET, MODEM = "ethernet", "lte"
"""The kind of a port, and how a modem's name begins, which no line has to set up."""
FASTTRACK = "fasttrack-connection"
"""The action of a rule that marks connections for FastTrack."""

LOOPBACK = "lo"
"""Every router's own: nothing comes in by it from elsewhere."""

MARKS = ("connection-mark", "packet-mark", "routing-mark")
"""The marks of mangle, of a packet or its connection, as a matcher names it."""
GIVEN = [(name, "new-" + name) for name in MARKS]
"""The property by which a rule gives each of them."""
NO_MARK = "no-mark"
UNMARKED = (NO_MARK, "main")
"""The values of a rule that ask for no mark."""


def mark_of(value: str) -> tuple[str, bool]:
    """Take a matcher of marks apart: its mark ("": none), and whether it is inverted."""
    inverted = value[:1] == "!"
    mark = value[1:] if inverted else value
    return "" if mark in UNMARKED else mark, inverted


SERVERS = ("l2tp-server", "pptp-server", "sstp-server", "ovpn-server")
OTHER_ENDS = ("/zerotier/interface", "/interface/vrrp", "/ip/hotspot", "/ip/vrf",
              "/mpls/interface", "/interface/l2tp-ether")  # fmt: skip
"""Menus whose rows are ends of ways that no address shows."""

SERVING = ("/ip/dhcp-server", "/ip/dhcp-relay", "/ip/hotspot", "/interface/pppoe-server/server")
"""Menus of what a gateway does for its hosts."""
OF_FRAMES = ("/interface/bridge/filter", "/interface/bridge/nat")
"""Menus of rules for a bridge's frames."""
CAP = "/interface/wireless/cap"
OF_RADIOS = (CAP, "/caps-man/datapath", "/caps-man/configuration", "/caps-man/interface",
             "/interface/wifi", "/interface/wifi/datapath", "/interface/wifi/configuration",
             "/interface/wifiwave2", "/interface/wifiwave2/datapath",
             "/interface/wifiwave2/configuration")  # fmt: skip
"""Menus that put radios into a bridge without a port of it in the export."""
VLAN = "/interface/vlan"
FAST_ETHERNET = ("Atheros8227", "Atheros7240")
"""The chips of devices without a port above 100 Mbit/s (fact fast-ethernet-chip)."""
ON_PORTS = ("/ip/address", "/ip/dhcp-client", "/ipv6/address", "/ipv6/dhcp-client", VLAN,
            "/interface/macvlan", "/interface/pppoe-client", "/interface/vrrp")  # fmt: skip
"""Menus of what is set up on a port that carries packets without a bridge."""
OF_ROUTERS = ("/ip/dhcp-server", "/ip/dhcp-relay", "/ip/firewall/nat", "/routing/ospf/instance",
              "/routing/ospf/network", "/routing/bgp/peer", "/routing/bgp/connection")  # fmt: skip
"""Menus of a device that is a gateway to others."""

REFUSES = ("drop", "reject", "tarpit")
TABLES = ("filter", "mangle", "nat", "raw")
FILTER = "/ip/firewall/filter"
ADDED_OFF = ("/ip/dhcp-server", CLIENT)
"""Menus whose rows RouterOS 6 adds disabled, and RouterOS 7 does not (fact dhcp-off-in-6)."""
OF_ALL = ("action", "chain", "comment", "disabled", "log", "log-prefix", "reject-with")
"""What a rule may say and still be about every packet of its chain."""
WITH_ADDRESSES = tuple([top + menu for top in ("/ip", "/ipv6") for menu in (
    "/address", "/dhcp-client", "/route", "/pool", "/dhcp-server", "/firewall/filter",
    "/firewall/nat", "/firewall/mangle", "/firewall/raw")]) + (
    "/queue/simple", "/queue/tree", "/ip/settings", "/ipv6/settings", "/ip/hotspot", "/ip/vrf",
    "/interface/list/member")  # fmt: skip
"""Menus of a device that has addresses."""
LEADING_NOWHERE = ("/interface/ethernet/switch", "/interface/ethernet/switch/port", "/queue/tree",
                   "/ip/ipsec/policy")  # fmt: skip
"""Menus that neither routes nor rules read, but for whether there are policies at all.

They name no interface either by which an export would know it.
"""
BYPASSED = ("/queue/simple", "/queue/tree", "/ip/ipsec/policy", "/ip/ipsec/identity", "/ip/hotspot",
            "/ip/vrf", "/ip/firewall/mangle", "/ipv6/firewall/mangle")  # fmt: skip
"""Menus of what fast-tracked packets bypass, so FastTrack may have to leave out some."""
PARTS = ("/queue/", "/ip/firewall/")
"""Menus that people export alone; a whole export has others too, as those of addresses."""
LISTING = (("/ip/dhcp-server/lease", "address-lists"), ("/ip/dhcp-server", "address-lists"),
           ("/ppp/profile", "address-list"), ("/ip/hotspot/user/profile", "address-list"),
           ("/ip/dns/static", "address-list"))  # fmt: skip
"""The properties by which hosts get into an address list while the router runs."""
DECIDES = REFUSES + (FASTTRACK, "notrack")
"""Actions of a rule that decide about FastTrack, for the packets that come to it."""


def entry(text: str) -> tuple[int, int, str]:
    """First and last address of a text, all there are where it cannot be read; and the text."""
    try:
        first, last = span(text)
    except ValueError:
        first, last = 0, 1 << BITS[6]
    return first, last, text


OF_MATCHERS = ("kinds", "sessions", "bridge_of", "lists", "open_lists", "fed_lists",
               "dynamic_lists", "empty_lists", "has_ipsec")  # fmt: skip
"""What a matcher reads of a `Network` beside its firewall."""


class Table:
    """What the rules of one table refer to: the same for all changes of other tables."""

    def __init__(self, menu: Menu) -> None:
        self.chains: dict[str, list[Row]] = {}
        self.filled: set[str] = set()
        self.marks: dict[str, set[str]] = {}
        """The marks that rules give."""
        self.asking: dict[int, list[tuple[str, str, bool]]] = {}
        """As those of `Lists`."""
        rows = menu.on()
        self.decides = any(row.get("action") in DECIDES for row in rows)
        asked = [name for name in MARKS if name in menu.named()]
        given_here = [pair for pair in GIVEN if pair[1] in menu.named()]
        for row in rows:
            self.chains.setdefault(row.get("chain"), []).append(row)
            self.filled.add(row.get("address-list"))
            for name in asked:
                if row.says(name):
                    value = row.get(name)
                    mark, inverted = mark_of(value)
                    asks = (name, mark, inverted)
                    self.asking.setdefault(id(row), []).extend([asks] if value else [])
            for name, given in given_here:
                if row.get(given):
                    self.marks.setdefault(name, set()).add(row.get(given))


class Lists:
    """The things that rules of a firewall refer to: address lists, lists that rules fill, marks."""

    def __init__(self, rows: Rows, top: str, before: Lists | None) -> None:
        """`before`: those of the router before a change, which may have the same addresses."""
        path = top + "/firewall/address-list"
        self._menu = rows.menus.get(path)
        self.addresses: dict[str, list[Row]] = {}
        self.verdicts: dict[Any, str] = {}
        """What a list's rows match of packets from or to some addresses (`matchers._listed`)."""
        self._entries: dict[str, list[tuple[int, int, str]]] = {}
        if before and before._menu is self._menu:
            self.addresses, self.verdicts = before.addresses, before.verdicts
            self._entries = before._entries
        else:
            for row in rows.of(path):
                self.addresses.setdefault(row.get("list"), []).append(row)
        self.filled: set[str] = {
            name for menu, lists in LISTING for row in rows.of(menu)
            for name in row.get(lists).split(",") if name
        }  # fmt: skip
        self.marks: dict[str, set[str]] = {}
        self.asking: dict[int, list[tuple[str, str, bool]]] = {}
        """The marks that rules match, by the row's id: name, value ("": none), and whether `!`."""
        self.asking_tables: set[str] = set()
        """The tables with such rules."""
        self.marks_decide = False
        """True if one of them is in a table that has a rule which decides, so that it may too."""
        self.matchers: dict[Any, dict[str, str]] = {}
        """Of a matcher and what it reads of a packet: a verdict by value (`matchers.Matching`)."""
        self.parts_read: dict[tuple[str, str], list[str]] = {}
        """The parts of a packet that rules read, by table and chain (`matchers.alike`)."""
        self.sorted_chains: dict[str, dict[str, Any]] = {table: {} for table in TABLES}
        """The chains, sorted by matchers (`matchers.Chain`), by table."""
        self.walks: dict[str, dict[Any, Any]] = {table: {} for table in TABLES}
        """The ways of packets through the chains (`firewall.walk`), by table."""
        self.mark_walks: dict[Any, Any] = {}
        """The same through mangle with their marks (`marks.Following`)."""
        self.markings: dict[Any, Any] = {}
        """FastTrack's part in packets (`firewall.marking`) and in connections (`classify`)."""
        self.chains: dict[str, dict[str, list[Row]]] = {}
        for table in TABLES:
            menu = rows.menus.get(top + "/firewall/" + table)
            read: Table | None = menu.once("table", Table) if menu else None
            self.chains[table] = read.chains if read else {}
            if read is None:
                continue
            self.filled |= read.filled
            self.asking.update(read.asking)
            for name in read.marks:
                self.marks[name] = self.marks.get(name, set()) | read.marks[name]
            if read.asking:
                self.asking_tables.add(table)
                self.marks_decide = self.marks_decide or read.decides

    def entries(self, name: str) -> list[tuple[int, int, str]]:
        """The addresses of a list: first, last and text; all there are where it cannot be read."""
        if name not in self._entries:
            texts = [row.get("address") for row in self.addresses.get(name, [])]
            self._entries[name] = [entry(text) for text in texts]
        return self._entries[name]

    def share(self, before: Lists, tables: list[str]) -> None:
        """Take over all that is known of packets, where what matchers refer to is the same.

        `tables`: those whose rules are the same too.
        """
        alike = self.addresses is before.addresses
        if not alike or self.filled != before.filled or self.marks != before.marks:
            return
        self.matchers = before.matchers
        if len(tables) == len(TABLES):
            self.markings = before.markings
        for table in tables:
            self.sorted_chains[table] = before.sorted_chains[table]
            self.walks[table] = before.walks[table]
            if table == "mangle":
                self.mark_walks = before.mark_walks


def lets_clients_in(rows: Rows) -> bool:
    """Return True if one of SERVERS is on."""
    # Since 7.17 each router has one that is disabled, which a compact export does not say.
    if rows.where("/interface/ovpn-server/server", "disabled", "no"):
        return True
    servers = [rows.single("/interface/" + kind + "/server") for kind in SERVERS]
    return any(row is not None and row.get("enabled") in ("yes", "true") for row in servers)


def _used(menu: Menu) -> dict[str, bool]:
    """The interfaces that rows are about, with True where one of these is on."""
    uses: dict[str, bool] = {}
    for row in menu.rows:
        if not row.removed:
            name = row.get("interface")
            uses[name] = row.on or uses.get(name, False)
    return uses


def once(read: Callable[[Network], Answered]) -> Callable[[Network], Answered]:
    """A function of a network, which is asked once: all that need it get the same answer."""

    def answer(net: Network) -> Answered:
        if read not in net.answers:
            net.answers[read] = read(net)
        known: Answered = net.answers[read]
        return known

    return answer


class Network:
    """The model of one router, made of its exports."""

    def __init__(
        self,
        exports: list[Export],
        base: dict[str, Any],
        without: list[tuple[str, int]] | None = None,
        more: list[Command] | None = None,
        version: str = "",
        rows: Rows | None = None,
        before: Network | None = None,
    ) -> None:
        """`rows`: those that the commands make, where they were read already.

        `before`: the router before a change, which may have the same lists.
        """
        self.exports = exports
        self.files = [export.file for export in exports]
        """The files that an answer names lines of; of one alone its name is left out."""
        self.base = base
        self._more = more
        self._names: Names | None = None
        self.rows: Rows = rows or rows_of(exports, without, more)
        self.version = version or version_of(exports)
        self.virtual = virtual(exports)
        """True for a CHR or an x86; None where nothing tells."""
        self.device_unknown = self.virtual is None and bool(header(exports, "version"))
        """True if a router exported it that may be a CHR; lines that were typed are no export."""
        menus = [command.menu for export in exports for command in export.commands]
        self.is_part = bool(header(exports, "version") and menus) and any(
            all(menu.startswith(part) for menu in menus) for part in PARTS
        )
        """True if one menu was exported alone; of all others nothing is known."""
        self.missing = [menu for export in exports for menu, _ in export.missing]
        self.missing += [""] if self.is_part else []
        """The menus that were not exported; "": all that are not there."""
        self.model = model(exports) or coded(exports, self.devices)
        self._rows_of_model: dict[str, dict[str, Any] | None] = {}
        self.numbers = numbers(LAST_OF_6 if self.version == "6" else self.version)
        self._take_defaults(before)
        self.sessions = sessions(self.rows)
        self.kinds = self._kinds()
        every = [row.name for kind in KINDS for row in self.rows.all_of("/interface/" + kind)]
        self.disabled = {name for name in every if name not in self.kinds}
        """The interfaces that are off."""
        self.kinds.update(dict.fromkeys(self.sessions, KIND))
        self.bridge_of, self.port_rows = self._ports()
        self.idle_hotspots: list[Row] = (
            before.idle_hotspots if before else self._hotspots_on_ports()
        )
        self.served = served(self.rows, self.bridge_of)
        """The interfaces that a DHCP server serves; of a bridge's port the bridge."""
        self.lists, self.open_lists = settled(self.rows)
        self.fed_lists = fed(self.rows)
        self.dynamic_lists = including(self.rows, self.fed_lists | {"dynamic"})
        """The lists that an interface may be in which comes and goes while the router runs."""
        self.empty_lists = empty(self.rows, self.lists) - self.open_lists - self.dynamic_lists
        """The interface lists of the export that have no member, and to which nothing adds one."""
        vlans = self.rows.of("/interface/bridge/vlan")
        self._several_vlans = [
            (Vlans().add(row.get("vlan-ids")), row)
            for row in vlans
            if not is_number(row.get("vlan-ids"))
        ]
        self.tagged = self._tagged(vlans)
        """By interface: the VLANs of which it is a tagged member, by a row or by itself."""
        self.used: list[dict[str, Any]] = []
        self.rules: RuleSet = before.rules if before else RuleSet(base["rules"])
        self.has_ipsec = bool(self.policies or self.rows.of("/ip/ipsec/identity"))
        self._keep(before)
        self.wan = self._wan()
        self.lan = self._lan()

    def _keep(self, before: Network | None) -> None:
        """Begin with what is known of the router before a change, or with nothing."""
        self.known_interfaces: tuple[list[str], dict[str, str]] | None = None
        """Those that the exports name, once somebody asked (`interfaces.known_interfaces`)."""
        self.matchers: dict[Any, dict[str, str]] = before.matchers if before else {}
        """The verdicts of matchers that read nothing of a router, as of `Lists`."""
        self._ports_below: dict[str, list[str]] = {}
        self._bridges_below: dict[tuple[str, ...], list[str]] = {}
        self.uppermost: dict[str, str] = {}
        """By port, the bond or bridge of it (`interfaces.above_of`), once somebody asked."""
        self.looked_up: dict[tuple[int, Range], tuple[bool, list[str]]] = {}
        """Of a family and an address: whose it is (`destination.place`)."""
        self.answers: dict[Any, Any] = {}
        """By a function of a network what it returned (`once`)."""
        self.by_chip: dict[str, str] = {}
        """The share of packets that the chip routes, once somebody asked (`trace.Followed`)."""
        self._before = before
        self._lists_of: dict[int, Lists] = {}
        self.followed: dict[Any, Any] = before.followed if before and self._leads_as(before) else {}
        """The ways of packets (`trace.led`)."""

    @property
    def policies(self) -> list[Row]:
        """IPsec's policies, but for templates."""
        return [row for row in self.rows.of("/ip/ipsec/policy") if row.get("template") != "yes"]

    @property
    def passed(self) -> dict[str, str]:
        """The modems that have no address, each with the interface of the host that has it."""
        return passed_on(self.rows)

    @property
    def inside(self) -> list[str]:
        """The interfaces of the LAN that do not lead to the internet too."""
        return [name for name in self.lan if name not in self.wan]

    @property
    def leased(self) -> list[str]:
        """The interfaces beside the LAN's, as those of guests, where it leases addresses."""
        names = [self.above(row.get("interface")) for row in self.rows.of("/ip/address")]
        others = self.lan + self.wan
        return unique([name for name in names if name in self.served and name not in others])

    def connected(self, text: str) -> list[Row]:
        """The router's addresses in whose networks an address, a network or a range is."""
        return connected(self.rows, text)

    def unwritten(self, family: int) -> bool:
        """Return True if RouterOS did not export the rules of a family's firewall."""
        top = TOP[family] + "/firewall/"
        cut = "" in self.missing and not any(menu.startswith(top) for menu in self.rows.menus)
        return cut or top + "filter" in self.missing

    @property
    def bypass_unknown(self) -> bool:
        """True if RouterOS did not export a menu of what fast-tracked packets bypass."""
        return any(menu in BYPASSED for menu in self.missing)

    def names(self) -> Names:
        """The names that rows have, by which it is known what may be shown."""
        if self._names is None:
            self._names = Names(self.exports, self._more)
        return self._names

    def behind(self, commands: list[Command], version: str) -> Network:
        """The model of the same router with more commands behind, at a version."""
        more = (self._more or []) + commands
        rows = self.rows.behind(commands)
        return Network(self.exports, self.base, None, more, version, rows, self)

    def without(self, gone: list[tuple[str, int]]) -> Network:
        """The model of the same router as if some lines, by file and number, were not there."""
        every = [command for export in self.exports for command in export.commands]
        rows = self.rows.without(every + (self._more or []), gone)
        return Network(self.exports, self.base, None, self._more, self.version, rows, self)

    def firewall_of(self, family: int) -> Lists:
        """Return the lists and marks of IPv4's or IPv6's firewall."""
        if family not in self._lists_of:
            before = self._before
            known = before.firewall_of(family) if before else None
            lists = self._lists_of[family] = Lists(self.rows, TOP[family], known)
            if before and known and self._has_interfaces_of(before):
                menus, others = self.rows.menus, before.rows.menus
                path = TOP[family] + "/firewall/"
                same = [one for one in TABLES if menus.get(path + one) is others.get(path + one)]
                lists.share(known, same)
        return self._lists_of[family]

    def _leads_as(self, other: Network) -> bool:
        """True if all that a packet's way depends on is the same, but for the chip."""
        menus, others = self.rows.menus, other.rows.menus
        return (
            self.version == other.version
            and self.has_ipsec == other.has_ipsec
            and all(
                path in LEADING_NOWHERE or menus.get(path) is others.get(path)
                for path in set(menus) | set(others)
            )
        )

    def _has_interfaces_of(self, other: Network) -> bool:
        """True if all that a matcher reads of a router beside its firewall is the same."""
        return all(getattr(self, part) == getattr(other, part) for part in OF_MATCHERS)

    def _of_model(self, table: str) -> dict[str, Any] | None:
        """The model's row in a table of the base, which has hundreds of devices: searched once."""
        if table not in self._rows_of_model:
            self._rows_of_model[table] = row_of(self.model, self.base[table])
        return self._rows_of_model[table]

    @property
    def chip(self) -> dict[str, Any] | None:
        """The switch chip with L3 hardware offload, where the model is known to have one."""
        return self._of_model("chips")

    @property
    def small_chip(self) -> dict[str, Any] | None:
        """The switch chip of a model without L3 hardware offload, where the manual names it."""
        return self._of_model("bridging")

    @property
    def fast_ethernet(self) -> bool:
        """Whether the model has no port above 100 Mbit/s, by its chip or by MikroTik's list."""
        if self.small_chip is None:
            return self._of_model("fast_ethernet") is not None
        return self.small_chip["chip"] in FAST_ETHERNET

    @property
    def chip_ports(self) -> dict[str, Any] | None:
        """The Ethernet ports that the manual counts to the chip, where it counts the model's."""
        return self._of_model("ports")

    @property
    def devices(self) -> list[str]:
        """The names of devices that are known, in capitals."""
        rows = self.base["chips"] + self.base["bridging"] + self.base["ports"]
        return [name for row in rows for name in row["devices"]]

    @property
    def mode(self) -> str:
        """The form of the exports: compact, terse or verbose."""
        return mode(self.exports, self.rows, self.base["defaults"])

    def setting(self, menu: str, name: str) -> tuple[str, Command | None]:
        """A setting, and the line that says it; None: the default, which is noted in `used`."""
        row = self.rows.single(menu)
        if row is not None and row.says(name):
            return row.get(name), row.command(name)
        return self.default(menu, name), None

    def default(self, menu: str, name: str) -> str:
        """Return RouterOS's default; empty where nobody wrote it down."""
        for default in self.base["defaults"]:
            if default["menu"] == menu and default["property"] == name:
                if default not in self.used:
                    self.used.append(default)
                return str(default["value"])
        return ""

    def _kinds(self) -> dict[str, str]:
        kinds: dict[str, str] = {}
        for kind in KINDS:
            for row in self.rows.of("/interface/" + kind):
                if row.name:
                    kinds[row.name] = kind
        return kinds

    def _ports(self) -> tuple[dict[str, str], dict[str, list[Row]]]:
        below: dict[str, str] = {}
        rows: dict[str, list[Row]] = {}
        for row in self.rows.of("/interface/bridge/port"):
            bridge, port = row.get("bridge"), row.get("interface")
            if bridge and port and not is_gone(bridge):
                below[port] = bridge
                rows.setdefault(bridge, []).append(row)
        return below, rows

    def _take_defaults(self, before: Network | None) -> None:
        """Put into rows what RouterOS's version makes of them and a compact export does not say.

        The policy that a router has of itself is the template, and RouterOS 6 adds a DHCP server or
        client (ADDED_OFF) disabled.
        """
        for row in self.rows.all_of("/ip/ipsec/policy"):
            if row.key != ADDED and not row.says("template"):
                row.values["template"] = ("yes", row.first, 0)
        self._unsaid: list[str] = before._unsaid if before else []
        """The interfaces of such servers and clients."""
        for path in ADDED_OFF if self.numbers[:1] == (6,) else ():
            for row in self.rows.all_of(path):
                if row.key == ADDED and not row.says("disabled"):
                    row.menu.change()
                    row.menu.put(row, "disabled", "yes", row.first, 0)
                    self._unsaid = self._unsaid + [row.get("interface")]

    def _hotspots_on_ports(self) -> list[Row]:
        """The hotspots on ports of bridges, which do not run, and so are off from here on.

        Not where the port has the address too: all that belongs on the bridge.
        """
        rows = [row for row in self.rows.of("/ip/hotspot")
                if row.get("interface") in self.bridge_of
                and not self.rows.where("/ip/address", "interface", row.get("interface"))
                ]  # fmt: skip
        for row in rows:
            row.menu.change()
            row.menu.put(row, "disabled", "yes", row.first, 0)
        return rows

    def _tagged(self, vlans: list[Row]) -> dict[str, Vlans]:
        members = tagged([(row.get("tagged"), row.get("vlan-ids")) for row in vlans])
        if in_force(self.base["facts"]["bridge-vlan-member-by-itself"], self.numbers):
            for bridge in self.rows.where("/interface/bridge", "vlan-filtering", "yes"):
                for vlan in self.rows.where("/interface/vlan", "interface", bridge.name):
                    members.setdefault(bridge.name, Vlans()).add(vlan.get("vlan-id"))
        return members

    def members_of(self, name: str) -> list[str]:
        """The members of the interface list of a name in capitals, e.g. of `LAN` those of lan."""
        for key, members in self.lists.items():
            if key.upper() == name:
                return members
        return []

    def _wan(self) -> list[str]:
        passed = self.passed
        names = [name for name in self.members_of("WAN") if name not in passed]
        # A list of the first day may name a port that has long been a bridge's, or carries nothing.
        stale = all(name in self.bridge_of or self.is_idle(name) for name in names)
        leading = wan(self.rows, self.kinds, self.bridge_of, self.lists) if stale else []
        if names and not leading:
            names = self._but_tunnels(names, main_routes(self.rows, self.kinds))
            # The firewall sees a port as its bridge, and a bridge that leases addresses is the LAN.
            names = [name for name in names if self.bridge_of.get(name) not in self.served] or names
        else:
            names = leading
        for kind in CLIENTS:
            if any(off_by_default(row) for row in self.rows.of("/interface/" + kind)):
                self.default("/interface/" + kind, "disabled")
        names = [name for name in names if name and name not in passed]
        live = [name for name in names if not self._is_off(name)]
        # NAT names the way out of a file that somebody wrote, whatever RouterOS 6 makes of it.
        names = unique(live or [name for name in names if name in self._unsaid])
        return [name for name in names if not self._is_empty(name)] or names

    def is_idle(self, name: str) -> bool:
        """True if nothing comes in by an interface: it is off, or nothing is set up on it.

        So of a port without an address or a client, and of a name that no other line has.
        """
        if self._is_off(name):
            return True
        if self.kinds.get(name, ETHERNET) != ETHERNET or name[: len(MODEM)] == MODEM:
            return False
        if name not in self.kinds and self.rows.where("/ip/route", "gateway", name):
            return False
        return not any(self.rows.where(menu, "interface", name) for menu in ON_PORTS)

    def _is_off(self, name: str) -> bool:
        """True if an interface is gone or disabled, or all that is set up on a port is disabled."""
        if is_gone(name) or name in self.disabled:
            return True
        menus = [self.rows.menus[path] for path in ON_PORTS if path in self.rows.menus]
        used = [menu.once("used", _used) for menu in menus]
        own = [uses[name] for uses in used if name in uses]
        return bool(own) and not any(own) and name not in self.bridge_of

    def _lan(self) -> list[str]:
        rows = self.rows.of("/ip/address") + self.rows.of("/ip/dhcp-client")
        rows = [row for row in rows if not self.is_loopback(row)]
        rows = [row for row in rows if row.get("interface") not in self.disabled]
        live = [self.above(row.get("interface")) for row in rows]
        live = [name for name in live if name not in ("", LOOPBACK) + tuple(self.wan)]
        names = self.members_of("LAN")
        if not any(name in live for name in names):
            # A bridge whose networks are all on its VLANs may be the list's only member.
            names = live or names
        return self._but_tunnels(unique(names), [])

    def _but_tunnels(self, names: list[str], keep: list[str]) -> list[str]:
        """Without the tunnels among others: what a tunnel carries is a class of its own."""
        tunnels = [name for name in names if self.kinds.get(name) in TUNNELS and name not in keep]
        return [name for name in names if name not in tunnels] or names

    @property
    def routes_nothing(self) -> bool:
        """True if it is a switch or an access point with one network alone: it routes nothing.

        A device that bridges nothing and has one address is a part of an export rather, but for
        a CAP, whose radios' packets its CAPsMAN forwards.
        """
        is_cap = bool(self.rows.where(CAP, "enabled", "yes")) and not self.has_no_address
        if not self.port_rows and not is_cap and not self.passed:
            return False
        forwards_none = self.rows.where("/ip/settings", "ip-forward", "no")
        if self.port_rows and (forwards_none or self.drops_forwarded):
            return True
        passing = [one for pair in self.passed.items() for one in pair]
        kinds = [kind for name, kind in self.kinds.items() if name not in passing]
        if any(kind in TUNNELS + (KIND, MODEM, "veth") for kind in kinds):
            return False
        if self.has_ipsec or any(self.rows.of(menu) for menu in OTHER_ENDS):
            return False
        if self.lets_clients_in or self._is_gateway:
            return False
        own = [row for row in self.rows.of("/ip/address") if row.get("interface") != LOOPBACK]
        own = [row for row in own if not self.is_loopback(row)]
        clients = self.rows.of("/ip/dhcp-client")
        clients = [row for row in clients if not self._is_empty(row.get("interface"))]
        own, clients = [[row for row in rows if row.get("interface") not in self.disabled]
                        for rows in (own, clients)]  # fmt: skip
        addressed = own + clients
        for menu in ("/ipv6/address", "/ipv6/dhcp-client"):
            addressed = addressed + self.rows.of(menu)
        # A list's member without an address is no end of a route, nor a port with that of its VLAN.
        used = [row.get("interface") for row in addressed]
        wan = [name for name in self.wan if not self._carries(name, used)]
        names = wan + used if addressed else self.lan
        ends = [self.above(name) for name in names]
        networks = len(own) + len(clients)
        disabled = [row for row in self.rows.all_of("/ip/address") if not row.on]
        return len(unique(ends)) <= 1 and (networks > 0 or bool(disabled) or self.has_no_address)

    def _carries(self, name: str, addressed: list[str]) -> bool:
        """True if a port has no address, and one of its VLANs is among the interfaces with one."""
        below = [row.get("interface") for row in self.rows.of(VLAN) if row.name in addressed]
        own = [row.get("interface") for menu in ON_PORTS if menu != VLAN
               for row in self.rows.of(menu)]  # fmt: skip
        return name in below and name not in own

    @property
    def drops_forwarded(self) -> bool:
        """True if IPv4's filter drops all that is forwarded: a rule without matchers comes first.

        Only rules that refuse stand before it.
        """
        for row in self.rows.where(FILTER, "chain", "forward"):
            if row.get("action") not in REFUSES:
                return False
            if all(name in OF_ALL or not row.get(name) for name in row.names):
                return True
        return False

    @property
    def _is_gateway(self) -> bool:
        """True if it leases its own address as the gateway, and has somewhere to route to.

        That is a second such network, or a translation of what leaves by the same interface.
        """
        if not self.served:
            return False
        leased = [row.get("gateway") for row in self.rows.of("/ip/dhcp-server/network")]
        own = [row for row in self.rows.of("/ip/address")
               if row.get("address").partition("/")[0] in leased]  # fmt: skip
        names = unique([row.get("interface") for row in own])
        for rule in self.rows.where("/ip/firewall/nat", "chain", "srcnat"):
            listed = rule.get("out-interface-list")
            outs = self.lists.get(listed, []) if listed else [rule.get("out-interface")]
            if own and any(out in [""] + names for out in outs):
                return True
        return len(own) > 1

    @property
    def lets_clients_in(self) -> bool:
        """Return True if a server for remote clients, such as L2TP's, is on."""
        return lets_clients_in(self.rows)

    @property
    def stands_between(self) -> bool:
        """True if rules look at the frames between ports of a bridge, and it is nobody's gateway.

        Such a box stands in a line of others: it translates into tunnels alone, and what it routes
        is for its management, or for the time when that line is down.
        """
        serves = any(self.rows.of(menu) for menu in SERVING) or self.lets_clients_in
        rules = self.rows.where("/ip/firewall/nat", "chain", "srcnat")
        tunnels = all(self.kinds.get(row.get("out-interface")) in TUNNELS for row in rules)
        ports = any(len(rows) > 1 for rows in self.port_rows.values())
        watches = any(self.rows.of(menu) for menu in OF_FRAMES)
        return watches and ports and bool(rules) and tunnels and not serves

    @property
    def stands_aside(self) -> bool:
        """True if it bridges, translates nothing, and DHCP gives its hosts others as gateways.

        What it routes is little then: its management, and what those gateways send here.  Another
        network with its address may have it as its gateway, but for one to a provider.
        """
        networks = self.rows.of("/ip/dhcp-server/network")
        gates = [gate for row in networks for gate in row.get("gateway").split(",")]
        rows = self.rows.of("/ip/address")
        own = [row.get("address").partition("/")[0] for row in rows]
        if not gates or any(gate in own or not self.connected(gate) for gate in gates):
            return False
        led = [row for gate in gates for row in self.connected(gate)]
        if any(row not in led and self.above(row.get("interface")) not in self.wan for row in rows):
            return False
        serves = any(self.rows.of(menu) for menu in SERVING[1:]) or self.lets_clients_in
        ports = any(len(rows) > 1 for rows in self.port_rows.values())
        return ports and not serves and not self.rows.of("/ip/firewall/nat")

    @property
    def leaves_as_it_came(self) -> bool:
        """True if its own way out is by the only bridge that it has addresses on, as a switch's is.

        Hosts there have the same gateway; a router would lease, translate, filter or announce.
        """
        if any(self.rows.of(menu) for menu in OF_ROUTERS + OTHER_ENDS):
            return False
        if self.rows.where(FILTER, "chain", "forward"):
            return False
        settings = self.rows.of("/interface/ethernet/switch")
        if any(row.get("l3-hw-offloading") == "yes" for row in settings):
            return False
        own = self.rows.of("/ip/address") + self.rows.of("/ip/dhcp-client")
        names = [row.get("interface") for row in own if row.get("interface") != LOOPBACK]
        crossed = [self.bridges_below([name])[:1] for name in unique(names + self.wan)]
        return bool(self.wan) and len(crossed[0]) == 1 and all(one == crossed[0] for one in crossed)

    @property
    def has_no_address(self) -> bool:
        """True if the export has no address, and nothing that is of use with one alone."""
        return not any(self.rows.all_of(menu) for menu in WITH_ADDRESSES)

    def is_loopback(self, address: Row) -> bool:
        """True if one host's address is on a bridge without ports: nothing comes in by it."""
        name, length = address.get("interface"), address.get("address").partition("/")[2]
        alone = self.kinds.get(name) == "bridge" and name not in self.port_rows
        return alone and length in ("", "32")

    def _is_empty(self, name: str) -> bool:
        """True if nothing comes in by a bridge: it has no ports, and no manager puts radios in."""
        if self.kinds.get(name) != "bridge" or name in self.port_rows:
            return False
        radios = [row for menu in OF_RADIOS for property_name in ("bridge", "datapath.bridge")
                  for row in self.rows.where(menu, property_name, name)]  # fmt: skip
        return not radios and not self.rows.where(VLAN, "interface", name)

    def above(self, name: str) -> str:
        """The bridge of a port, by which its packets come in for the IP firewall; else itself."""
        return self.bridge_of.get(name, name)

    def _over(self, name: str) -> list[str]:
        """The interfaces of the servers that a session's frames come in by; else itself."""
        if dynamic(name) and name not in self.sessions:  # a user's, as a packet is asked about
            return unique([interface for below in self.sessions.values() for interface in below])
        return self.sessions.get(name, [name])

    def bridges_below(self, names: list[str]) -> list[str]:
        """The bridges that packets cross which come in or leave by these interfaces."""
        key = tuple(names)
        if key not in self._bridges_below:
            self._bridges_below[key] = self._crossed(names)
        return self._bridges_below[key][:]

    def _crossed(self, names: list[str]) -> list[str]:
        bridges: list[str] = []
        for begin in [interface for name in names for interface in self._over(name)]:
            below = begin
            for _ in range(4):
                if self.kinds.get(below) == "bridge":
                    bridges.append(below)
                    break
                if below in self.bridge_of:
                    bridges.append(self.bridge_of[below])
                    break
                rows = self.rows.where("/interface/vlan", "name", below)
                if not rows:
                    break
                below = rows[0].get("interface")
        return unique(bridges)

    def ports_below(self, name: str) -> list[str]:
        """Return an interface's carriers in the end: ports, bonds, tunnels; a bridge's ports."""
        if name not in self._ports_below:
            self._ports_below[name] = self._carriers(name)
        return self._ports_below[name]

    def _carriers(self, name: str) -> list[str]:
        ports: list[str] = []
        known: set[str] = set()
        todo = [(interface, "") for interface in self._over(name)]
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
                ports.append(at)
        return unique(ports)

    def _members(self, bridge: str, vlan: str) -> list[str]:
        """The ports of a bridge, of them those in a VLAN where it tells VLANs apart."""
        rows = self.port_rows.get(bridge, [])
        names = [m for r in rows for m in self.lists.get(r.get("interface"), [r.get("interface")])]
        filters = self.rows.where("/interface/bridge", "vlan-filtering", "yes")
        if not any(row.name == bridge for row in filters):
            return names
        vlan = vlan or next(r.get("pvid", "1") for r in filters if r.name == bridge)
        inside = {r.get("interface") for r in rows if r.get("pvid", "1") == vlan}
        for row in self.of_vlan(bridge, vlan):
            inside |= set((row.get("tagged") + "," + row.get("untagged")).split(","))
        return [name for name in names if name in inside] or names

    def of_vlan(self, bridge: str, vlan: str) -> list[Row]:
        """The rows of a bridge's table that a VLAN is in, first those that are for it alone."""
        rows = self.rows.where("/interface/bridge/vlan", "vlan-ids", vlan)
        rows += [row for vlans, row in self._several_vlans if vlans.has(vlan)]
        return [row for row in rows if row.get("bridge") == bridge]


def spelled(net: Network, text: str) -> str:
    """A command as this router takes it: RouterOS 6 knows no slash but the first.

    RouterOS 7 takes both, so of an unknown version it is the older spelling.
    """
    if net.numbers and net.numbers[0] > 6:
        return text
    path, space, rest = text.partition(" ")
    return "/" + path[1:].replace("/", " ") + space + rest
