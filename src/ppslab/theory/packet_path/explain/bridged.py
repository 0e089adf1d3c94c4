"""What becomes of the frames of a bridge: the switch chip's, or the CPU's, or nobody can say."""

from __future__ import annotations

from typing import Any

from ppslab.theory.packet_path.explain import chip_lines, matching
from ppslab.theory.packet_path.explain.chip_lines import BridgePort
from ppslab.theory.packet_path.explain.deciding import (
    FAST,
    NO,
    UNKNOWN,
    YES,
    Decided,
    Reason,
    Situation,
    answer_of,
    way,
    with_,
)
from ppslab.theory.packet_path.explain.joining import ask_about
from ppslab.theory.packet_path.explain.traffic import Traffic
from ppslab.theory.packet_path.exports.reading import Command
from ppslab.theory.packet_path.exports.row import Row
from ppslab.theory.packet_path.packet_way import SLOW

CAPSMAN = "capsman-forwarding"
"""The rule that a router is a CAPsMAN."""

OF_CAPSMAN = (("/caps-man/datapath", ""), ("/caps-man/configuration", "datapath."),
              ("/caps-man/interface", "datapath."))  # fmt: skip
"""The menus that put a CAPsMAN's radios into a bridge, each with what its properties begin with."""

UNSEEN = ("bridge-rules", "use-ip-firewall")
"""Rules about what the CPU does to bridged frames, which a chip's frames never meet."""

VPLS = "fast-path-vpls"

LISTED = ("ethernet", "wireless", "wifi", "wifiwave2", "bridge", "vlan", "vrrp", "pppoe-client",
          "l2tp-client", "l2tp-server", "eoip", "gre", "ipip", "vxlan", "bonding",
          "vpls")  # fmt: skip
"""Kinds of interfaces that the manual names among those with a fast path (fast-path-ports)."""


def decided(situation: Situation, each: Traffic, inputs: dict[str, Any]) -> Decided:
    """A bridge: the chip's where the model has one, the CPU's where it has none, else unknown."""
    ports = _ports(situation, each.interface)
    unlisted = [port for port in ports if port.kind not in LISTED]
    radios = _radios(situation, each)
    late = _vpls_too_early(situation, ports)
    if not unlisted and not radios and not late:
        return _of_chip_or_cpu(situation, each, inputs)
    # Two ports, but not both with a fast path: no Fast Forward.
    made = _of_chip_or_cpu(situation, each, with_(inputs, "two_ports", False))
    if made.answer == NO:
        return made
    if late:
        made = _with_vpls(situation, each, made, ports, late)
    if made.answer != NO and (unlisted or radios):
        names = [port.name for port in unlisted]
        lines = _named(unlisted)
        said = names + (["a CAPsMAN's radios"] if radios else [])
        perhaps = Decided(each, UNKNOWN, made.ways + ([] if SLOW in made.ways else [SLOW]))
        why = "not named there: " + ", ".join(said)
        perhaps.reasons = [Reason("fast-path-ports", "", lines + radios, why)] + made.reasons
        if radios:
            perhaps.reasons.append(Reason(CAPSMAN, "", radios, ""))
        asks = [ask_about(names)] if names else []
        asks += situation.rules[CAPSMAN]["asks"] if radios else []
        perhaps.asks = made.asks + asks
        return perhaps
    return made


def _radios(situation: Situation, each: Traffic) -> list[Command]:
    """The lines by which a CAPsMAN puts radios into the bridge whose frames it forwards itself."""
    if CAPSMAN not in situation.met:
        return []
    lines = []
    for menu, begins in OF_CAPSMAN:
        for row in situation.net.rows.of(menu):
            local = row.get(begins + "local-forwarding") in ("yes", "true")
            if row.get(begins + "bridge") == each.interface and not local:
                lines.append(row.command(begins + "bridge"))
    return lines


def _vpls_too_early(situation: Situation, ports: list[BridgePort]) -> list[BridgePort]:
    """The bridge's VPLS interfaces, where RouterOS has no fast path for VPLS yet."""
    net = situation.net
    if matching.in_force(net.base["facts"][VPLS], net.numbers):
        return []
    return [port for port in ports if port.kind == "vpls"]


