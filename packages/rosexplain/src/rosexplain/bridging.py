"""The frames of a bridge: the switch chip's, or the CPU's, or unknown."""

from __future__ import annotations

from typing import Any

from rosexplain import matching, offload, radios
from rosexplain.commands import counters_of
from rosexplain.decide import (
    FAST_WAYS,
    SLOW,
    UNKNOWN,
    Reason,
    Situation,
    Verdict,
    answer_of,
    way,
    with_,
)
from rosexplain.frames import frames_guarded
from rosexplain.language import gettext
from rosexplain.matchers import NO, YES
from rosexplain.network import Network
from rosexplain.offload import BridgePort
from rosexplain.parse import Command
from rosexplain.rows import Row
from rosexplain.traffic import Traffic

CAPSMAN = "capsman-forwarding"
"""The rule that a router is a CAPsMAN."""

VPLS = "fast-path-vpls"
"""The fact that says since when the manual lists VPLS."""

SINCE, BY_MASTER = (6, 41), "bridge-hardware-since-6-41"
"""Since when a bridge's ports may be the switch chip's, and the fact that says so."""

ASKED, BY_FIREWALL = "use-ip-firewall", "bridge-fast-path-ip-firewall"
"""The rule that bridged packets pass the IP firewall, and the fact that says what it closes."""

TILE = ("CCR1009-7G", "CCR1016", "CCR1036", "CCR1072")
"""Routers with a Tile CPU that the manual's table of switch chips does not have."""
BY_TILE = "chips-of-tile-ccrs"
"""The fact that says so."""

LISTED = ("ethernet", "wireless", "wifi", "wifiwave2", "bridge", "vlan", "vrrp", "pppoe-client",
          "l2tp-client", "l2tp-server", "eoip", "gre", "ipip", "vxlan", "bonding",
          "vpls")  # fmt: skip
"""Kinds of interfaces that the manual names among those with a fast path (fast-path-ports)."""


def verdict_in_bridge(
    situation: Situation, traffic_class: Traffic, inputs: dict[str, Any]
) -> Verdict:
    """A bridge: the chip's where the model has one, the CPU's where it has none, else unknown."""
    ports = _ports(situation, traffic_class.interface)
    net = situation.net
    early = not matching.in_force(net.base["facts"][VPLS], net.numbers)
    unlisted = [p for p in ports if p.kind not in LISTED or (early and p.kind == "vpls")]
    radios = _radios(situation, traffic_class)
    if not unlisted and not radios:
        return _of_chip_or_cpu(situation, traffic_class, inputs)
    # Two ports, but not both with a fast path: no Fast Forward.
    verdict = _of_chip_or_cpu(situation, traffic_class, with_(inputs, "two_ports", False))
    if verdict.answer == NO:
        return verdict
    names = [port.name for port in unlisted]
    slow_ports = names + ([gettext("a CAPsMAN's radios")] if radios else [])
    why = gettext("not in this list: {names}").format(names=", ".join(slow_ports))
    reasons = [Reason("fast-path-ports", "", _named(unlisted) + radios, why)] + verdict.reasons
    ways = verdict.ways + ([] if SLOW in verdict.ways else [SLOW])
    perhaps = Verdict(traffic_class, UNKNOWN, ways, reasons)
    perhaps.asks = verdict.asks + ([counters_of(names)] if names else [])
    if radios:
        perhaps.reasons.append(Reason(CAPSMAN, "", radios, ""))
        perhaps.asks += situation.rules[CAPSMAN]["asks"]
    return perhaps


def _radios(situation: Situation, traffic_class: Traffic) -> list[Command]:
    """The lines by which a CAPsMAN puts radios into the bridge whose frames it forwards itself."""
    if CAPSMAN not in situation.met:
        return []
    rows = [row for row, bridge in radios.tunnelled(situation.net)
            if bridge == traffic_class.interface]  # fmt: skip
    return [row.command("bridge" if row.says("bridge") else "datapath.bridge") for row in rows]


def _ports(situation: Situation, bridge: str) -> list[BridgePort]:
    """The ports of a bridge as the chip sees them, looked at once for all classes."""
    if bridge not in situation.bridge_ports:
        situation.bridge_ports[bridge] = offload.bridge_ports(situation.net, bridge)
    ports: list[BridgePort] = situation.bridge_ports[bridge]
    return ports


def _named(ports: list[BridgePort]) -> list[Command]:
    """The lines that make them ports."""
    return [port.row.command("interface") for port in ports]


