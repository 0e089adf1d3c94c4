"""Classes alike as one: thirty tunnels of which everything is the same make one row."""

from __future__ import annotations

from rosexplain.commands import counters_of
from rosexplain.decide import Reason, Verdict
from rosexplain.language import few_of
from rosexplain.parse import Command
from rosexplain.traffic import Traffic, titled

MOST_NAMES = 4
"""Names that a title has; the rest are counted."""


def joined(classes: list[Verdict]) -> list[Verdict]:
    """The classes in their order, those alike as one, in the place of the first."""
    alike: dict[str, list[Verdict]] = {}
    order: list[list[Verdict]] = []
    for verdict in classes:
        mark = _mark(verdict) if verdict.traffic.interface else verdict.traffic.name
        if mark not in alike:
            alike[mark] = []
            order.append(alike[mark])
        alike[mark].append(verdict)
    return [group[0] if len(group) == 1 else _merged(group) for group in order]


def _mark(verdict: Verdict) -> str:
    """All that is decided of a class, but its lines."""
    kind = [verdict.traffic.kind, verdict.traffic.of_kind, verdict.answer, verdict.ways]
    own = [ask for ask in verdict.asks if ask != counters_of(verdict.traffic.members)]
    return str([kind, own, len(verdict.asks), [[r.fact, r.rule, r.why] for r in verdict.reasons]])


def _merged(group: list[Verdict]) -> Verdict:
    """The first of them, with the lines and the names of all."""
    first = group[0]
    before = counters_of(first.traffic.members)
    names = [name for verdict in group for name in verdict.traffic.members]
    first.traffic.members = names
    for index in range(len(first.reasons)):
        first.reasons[index].lines = _lines([verdict.reasons[index] for verdict in group])
    first.asks = [counters_of(names) if ask == before else ask for ask in first.asks]
    first.traffic.call(titled(first.traffic, few_of(names, MOST_NAMES)))
    return first


def _lines(reasons: list[Reason]) -> list[Command]:
    lines: list[Command] = []
    known: set[int] = set()
    for reason in reasons:
        for line in reason.lines:
            if id(line) not in known:
                known.add(id(line))
                lines.append(line)
    return lines


def class_of(classes: list[Verdict], traffic: Traffic) -> Verdict | None:
    """The class that packets are in, by themselves or with others alike."""
    for verdict in classes:
        same = verdict.traffic.interface and traffic.interface in verdict.traffic.members
        if verdict.traffic.kind == traffic.kind and (same or verdict.traffic.name == traffic.name):
            return verdict
    return None
