"""Which way a packet takes through RouterOS: the decisions of MikroTik's manual, one by one.

A `Case` holds what is configured; `way_of` gives the way with its reasons, each a pair: the id of
a fact (src/ppslab/theory/manual/), and what of the configuration decided by it, empty where
nothing did.
"""

from __future__ import annotations

from typing import Any

FAST, HALF, SLOW = "fast-path", "half", "slow"
FASTTRACK, CHIP, CHIP_FASTTRACK = "fasttrack", "chip", "chip-fasttrack"
BRIDGE_FAST, FORWARD = "bridge-fast-path", "fast-forward"

SAID = {
    FAST: "fast path",
    HALF: "half-fastpath: in on the fast path, out on the slow path",
    SLOW: "slow path",
    FASTTRACK: "FastTrack",
    CHIP: "the switch chip alone",
    CHIP_FASTTRACK: "the switch chip, as a fast-tracked connection",
    BRIDGE_FAST: "the bridge's fast path",
    FORWARD: "Fast Forward",
}

ANSWERED = ("established",)
TCP_OR_UDP = ("established", "first")


class Case:
    """The inputs of the widget, and the features of packet_path.yml that are turned on."""

    def __init__(self, inputs: dict[str, Any], features: list[dict[str, Any]]) -> None:
        self.way: str = inputs["way"]
        self.packet: str = inputs["packet"]
        self.allow = bool(inputs["allow"])
        self.driver: str = inputs["driver"]
        self.queue: str = inputs["queue"]
        self.routed = self.way == "routed"
        wanted = inputs["features"] if self.routed else inputs["on_bridge"]
        self.on = [f for f in features if f["name"] in wanted and self.way in f["ways"]]
        self.fasttrack = bool(inputs["fasttrack"]) and self.routed
        self.chip: str = inputs["chip"] if self.routed else inputs["bridge_chip"]
        self.fits = bool(inputs["fits"])
        self.two_ports = bool(inputs["two_ports"]) and not self.routed
        self.told: str = inputs["tracking"]
        self.accepted = bool(inputs["accepted"])
        self.priority_tagged = inputs["frame"] == "priority-tagged" and not self.routed

    def has(self, name: str) -> bool:
        """Whether a feature is configured; a FastTrack rule is a firewall rule."""
        return bool([f for f in self.on if f["name"] == name])

    @property
    def rules(self) -> bool:
        """Whether the firewall has any rule."""
        return self.fasttrack or self.has("rules") or self.has("nat")

    @property
    def tracked(self) -> bool:
        """Whether connections are tracked."""
        if not self.routed:
            return self.has("use-ip-firewall") and self.told == "yes"
        return self.told == "yes" or (self.told == "auto" and self.rules)

    def closing(self, what: str) -> list[list[str]]:
        """The rules by which features close `what`, each with the feature's words."""
        return [[f["closes"][what], f["label"]] for f in self.on if what in f["closes"]]


def way_of(case: Case) -> tuple[str, list[list[str]]]:
    """The way, and its reasons in the order in which they decide."""
    before: list[list[str]] = []
    if case.chip != "none":
        way, before = _of_chip(case)
        if way is not None:
            return way, before
    way, reasons = _of_cpu(case) if case.routed else _of_bridge(case)
    return way, before + reasons


def _of_chip(case: Case) -> tuple[str | None, list[list[str]]]:
    """What the switch chip does with it; None: it hands the packet to the CPU."""
    if case.chip == "bridges":
        return CHIP, [["bridge-hardware", ""], ["bridge-order", ""]]
    if case.chip == "routes":
        return _routed_by_chip(case)
    marked, why_not = _marked(case)
    if not marked:
        return None, [["l3hw-fasttrack-only", ""]] + why_not
    closed = case.closing("chip-fasttrack")
    if closed:
        return None, closed
    return CHIP_FASTTRACK, [["l3hw-fasttrack-only", "its connection is fast-tracked"]]


def _routed_by_chip(case: Case) -> tuple[str | None, list[list[str]]]:
    if case.packet == "last-hop":
        return None, [["l3hw-icmp", "the packet is on its last hop"]]
    if not case.fits:
        return None, [["l3hw-shorter-leave", "its route is not in the chip"]]
    return CHIP, [["l3hw-both-ports", ""]]


def _marked(case: Case) -> tuple[bool, list[list[str]]]:
    """Whether the packet is of a fast-tracked connection; else why it is not."""
    if not case.fasttrack:
        return False, []
    if case.packet not in TCP_OR_UDP:
        said = {"fragment": "a fragment", "last-hop": "a packet that is answered with ICMP"}
        return False, [["fasttrack-tcp-udp", said.get(case.packet, "neither TCP nor UDP")]]
    if case.packet not in ANSWERED:
        return False, [["fasttrack-established", "the first packet of its connection"]]
    if not case.tracked:
        return False, [["fasttrack-established", "connections are not tracked"]]
    if case.accepted:
        why = "an accept rule ends the packet's way through the list"
        return False, [["fasttrack-accept-in-front", why]]
    return True, []


