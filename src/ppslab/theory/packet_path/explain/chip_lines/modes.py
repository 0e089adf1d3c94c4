"""What the switch chip does with a class of packets, by the ports on both sides."""

from __future__ import annotations

from typing import Any

from ppslab.theory.packet_path import packet_way
from ppslab.theory.packet_path.explain import matching
from ppslab.theory.packet_path.explain.chip_lines.ends import (
    CPU,
    OFF,
    OPEN,
    PORTS,
    SETTING,
    VRF_BY_MAIN,
    VRF_IN_CHIP,
    Side,
    ends,
)
from ppslab.theory.packet_path.explain.chip_lines.wired import COUNTED
from ppslab.theory.packet_path.explain.deciding import Reason, with_
from ppslab.theory.packet_path.explain.firewall import Marking
from ppslab.theory.packet_path.explain.matchers import NO, YES
from ppslab.theory.packet_path.explain.network import FASTTRACK, Network
from ppslab.theory.packet_path.explain.traffic import Traffic
from ppslab.theory.packet_path.exports.row import Row

SWITCH = "/interface/ethernet/switch"
L3HW, IPV6 = SWITCH + "/l3hw-settings", "ipv6-hw"
ROUTES, FASTTRACKS, NONE = "routes", "fasttrack", "none"
PER_VLAN = (7, 21)
"""Since when a VLAN has an offload setting of its own, by the fact l3hw-per-vlan."""

NAT = {"l3hw-nat-none": "nat-chip", "l3hw-nat-fasttrack": "nat-fasttrack"}
"""What a chip does not translate, with the rule that says so of an export."""

BY_PACKETS = ["/interface/ethernet/print stats"]
BY_CONNECTIONS = ["/ip/firewall/connection/print count-only where hw-offload"]
BY_NUMBER = PORTS + "/print"


class Mode:
    """One thing that the chip may do: `chip` as packet_way has it, and the reasons for it.

    `instead`: it routes for these reasons, and not because both ports are told to.
    """

    def __init__(
        self, chip: str, reasons: list[Reason], asks: list[str] | None = None, instead: bool = True
    ) -> None:
        self.chip = chip
        self.reasons = reasons
        self.asks = asks or []
        self.instead = instead

    @property
    def unsaid(self) -> bool:
        """Whether no source says that it does this: a port may be the CPU's, or is in a VRF."""
        return any(r.fact in (COUNTED, VRF_BY_MAIN, VRF_IN_CHIP) for r in self.reasons)

    def told(self, found: str, reasons: list[Reason]) -> list[Reason]:
        """The reasons for a way, with those of this mode where they belong."""
        if found != packet_way.CHIP:
            return self.reasons + reasons
        return self.reasons if self.instead else reasons + self.reasons


def modes(net: Network, each: Traffic, markings: list[Marking]) -> list[Mode]:
    """What the chip may do with a class that is routed; empty where the switch routes none of it.

    A class that NAT changes on its way in is decided by the packets back: only they are routed as
    they come, the others are for an address of the router until it has translated them.
    """
    chip, packet = net.chip, each.packet
    rows = net.rows.of(SWITCH)
    if not chip or not any(row.get(SETTING) == "yes" for row in rows):
        return []
    if each.family == 6:
        if not _ipv6(net):
            return []
        chip = with_(chip, "fasttrack", False)  # the manual says it of connections of IPv4
    if packet is None:  # what a PPPoE client carries
        return [Mode(NONE, [Reason("l3hw-tunnels", "", [], "")])]
    nat = packet.nat[0] if packet.nat and packet.nat != ["none"] else ""
    ins, outs = packet.ins, packet.outs
    if nat == "dstnat":
        ins, outs = outs, ins
    found: list[Mode] = []
    same = ins is not None and ins == outs
    begins, leaves = ends(net, chip, ins), ends(net, chip, outs)
    for one in begins:
        for other in leaves:
            if same and one.names == other.names and len(one.names) == 1:
                continue  # nothing is routed from a network into itself
            sides = [(a, b) for a in one.sides for b in other.sides]
            lines = [each for side in one.sides + other.sides for each in _off(side)]
            unsure = len({side.state for side in one.sides + other.sides}) > 1
            if one.vlan and other.vlan and lines and unsure and _per_vlan(net):
                found.append(Mode(NONE, [Reason("l3hw-per-vlan", "port-off", lines, "")]))
                continue
            for a, b in sides:
                found += _of_pair(chip, a, b, nat, markings)
    if nat == "dstnat":
        found = _translated_in(chip, found)
    for mode in found:
        if mode.chip == ROUTES and each.family == 6:
            row = net.rows.single(L3HW)
            lines = [row.command(IPV6)] if row is not None else []
            mode.reasons = mode.reasons + [Reason("l3hw-ipv6", "", lines, "it is set")]
        for reason in mode.reasons:
            if reason.fact in NAT:
                translating = net.rows.of("/ip/firewall/nat")
                reason.lines = [row.first for row in translating if row.get("chain") == nat]
    return _once(net, found)


