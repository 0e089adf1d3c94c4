"""A packet's path through RouterOS, by the decisions of MikroTik's manual, and its reasons.

A `Case` holds what is configured; `way_of` gives the way with its reasons.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, NamedTuple

from rosexplain import radios
from rosexplain.firewall import Marking
from rosexplain.language import N_, gettext
from rosexplain.matchers import NO, YES
from rosexplain.matching import in_force
from rosexplain.network import TOP, Network
from rosexplain.ordered import unique
from rosexplain.packet import Packet
from rosexplain.parse import Command
from rosexplain.rows import Row
from rosexplain.traffic import BRIDGED, ESTABLISHED, NEW, OTHER, Traffic, is_chr

FAST, HALF, SLOW = "fast-path", "half", "slow"
FASTTRACK, CHIP, CHIP_FASTTRACK = "fasttrack", "chip", "chip-fasttrack"
IN_CHIP = (CHIP, CHIP_FASTTRACK)
"""The paths in a switch chip."""
BRIDGE_FAST, FORWARD = "bridge-fast-path", "fast-forward"

NAMES = {
    FAST: N_("fast path"),
    HALF: N_("half-fastpath: in on the fast path, out on the slow path"),
    SLOW: N_("slow path"),
    FASTTRACK: "FastTrack",
    CHIP: N_("switch chip"),
    CHIP_FASTTRACK: N_("switch chip with FastTrack"),
    BRIDGE_FAST: N_("bridge fast path"),
    FORWARD: "Fast Forward",
}
"""The ways in words, in English: whoever shows one translates it."""


class Because(NamedTuple):
    """A fact (rules/facts/), and the words of the configuration it decides by, or empty."""

    fact: str
    words: str


ANSWERED = ("established",)
TCP_OR_UDP = ("established", "first")


class Case:
    """The inputs of the page, and the features that are turned on."""

    def __init__(self, inputs: dict[str, Any], features: list[dict[str, Any]]) -> None:
        self.way: str = inputs["way"]
        self.packet: str = inputs["packet"]
        self.allow = bool(inputs["allow"])
        self.driver: str = inputs["driver"]
        self.queue: str = inputs["queue"]
        self.routed = self.way == "routed"
        names = inputs["features"] if self.routed else inputs["on_bridge"]
        self.on = [f for f in features if f["name"] in names and self.way in f["ways"]]
        self.fasttrack = bool(inputs["fasttrack"]) and self.routed
        self.chip: str = inputs["chip"] if self.routed else inputs["bridge_chip"]
        self.fits = bool(inputs["fits"])
        self.two_ports = bool(inputs["two_ports"]) and not self.routed
        self.tracking: str = inputs["tracking"]
        self.accepted = bool(inputs["accepted"])
        self.priority_tagged = inputs["frame"] == "priority-tagged" and not self.routed

    def has(self, name: str) -> bool:
        """Return True if a feature is configured; a FastTrack rule is a firewall rule."""
        return bool([f for f in self.on if f["name"] == name])

    @property
    def rules(self) -> bool:
        """Return True if the firewall has any rule."""
        return self.fasttrack or self.has("rules") or self.has("nat")

    @property
    def tracked(self) -> bool:
        """Return True if connections are tracked."""
        if not self.routed:
            return self.has("use-ip-firewall") and self.tracking == "yes"
        return self.tracking == "yes" or (self.tracking == "auto" and self.rules)

    def closing(self, what: str) -> list[Because]:
        """The rules by which features close `what`, each with the feature's words."""
        return [Because(f["closes"][what], f["label"]) for f in self.on if what in f["closes"]]


def way_of(case: Case) -> tuple[str, list[Because]]:
    """The way, and its reasons in the order in which they decide."""
    before: list[Because] = []
    if case.chip != "none":
        way, before = _of_chip(case)
        if way is not None:
            return way, before
    way, reasons = _of_cpu(case) if case.routed else _of_bridge(case)
    return way, before + reasons


