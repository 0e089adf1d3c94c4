"""The cases of a class that is forwarded: what the firewall, its ports and bridges leave open."""

from __future__ import annotations

from typing import Any

from ppslab.theory.packet_path import packet_way
from ppslab.theory.packet_path.explain import joining, matching
from ppslab.theory.packet_path.explain.asking import tunnels
from ppslab.theory.packet_path.explain.deciding import DROPPED, Reason, Situation, with_
from ppslab.theory.packet_path.explain.firewall import Marking, Step
from ppslab.theory.packet_path.explain.traffic import Traffic


def cases_of(
    situation: Situation, each: Traffic, markings: list[Marking], inputs: dict[str, Any]
) -> tuple[list[dict[str, Any]], list[Step]]:
    """The inputs of every case, and the rules that decide between FastTrack and none."""
    there = [row for m in markings for row in m.there]
    name = "fasttrack" if each.family == 4 else "fasttrack-ipv6"
    has = matching.has_fasttrack(situation.net.base, situation.net.numbers, each.family)
    inputs["fasttrack"] = has and (bool(there) or name in situation.met)
    answers = [m.answer for m in markings]
    untracked = [m.untracked for m in markings if m.untracked]
    never = bool([step for step in untracked if step.verdict == "yes"])
    reached = ("yes" in answers or not markings) and not untracked
    perhaps = ("perhaps" in answers or "yes" in answers) and not reached and not never
    inputs["accepted"] = not reached
    cases = [with_(inputs, "accepted", False), inputs] if perhaps else [inputs]
    cases = [with_(case, "driver", one) for case in cases for one in situation.drivers(each)]
    steps = [step for m in markings for step in m.perhaps]
    if "yes" in answers:
        steps = [step for step in steps if step.action == "notrack"]
    crossed = [other for case in cases for other in situation.crossed(each, case)]
    return crossed, steps if perhaps else []


def not_known(
    situation: Situation, each: Traffic, ways: list[str], reasons: list[Reason], asks: list[str]
) -> list[tuple[Reason, bool]]:
    """One more way by an interface or a VLAN of the class; each reason, and if it is sourced."""
    without = tunnels.without_fast_path(situation.net, each)
    if packet_way.FAST not in ways and packet_way.FASTTRACK not in ways:
        without = []
    if without:
        asks.append(joining.ask_about([name for name, _, _ in without]))
        if packet_way.SLOW not in ways:
            ways.append(packet_way.SLOW)
    if packet_way.CHIP in ways and [r for r in reasons if r.fact == "l3hw-bridge-tagged"]:
        ways.append(DROPPED)  # nothing is routed into such a VLAN
        asks += [ask for ask in situation.rules["bridge-tagged"]["asks"] if ask not in asks]
    return [(reason, said) for _, reason, said in without]


def on_what(step: Step) -> Reason:
    """Why it depends on the packet: a rule of the firewall that only perhaps matches."""
    why = "it depends on " + ", ".join(step.why) if step.why else "it depends"
    fact, rule = "fasttrack-accept-in-front", "accept-in-front"
    if step.action == "notrack":
        fact, rule = "fasttrack-established", "not-tracked"
        why = "none that this line leaves untracked: " + why
    return Reason(fact, rule, [step.row.first], why)