def _barred(case: Case, menu: str) -> list[list[str]]:
    """Why no packet at all may take the fast path."""
    if case.driver == "none":
        return [["fast-path-driver", "the port that it comes in by has no fast path"]]
    fact = "fast-path-allowed" if case.routed else "bridge-fast-path-setting"
    return [] if case.allow else [[fact, "allow-fast-path=no in " + menu]]


def _of_cpu(case: Case) -> tuple[str, list[list[str]]]:
    """A routed packet that the CPU has."""
    barred = _barred(case, "/ip/settings")
    if not barred and case.packet == "fragment":
        barred = [["fast-path-fragments", "the packet is a fragment"]]
    if barred:
        return SLOW, barred
    marked, reasons = _marked(case)
    if marked:
        closed = case.closing("fasttrack")
        if not closed:
            return _out(case, FASTTRACK, [["fasttrack-around", ""], ["fasttrack-main-table", ""]])
        reasons = closed
    closed = case.closing("ip")
    if case.fasttrack:
        closed = [["fast-path-firewall", "the FastTrack rule is one"]] + closed
    if case.tracked:
        because = "enabled=yes" if case.told == "yes" else "enabled=auto, and there are rules"
        closed.append(["fast-path-tracking", because])
    if closed:
        return SLOW, reasons + closed
    if case.packet == "last-hop":
        return SLOW, [["fast-path-icmp", "the packet is on its last hop"]]
    return _out(case, FAST, [["fast-path-open", ""]])


def _of_bridge(case: Case) -> tuple[str, list[list[str]]]:
    """A bridged frame that the CPU has."""
    closed = _barred(case, "/interface/bridge/settings") or case.closing("bridge")
    if not closed and case.priority_tagged and case.has("vlan-filtering"):
        closed = [["bridge-fast-path-priority-tag", "vlan-filtering=yes, and the tag is VLAN 0"]]
    if closed:
        return SLOW, closed
    if not case.two_ports:
        return _out(case, BRIDGE_FAST, [["fast-path-open", ""]])
    missing = case.closing("forward")
    if case.driver != "both":
        missing.append(["fast-forward-fast-path", "not both ports have the fast path both ways"])
    if missing:
        return _out(case, BRIDGE_FAST, missing)
    return _out(case, FORWARD, [["fast-forward-two-ports", ""], ["bridge-order", ""]])


def _out(case: Case, way: str, reasons: list[list[str]]) -> tuple[str, list[list[str]]]:
    """The same way, unless the port that the packet leaves by has none."""
    if case.driver == "bond":
        return (HALF if way == FAST else way), reasons + [["fast-path-bond", "it leaves by a bond"]]
    if case.driver == "in":
        why = [["fast-path-half", "the port that it leaves by has no fast path"]]
        return (HALF if way == FAST else way), reasons + why
    if case.queue == "other":
        return way, reasons + [["fast-path-hardware-queue", "the port has a queue of its own"]]
    return way, reasons


WORKS, IDLE, AROUND = "works", "idle", "around"


def stations_of(
    case: Case, way: str, stations: list[dict[str, Any]]
) -> list[tuple[dict[str, Any], str, str]]:
    """Each station with whether it works, has nothing to do or is gone around, and what it does."""
    found = []
    for station in stations:
        if case.way not in station["ways"] or (station["name"] == "chip" and case.chip == "none"):
            continue
        state, does = _at(case, way, station)
        found.append((station, state, does))
    return found


def _at(case: Case, way: str, station: dict[str, Any]) -> tuple[str, str]:
    name = station["name"]
    if way in (CHIP, CHIP_FASTTRACK):
        return _in_chip(case, name)
    own_queue = name == "port-queue" and case.queue == "other"
    if own_queue or (way == HALF and name in ("port-queue", "out")):
        return WORKS, station["works"]
    if way == SLOW:
        if _has_work(case, name):
            return WORKS, station["works"]
        return IDLE, station.get("idle", "has nothing to do")
    known = "fasttrack" if way == FASTTRACK else "fast"
    if known in station:
        return WORKS, station[known]
    missed = [f["label"] for f in case.on if f["at"] == name]
    return AROUND, "gone around" + (": " + ", ".join(missed) if missed else "")


def _in_chip(case: Case, name: str) -> tuple[str, str]:
    if name == "in":
        return WORKS, "the chip takes it"
    if name == "out":
        return WORKS, "the chip sends it"
    if name == "chip":
        return WORKS, "bridges it" if case.chip == "bridges" else "routes it by its own table"
    return AROUND, "not asked: the CPU sees nothing"


def _has_work(case: Case, station: str) -> bool:
    if station in ("in", "chip", "out"):
        return True
    if station == "tracking":
        return case.tracked
    if station == "filter" and case.fasttrack:
        return True
    return bool([f for f in case.on if f["at"] == station])
