"""What is said of a PPPoE server's sessions beside the firewall: what of them no export shows."""

from __future__ import annotations

from ppslab.theory.packet_path import packet_way
from ppslab.theory.packet_path.explain.deciding import (
    DEPENDS,
    UNKNOWN,
    YES,
    Decided,
    Reason,
    Situation,
)
from ppslab.theory.packet_path.explain.network.sessions import SERVER
from ppslab.theory.packet_path.exports.printed import TOLD

RULE = "pppoe-server"
IN_LISTS = "/interface/list/member/print where dynamic"
"""What tells into which lists the profiles of users put their sessions."""


def told(situation: Situation, made: Decided) -> None:
    """Take in the server's lines; without what a router says, no export promises the fast path.

    A session may bring a queue or a rule with it, as RADIUS or its profile says.
    """
    net, rule = situation.net, situation.rules[RULE]
    reason = Reason(rule["facts"][0], RULE, situation.met[RULE], "")
    made.reasons.append(reason)
    active = net.rows.single(TOLD)
    open_ = active is None or active.get("active-4") != "yes"
    asks: list[str] = []
    if made.answer == YES and not any(row.says("disabled") for row in net.rows.of(SERVER)):
        made.answer, reason.why = UNKNOWN, "it does not say disabled"
        asks = [SERVER + "/print"]
    elif made.answer == YES and open_ and made.ways != [packet_way.FASTTRACK]:
        made.answer, reason.why = UNKNOWN, "no export shows which queues and rules they bring"
        asks = rule["asks"]
    elif made.answer == DEPENDS:
        asks = rule["asks"] + ([IN_LISTS] if net.fed_lists else [])
    made.asks = made.asks + [ask for ask in asks if ask not in made.asks]
