"""One packet's way through the firewall, rule by rule: `--packet "dst=1.1.1.1:443/tcp"`.

What the export leaves open makes several cases of a packet: whether a rule translates it, whether
an address is the router's own.  The first case is shown rule by rule, the others by their end.
"""

from __future__ import annotations

from typing import Any

from ppslab.theory.packet_path.explain.firewall import Step, Walk
from ppslab.theory.packet_path.explain.matchers import NO, PERHAPS, YES
from ppslab.theory.packet_path.explain.network import Network
from ppslab.theory.packet_path.explain.one_packet import in_chip
from ppslab.theory.packet_path.explain.one_packet.empty_lists import empty_lists_said
from ppslab.theory.packet_path.explain.one_packet.ending import Ending, ending_of
from ppslab.theory.packet_path.explain.one_packet.fasttracking import fasttracked
from ppslab.theory.packet_path.explain.one_packet.interfaces import Entered
from ppslab.theory.packet_path.explain.one_packet.marks import follow
from ppslab.theory.packet_path.explain.one_packet.marks_said import marks_said, routing_said
from ppslab.theory.packet_path.explain.one_packet.placing import dynamic, never_forwarded, place
from ppslab.theory.packet_path.explain.one_packet.tables import Table, tables_of
from ppslab.theory.packet_path.explain.one_packet.translating import (
    TRACKED,
    Translated,
    back_said,
    named,
    source_said,
    translations,
)
from ppslab.theory.packet_path.explain.packets import OUTPUT, Packet

MOST_SHOWN = 400
BEFORE = ("prerouting", "dstnat")
"""Chains that every packet from outside comes to, whithersoever it goes."""
BRIDGED, NOWHERE = "bridged", "not forwarded"


Asked = Any  # tuple[Step, str, bool]: a rule, its table, and whether it gets there for certain


class Case:
    """One way that a packet may take: `if_` says when it does, empty for the one that is shown."""

    def __init__(self, if_: str, packet: Packet, tables: list[Table]) -> None:
        self.if_ = if_
        self.packet = packet
        self.tables = tables


def walked(net: Network, packet: Packet) -> dict[str, Any]:
    """What `followed` says of a packet."""
    return followed(net, packet)[0]


def followed(net: Network, packet: Packet) -> tuple[dict[str, Any], Packet]:
    """Every rule that a packet is asked by, and what becomes of it; and the packet behind NAT.

    ValueError: no such interface.

    `ended` says how in words; `end` and `unless` are the same as data: an action, and the rules
    that perhaps match and would end it otherwise; `chip`: what the switch chip routes beforehand.
    """
    asked = Entered(net, packet)
    says = asked.says
    place(net, packet)
    packet.outs = asked.leaving(packet.outs)
    if asked.stays_in_bridge(packet) and not _translated(net, packet):
        says.append(asked.bridged_said())
        if not asked.bridged_in_firewall():
            return _answer(asked, packet, [], Ending(BRIDGED), NO), packet
    never = never_forwarded(packet) if packet.chain != OUTPUT else None
    if never:
        says.append(never.said)
        # What is for nobody is not seen to come to the chain for the router itself.
        cases = [Case("", packet, tables_of(packet)[: 2 if never.nowhere else None])]
    else:
        cases = _cases(net, packet, says, asked.given)
    for case in cases:
        case.tables = follow(net, case.packet, case.tables)
    first = cases[0]
    end = ending_of(net, first.tables)
    steps = _steps(net, first.tables, end, len(cases) > 1)
    says += empty_lists_said(net, first.packet, [step.row for step, _, _ in steps])
    says += marks_said(net, first.packet, [step.row for step, _, _ in steps])
    says += [] if asked.given else routing_said(net, [step for step, _, _ in steps])
    marked = NO
    if first.packet.chain == "forward" and not (end.refuses and not end.unless):
        marked, why = fasttracked(net, first.packet)
        marked = PERHAPS if end.refuses and marked == YES else marked
        says += [why] if why else []
    if first.packet.chain in ("forward", OUTPUT) and not (end.refuses and not end.unless):
        says += source_said(net, first.tables[-1][2])
    answer = _answer(asked, first.packet, steps, end, marked)
    if first.packet.chain == "forward":
        answer["chip"] = in_chip.routed(net, first.packet)
    answer["ended"] = in_chip.ended(answer["chip"], end.words(net))
    if answer["chip"] == in_chip.ALL:
        answer["fasttrack"] = NO
    if never:
        answer["ended"] = never.ended(end.words(net))
        answer["end"] = NOWHERE if never.nowhere else end.action
    for case in cases[1:]:
        other = ending_of(net, case.tables)
        answer["others"].append(
            {"if": case.if_, "chain": case.packet.chain, "ended": other.words(net)}
        )
        if other.words(net) != end.words(net):
            answer["ended"] += "; or " + other.words(net) + ", if " + case.if_
    return answer, first.packet