def _of_chip(case: Case) -> tuple[str | None, list[Because]]:
    """Return the switch chip's way; None: it hands the packet to the CPU."""
    if case.chip == "bridges":
        return CHIP, [Because("bridge-hardware", ""), Because("bridge-order", "")]
    if case.chip == "routes":
        return _routed_by_chip(case)
    marked, why_not = _marked(case)
    if not marked:
        return None, [Because("l3hw-fasttrack-only", "")] + why_not
    closed = case.closing("chip-fasttrack")
    if closed:
        return None, closed
    return CHIP_FASTTRACK, [
        Because("l3hw-fasttrack-only", gettext("its connection is fast-tracked"))
    ]


def _routed_by_chip(case: Case) -> tuple[str | None, list[Because]]:
    if case.packet == "last-hop":
        return None, [Because("l3hw-icmp", gettext("the packet arrives with TTL 1"))]
    if not case.fits:
        return None, [Because("l3hw-shorter-leave", gettext("its route is not in the chip"))]
    return CHIP, [Because("l3hw-both-ports", "")]


def _marked(case: Case) -> tuple[bool, list[Because]]:
    """Return True for a packet of a fast-tracked connection, else False and the reasons."""
    if not case.fasttrack:
        return False, []
    if case.packet not in TCP_OR_UDP:
        kinds = {
            "fragment": gettext("a fragment"),
            "last-hop": gettext("the router answers it with ICMP"),
        }
        kind = kinds.get(case.packet, gettext("neither TCP nor UDP"))
        return False, [Because("fasttrack-tcp-udp", kind)]
    if case.packet not in ANSWERED:
        return False, [
            Because("fasttrack-established", gettext("the first packet of its connection"))
        ]
    if not case.tracked:
        return False, [Because("fasttrack-established", gettext("connections are not tracked"))]
    if case.accepted:
        why = gettext("an accept rule matches the packet first")
        return False, [Because("fasttrack-accept-in-front", why)]
    return True, []


def _barred(case: Case, menu: str) -> list[Because]:
    """Return the reasons by which no packet at all may take the fast path."""
    if case.driver == "none":
        return [Because("fast-path-driver", gettext("its input port has no fast path"))]
    fact = "fast-path-allowed" if case.routed else "bridge-fast-path-setting"
    why = gettext("allow-fast-path=no in {menu}").format(menu=menu)
    return [] if case.allow else [Because(fact, why)]


def _of_cpu(case: Case) -> tuple[str, list[Because]]:
    """A routed packet that the CPU has."""
    barred = _barred(case, "/ip/settings")
    if not barred and case.packet == "fragment":
        barred = [Because("fast-path-fragments", gettext("the packet is a fragment"))]
    if barred:
        return SLOW, barred
    marked, reasons = _marked(case)
    if marked:
        closed = case.closing("fasttrack")
        if not closed:
            return _out(
                case,
                FASTTRACK,
                [Because("fasttrack-around", ""), Because("fasttrack-main-table", "")],
            )
        reasons = closed
    closed = case.closing("ip")
    if case.fasttrack:
        closed = [
            Because("fast-path-firewall", gettext("the FastTrack rule is a firewall rule"))
        ] + closed
    if case.tracked:
        always = case.tracking == "yes"
        because = "enabled=yes" if always else gettext("enabled=auto, with firewall rules")
        closed.append(Because("fast-path-tracking", because))
    if closed:
        return SLOW, reasons + closed
    if case.packet == "last-hop":
        return SLOW, [Because("fast-path-icmp", gettext("the packet arrives with TTL 1"))]
    return _out(case, FAST, [Because("fast-path-open", "")])


def _of_bridge(case: Case) -> tuple[str, list[Because]]:
    """A bridged frame that the CPU has."""
    closed = _barred(case, "/interface/bridge/settings") or case.closing("bridge")
    if not closed and case.priority_tagged and case.has("vlan-filtering"):
        why = gettext("vlan-filtering=yes, and the tag is VLAN 0")
        closed = [Because("bridge-fast-path-priority-tag", why)]
    if closed:
        return SLOW, closed
    if not case.two_ports:
        return _out(case, BRIDGE_FAST, [Because("fast-path-open", "")])
    missing = case.closing("forward")
    if case.driver != "both":
        why = gettext("at least one port does not support the fast path in both directions")
        missing.append(Because("fast-forward-fast-path", why))
    if missing:
        return _out(case, BRIDGE_FAST, missing)
    return _out(case, FORWARD, [Because("fast-forward-two-ports", ""), Because("bridge-order", "")])


