"""What becomes of the frames of a bridge: the switch chip's, or the CPU's, or nobody can say."""

from __future__ import annotations

from typing import Any

from ppslab.theory.packet_path.explain.deciding import (
    FAST,
    UNKNOWN,
    YES,
    Decided,
    Reason,
    Situation,
    answer_of,
    way,
    with_,
)
from ppslab.theory.packet_path.explain.traffic import Traffic
from ppslab.theory.packet_path.exports.rows import Row


def decided(situation: Situation, each: Traffic, inputs: dict[str, Any]) -> Decided:
    """A bridge: the chip's where the model has one, the CPU's where it has none, else unknown."""
    net = situation.net
    off = [row for row in net.port_rows.get(each.interface, []) if row.get("hw") == "no"]
    everything_off = bool(off) and len(off) == len(net.port_rows.get(each.interface, []))
    cpu, reasons, _ = way(situation, each, inputs, [])
    if net.virtual or everything_off:
        made = Decided(each, answer_of([cpu]), [cpu])
        made.reasons = reasons
        if off:
            made.reasons = [_of_ports(situation)] + reasons
        return made
    flagged = [row for row in net.port_rows.get(each.interface, []) if row.get("hw-flag")]
    in_chip, why, _ = way(situation, each, with_(inputs, "bridge_chip", "bridges"), [])
    if flagged:
        return _by_flags(each, flagged, Decided(each, YES, [in_chip, cpu]), why, reasons)
    if net.chip:
        ways = [in_chip, cpu] if off and cpu != in_chip else [in_chip]
        made = Decided(each, answer_of(ways), ways)
        made.reasons = why + ([_of_ports(situation)] + reasons if off else [])
        return made
    answer = YES if cpu in FAST else UNKNOWN
    made = Decided(each, answer, [in_chip, cpu])
    made.reasons = reasons + [Reason("bridge-hardware", "", [], "if the ports have the flag H")]
    made.asks = ["/interface/bridge/port/print"]
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
