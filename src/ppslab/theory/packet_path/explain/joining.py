"""Bridges and tunnels of which everything is the same make one class: thirty tunnels, one row."""

from __future__ import annotations

from typing import Any

from ppslab.theory.packet_path.explain.deciding import Decided, Reason
from ppslab.theory.packet_path.explain.traffic import Traffic, titled
from ppslab.theory.packet_path.exports.reading import Command
from ppslab.theory.packet_path.remedies.commands import quoted

MOST_NAMES = 4
"""Names that a title has; the rest are counted."""


def joined(classes: list[Decided]) -> list[Decided]:
    """The classes in their order, those alike as one, in the place of the first."""
    alike: dict[str, list[Decided]] = {}
    order: list[list[Decided]] = []
    for each in classes:
        mark = str(_mark(each)) if each.traffic.interface else each.traffic.name
        if mark not in alike:
            alike[mark] = []
            order.append(alike[mark])
        alike[mark].append(each)
    return [group[0] if len(group) == 1 else _one_of(group) for group in order]


def _mark(each: Decided) -> list[Any]:
    """All that is decided of a class, but its lines."""
    kind = [each.traffic.kind, each.traffic.of_kind, each.answer, each.ways]
    own = [ask for ask in each.asks if ask != ask_about(each.traffic.members)]
    return kind + [own, len(each.asks)] + [[r.fact, r.rule, r.why] for r in each.reasons]


def _one_of(group: list[Decided]) -> Decided:
    """The first of them, with the lines and the names of all."""
    made = group[0]
    before = ask_about(made.traffic.members)
    names = [name for each in group for name in each.traffic.members]
    made.traffic.members = names
    for index in range(len(made.reasons)):
        made.reasons[index].lines = _lines([each.reasons[index] for each in group])
    made.asks = [ask_about(names) if ask == before else ask for ask in made.asks]
    said = ", ".join(names[:MOST_NAMES])
    more = len(names) - MOST_NAMES
    said += " and " + str(more) + " more" if more > 0 else ""
    made.traffic.title = titled(made.traffic, said)
    return made


def _lines(reasons: list[Reason]) -> list[Command]:
    found: list[Command] = []
    known: set[int] = set()
    for reason in reasons:
        for line in reason.lines:
            if id(line) not in known:
                known.add(id(line))
                found.append(line)
    return found


def ask_about(interfaces: list[str]) -> str:
    """What tells whether interfaces have fast path: the counters of each."""
    named = ["name=" + quoted(name) for name in interfaces]
    return "/interface/print stats-detail where " + " or ".join(named)


def class_of(classes: list[Decided], traffic: Traffic) -> Decided | None:
    """The class that packets are in, by themselves or with others alike."""
    for each in classes:
        same = each.traffic.interface and traffic.interface in each.traffic.members
        if each.traffic.kind == traffic.kind and (same or each.traffic.name == traffic.name):
            return each
    return None