def _with_vpls(
    situation: Situation,
    each: Traffic,
    others: Decided,
    ports: list[BridgePort],
    vpls: list[BridgePort],
) -> Decided:
    """The bridge with VPLS interfaces that have no fast path; `others`: as if they had one."""
    told = situation.net.base["facts"][VPLS]
    # Frames between its other ports take their way still, where there are two.
    ways = [SLOW] if len(ports) - len(vpls) < 2 else others.ways + [SLOW]
    made = Decided(each, answer_of(ways), ways)
    why = "since " + told["since"] + "; this is " + situation.net.version
    made.reasons = [Reason(VPLS, "", _named(vpls), why)]
    made.reasons += others.reasons if len(ways) > 1 else []
    made.asks = others.asks[:] if len(ways) > 1 else []
    return made


def _ports(situation: Situation, bridge: str) -> list[BridgePort]:
    """The ports of a bridge as the chip sees them, looked at once for all classes."""
    if bridge not in situation.bridge_ports:
        situation.bridge_ports[bridge] = chip_lines.bridge_ports(situation.net, bridge)
    found: list[BridgePort] = situation.bridge_ports[bridge]
    return found


def _named(ports: list[BridgePort]) -> list[Command]:
    """The lines that make them ports."""
    return [port.row.command("interface") for port in ports]


def _of_chip_or_cpu(situation: Situation, each: Traffic, inputs: dict[str, Any]) -> Decided:
    net, ports = situation.net, _ports(situation, each.interface)
    off = [port for port in ports if port.off]
    made_by_cpu = [port for port in ports if not port.of_chip]
    # A chip forwards between ports of its own, so it takes two.
    alone = bool(made_by_cpu) and len(ports) - len(made_by_cpu) < 2
    everything_off = bool(off) and len(off) == len(ports)
    cpu, reasons, _ = way(situation, each, inputs, [])
    flagged = [port.row for port in ports if port.row.get("hw-flag")]
    if net.virtual or everything_off or (alone and not flagged):
        made = Decided(each, answer_of([cpu]), [cpu])
        made.reasons = reasons
        if off:
            made.reasons = [_of_ports(situation)] + reasons
        elif alone and not net.virtual:
            made.reasons = _not_the_chip_s(made_by_cpu) + reasons
        return made
    refused, lines = ("", []) if net.chip or flagged else chip_lines.of_bridge(net, each.interface)
    if refused:
        made = Decided(each, answer_of([cpu]), [cpu])
        made.reasons = reasons + [Reason(chip_lines.BY_SETTING, "", lines, refused)]
        return made
    in_chip, why, _ = way(situation, each, with_(inputs, "bridge_chip", "bridges"), [])
    if flagged:
        return _by_flags(each, flagged, Decided(each, YES, [in_chip, cpu]), why, reasons)
    if net.chip:
        others = _other_bridges(situation, each)
        both = bool(off or made_by_cpu or others)
        ways = [in_chip, cpu] if both and cpu != in_chip else [in_chip]
        answer = answer_of(ways)
        # Which bridge the chip has, no export says.
        made = Decided(each, UNKNOWN if others and answer != YES else answer, ways)
        made.reasons = _unseen(situation, each, why) + ([_of_ports(situation)] if off else [])
        made.reasons += _not_the_chip_s(made_by_cpu)
        if others:
            told = "there is " + ", ".join([row.name for row in others])
            lines = [row.first for row in others]
            made.reasons.append(Reason("bridge-one-hardware", "", lines, told))
            made.asks.append("/interface/bridge/port/print")
        made.reasons += reasons if both else []
        unsaid = [port.unsaid for port in ports if port.unsaid is not None]
        return _perhaps_elsewhere(made, cpu, unsaid, [] if both else reasons)
    if not off and not made_by_cpu and _all_of_one_chip(situation, each):
        made = Decided(each, YES, [in_chip])
        made.reasons = _unseen(situation, each, why)
        return made
    answer = YES if cpu in FAST else UNKNOWN
    made = Decided(each, answer, [in_chip, cpu])
    made.reasons = reasons + [Reason("bridge-hardware", "", [], "if the ports have the flag H")]
    made.asks = ["/interface/bridge/port/print"]
    return made