def _of_chip_or_cpu(
    situation: Situation, traffic_class: Traffic, inputs: dict[str, Any]
) -> Verdict:
    net, ports = situation.net, _ports(situation, traffic_class.interface)
    cpu, reasons, _ = way(situation, traffic_class, inputs, [])
    if net.numbers and net.numbers < SINCE and not net.virtual:
        reasons = reasons + [Reason(BY_MASTER, "", _named(ports), "")]
        return Verdict(traffic_class, answer_of([cpu]), [cpu], reasons)
    off = [port for port in ports if port.off]
    cpu_ports = [port for port in ports if not port.of_chip]
    # A chip forwards between ports of its own, so it takes two.  Nothing crosses a bridge of one
    # port, so what would be slow there is no loss.
    joined = radios.join(net, traffic_class.interface)
    single = cpu in FAST_WAYS and is_single(net, traffic_class.interface)
    alone = (joined or bool(cpu_ports) or single) and len(ports) - len(cpu_ports) < 2
    everything_off = bool(off) and len(off) == len(ports)
    flagged = [port.row for port in ports if port.row.get("hw-flag")]
    tile = any(net.model.upper()[: len(name)] == name for name in TILE)
    if net.virtual or tile or everything_off or (alone and not flagged):
        reasons = reasons + ([Reason(BY_TILE, "", [], "")] if tile else [])
        if off and reasons and frames_guarded(net):  # hw=no is there for the rules' sake
            lines = situation.met.get(ASKED, [])
            first = [Reason(BY_FIREWALL, ASKED, lines, "")] if lines else []
            rest = [reason for reason in reasons if reason.fact != BY_FIREWALL]
            reasons = first + rest + [_of_ports(situation)]
        elif off:
            reasons = [_of_ports(situation)] + reasons
        elif alone and not net.virtual:
            reasons = reasons + _left_to_cpu(cpu_ports)
        return Verdict(traffic_class, answer_of([cpu]), [cpu], reasons)
    if not net.chip and not flagged:
        refused, lines = offload.of_bridge(net, traffic_class.interface)
        if refused:
            reasons = reasons + [Reason(offload.BY_SETTING, "", lines, refused)]
            return Verdict(traffic_class, answer_of([cpu]), [cpu], reasons)
    in_chip, why, _ = way(situation, traffic_class, with_(inputs, "bridge_chip", "bridges"), [])
    if flagged:
        return _by_flags(traffic_class, flagged, in_chip, cpu, why, reasons)
    if net.chip:
        others = _other_bridges(situation, traffic_class)
        both = bool(off or cpu_ports or others)
        ways = [in_chip, cpu] if both and cpu != in_chip else [in_chip]
        answer = answer_of(ways)
        # Which bridge the chip has, no export says.
        verdict = Verdict(traffic_class, UNKNOWN if others and answer != YES else answer, ways)
        verdict.reasons = _unseen(situation, traffic_class, why) + (
            [_of_ports(situation)] if off else []
        )
        verdict.reasons += _left_to_cpu(cpu_ports)
        if others:
            names = ", ".join([row.name for row in others])
            why_not = gettext("there is {names}").format(names=names)
            lines = [row.first for row in others]
            verdict.reasons.append(Reason("bridge-one-hardware", "", lines, why_not))
            verdict.asks.append("/interface/bridge/port/print")
        verdict.reasons += reasons if both else []
        unsaid = [port.unsourced for port in ports if port.unsourced is not None]
        return _perhaps_elsewhere(verdict, cpu, unsaid, [] if both else reasons)
    if not off and not cpu_ports and not joined and _all_of_one_chip(situation, traffic_class):
        return Verdict(traffic_class, YES, [in_chip], _unseen(situation, traffic_class, why))
    answer = YES if cpu in FAST_WAYS else UNKNOWN
    reasons = reasons + [Reason("bridge-hardware", "", [], gettext("if the ports have the flag H"))]
    verdict = Verdict(traffic_class, answer, [in_chip, cpu], reasons)
    verdict.asks = ["/interface/bridge/port/print"]
    return verdict


def is_single(net: Network, bridge: str) -> bool:
    """Return True if a bridge has one port, which is no list of several."""
    names = [row.get("interface") for row in net.port_rows.get(bridge, [])]
    return len(names) == 1 and names[0] not in net.lists