def _out(case: Case, way: str, reasons: list[Because]) -> tuple[str, list[Because]]:
    """Return the way by the port that the packet leaves by: half of it where that has none."""
    half = HALF if way == FAST else way
    if case.driver == "bond":
        return half, reasons + [Because("fast-path-bond", gettext("it leaves through a bond"))]
    if case.driver == "in":
        why = gettext("its output port has no fast path")
        return half, reasons + [Because("fast-path-half", why)]
    if case.queue == "other":
        why = gettext("the port has its own queue")
        return way, reasons + [Because("fast-path-hardware-queue", why)]
    return way, reasons


WORKS, IDLE, AROUND = "works", "idle", "around"


class Stop(NamedTuple):
    """A station on a packet's path: whether it works, is idle or is bypassed, and what it does."""

    station: dict[str, Any]
    state: str
    does: str


def stations_of(case: Case, way: str, stations: list[dict[str, Any]]) -> list[Stop]:
    """The stations that a packet passes, or that its path bypasses (rules/stations.yml)."""
    in_chip = case.chip != "none" or way in IN_CHIP
    passed = []
    for station in stations:
        if case.way not in station["ways"] or (station["name"] == "chip" and not in_chip):
            continue
        if station["optional"] and not _features_at(case, station):
            continue
        state, does = _at(case, way, station)
        passed.append(Stop(station, state, does))
    return passed


def _features_at(case: Case, station: dict[str, Any]) -> list[dict[str, Any]]:
    """The features of a case that give a station work."""
    return [f for f in case.on if f["name"].rpartition(":")[2] in station["rules"]]


def _at(case: Case, way: str, station: dict[str, Any]) -> tuple[str, str]:
    name = station["name"]
    if way in IN_CHIP:
        return _in_chip(case, name)
    own_queue = name == "port-queue" and case.queue == "other"
    if own_queue or (way == HALF and name in ("port-queue", "out")):
        return WORKS, station["works"]
    if way == SLOW:
        if _has_work(case, station):
            return WORKS, station["works"]
        return IDLE, station.get("idle", gettext("has nothing to do"))
    known = "fasttrack" if way == FASTTRACK else "fast"
    if known in station:
        return WORKS, station[known]
    missed = [f.get("title", f["label"]) for f in _features_at(case, station)]
    around = gettext("bypassed")
    return AROUND, around + (": " + ", ".join(missed) if missed else "")


def _in_chip(case: Case, name: str) -> tuple[str, str]:
    if name == "in":
        return WORKS, gettext("the chip receives it")
    if name == "out":
        return WORKS, gettext("the chip sends it")
    if name == "chip":
        if not case.routed:
            return WORKS, gettext("bridges it")
        return WORKS, gettext("routes it from its own table")
    return AROUND, gettext("bypassed: the CPU does not see the packet")


def _has_work(case: Case, station: dict[str, Any]) -> bool:
    if station["name"] in ("in", "chip", "out"):
        return True
    if station["name"] == "tracking":
        return case.tracked
    if station["name"] == "filter" and case.fasttrack:
        return True
    return bool(_features_at(case, station))


def plain_stops(passed: list[Stop], decides: str) -> list[dict[str, Any]]:
    """The stations as data; `decides`: the name of the one that decides."""
    return [
        {
            "station": stop.station["name"],
            "title": stop.station["title"],
            "short": stop.station["short"],
            "state": stop.state,
            "does": stop.does,
            "decides": stop.station["name"] == decides,
        }
        for stop in passed
    ]


def deciding_stop(ways: list[str], rule: str, fact: str, passed: list[Stop]) -> str:
    """Return the station where a rule, or else a fact, decides between the ways of a class.

    Where the only way bypasses the rule's own station, it is decided before: at a connection that
    is marked, in the chip, or by the driver.
    """
    reached = [s.station for s in passed if s.state != AROUND or len(ways) > 1]
    for station in reached:
        if rule.rpartition(":")[2] in station["rules"]:
            return str(station["name"])
    for station in reached:
        if fact in station["facts"]:
            return str(station["name"])
    if ways[0] in IN_CHIP:
        return "chip"
    if ways[0] == FASTTRACK:
        return "tracking"
    return "bridge" if ways[0] in (BRIDGE_FAST, FORWARD) else "in"


