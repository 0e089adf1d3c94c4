"""One packet, station by station and rule by rule: `--packet "dst=1.1.1.1:443/tcp"`.

What the export leaves open makes several cases of a packet: whether a rule translates it, whether
an address is the router's own.  The first case is shown rule by rule, the others by their end.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple

from rosexplain import decide, matching, offload
from rosexplain.decide import Reason, Situation, way
from rosexplain.destination import Never, dynamic_interface, never_forwarded, place
from rosexplain.ending import (
    MOST_NAMED,
    Ending,
    Table,
    as_tracked,
    ending_of,
    place_of,
    tables_of,
    untracked,
)
from rosexplain.firewall import Marking, Step, ends, marking, walk
from rosexplain.interface_lists import named_by
from rosexplain.interfaces import Entered
from rosexplain.language import N_, few_of, gettext
from rosexplain.marks import answering, follow, mark_sentences, routing_mark_sentences
from rosexplain.matchers import NO, PERHAPS, YES
from rosexplain.network import Network, spelled
from rosexplain.packet import OUTPUT, Packet, key_of
from rosexplain.rows import Row, quoted
from rosexplain.traffic import ESTABLISHED, Traffic, rules_met_together
from rosexplain.translation import (
    TRANSLATED_STATES,
    Translated,
    answer_sentences,
    named,
    source_sentences,
    translations,
)

ALL, SOME, NONE = "all", "some", "none"
"""Of the packets that are as the one that was asked about: those that the chip routes."""

BY_CHIP = N_("routed by the switch chip, which bypasses all rules")


def routed(net: Network, packet: Packet) -> str:
    """Return the share of such packets that the chip routes: ALL, SOME where it depends, NONE."""
    traffic = Traffic("packet", "the packet", ESTABLISHED, packet.family)
    traffic.packet = packet
    # FastTrack's rules decide only between its own mode and none, so they are not asked.
    routes = [mode.chip == offload.ROUTES for mode in offload.modes(net, traffic, [])]
    if not any(routes):
        return NONE
    return ALL if all(routes) else SOME


def ended(by_chip: str, words: str) -> str:
    """Return the end in words, where the firewall would end it as `words` say."""
    chip = gettext(BY_CHIP)
    some = gettext("{one}; or {other}").format(one=words, other=chip)
    return {ALL: chip, SOME: some, NONE: words}[by_chip]


TRACKED = ("established", "related")


def fasttracked(net: Network, packet: Packet) -> tuple[str, str]:
    """Yes, no or perhaps, and why where that is not plain from the rules."""
    if packet.protocols[0] not in ("tcp", "udp") or packet.state not in TRACKED:
        return NO, ""
    if not matching.has_fasttrack(net.base, net.numbers, packet.family):
        return NO, ""
    # One direction of a connection is enough to mark it, for both.
    own, other = [marking(net, one) for one in (packet, answering(net, packet))]
    if not own.there:
        return NO, ""
    untracked = [one.untracked for one in (own, other) if one.untracked]
    if any(step.verdict == YES for step in untracked):
        lines = [step.row.first for step in untracked]
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
    """Return a reason that keeps a marked connection out of FastTrack; None: nothing does."""
    traffic = Traffic("packet", "the packet", ESTABLISHED, packet.family)
    traffic.packet = packet
    met = matching.lines_that_meet(net.rules.in_force(net.numbers), net.rows)
    for name, lines in rules_met_together(net, markings):
        met[name] = met.get(name, []) + lines
    situation = Situation(net, met, net.rules.by_id, markings)
    inputs = situation.inputs(traffic, situation.features(traffic))
    inputs["fasttrack"], inputs["accepted"] = True, False
    path, reasons, _ = way(situation, traffic, inputs, markings)
    return None if path == decide.FASTTRACK else reasons[0]


def _because(net: Network, reason: Reason) -> str:
    rule = net.rules.by_id.get(reason.rule)
    says = str(rule["decides"] if rule else net.base["facts"][reason.fact]["says"])
    lines = [place_of(net, line) for line in reason.lines[:1]]
    says += "".join([" (" + line + ")" for line in lines])
    return gettext("Not fast-tracked: {says}").format(says=says)


def _by_answers(net: Network, own: Marking, other: Marking) -> str:
    """Return a sentence where only the packets of the other direction meet the rule."""
    if own.answer == YES or other.answer == NO or other.by is None:
        return ""
    rule = place_of(net, other.by.first)
    text = gettext("Reply packets may mark the connection for both directions ({rule}).")
    if other.answer == YES:
        text = gettext("Reply packets mark the connection for both directions ({rule}).")
    return text.format(rule=rule)


def empty_list_sentences(net: Network, packet: Packet, rows: list[Row]) -> list[str]:
    """Return a sentence for each empty list that rules name, with the command to fill it."""
    none: dict[str, list[str]] = {}
    every: dict[str, list[str]] = {}
    ends: dict[str, list[str] | None] = {}
    for row in rows:
        for word, name in named_by(row):
            if name in net.empty_lists:
                lines = (every if row.get(word)[0] == "!" else none).setdefault(name, [])
                place = place_of(net, row.first)
                lines += [] if place in lines else [place]
                ends[name] = packet.ins if word[0] == "i" else packet.outs
    sentences = []
    for name, at in ends.items():
        clauses = []
        if name in none:
            clauses.append("no packet matches " + few_of(none[name], MOST_NAMED))
        if name in every:
            where = few_of(every[name], MOST_NAMED)
            clauses.append(f"every packet matches !{name} in {where}")
        end = at[0] if at is not None and len(at) == 1 else "INTERFACE"
        change = "/interface/list/member/add list=" + quoted(name) + " interface="
        change = spelled(net, change + quoted(end))
        start = f"The interface list {name} has no members, so {' and '.join(clauses)}"
        sentences.append(f"{start}. To change that: {change}")
    return sentences


MOST_SHOWN = 400
BEFORE = ("prerouting", "dstnat")
"""Chains that every packet from outside comes to, whithersoever it goes."""
BRIDGED, NOWHERE = "bridged", "not forwarded"


class StepAt(NamedTuple):
    """A rule, its table, and whether the packet gets there for certain."""

    step: Step
    table: str
    sure: bool


@dataclass
class Case:
    """One way that a packet may take: `if_` says when it does, empty for the one that is shown."""

    if_: str
    packet: Packet
    tables: list[Table]


class Followed:
    """A packet's way to its end, without words; ValueError: no such interface.

    `cases`: none where it stays in a bridge; `end`: that of the first.
    """

    def __init__(self, net: Network, packet: Packet) -> None:
        self.net = net
        self.entry = entry = Entered(net, packet)
        self.cases: list[Case] = []
        self.never: Never | None = None
        self.end = Ending(BRIDGED)
        place(net, packet)
        packet.outs = entry.leaving(packet.outs)
        if entry.stays_in_bridge(packet) and not _translated(net, packet):
            entry.says.append(entry.bridged_sentence(packet))
            if not entry.bridged_in_firewall():
                return
        self.never = never = never_forwarded(packet) if packet.chain != OUTPUT else None
        if never:
            entry.says.append(never.sentence(net))
            # What is for nobody is not seen to come to the chain for the router itself.
            self.cases = [Case("", packet, tables_of(packet)[: 2 if never.nowhere else None])]
        else:
            self.cases = _cases(net, packet, entry.says, entry.given)
        first = self.cases[0]
        first.tables = as_tracked(net, follow(net, first.packet, first.tables))
        self.end = ending_of(net, first.tables)

    @property
    def nowhere(self) -> bool:
        """True if it is for nobody."""
        return self.never is not None and self.never.nowhere

    def chip(self, net: Network) -> str:
        """The share of such packets that the switch chip routes.

        `net`: the router, or the same with another chip.
        """
        if not self.cases or self.cases[0].packet.chain != "forward":
            return NONE
        packet = self.cases[0].packet
        key = str([packet.family, packet.ins, packet.outs, packet.nat])
        if key not in net.by_chip:
            net.by_chip[key] = routed(net, packet)
        return net.by_chip[key]


def led(net: Network, packet: Packet) -> Followed:
    """The way of a packet without marks, followed once for all that are alike.

    ValueError: no such interface.
    """
    key = key_of(packet.parts())
    if key not in net.followed:
        net.followed[key] = Followed(net, packet.copied())
    way: Followed = net.followed[key]
    return way


def followed(net: Network, packet: Packet) -> tuple[dict[str, Any], Packet]:
    """Every rule that a packet is asked by, and what becomes of it; and the packet behind NAT.

    ValueError: no such interface.

    `ended` says how in words; `end` and `unless` are the same as data: an action, and the rules
    that perhaps match and would end it otherwise; `chip`: what the switch chip routes beforehand.
    """
    way = Followed(net, packet)
    entry, cases, never, end, says = way.entry, way.cases, way.never, way.end, way.entry.says
    if not cases:
        return _answer(entry, packet, [], end, NO), packet
    first = cases[0]
    for case in cases[1:]:
        case.tables = as_tracked(net, follow(net, case.packet, case.tables))
    steps = _steps(net, first.tables, end, len(cases) > 1)
    says += empty_list_sentences(net, first.packet, [at.step.row for at in steps])
    says += mark_sentences(net, first.packet, [at.step.row for at in steps])
    marked, why = NO, ""
    if first.packet.chain == "forward" and not (end.refuses and not end.unless):
        marked, why = fasttracked(net, first.packet)
        marked = PERHAPS if end.refuses and marked == YES else marked
    says += routing_mark_sentences(net, [at.step for at in steps], entry.given, marked)
    says += [why] if why else []
    if first.packet.chain in ("forward", OUTPUT) and not (end.refuses and not end.unless):
        says += source_sentences(net, first.tables[-1][2])
    answer = _answer(entry, first.packet, steps, end, marked)
    answer["chip"] = way.chip(net)
    answer["ended"] = ended(answer["chip"], end.words(net))
    if answer["chip"] == ALL:
        answer["fasttrack"] = NO
    if never:
        answer["ended"] = never.ended(end.words(net))
        answer["end"] = NOWHERE if way.nowhere else end.action
    for case in cases[1:]:
        other = ending_of(net, case.tables)
        answer["others"].append(
            {"if": case.if_, "chain": case.packet.chain, "ended": other.words(net)}
        )
        if other.words(net) != end.words(net):
            answer["ended"] += "; or " + other.words(net) + ", if " + case.if_
    return answer, first.packet


def _answer(
    entry: Entered, packet: Packet, steps: list[StepAt], end: Ending, marked: str
) -> dict[str, Any]:
    return {
        "chain": BRIDGED if end.action == BRIDGED else packet.chain,
        "family": packet.family,
        "in": packet.ins or [],
        "out": packet.outs or [],
        "ports": [port for port in (entry.in_port, entry.out_port) if port],
        "says": entry.says,
        "steps": _shown(steps[:MOST_SHOWN]),
        "left": len(steps[MOST_SHOWN:]),
        "ended": end.action,
        "end": end.action,
        "unless": [
            {"file": one.row.first.file, "line": one.row.first.number, "action": one.action}
            for one in end.unless
        ],
        "others": [],
        "fasttrack": marked,
        "chip": NONE,
    }


def _translated(net: Network, packet: Packet) -> list[Translated]:
    comes_in = packet.chain != OUTPUT
    if comes_in and untracked(net, packet):
        return []  # NAT is of connections
    return translations(net, packet) if comes_in and packet.state in TRANSLATED_STATES else []


def _cases(net: Network, packet: Packet, says: list[str], out_given: bool) -> list[Case]:
    """The cases that are possible, the first as if no rule matched that only perhaps does."""
    candidates = _translated(net, packet)
    sure = [translation for translation in candidates if translation.sure]
    cases = [
        Case("", translation.packet, tables_of(translation.packet, packet)) for translation in sure
    ]
    for translation in sure:
        says.append(translation.sentence(net, packet))
    if not sure:
        rest = packet.copied()
        rest.nat = named(net, packet, bool(candidates), says)
        cases.append(Case("", rest, tables_of(rest, packet)))
        by = "" if out_given else dynamic_interface(net, rest)
        if by:
            own = rest.copied()
            own.chain, own.outs = "input", None
            says.append(
                f"The address is in no network of the export. {by} has a dynamic address that "
                "the export does not show, so the rules below are for the router's own address."
            )
            case = Case("the address is not the router's own", rest, cases[0].tables)
            cases = [Case("", own, tables_of(own, packet)), case]
        says += answer_sentences(net, cases[0].packet)
    for translation in candidates:
        if not translation.sure:
            led = translation.packet
            cases.append(Case(translation.condition(net), led, tables_of(led, packet)))
    return cases


def _steps(net: Network, tables: list[Table], end: Ending, several: bool) -> list[StepAt]:
    """The rules that it is asked by, up to the one that ends it for certain.

    `several`: there are other cases, which come to other rules once NAT has been asked.
    """
    steps: list[StepAt] = []
    doubt = False
    for table, chain, packet in tables:
        if several and chain not in BEFORE:
            doubt = True
        for step in _up_to_translation(table, walk(net, packet, table, chain, whole=True).steps):
            steps.append(StepAt(step, table, step.sure and not doubt))
            if table == "nat" and step.verdict == PERHAPS and ends(step.row):
                doubt = True
        doubt = doubt or table in end.doubted or table == end.table
        if table == end.table and not end.unless:
            break
    return steps


def _shown(steps: list[StepAt]) -> list[dict[str, Any]]:
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
    """The steps of a table, of NAT to the rule that translates: a `Walk` goes on behind it."""
    if table != "nat":
        return steps
    for index, step in enumerate(steps):
        if step.verdict == YES and step.sure and ends(step.row):
            return steps[: index + 1]
    return steps
