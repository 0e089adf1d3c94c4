"""Whether a packet's connection is fast-tracked, decided as for a class of packets."""

from __future__ import annotations

from ppslab.theory.packet_path import packet_way
from ppslab.theory.packet_path.explain import matching, together
from ppslab.theory.packet_path.explain.deciding import Reason, Situation, way
from ppslab.theory.packet_path.explain.firewall import Marking, marking
from ppslab.theory.packet_path.explain.matchers import NO, PERHAPS, YES
from ppslab.theory.packet_path.explain.network import Network
from ppslab.theory.packet_path.explain.one_packet.ending import place_of
from ppslab.theory.packet_path.explain.one_packet.marks import answering
from ppslab.theory.packet_path.explain.packets import Packet
from ppslab.theory.packet_path.explain.traffic import ESTABLISHED, Traffic
from ppslab.theory.packet_path.exports.reading import Command

TRACKED = ("established", "related")


def fasttracked(net: Network, packet: Packet) -> tuple[str, str]:
    """Yes, no or perhaps, and why where that is not plain from the rules."""
    if packet.protocols[0] not in ("tcp", "udp") or packet.state not in TRACKED:
        return NO, ""
    if not matching.has_fasttrack(net.base, net.numbers, packet.family):
        return NO, ""
    # One direction of a connection is enough to mark it, for both.
    own, other = [marking(net, one, packet.family) for one in (packet, answering(net, packet))]
    if not own.there:
        return NO, ""
    untracked = [each.untracked.verdict for each in (own, other) if each.untracked]
    if YES in untracked:
        lines = [each.untracked.row.first for each in (own, other) if each.untracked]
        return NO, _because(net, Reason("", "not-tracked", lines, ""))
    answers = [own.answer, other.answer]
    answer = YES if YES in answers else PERHAPS if PERHAPS in answers else NO
    if answer == NO:
        return NO, ""
    closed = _closed(net, packet, [own, other])
    if closed is not None:
        return NO, _because(net, closed)
    if untracked:
        return PERHAPS, ""
    return answer, _by_answers(net, own, other)


def _closed(net: Network, packet: Packet, markings: list[Marking]) -> Reason | None:
    """What keeps a connection out of FastTrack that its rule marks; None: nothing."""
    traffic = Traffic("packet", "the packet", ESTABLISHED, packet.family)
    traffic.packet = packet
    rules = {rule["id"]: rule for rule in net.base["rules"]}
    in_force = [rule for rule in net.base["rules"] if matching.in_force(rule, net.numbers)]
    met: dict[str, list[Command]] = {}
    for name, row in matching.rows_that_meet(in_force, net.rows):
        words = [word for word in rules[name]["where"] if row.says(word)]
        met.setdefault(name, []).append(row.command(words[0]) if words else row.first)
    for name, lines in together.found(net, markings):
        met[name] = met.get(name, []) + lines
    situation = Situation(net, met, rules, markings)
    inputs = situation.inputs(traffic, situation.features(traffic))
    inputs["fasttrack"], inputs["accepted"] = True, False
    found, reasons, _ = way(situation, traffic, inputs, markings)
    return None if found == packet_way.FASTTRACK else reasons[0]


def _because(net: Network, reason: Reason) -> str:
    decides = [rule["decides"] for rule in net.base["rules"] if rule["id"] == reason.rule]
    says = str(decides[0] if decides else net.base["facts"][reason.fact]["says"])
    lines = [place_of(net, line) for line in reason.lines[:1]]
    return "Not fast-tracked: " + says + "".join([" (" + line + ")" for line in lines])


def _by_answers(net: Network, own: Marking, other: Marking) -> str:
    """Where only the packets of the other direction meet the rule."""
    if own.answer == YES or other.answer == NO or other.by is None:
        return ""
    rule = place_of(net, other.by.first)
    may = " mark " if other.answer == YES else " perhaps mark "
    return (
        "The packets that answer it" + may + "the connection, for both directions (" + rule + ")."
    )