RULE_OF = {
    "fast-path-allowed": ("allow", "allow-ipv6"),
    "bridge-fast-path-setting": ("bridge-allow", "bridge-allow"),
    "fast-path-tracking": ("tracking", "tracking"),
    "fast-path-firewall": ("fasttrack", "fasttrack-ipv6"),
    "fasttrack-accept-in-front": ("accept-in-front", "accept-in-front"),
    "fasttrack-around": ("fasttrack", "fasttrack-ipv6"),
    "fasttrack-main-table": ("fasttrack", "fasttrack-ipv6"),
    "fasttrack-established": ("fasttrack", "fasttrack-ipv6"),
    "fasttrack-tcp-udp": ("fasttrack", "fasttrack-ipv6"),
    "fast-path-bond": ("bond-out", "bond-out"),
    "fast-path-hardware-queue": ("port-queue", "port-queue"),
    "fast-path-driver": ("chr-before-7", "chr-before-7"),
    "fast-forward-no-vlan-filtering": ("vlan-filtering", "vlan-filtering"),
}
"""The rule behind a reason of packet_way that no feature closes, for IPv4 and IPv6."""
OF_DEVICE = {"fast-path-driver": "chr-fast-path"}
"""What the manual says of ports in general, and of the only device that an export shows to differ.
"""


@dataclass
class Reason:
    """The fact that decides, the rule that met it, the lines, and their part in words."""

    fact: str
    rule: str
    lines: list[Command]
    why: str


def instead_of(
    net: Network,
    met: dict[str, list[Command]],
    fact: str,
    lines: list[Command],
    markings: list[Marking],
) -> Reason | None:
    """Return a reason by which nothing meets a FastTrack rule, or nothing tracked does."""
    if fact not in ("fasttrack-accept-in-front", "fasttrack-established"):
        return None
    untracked = [m.untracked for m in markings if m.untracked]
    reached = any(m.answer != NO for m in markings)
    if untracked and (reached or [step for step in untracked if step.verdict == YES]):
        rows = unique([step.row.first for step in untracked], id)
        sure = [step for step in untracked if step.verdict == YES]
        some = gettext("the packets that it matches are not tracked")
        why = gettext("not tracked") if sure else some
        return Reason("fasttrack-established", "not-tracked", rows, why)
    if fact == "fasttrack-accept-in-front":
        unlike = [step for m in markings for step in m.unlike]
        if unlike and not [m for m in markings if m.front or m.perhaps]:
            words = unique([word for step in unlike for word in step.why])
            rows = [step.row.first for step in unlike] + _marking(markings, words)
            why = gettext("the rule matches only {words}").format(words=", ".join(words))
            return Reason("fasttrack-established", "", unique(rows, id), why)
        if lines or "never-reached" not in met:
            return None
        why = gettext("no packet matches it")
        return Reason("fasttrack-established", "never-reached", met["never-reached"], why)
    tracking, _ = net.setting("/ip/firewall/connection/tracking", "enabled")
    if "tracking-off" not in met or tracking != "no":
        return None
    why = gettext("not tracked")
    return Reason("fasttrack-established", "tracking-off", met["tracking-off"], why)


def lines_of(
    net: Network, met: dict[str, list[Command]], rule: str, markings: list[Marking]
) -> list[Command]:
    """The lines that meet a rule, or that do what a reason of packet_way says."""
    if rule == "accept-in-front":
        commands = [step.row.first for m in markings for step in m.front + m.perhaps]
        return unique(commands, id) or met.get(rule, [])
    if rule in ("fasttrack", "fasttrack-ipv6"):
        # Of several rules the one that these packets are sure to meet comes first.
        by = [m.by.first for m in markings if m.by is not None and m.answer == YES]
        return unique(by + met.get(rule, []), id)
    if rule == "tracking":
        _, line = net.setting("/ip/firewall/connection/tracking", "enabled")
        if line is not None:
            return [line]
        rules = [met.get(name, []) for name in ("fasttrack", "rules", "nat", "rules-ipv6")]
        return [lines[0] for lines in rules if lines][:1]
    return met.get(rule, [])