def may_have_chip(net: Network) -> bool:
    """Return True for a board of which no table here tells whether it has a switch chip."""
    tile = any(net.model.upper()[: len(name)] == name for name in TILE)
    return not (net.chip or net.small_chip or net.virtual or tile)


def _all_of_one_chip(situation: Situation, traffic_class: Traffic) -> bool:
    """True if the manual counts all ports of a bridge to one small chip, which has no other."""
    net, chip = situation.net, situation.net.small_chip
    ports = _ports(situation, traffic_class.interface)
    plain = all(p.kind == "ethernet" and p.row.get("horizon", "none") == "none" for p in ports)
    if chip is None or not plain or _other_bridges(situation, traffic_class):
        return False
    names = [offload.default_name(net, port.name) for port in ports]
    return any(all(name in group for name in names) for group in chip["ports"])


def _other_bridges(situation: Situation, traffic_class: Traffic) -> list[Row]:
    """The other bridges that the chip may forward for instead: two ports of its own are enough."""
    net = situation.net
    bridges = []
    for bridge in net.rows.of("/interface/bridge"):
        ports = [port for port in _ports(situation, bridge.name) if port.of_chip and not port.off]
        if bridge.name != traffic_class.interface and len(ports) > 1:
            bridges.append(bridge)
    return bridges


def _unseen(situation: Situation, traffic_class: Traffic, why: list[Reason]) -> list[Reason]:
    """Return the chip's reasons, with the bridge's own rules, which see nothing of it."""
    rules = situation.net.base["rules"]
    names = [rule["id"] for rule in rules if "by_cpu" in rule and rule["id"] in situation.met]
    lines = [line for name in names for line in situation.lines(name, traffic_class)]
    if not lines:
        return why
    remark = gettext("so these lines do not affect it")
    return [
        Reason(one.fact, one.rule, lines, remark) if one.fact == "bridge-hardware" else one
        for one in why
    ]


def _perhaps_elsewhere(
    sure: Verdict, cpu: str, unsaid: list[Reason], reasons: list[Reason]
) -> Verdict:
    """The bridge where some of its ports, for all that a source says, may be the CPU's."""
    if not unsaid:
        return sure
    answer = UNKNOWN if sure.answer == YES and cpu not in FAST_WAYS else sure.answer
    verdict = Verdict(sure.traffic, answer, sure.ways + ([] if cpu in sure.ways else [cpu]))
    first, ports = unsaid[0], ", ".join([reason.why for reason in unsaid])
    verdict.reasons = sure.reasons + [Reason(first.fact, first.rule, first.lines, ports)] + reasons
    verdict.asks = sure.asks + [offload.BY_NUMBER]
    return verdict


def _left_to_cpu(ports: list[BridgePort]) -> list[Reason]:
    """Return the reasons by which the CPU has these ports of a bridge."""
    reasons = []
    for fact in (offload.BY_BOND, offload.BY_HORIZON, ""):
        refused = [port for port in ports if port.refused == fact]
        names = ", ".join([port.name for port in refused])
        outside = gettext("not a port of the switch chip: {names}").format(names=names)
        why = names if fact else outside
        reasons += [Reason(fact or "bridge-hardware", "", _named(refused), why)] if refused else []
    return reasons


def _by_flags(
    traffic_class: Traffic,
    ports: list[Row],
    in_chip: str,
    cpu: str,
    why: list[Reason],
    reasons: list[Reason],
) -> Verdict:
    """A bridge whose ports the router printed: the flag H says which of them the chip has."""
    flags = [row.get("hw-flag") == "yes" for row in ports]
    ways = [in_chip] if all(flags) else [in_chip, cpu] if any(flags) and in_chip != cpu else [cpu]
    verdict = Verdict(traffic_class, answer_of(ways), ways)
    without = [row.command("hw-flag") for row in ports if row.get("hw-flag") != "yes"]
    if any(flags):
        lines = [row.command("hw-flag") for row in ports if row.get("hw-flag") == "yes"]
        remark = gettext("the router shows flag H")
        verdict.reasons.append(Reason("bridge-hardware", "", lines, remark))
        verdict.reasons += [reason for reason in why if reason.fact != "bridge-hardware"]
    if without:
        remark = gettext("the router shows no flag H")
        verdict.reasons.append(Reason("bridge-hardware", "", without, remark))
        verdict.reasons += reasons
    return verdict


def _of_ports(situation: Situation) -> Reason:
    lines = situation.met.get("bridge-hw-off", [])
    return Reason("bridge-order", "bridge-hw-off", lines, "hw=no")
