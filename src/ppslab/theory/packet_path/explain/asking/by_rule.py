"""The classes of traffic that rules make by themselves: MPLS, and the sessions of PPP servers.

What is decided of them stands in the rules' data (`carries`): no model of the packet's path is
asked, since the packets are not routed as IPv4 or are in a tunnel whose interface no export shows.
"""

from __future__ import annotations

from typing import Any

from ppslab.theory.packet_path.explain.deciding import NO, YES, Decided, Reason, Situation, slow
from ppslab.theory.packet_path.explain.network.interface_lists import unique
from ppslab.theory.packet_path.explain.traffic import CARRIED, Traffic


def classes(situation: Situation) -> list[Decided]:
    """A class for each name of which a rule is met that makes it, in the rules' order."""
    met = [rule for rule in situation.net.base["rules"] if rule["id"] in situation.met]
    carrying = [rule for rule in met if rule["carries"]]
    making = [rule for rule in carrying if not rule["carries"]["instead"]]
    return [
        _decided(situation, [rule for rule in carrying if rule["carries"]["name"] == name])
        for name in unique([rule["carries"]["name"] for rule in making])
    ]


def _decided(situation: Situation, rules: list[dict[str, Any]]) -> Decided:
    """By a rule that decides instead, where there is one; else by the first that makes it."""
    rule = ([rule for rule in rules if rule["carries"]["instead"]] or rules)[0]
    said, net = rule["carries"], situation.net
    each = Traffic(said["name"], net.base["carried"][said["name"]], CARRIED)
    if said["answer"] == YES and net.virtual and net.numbers and net.numbers[0] < 7:
        return slow(each, "fast-path-driver", "chr-adapters", [])
    made = Decided(each, said["answer"], list(said["paths"]))
    made.reasons = [Reason(fact, rule["id"], [], "") for fact in rule["facts"]]
    made.reasons[0].lines = situation.met[rule["id"]]
    made.asks = list(rule["asks"]) if made.answer not in (YES, NO) else []
    return made