def _ipv6(net: Network) -> bool:
    """Whether the chip is told to route IPv6, which it can since a version."""
    since = net.base["facts"]["l3hw-ipv6"]
    told, _ = net.setting(L3HW, IPV6)
    return told == "yes" and matching.in_force(since, net.numbers)


def _per_vlan(net: Network) -> bool:
    return not net.numbers or net.numbers >= PER_VLAN


def _off(side: Side) -> list[Any]:
    return side.lines if side.state == OFF else []


def _nat(chip: dict[str, Any], why: str) -> Reason:
    fact = "l3hw-nat-none" if "no-nat" in chip["classes"] else "l3hw-nat-fasttrack"
    return Reason(fact, NAT[fact], [], why)


def _of_pair(
    chip: dict[str, Any], one: Side, other: Side, nat: str, markings: list[Marking]
) -> list[Mode]:
    """What the chip may do from one port to another."""
    for side in (one, other):
        if side.state == CPU and side.reason is not None:
            unsaid = side.reason.fact == COUNTED
            return [Mode(NONE, [side.reason], [BY_NUMBER] if unsaid else None)]
    in_vrf = [side.reason for side in (one, other) if side.state == OFF and side.reason]
    if other.state == OFF and one.state == OFF and in_vrf:
        return [Mode(NONE, [Reason("l3hw-egress-alone", "port-off", one.lines + other.lines, "")])]
    if other.state == OFF and one.state == OFF:
        return _both_off(chip, one.lines + other.lines, nat, markings)
    if other.state == OFF:
        return [Mode(NONE, [Reason("l3hw-egress-alone", "port-off", other.lines, "")])]
    if one.state == OFF:
        reason = Reason("l3hw-ingress-alone", "port-off", one.lines, "")
        return [Mode(ROUTES, [reason], BY_PACKETS), Mode(NONE, [reason], BY_PACKETS)]
    for side in (one, other):
        if side.state == OPEN and side.reason is not None:
            reason = side.reason
            if reason.fact == "l3hw-bridge-tagged":
                return [Mode(ROUTES, [reason])]  # or nothing routes it
            return [Mode(ROUTES, [reason], BY_PACKETS), Mode(NONE, [reason], BY_PACKETS)]
    if nat == "srcnat":
        why = "these ports have yes, so the packets keep their addresses"
        return [Mode(ROUTES, [_nat(chip, why)], None, False)]
    return [Mode(ROUTES, [], None, False)]


def _both_off(
    chip: dict[str, Any], lines: list[Any], nat: str, markings: list[Marking]
) -> list[Mode]:
    """Both ports say no: the chip takes what is fast-tracked, where it can and the rule lets it."""
    if not chip["fasttrack"]:
        if nat:
            return [Mode(NONE, [_nat(chip, "")])]
        return [Mode(NONE, [Reason("l3hw-egress-alone", "port-off", lines, "")])]
    rules = _marking_rules(markings)
    values = [row.get("hw-offload") for row in rules]
    lines = [row.command("hw-offload") for row in rules]
    if values and all(each in ("no", "false") for each in values):
        return [Mode(NONE, [Reason("l3hw-fasttrack-rule", "fasttrack-hw-off", lines, "")])]
    if all(each in ("yes", "true") for each in values):
        return [Mode(FASTTRACKS, [])]
    why = "not known of a rule without it" if "" in values else "one rule has yes, the other no"
    reason = Reason("l3hw-fasttrack-rule", "", lines, why)
    return [Mode(FASTTRACKS, [], BY_CONNECTIONS), Mode(NONE, [reason], BY_CONNECTIONS)]


def _marking_rules(markings: list[Marking]) -> list[Row]:
    """The FastTrack rules that a class may meet, to the first that takes all of it."""
    found: list[Row] = []
    for marking in markings:
        for step in marking.steps:
            if step.action != FASTTRACK or step.verdict == NO:
                continue
            if step.row not in found:
                found.append(step.row)
            if step.verdict == YES and step.sure:
                break
    return found


def _translated_in(chip: dict[str, Any], found: list[Mode]) -> list[Mode]:
    """The modes of a forwarded port by those of its packets back."""
    made: list[Mode] = []
    for mode in found:
        if mode.chip == ROUTES:
            made.append(Mode(NONE, [_nat(chip, "")], BY_PACKETS))
            why = "the packets back, which then keep their addresses"
            made.append(
                Mode(ROUTES, mode.reasons or [Reason("l3hw-both-ports", "", [], why)], BY_PACKETS)
            )
        else:
            made.append(mode)
    return made


def _once(net: Network, found: list[Mode]) -> list[Mode]:
    """Each mode once, what the chip does first; with what tells which port a number is."""
    made: dict[str, Mode] = {}
    order: list[str] = []
    for chip in (ROUTES, FASTTRACKS, NONE):
        for mode in found:
            mark = mode.chip + " ".join([reason.fact for reason in mode.reasons])
            if mode.chip == chip and mark not in made:
                made[mark] = mode
                order.append(mark)
    numbered = [row for row in net.rows.of(PORTS) if row.says(SETTING) and row.name.isdigit()]
    if numbered and len(order) > 1:
        for mark in order:
            made[mark].asks = [BY_NUMBER] + made[mark].asks
    return [made[mark] for mark in order]