def _marking(markings: list[Marking], words: list[str]) -> list[Command]:
    """The rules that gave packets the marks for which others do not match them."""
    names = [word.partition("=")[0] for word in words]
    return [
        row.first
        for marking in markings
        for mark, rows in marking.marked_by.items()
        for row in rows
        if mark.partition("=")[0] in names
    ]


DEPENDS, UNKNOWN = "depends", "unknown"
"""The four answers to: are these packets forwarded fast?"""

FAST_WAYS = (FAST, FASTTRACK, BRIDGE_FAST, FORWARD,
        CHIP, CHIP_FASTTRACK)  # fmt: skip
"""The ways that are fast."""

DROPPED = "dropped"

OUT = "out:"
"""Before a rule's name: it is met at the bridge by which a packet leaves."""

BY_SWITCH = ("l3hw-both-ports", "l3hw-fasttrack-only")
"""Facts that hold because the switch is told to route."""


@dataclass
class Verdict:
    """The answer of a class: `ways` are those that are possible, the worst last."""

    traffic: Traffic
    answer: str
    ways: list[str]
    reasons: list[Reason] = field(default_factory=list)
    case: Case | None = None
    """The case of packet_way that its first way was decided by, where there is one."""
    asks: list[str] = field(default_factory=list)

    def doubt(self, reason: Reason, asks: list[str]) -> None:
        """Make the answer unknown for a reason, which these commands settle."""
        self.answer = UNKNOWN
        self.reasons.append(reason)
        self.asks = unique(self.asks + asks)


