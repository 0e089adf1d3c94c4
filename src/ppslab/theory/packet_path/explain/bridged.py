"""What becomes of the frames of a bridge: the switch chip's, or the CPU's, or nobody can say."""

from __future__ import annotations

from typing import Any

from ppslab.theory.packet_path.explain import chip_lines
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
from ppslab.theory.packet_path.exports.rows import Row
from ppslab.theory.packet_path.packet_way import SLOW

ZEROTIER = "/zerotier/interface"


LISTED = ("ethernet", "wireless", "wifi", "wifiwave2", "bridge", "vlan", "vrrp", "pppoe-client",
          "l2tp-client", "l2tp-server", "eoip", "gre", "ipip", "vxlan", "bonding",
          "vpls")  # fmt: skip
"""Kinds of interfaces that the manual names among those with a fast path (fast-path-ports)."""

OF_CHIP = ("ethernet", "bonding")
"""Kinds of ports that a switch chip may have; what a CPU makes, as a VLAN, is none."""


def decided(situation: Situation, each: Traffic, inputs: dict[str, Any]) -> Decided:
    """A bridge: the chip's where the model has one, the CPU's where it has none, else unknown."""
    unlisted = [row for row in _rows(situation, each) if _kind(situation, row) not in LISTED]
    if not unlisted:
        return _of_chip_or_cpu(situation, each, inputs)
    # Two ports, but not both with a fast path: no Fast Forward.
    made = _of_chip_or_cpu(situation, each, with_(inputs, "two_ports", False))
    if made.answer != NO:
        names = [row.get("interface") for row in unlisted]
        made.answer = UNKNOWN
        made.ways = made.ways + ([] if SLOW in made.ways else [SLOW])
        lines = [row.command("interface") for row in unlisted]
        why = "not named there: " + ", ".join(names)
        made.reasons = [Reason("fast-path-ports", "", lines, why)] + made.reasons
        made.asks = made.asks + [ask_about(names)]
    return made


def _rows(situation: Situation, each: Traffic) -> list[Row]:
    return situation.net.port_rows.get(each.interface, [])


def _kind(situation: Situation, port: Row) -> str:
    """The kind of a bridge's port; one that no line makes is the router's own, as ether2."""
    name, net = port.get("interface"), situation.net
    if name in net.lists:
        return "ethernet"  # of many ports nothing is known but that they are ports
    if name in net.kinds:
        return net.kinds[name]
    for path in net.rows.menus:
        above, _, kind = path.rpartition("/")
        made = above == "/interface" and kind != "list"
        if (made or path == ZEROTIER) and net.rows.where(path, "name", name):
            return kind if made else "zerotier"
    return "ethernet"


def _of_chip_or_cpu(situation: Situation, each: Traffic, inputs: dict[str, Any]) -> Decided:
    net, ports = situation.net, _rows(situation, each)
    off = [row for row in ports if row.get("hw") == "no"]
    wired = [(row, chip_lines.apart(net, row.get("interface"))) for row in ports]
    elsewhere = [row for row, why in wired if why and why.fact == chip_lines.ELSEWHERE]
    made_by_cpu = [r for r in ports if _kind(situation, r) not in OF_CHIP or r in elsewhere]
    # A chip forwards between ports of its own, so it takes two.
    alone = bool(made_by_cpu) and len(ports) - len(made_by_cpu) < 2
    everything_off = bool(off) and len(off) == len(ports)
    cpu, reasons, _ = way(situation, each, inputs, [])
    flagged = [row for row in ports if row.get("hw-flag")]
    if net.virtual or everything_off or (alone and not flagged):
        made = Decided(each, answer_of([cpu]), [cpu])
        made.reasons = reasons
        if off:
            made.reasons = [_of_ports(situation)] + reasons
        elif alone and not net.virtual:
            made.reasons = [_not_the_chip_s(made_by_cpu)] + reasons
        return made
    in_chip, why, _ = way(situation, each, with_(inputs, "bridge_chip", "bridges"), [])
    if flagged:
        return _by_flags(each, flagged, Decided(each, YES, [in_chip, cpu]), why, reasons)
    if net.chip:
        both = bool(off or made_by_cpu)
        ways = [in_chip, cpu] if both and cpu != in_chip else [in_chip]
        made = Decided(each, answer_of(ways), ways)
        made.reasons = why + ([_of_ports(situation)] if off else [])
        made.reasons += [_not_the_chip_s(made_by_cpu)] if made_by_cpu else []
        made.reasons += reasons if both else []
        unsaid = [why for _, why in wired if why and why.fact == chip_lines.COUNTED]
        return _perhaps_elsewhere(made, cpu, unsaid, [] if both else reasons)
    answer = YES if cpu in FAST else UNKNOWN
    made = Decided(each, answer, [in_chip, cpu])
    made.reasons = reasons + [Reason("bridge-hardware", "", [], "if the ports have the flag H")]
    made.asks = ["/interface/bridge/port/print"]
    return made


def _perhaps_elsewhere(
    made: Decided, cpu: str, unsaid: list[Reason], reasons: list[Reason]
) -> Decided:
    """The bridge where some of its ports, for all that a source says, may be the CPU's."""
    if not unsaid:
        return made
    if cpu not in made.ways:
        made.ways.append(cpu)
    if made.answer == YES and cpu not in FAST:
        made.answer = UNKNOWN
    made.reasons += unsaid[:1] + reasons
    made.reasons[-1 - len(reasons)].why = ", ".join([reason.why for reason in unsaid])
    made.asks.append(chip_lines.BY_NUMBER)
    return made


def _not_the_chip_s(ports: list[Row]) -> Reason:
    names = ", ".join([row.get("interface") for row in ports])
    lines = [row.command("interface") for row in ports]
    return Reason("bridge-hardware", "", lines, "no port of the chip: " + names)


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
