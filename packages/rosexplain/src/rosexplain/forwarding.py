"""The cases of a class that is forwarded: what the firewall, its ports and bridges leave open."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from rosexplain import decide, matching, offload, traffic
from rosexplain.bridging import verdict_in_bridge
from rosexplain.commands import counters_of
from rosexplain.decide import (
    DEPENDS,
    DROPPED,
    UNKNOWN,
    Case,
    Reason,
    Situation,
    Verdict,
    answer_of,
    way,
    with_,
)
from rosexplain.firewall import Marking, Step
from rosexplain.language import gettext
from rosexplain.matchers import YES
from rosexplain.network import SERVER
from rosexplain.ordered import unique
from rosexplain.printed import PRINTED
from rosexplain.traffic import Traffic
from rosexplain.tunnels import without_fast_path


def forwarded(situation: Situation, traffic_class: Traffic, markings: list[Marking]) -> Verdict:
    """Return the verdict of a routed or bridged class: by every case that is possible."""
    features = situation.features(traffic_class)
    inputs = situation.inputs(traffic_class, features)
    if traffic_class.kind == traffic.BRIDGED:
        return verdict_in_bridge(situation, traffic_class, inputs)
    before_ipv6 = (
        traffic_class.family == 6 and situation.net.numbers and situation.net.numbers < (7, 18)
    )
    if before_ipv6:
        inputs["allow"] = False
    cases, doubts = cases_of(situation, traffic_class, markings, inputs)
    outcome = outcome_of(situation, traffic_class, cases, markings)
    ways, reasons = outcome.ways, outcome.reasons
    if decide.CHIP not in ways:
        reasons = reasons + situation.bonds_back(traffic_class)
        if before_ipv6:
            reasons = [Reason("tree-ipv6-fast-path", "", [], "")] + reasons[1:]
    elif traffic_class.packet is not None and traffic_class.packet.nat == ["srcnat"]:
        # The chip translates nothing that it routes as it comes.
        traffic_class.translated(gettext("not translated by the chip"), False)
    verdict = Verdict(traffic_class, answer_of(ways), ways)
    if verdict.answer == DEPENDS and answer_of(outcome.sourced) == YES:
        verdict.answer = UNKNOWN  # only what no source says is slow
    verdict.asks = outcome.asks if len(ways) > 1 else []
    verdict.case = outcome.case
    doubted = doubts[:8] if verdict.answer == DEPENDS else []
    verdict.reasons = [doubt_reason(step) for step in doubted] + reasons
    return verdict


def cases_of(
    situation: Situation, traffic_class: Traffic, markings: list[Marking], inputs: dict[str, Any]
) -> tuple[list[dict[str, Any]], list[Step]]:
    """The inputs of every case, and the rules that decide between FastTrack and none."""
    there = [row for m in markings for row in m.there]
    name = "fasttrack" if traffic_class.family == 4 else "fasttrack-ipv6"
    has = matching.has_fasttrack(situation.net.base, situation.net.numbers, traffic_class.family)
    inputs["fasttrack"] = has and (bool(there) or name in situation.met)
    answers = [m.answer for m in markings]
    untracked = [m.untracked for m in markings if m.untracked]
    never = bool([step for step in untracked if step.verdict == "yes"])
    reached = ("yes" in answers or not markings) and not untracked
    perhaps = ("perhaps" in answers or "yes" in answers) and not reached and not never
    inputs["accepted"] = not reached
    cases = [with_(inputs, "accepted", False), inputs] if perhaps else [inputs]
    cases = [
        with_(case, "driver", one) for case in cases for one in situation.drivers(traffic_class)
    ]
    steps = [step for m in markings for step in m.perhaps]
    if "yes" in answers:
        steps = [step for step in steps if step.action == "notrack"]
    crossed = [other for case in cases for other in situation.crossed(traffic_class, case)]
    return crossed, steps if perhaps else []


@dataclass
class Outcome:
    """The ways of all cases of a class, with their reasons and what to ask the router.

    `sourced`: those ways that a source states; `case`: the first case.
    """

    ways: list[str] = field(default_factory=list)
    sourced: list[str] = field(default_factory=list)
    reasons: list[Reason] = field(default_factory=list)
    asks: list[str] = field(default_factory=list)
    case: Case | None = None

    def add(self, path: str, reasons: list[Reason], sourced: bool, asks: list[str]) -> None:
        """Take in one case."""
        self.ways = unique(self.ways + [path])
        self.sourced += [path] if sourced else []
        self.reasons = unique(self.reasons + reasons, lambda one: (one.fact, one.rule))
        self.asks = unique(self.asks + asks)


def outcome_of(
    situation: Situation,
    traffic_class: Traffic,
    cases: list[dict[str, Any]],
    markings: list[Marking],
) -> Outcome:
    """Return the outcome of all cases, with what the switch chip may do in each."""
    outcome = Outcome()
    modes = offload.modes(situation.net, traffic_class, markings)
    for mode in modes or [offload.Mode(offload.NONE, [])]:
        for inputs in cases:
            tried = with_(inputs, "chip", mode.chip) if modes else inputs
            path, reasons, case = way(situation, traffic_class, tried, markings)
            reasons = mode.reasons_for(path, reasons) if modes else reasons
            outcome.add(path, reasons, not mode.unsourced, mode.asks)
            outcome.case = outcome.case or case
    return _with_unnamed(situation, traffic_class, outcome)


def _with_unnamed(situation: Situation, traffic_class: Traffic, outcome: Outcome) -> Outcome:
    """The outcome with the slow way of interfaces and VLANs that no source calls fast."""
    fast = decide.FAST in outcome.ways or decide.FASTTRACK in outcome.ways
    without = without_fast_path(situation.net, traffic_class) if fast else []
    if without:
        outcome.asks.append(counters_of([one.name for one in without]))
        if decide.SLOW not in outcome.ways:
            outcome.ways.append(decide.SLOW)
    tagged = [r for r in outcome.reasons if r.fact == "l3hw-bridge-tagged"]
    if decide.CHIP in outcome.ways and tagged:
        outcome.ways.append(DROPPED)  # nothing is routed into such a VLAN
        outcome.asks = unique(outcome.asks + situation.rules["bridge-tagged"]["asks"])
    outcome.reasons = [one.reason for one in without] + outcome.reasons
    outcome.sourced += [decide.SLOW for one in without if one.sourced]
    outcome.sourced += [path for path in outcome.ways if path == DROPPED]
    return outcome


def doubt_reason(step: Step) -> Reason:
    """Return a doubt: a rule of the firewall that only perhaps matches."""
    why = gettext("it depends")
    if step.why:
        why = gettext("it depends on {words}").format(words=", ".join(step.why))
    fact, rule = "fasttrack-accept-in-front", "accept-in-front"
    if step.action == "notrack":
        fact, rule = "fasttrack-established", "not-tracked"
        why = gettext("this line leaves connections untracked: {why}").format(why=why)
    return Reason(fact, rule, [step.row.first], why)


PPPOE_SERVER = "pppoe-server"
IN_LISTS = "/interface/list/member/print where dynamic"
"""The command that prints the lists into which users' profiles put their sessions."""


def add_sessions(situation: Situation, verdict: Verdict) -> None:
    """Take in the server's lines; without what a router says, no export promises the fast path.

    A session may bring a queue or a rule with it, as RADIUS or its profile says.
    """
    net, rule = situation.net, situation.rules[PPPOE_SERVER]
    reason = Reason(rule["facts"][0], PPPOE_SERVER, situation.met[PPPOE_SERVER], "")
    verdict.reasons.append(reason)
    active = net.rows.single(PRINTED)
    open_ = active is None or active.get("active-4") != "yes"
    asks: list[str] = []
    if verdict.answer == YES and not any(row.says("disabled") for row in net.rows.of(SERVER)):
        verdict.answer, reason.why = UNKNOWN, gettext("the line does not set disabled")
        asks = [SERVER + "/print"]
    elif verdict.answer == YES and open_ and verdict.ways != [decide.FASTTRACK]:
        why = gettext("an export does not show their queues and rules")
        verdict.answer, reason.why = UNKNOWN, why
        asks = rule["asks"]
    elif verdict.answer == DEPENDS:
        asks = rule["asks"] + ([IN_LISTS] if net.fed_lists else [])
    verdict.asks = unique(verdict.asks + asks)