class Situation:
    """The rules that are met, for the cases of packet_way.

    `established`: what the firewall makes of established connections, in both directions.
    """

    def __init__(
        self,
        net: Network,
        met: dict[str, list[Command]],
        rules: dict[str, Any],
        established: list[Marking],
    ) -> None:
        self.net = net
        self.met = met
        self.rules = rules
        self.on_bridges = [name for name, rule in rules.items() if "crossed" in rule]
        self.only_in = [name for name in self.on_bridges if rules[name]["crossed"] == "in"]
        self.established = established
        self.over_pppoe: Verdict | None = None
        self.bridge_ports: dict[str, list[Any]] = {}
        """The ports of each bridge as the chip sees them (`offload`), once somebody asked."""
        self.main: Traffic | None = None
        """The class of what is established, which a PPPoE client carries."""

    def features(self, traffic: Traffic) -> list[dict[str, Any]]:
        """The rules that are met as the features that packet_way knows."""
        crossed = [name for names in self.crossings(traffic) for name in names]
        rows = []
        for name in sorted(self.met):
            rule = self.rules[name]
            if not rule["closes"] or rule["family"] not in (None, traffic.family):
                continue
            if traffic.kind == BRIDGED and not self._at(name, traffic.interface):
                continue
            names = ["rules" if name == "rules-ipv6" else name]
            if name in self.on_bridges and traffic.kind != BRIDGED:
                names = [label for label in (name, OUT + name) if label in crossed]
            for called in names:
                closes = {key: value for key, value in rule["closes"].items() if value}
                if called.startswith(OUT) and "ip" in closes:
                    del closes["ip"]  # it has come in on the fast path
                ways = ["routed", "bridged"]
                rows.append({"name": called, "ways": ways, "label": name, "closes": closes,
                             "title": rule["label"]})  # fmt: skip
        return rows

    def case(self, verdict: Verdict) -> Case:
        """The case that decided a class, or what is configured for it where nothing was decided."""
        if verdict.case is not None:
            return verdict.case
        features = self.features(verdict.traffic)
        return Case(self.inputs(verdict.traffic, features), features)

    def crossings(self, traffic: Traffic) -> list[list[str]]:
        """The features of bridges for each way from one interface to another, each once."""
        packet = self._packet(traffic)
        ins, outs = (packet.ins, packet.outs) if packet else (None, None)
        several = ins is not None and ins == outs and len(ins) > 1
        entries = self._by_closed(ins)
        ends = entries if several else self._by_closed(outs)
        crossings: list[list[str]] = []
        for closed, begin in entries:
            for also, end in ends:
                if several and begin == end and len(begin) == 1:
                    continue  # nothing is routed from a network into itself
                left = [OUT + one for one in also if one not in closed + self.only_in]
                if closed + left not in crossings:
                    crossings.append(closed + left)
        return crossings

    def _by_closed(self, names: list[str] | None) -> list[tuple[list[str], list[str]]]:
        """The interfaces at which the same rules are met, with those."""
        groups: list[tuple[list[str], list[str]]] = []
        places: dict[str, int] = {}
        for name in names or [""]:
            closed = self._closed_at([name])
            place = places.setdefault(",".join(closed), len(groups))
            if place == len(groups):
                groups.append((closed, []))
            groups[place][1].append(name)
        return groups

    def _packet(self, traffic: Traffic) -> Packet | None:
        over_pppoe = traffic.of_kind == "pppoe-client"
        return self.main.packet if over_pppoe and self.main else traffic.packet

    def _closed_at(self, interfaces: list[str]) -> list[str]:
        """The rules that are met at the bridges below interfaces."""
        bridges = self.net.bridges_below(interfaces)
        return [name for name in self.on_bridges if name in self.met and self._over(name, bridges)]

    def _over(self, name: str, bridges: list[str]) -> bool:
        if self.rules[name]["menus"] != ["/interface/bridge"]:
            return bool(bridges)
        return any(self._at(name, bridge) for bridge in bridges)

    def _bridge_rows(self, name: str, bridge: str) -> list[Row] | None:
        """The rows of a bridge or its ports, for a rule about such; None: it is about no bridge."""
        menus = self.rules[name]["menus"]
        if menus == ["/interface/bridge"]:
            return [row for row in self.net.rows.of(menus[0]) if row.name == bridge]
        if menus == ["/interface/bridge/port"]:
            return self.net.port_rows.get(bridge, [])
        return None

    def _at(self, name: str, bridge: str) -> bool:
        """Return True if a rule about a bridge or its port is about this one."""
        rows = self._bridge_rows(name, bridge)
        if rows is None:
            return True
        return bool(self._of_rows(name, rows))

    def _of_rows(self, name: str, rows: list[Row]) -> list[Command]:
        words = list(self.rules[name]["where"])
        commands = [row.command(word) for row in rows for word in words]
        return [line for line in self.met[name] if line in commands]

    def lines(self, name: str, traffic: Traffic) -> list[Command]:
        """The lines that meet a rule, of them those about the bridges that are asked about."""
        bridges = [traffic.interface] if traffic.kind == BRIDGED else []
        packet = self._packet(traffic)
        if packet is not None and name in self.on_bridges:
            bridges = self.net.bridges_below((packet.ins or []) + (packet.outs or []))
        rows = [self._bridge_rows(name, bridge) for bridge in bridges]
        known = [row for group in rows if group is not None for row in group]
        return self._of_rows(name, known) if known and None not in rows else self.met[name]

    def inputs(self, traffic: Traffic, features: list[dict[str, Any]]) -> dict[str, Any]:
        """Return the inputs of packet_way, before FastTrack is known."""
        family = traffic.family
        bridged = traffic.kind == BRIDGED
        menu = "/interface/bridge/settings" if bridged else TOP[family] + "/settings"
        allow, _ = self.net.setting(menu, "allow-fast-path")
        tracking, _ = self.net.setting("/ip/firewall/connection/tracking", "enabled")
        names = [feature["name"] for feature in features]
        packet = "other" if traffic.kind == OTHER else "established"
        return {
            "way": "bridged" if bridged else "routed",
            "packet": "first" if traffic.kind == NEW else packet,
            "allow": allow != "no",
            "driver": self.drivers(traffic)[0],
            "queue": "hardware",
            "features": names,
            "on_bridge": names,
            "fasttrack": False,
            "accepted": False,
            "chip": "none",
            "bridge_chip": "none",
            "fits": True,
            "two_ports": self._two_ports(traffic),
            "tracking": tracking or "auto",
            "frame": "plain",
        }

    def drivers(self, traffic: Traffic) -> list[str]:
        """Return the drivers of the ports that a packet leaves by, as packet_way has them."""
        if is_chr(self.net) and self.net.numbers and self.net.numbers[0] < 7:
            return ["none"]
        outs = traffic.packet.outs if traffic.packet else None
        bonds = [self.net.kinds.get(port) == "bonding" for port in self._ports(outs)]
        drivers = ["both"] if False in bonds or not bonds else []
        return drivers + (["bond"] if True in bonds else [])

    def crossed(self, traffic: Traffic, inputs: dict[str, Any]) -> list[dict[str, Any]]:
        """The inputs for each way over bridges: by features, and by what the way out can do."""
        ways = self.crossings(traffic)
        every = [name for names in ways for name in names]
        rest = [name for name in inputs["features"] if name not in every]
        cases = []
        for names in [names for rank in (0, 1, 2) for names in ways if _rank(names) == rank]:
            one = with_(inputs, "features", rest + names)
            closed = [name.startswith(OUT) for name in names if name not in self.only_in]
            if closed and all(closed) and inputs["driver"] == "both":
                one["driver"] = "in"
            cases.append(one)
        return cases

    def bonds_back(self, traffic: Traffic) -> list[Reason]:
        """Return the bond by which the packets back may end on the slow path."""
        ins = traffic.packet.ins if traffic.packet and traffic.kind == ESTABLISHED else None
        bonds = [port for port in self._ports(ins) if self.net.kinds.get(port) == "bonding"]
        lines = [r.first for r in self.net.rows.of("/interface/bonding") if r.name in bonds]
        why = gettext("reply packets leave through {ports}").format(ports=", ".join(bonds))
        return [Reason("fast-path-bond", "bond-out", lines, why)] if bonds else []

    def _ports(self, names: list[str] | None) -> list[str]:
        return unique([port for name in names or [] for port in self.net.ports_below(name)])

    def _two_ports(self, traffic: Traffic) -> bool:
        known = in_force(self.net.base["facts"]["fast-forward-two-ports"], self.net.numbers)
        ports = self.net.port_rows.get(traffic.interface, [])
        return known and len(ports) == 2 and not radios.join(self.net, traffic.interface)