def _answer(
    asked: Entered, packet: Packet, steps: list[Asked], end: Ending, marked: str
) -> dict[str, Any]:
    return {
        "chain": BRIDGED if end.action == BRIDGED else packet.chain,
        "family": packet.family,
        "in": packet.ins or [],
        "out": packet.outs or [],
        "ports": [port for port in (asked.in_port, asked.out_port) if port],
        "says": asked.says,
        "steps": _shown(steps[:MOST_SHOWN]),
        "left": max(0, len(steps) - MOST_SHOWN),
        "ended": end.action,
        "end": end.action,
        "unless": [
            {"file": row.first.file, "line": row.first.number, "action": action}
            for row, action in end.unless
        ],
        "others": [],
        "fasttrack": marked,
        "chip": in_chip.NONE,
    }


def _translated(net: Network, packet: Packet) -> list[Translated]:
    comes_in = packet.chain != OUTPUT
    return translations(net, packet) if comes_in and packet.state in TRACKED else []


def _cases(net: Network, packet: Packet, says: list[str], out_given: bool) -> list[Case]:
    """The cases that are possible, the first as if no rule matched that only perhaps does."""
    found = _translated(net, packet)
    sure = [each for each in found if each.sure]
    cases = [Case("", each.packet, tables_of(each.packet, packet)) for each in sure]
    for each in sure:
        says.append(each.said(net, packet))
    if not sure:
        rest = packet.copied()
        rest.nat = named(net, packet, bool(found), says)
        cases.append(Case("", rest, tables_of(rest, packet)))
        by = "" if out_given else dynamic(net, rest)
        if by:
            own = rest.copied()
            own.chain, own.outs = "input", None
            says.append(
                "The address is in no network of the export, and " + by + " has one that no "
                "export shows: the rules below are those for the router's own address."
            )
            case = Case("the address is not the router's own", rest, cases[0].tables)
            cases = [Case("", own, tables_of(own, packet)), case]
        says += back_said(net, cases[0].packet)
    for each in found:
        if not each.sure:
            cases.append(Case(each.condition(net), each.packet, tables_of(each.packet, packet)))
    return cases


def _steps(net: Network, tables: list[Table], end: Ending, several: bool) -> list[Asked]:
    """The rules that it is asked by, up to the one that ends it for certain.

    `several`: there are other cases, which come to other rules once NAT has been asked.
    """
    steps: list[Asked] = []
    doubt = False
    for table, chain, packet in tables:
        if several and chain not in BEFORE:
            doubt = True
        walk = Walk(net, packet, packet.family)
        walk.chain(net.firewall_of(packet.family).chains[table], chain)
        for step in _up_to_translation(table, walk.steps):
            steps.append((step, table, step.sure and not doubt))
            if table == "nat" and step.verdict == PERHAPS and Translated.ends(step.action):
                doubt = True
        doubt = doubt or table in end.doubted or table == end.table
        if table == end.table and not end.unless:
            break
    return steps


def _shown(steps: list[Asked]) -> list[dict[str, Any]]:
    return [
        {
            "table": table,
            "chain": step.row.get("chain"),
            "verdict": step.verdict,
            "why": step.why,
            "action": step.action,
            "sure": sure,
            "command": step.row.first,
        }
        for step, table, sure in steps
    ]


def _up_to_translation(table: str, steps: list[Step]) -> list[Step]:
    """The steps of a table of NAT end with the rule that translates, which Walk does not know."""
    if table != "nat":
        return steps
    for index in range(len(steps)):
        step = steps[index]
        if step.verdict == YES and step.sure and Translated.ends(step.action):
            return steps[: index + 1]
    return steps
