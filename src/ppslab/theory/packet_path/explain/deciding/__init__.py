"""The way of one class of traffic, by the model of the packet path, with reasons and lines."""

from __future__ import annotations

from typing import Any

from ppslab.theory.packet_path import packet_way
from ppslab.theory.packet_path.explain.deciding.reasons import (
    RULE_OF,
    Reason,
    instead_of,
    lines_of,
)
from ppslab.theory.packet_path.explain.firewall import Marking
from ppslab.theory.packet_path.explain.network import Network
from ppslab.theory.packet_path.explain.network.interface_lists import unique
from ppslab.theory.packet_path.explain.packets import Packet
from ppslab.theory.packet_path.explain.traffic import BRIDGED, ESTABLISHED, NEW, OTHER, Traffic
from ppslab.theory.packet_path.exports.reading import Command
from ppslab.theory.packet_path.exports.row import Row

__all__ = ["FAST", "Decided", "Reason", "Situation", "answer_of", "way", "with_"]

YES, NO, DEPENDS, UNKNOWN = "yes", "no", "depends", "unknown"
"""The four answers to: are these packets forwarded fast?"""

FAST = (packet_way.FAST, packet_way.FASTTRACK, packet_way.BRIDGE_FAST, packet_way.FORWARD,
        packet_way.CHIP, packet_way.CHIP_FASTTRACK)  # fmt: skip
"""The ways that are fast."""

DROPPED = "dropped"

CROSSED = ("lan-rules", "lan-ip-firewall", "lan-allow", "lan-snooping", "lan-vlan-filtering",
           "bridge-port-before-6-29")  # fmt: skip
"""Rules that hold where a packet crosses a bridge, those about one bridge only at that one."""

ONLY_IN = ("bridge-port-before-6-29",)
"""Of these, the rule that says nothing of a bridge by which a packet leaves."""

OUT = "out:"
"""Before a rule's name: it is met at the bridge by which a packet leaves."""

BY_SWITCH = ("l3hw-both-ports", "l3hw-fasttrack-only")
"""Facts that hold because the switch is told to route."""


class Decided:
    """The answer of a class: `ways` are those that are possible, the worst last."""

    def __init__(self, traffic: Traffic, answer: str, ways: list[str]) -> None:
        self.traffic = traffic
        self.answer = answer
        self.ways = ways
        self.reasons: list[Reason] = []
        self.case: Any = None
        """The case of packet_way that its first way was decided by, where there is one."""
        self.asks: list[str] = []