def way(
    situation: Situation, traffic: Traffic, inputs: dict[str, Any], markings: list[Marking]
) -> tuple[str, list[Reason], Case]:
    """The way for these inputs, and its reasons with the lines."""
    features = situation.features(traffic)
    case = Case(inputs, features)
    path, reasons = way_of(case)
    index = 0 if traffic.family == 4 else 1
    explained = []
    for fact, because in reasons:
        if because in situation.met:
            explained.append(Reason(fact, because, situation.lines(because, traffic), ""))
            continue
        left = [f["label"] for f in case.on if f["name"].startswith(OUT)]
        if fact == "fast-path-half" and left:
            why = gettext("it leaves through a bridge whose fast path is closed")
            explained.append(Reason(fact, left[0], situation.lines(left[0], traffic), why))
            continue
        rule = RULE_OF.get(fact, ("", ""))[index]
        lines = lines_of(situation.net, situation.met, rule, markings)
        instead = instead_of(situation.net, situation.met, fact, lines, markings)
        if instead is not None:
            explained.append(instead)
            continue
        if fact in BY_SWITCH:
            rows = situation.net.rows.of("/interface/ethernet/switch")
            lines = [r.command("l3-hw-offloading") for r in rows if r.says("l3-hw-offloading")]
        if fact in OF_DEVICE:
            explained.append(Reason(OF_DEVICE[fact], rule, lines, ""))
            continue
        explained.append(Reason(fact, rule if rule in situation.rules else "", lines, because))
    return path, explained, case


def _rank(crossing: list[str]) -> int:
    """0 over no closed bridge, 1 where only the way out is by one, 2 where the way in is."""
    entered = [name for name in crossing if not name.startswith(OUT)]
    return 2 if entered else 1 if crossing else 0


def answer_of(ways: list[str]) -> str:
    """The answer for the ways that are possible."""
    fast = [one in FAST_WAYS for one in ways]
    if all(fast):
        return YES
    return DEPENDS if any(fast) else NO


def slow(traffic: Traffic, fact: str, rule: str, lines: list[Command], why: str = "") -> Verdict:
    """A class that is slow for one reason."""
    return Verdict(traffic, NO, [SLOW], [Reason(fact, rule, lines, why)])


def with_(inputs: dict[str, Any], name: str, value: Any) -> dict[str, Any]:
    """The inputs with another value; MicroPython knows no `{**inputs}`."""
    other = dict(inputs)
    other[name] = value
    return other
