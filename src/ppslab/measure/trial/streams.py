"""Which of a lab's streams a trial sends: all of them, one, or one and its return."""

from __future__ import annotations

from ppslab.core.errors import UsageError
from ppslab.model.lab.lab import Condition, Flow, Lab
from ppslab.model.results import Direction, Family


def families(lab: Lab, condition: Condition) -> tuple[Family, ...]:
    """The address families for which the lab has streams under this condition."""
    return ("ipv4", "ipv6") if condition.flows_ipv6 else ("ipv4",)


def of(lab: Lab, condition: Condition, family: Family, direction: Direction) -> tuple[Flow, ...]:
    """The streams of a condition.

    one-way: the first.  both-ways: the first, and the first one back (RFC 2544 section 14: the
    same rate both ways, as streams take turns).  UsageError where the lab has no such streams.
    """
    name = condition.flows_ipv6 if family == "ipv6" else condition.flows
    if name is None:
        raise UsageError(f"lab {lab.name}, {condition.name}: it has no IPv6 streams (flows_ipv6)")
    flows = lab.spec.flows[name]
    if direction == "lab":
        return flows
    there = flows[0]
    if direction == "one-way":
        return (there,)
    for back in flows:
        if (back.tx_name, back.rx_name) == (there.rx_name, there.tx_name):
            return there, back
    raise UsageError(
        f"lab {lab.name}: the streams {name!r} have none from {there.rx_name} to {there.tx_name}"
    )