class Situation:
    """What is met, for the cases of packet_way.

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
        self.established = established
        self.over_pppoe: Decided | None = None
        self.bridge_ports: dict[str, list[Any]] = {}
        """The ports of each bridge as the chip sees them (chip_lines), once somebody asked."""
        self.main: Traffic | None = None
        """The class of what is established, which a PPPoE client carries."""

    def features(self, traffic: Traffic) -> list[dict[str, Any]]:
        """The rules that are met as the features that packet_way knows."""
        crossed = [name for names in self.crossings(traffic) for name in names]
        found = []
        for name in sorted(self.met):
            rule = self.rules[name]
            if not rule["closes"] or rule["family"] not in (None, traffic.family):
                continue
            if traffic.kind == BRIDGED and not self._at(name, traffic.interface):
                continue
            names = ["rules" if name == "rules-ipv6" else name]
            if name in CROSSED and traffic.kind != BRIDGED:
                names = [each for each in (name, OUT + name) if each in crossed]
            for called in names:
                closes = {key: value for key, value in rule["closes"].items() if value}
                if called[: len(OUT)] == OUT and "ip" in closes:
                    del closes["ip"]  # it has come in on the fast path
                ways = ["routed", "bridged"]
                found.append({"name": called, "ways": ways, "label": name, "closes": closes})
        return found

    def crossings(self, traffic: Traffic) -> list[list[str]]:
        """The features of bridges for each way from one interface to another, each once."""
        packet = self._packet(traffic)
        ins, outs = (packet.ins, packet.outs) if packet else (None, None)
        several = ins is not None and ins == outs and len(ins) > 1
        begins = self._by_closed(ins)
        ends = begins if several else self._by_closed(outs)
        found: list[list[str]] = []
        for closed, begin in begins:
            for also, end in ends:
                if several and begin == end and len(begin) == 1:
                    continue  # nothing is routed from a network into itself
                left = [OUT + one for one in also if one not in closed and one not in ONLY_IN]
                if closed + left not in found:
                    found.append(closed + left)
        return found

    def _by_closed(self, names: list[str] | None) -> list[tuple[list[str], list[str]]]:
        """The interfaces at which the same rules are met, with those."""
        found: list[tuple[list[str], list[str]]] = []
        places: dict[str, int] = {}
        for name in names or [""]:
            closed = self._closed_at([name])
            place = places.setdefault(",".join(closed), len(found))
            if place == len(found):
                found.append((closed, []))
            found[place][1].append(name)
        return found

    def _packet(self, traffic: Traffic) -> Packet | None:
        over_pppoe = traffic.of_kind == "pppoe-client"
        return self.main.packet if over_pppoe and self.main else traffic.packet

    def _closed_at(self, interfaces: list[str]) -> list[str]:
        """The rules that are met at the bridges below interfaces."""
        bridges = self.net.bridges_below(interfaces)
        return [name for name in CROSSED if name in self.met and self._over(name, bridges)]

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
        """Whether a rule about a bridge or its port is about this one."""
        rows = self._bridge_rows(name, bridge)
        if rows is None:
            return True
        return bool(self._of_rows(name, rows))

    def _of_rows(self, name: str, rows: list[Row]) -> list[Command]:
        words = list(self.rules[name]["where"])
        said = [row.command(word) for row in rows for word in words]
        return [line for line in self.met[name] if line in said]

    def lines(self, name: str, traffic: Traffic) -> list[Command]:
        """The lines that meet a rule, of them those about the bridges that are asked about."""
        bridges = [traffic.interface] if traffic.kind == BRIDGED else []
        packet = self._packet(traffic)
        if packet is not None and name in CROSSED:
            bridges = self.net.bridges_below((packet.ins or []) + (packet.outs or []))
        rows = [self._bridge_rows(name, bridge) for bridge in bridges]
        known = [row for each in rows if each is not None for row in each]
        return self._of_rows(name, known) if known and None not in rows else self.met[name]

    def inputs(self, traffic: Traffic, features: list[dict[str, Any]]) -> dict[str, Any]:
        """What packet_way asks, before FastTrack is known."""
        family = traffic.family
        top = "/ip" if family == 4 else "/ipv6"
        bridged = traffic.kind == BRIDGED
        menu = "/interface/bridge/settings" if bridged else top + "/settings"
        allow, _ = self.net.setting(menu, "allow-fast-path")
        told, _ = self.net.setting("/ip/firewall/connection/tracking", "enabled")
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
            "tracking": told or "auto",
            "frame": "plain",
        }

    def drivers(self, traffic: Traffic) -> list[str]:
        """What the ports can do that a packet leaves by: one of packet_way's, or several."""
        if self.net.virtual and self.net.numbers and self.net.numbers[0] < 7:
            return ["none"]
        outs = traffic.packet.outs if traffic.packet else None
        bonds = [self.net.kinds.get(port) == "bonding" for port in self._ports(outs)]
        found = ["both"] if False in bonds or not bonds else []
        return found + (["bond"] if True in bonds else [])

    def crossed(self, traffic: Traffic, inputs: dict[str, Any]) -> list[dict[str, Any]]:
        """The inputs for each way over bridges: by features, and by what the way out can do."""
        ways = self.crossings(traffic)
        every = [name for names in ways for name in names]
        rest = [name for name in inputs["features"] if name not in every]
        made = []
        for names in [names for rank in (0, 1, 2) for names in ways if _rank(names) == rank]:
            one = with_(inputs, "features", rest + names)
            closed = [name[: len(OUT)] == OUT for name in names if name not in ONLY_IN]
            if closed and all(closed) and inputs["driver"] == "both":
                one["driver"] = "in"
            made.append(one)
        return made

    def bonds_back(self, traffic: Traffic) -> list[Reason]:
        """Why the packets back may end on the slow path: they leave by a bond."""
        ins = traffic.packet.ins if traffic.packet and traffic.kind == ESTABLISHED else None
        bonds = [port for port in self._ports(ins) if self.net.kinds.get(port) == "bonding"]
        lines = [r.first for r in self.net.rows.of("/interface/bonding") if r.name in bonds]
        why = "the packets back leave by " + ", ".join(bonds)
        return [Reason("fast-path-bond", "bond-out", lines, why)] if bonds else []

    def _ports(self, names: list[str] | None) -> list[str]:
        return unique([port for name in names or [] for port in self.net.ports_below(name)])

    def _two_ports(self, traffic: Traffic) -> bool:
        return len(self.net.port_rows.get(traffic.interface, [])) == 2


def way(
    situation: Situation, traffic: Traffic, inputs: dict[str, Any], markings: list[Marking]
) -> tuple[str, list[Reason], packet_way.Case]:
    """The way for these inputs, and its reasons with the lines."""
    features = situation.features(traffic)
    case = packet_way.Case(inputs, features)
    found, reasons = packet_way.way_of(case)
    index = 0 if traffic.family == 4 else 1
    made = []
    for fact, because in reasons:
        if because in situation.met:
            made.append(Reason(fact, because, situation.lines(because, traffic), ""))
            continue
        left = [f["label"] for f in case.on if f["name"][: len(OUT)] == OUT]
        if fact == "fast-path-half" and left:
            why = "it leaves by a bridge whose fast path is closed"
            made.append(Reason(fact, left[0], situation.lines(left[0], traffic), why))
            continue
        rule = RULE_OF.get(fact, ("", ""))[index]
        lines = lines_of(situation.net, situation.met, rule, markings)
        instead = instead_of(situation.net, situation.met, fact, lines, markings)
        if instead is not None:
            made.append(instead)
            continue
        if fact in BY_SWITCH:
            rows = situation.net.rows.of("/interface/ethernet/switch")
            lines = [r.command("l3-hw-offloading") for r in rows if r.says("l3-hw-offloading")]
        made.append(Reason(fact, rule if rule in situation.rules else "", lines, because))
    return found, made, case


def _rank(crossing: list[str]) -> int:
    """0 over no closed bridge, 1 where only the way out is by one, 2 where the way in is."""
    begins = [name for name in crossing if name[: len(OUT)] != OUT]
    return 2 if begins else 1 if crossing else 0


def answer_of(ways: list[str]) -> str:
    """The answer for the ways that are possible."""
    fast = [one in FAST for one in ways]
    if all(fast):
        return YES
    return DEPENDS if any(fast) else NO


def slow(each: Traffic, fact: str, rule: str, lines: list[Command], why: str = "") -> Decided:
    """A class that is slow for one reason."""
    made = Decided(each, NO, [packet_way.SLOW])
    made.reasons = [Reason(fact, rule, lines, why)]
    return made


def with_(inputs: dict[str, Any], name: str, value: Any) -> dict[str, Any]:
    """The inputs with another value; MicroPython knows no `{**inputs}`."""
    other = dict(inputs)
    other[name] = value
    return other