def _all_of_one_chip(situation: Situation, each: Traffic) -> bool:
    """Whether the manual counts all ports of a bridge to one small chip, which has no other."""
    net, chip = situation.net, situation.net.small_chip
    ports = _ports(situation, each.interface)
    plain = all(p.kind == "ethernet" and p.row.get("horizon", "none") == "none" for p in ports)
    if chip is None or not plain or _other_bridges(situation, each):
        return False
    names = [chip_lines.default_name(net, port.name) for port in ports]
    return any(all(name in group for name in names) for group in chip["ports"])


def _other_bridges(situation: Situation, each: Traffic) -> list[Row]:
    """The other bridges that the chip may forward for instead: two ports of its own are enough."""
    net = situation.net
    found = []
    for bridge in net.rows.of("/interface/bridge"):
        ports = [port for port in _ports(situation, bridge.name) if port.of_chip and not port.off]
        if bridge.name != each.interface and len(ports) > 1:
            found.append(bridge)
    return found


def _unseen(situation: Situation, each: Traffic, why: list[Reason]) -> list[Reason]:
    """Why the chip forwards, with the bridge's own rules, which see nothing of that."""
    names = [name for name in UNSEEN if name in situation.met]
    lines = [line for name in names for line in situation.lines(name, each)]
    if not lines:
        return why
    told = "so these lines do nothing to it"
    return [
        Reason(one.fact, one.rule, lines, told) if one.fact == "bridge-hardware" else one
        for one in why
    ]


def _perhaps_elsewhere(
    sure: Decided, cpu: str, unsaid: list[Reason], reasons: list[Reason]
) -> Decided:
    """The bridge where some of its ports, for all that a source says, may be the CPU's."""
    if not unsaid:
        return sure
    answer = UNKNOWN if sure.answer == YES and cpu not in FAST else sure.answer
    made = Decided(sure.traffic, answer, sure.ways + ([] if cpu in sure.ways else [cpu]))
    first, ports = unsaid[0], ", ".join([reason.why for reason in unsaid])
    made.reasons = sure.reasons + [Reason(first.fact, first.rule, first.lines, ports)] + reasons
    made.asks = sure.asks + [chip_lines.BY_NUMBER]
    return made


def _not_the_chip_s(ports: list[BridgePort]) -> list[Reason]:
    """Why the CPU has these ports of a bridge."""
    made = []
    for fact in (chip_lines.BY_BOND, chip_lines.BY_HORIZON, ""):
        refused = [port for port in ports if port.refused == fact]
        names = ", ".join([port.name for port in refused])
        told = names if fact else "no port of the chip: " + names
        made += [Reason(fact or "bridge-hardware", "", _named(refused), told)] if refused else []
    return made


def _by_flags(
    each: Traffic, ports: list[Row], both: Decided, why: list[Reason], reasons: list[Reason]
) -> Decided:
    """A bridge whose ports the router printed: the flag H says which of them the chip has."""
    flags = [row.get("hw-flag") == "yes" for row in ports]
    in_chip, cpu = both.ways
    ways = [in_chip] if all(flags) else [in_chip, cpu] if any(flags) and in_chip != cpu else [cpu]
    made = Decided(each, answer_of(ways), ways)
    without = [row.command("hw-flag") for row in ports if row.get("hw-flag") != "yes"]
    if any(flags):
        lines = [row.command("hw-flag") for row in ports if row.get("hw-flag") == "yes"]
        made.reasons.append(Reason("bridge-hardware", "", lines, "the router prints the flag H"))
        made.reasons += [reason for reason in why if reason.fact != "bridge-hardware"]
    if without:
        made.reasons.append(Reason("bridge-hardware", "", without, "the flag H is not there"))
        made.reasons += reasons
    return made


def _of_ports(situation: Situation) -> Reason:
    lines = situation.met.get("bridge-hw-off", [])
    return Reason("bridge-order", "bridge-hw-off", lines, "hw=no")
