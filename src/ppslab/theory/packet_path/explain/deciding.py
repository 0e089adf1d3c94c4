"""The way of one class of traffic, by the model of the packet path, with reasons and lines."""

from __future__ import annotations

from typing import Any

from ppslab.theory.packet_path import packet_way
from ppslab.theory.packet_path.explain.firewall import Marking
from ppslab.theory.packet_path.explain.network import Network
from ppslab.theory.packet_path.explain.traffic import BRIDGED, ESTABLISHED, NEW, OTHER, Traffic
from ppslab.theory.packet_path.exports.reading import Command
from ppslab.theory.packet_path.exports.rows import Row

YES, NO, DEPENDS, UNKNOWN = "yes", "no", "depends", "unknown"
"""The four answers to: are these packets forwarded fast?"""

FAST = (packet_way.FAST, packet_way.FASTTRACK, packet_way.BRIDGE_FAST, packet_way.FORWARD,
        packet_way.CHIP, packet_way.CHIP_FASTTRACK)  # fmt: skip
"""The ways that are fast."""

DROPPED = "dropped"

CROSSED = {"lan-rules": "", "lan-ip-firewall": "", "lan-snooping": "bridge",
           "bridge-port-before-6-29": ""}  # fmt: skip
"""Rules that hold where a packet crosses a bridge, the last only at that bridge."""

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
    "fast-path-driver": ("chr-adapters", "chr-adapters"),
    "fast-forward-no-vlan-filtering": ("vlan-filtering", "vlan-filtering"),
}
"""The rule behind a reason of packet_way that no feature closes, for IPv4 and IPv6."""


BY_SWITCH = ("l3hw-both-ports", "l3hw-fasttrack-only")
"""Facts that hold because the switch is told to route."""


class Reason:
    """Why: the fact that decides, the rule that met it, the lines, and what of them in words."""

    def __init__(self, fact: str, rule: str, lines: list[Command], why: str) -> None:
        self.fact = fact
        self.rule = rule
        self.lines = lines
        self.why = why


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

    def features(self, traffic: Traffic) -> list[dict[str, Any]]:
        """The rules that are met as the features that packet_way knows."""
        crossed = self._crossed(traffic)
        found = []
        for name in sorted(self.met):
            rule = self.rules[name]
            if not rule["closes"] or rule["family"] not in (None, traffic.family):
                continue
            if name in CROSSED and traffic.kind != BRIDGED and not self._over(name, crossed):
                continue
            if traffic.kind == BRIDGED and not self._at(name, traffic.interface):
                continue
            called = "rules" if name == "rules-ipv6" else name
            closes = {key: value for key, value in rule["closes"].items() if value}
            ways = ["routed", "bridged"]
            found.append({"name": called, "ways": ways, "label": name, "closes": closes})
        return found

    def _crossed(self, traffic: Traffic) -> list[str]:
        packet = traffic.packet
        if packet is None:
            return []
        return self.net.bridges_below((packet.ins or []) + (packet.outs or []))

    def _over(self, name: str, crossed: list[str]) -> bool:
        if CROSSED[name] != "bridge":
            return bool(crossed)
        rows = [row for row in self.net.rows.of("/interface/bridge") if row.name in crossed]
        return any(row.get("dhcp-snooping") == "yes" for row in rows)

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
        """The lines that meet a rule, of them those about the bridge that is asked about."""
        rows = self._bridge_rows(name, traffic.interface) if traffic.kind == BRIDGED else None
        return self.met[name] if rows is None else self._of_rows(name, rows)

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

    def bonds_back(self, traffic: Traffic) -> list[Reason]:
        """Why the packets back may end on the slow path: they leave by a bond."""
        ins = traffic.packet.ins if traffic.packet and traffic.kind == ESTABLISHED else None
        bonds = [port for port in self._ports(ins) if self.net.kinds.get(port) == "bonding"]
        lines = [r.first for r in self.net.rows.of("/interface/bonding") if r.name in bonds]
        why = "the packets back leave by " + ", ".join(bonds)
        return [Reason("fast-path-bond", "bond-out", lines, why)] if bonds else []

    def _ports(self, names: list[str] | None) -> list[str]:
        return [port for name in names or [] for port in self.net.ports_below(name)]

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
        rule = RULE_OF.get(fact, ("", ""))[index]
        lines = _lines(situation, rule, markings)
        instead = _instead(situation, fact, lines, markings)
        if instead:
            why = "no packet meets it" if instead == "never-reached" else "they are not tracked"
            made.append(Reason("fasttrack-established", instead, situation.met[instead], why))
            continue
        if fact in BY_SWITCH:
            rows = situation.net.rows.of("/interface/ethernet/switch")
            lines = [r.command("l3-hw-offloading") for r in rows if r.says("l3-hw-offloading")]
        made.append(Reason(fact, rule if rule in situation.rules else "", lines, because))
    return found, made, case


def _instead(situation: Situation, fact: str, lines: list[Command], markings: list[Marking]) -> str:
    """The rule behind a FastTrack that nothing meets, or nothing that is tracked."""
    met = situation.met
    untracked = any(marking.untracked for marking in markings)
    if fact == "fasttrack-accept-in-front" and not untracked:
        return "never-reached" if not lines and "never-reached" in met else ""
    if fact not in ("fasttrack-accept-in-front", "fasttrack-established"):
        return ""
    told, _ = situation.net.setting("/ip/firewall/connection/tracking", "enabled")
    return "not-tracked" if "not-tracked" in met and (untracked or told == "no") else ""


def _lines(situation: Situation, rule: str, markings: list[Marking]) -> list[Command]:
    if rule == "accept-in-front":
        found = [step.row.first for m in markings for step in m.front + m.perhaps]
        return _once(found) or situation.met.get(rule, [])
    if rule == "tracking":
        _, line = situation.net.setting("/ip/firewall/connection/tracking", "enabled")
        if line is not None:
            return [line]
        rules = [
            situation.met.get(each, []) for each in ("fasttrack", "rules", "nat", "rules-ipv6")
        ]
        return [lines[0] for lines in rules if lines][:1]
    return situation.met.get(rule, [])


def _once(lines: list[Command]) -> list[Command]:
    found: list[Command] = []
    seen: set[int] = set()
    for line in lines:
        if id(line) not in seen:
            seen.add(id(line))
            found.append(line)
    return found


def answer_of(ways: list[str]) -> str:
    """The answer for the ways that are possible."""
    fast = [one in FAST for one in ways]
    if all(fast):
        return YES
    return DEPENDS if any(fast) else NO


def with_(inputs: dict[str, Any], name: str, value: Any) -> dict[str, Any]:
    """The inputs with another value; MicroPython knows no `{**inputs}`."""
    other = dict(inputs)
    other[name] = value
    return other
