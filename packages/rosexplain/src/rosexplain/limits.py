"""The rates that an export itself limits."""

from __future__ import annotations

from typing import NamedTuple

from rosexplain import decide
from rosexplain.classify import Explanation
from rosexplain.parse import Command, Rows
from rosexplain.traffic import ESTABLISHED

ALWAYS, SLOW = "always", "slow"
"""The words of a rule's `limits`."""
GLOBAL, NO_MARK = "global", "no-mark"
PAST = (decide.FASTTRACK, decide.CHIP_FASTTRACK, decide.CHIP)
"""Paths past every queue but an interface's."""


class Limit(NamedTuple):
    """A rule, and the lines that meet it; `bypassed`: fast-tracked packets do not meet it."""

    rule: str
    lines: list[Command]
    bypassed: bool


def limits(explanation: Explanation) -> list[Limit]:
    """The limits in the order of the rules."""
    established = [v for v in explanation.classes if v.traffic.kind == ESTABLISHED]
    slow = not established or any(way not in PAST for v in established for way in v.ways)
    bypassed = _bypassed(explanation.net.rows)
    rows: list[Limit] = []
    for rule in explanation.net.base["rules"]:
        lines = explanation.met.get(rule["id"], [])
        if not lines or "limits" not in rule:
            continue
        if rule["limits"] == ALWAYS and not slow:
            lines = [line for line in lines if (line.file, line.number) not in bypassed]
        if lines:
            rows.append(Limit(rule["id"], lines, rule["limits"] == SLOW and not slow))
    return rows


def _bypassed(rows: Rows) -> set[tuple[str, int]]:
    """The places of the interfaces' queues that FastTrack bypasses all the same.

    Those whose parents end at global, and those of packet marks, which mangle no longer sets.
    """
    queues = rows.of("/queue/tree")
    parents = {row.name: row.get("parent") for row in queues}
    places: set[tuple[str, int]] = set()
    for row in queues:
        parent, above = row.get("parent"), [row.name]
        while parent in parents and parent not in above:
            above.append(parent)
            parent = parents[parent]
        if parent == GLOBAL or row.get("packet-mark", NO_MARK) not in ("", NO_MARK):
            line = row.command("parent")
            places.add((line.file, line.number))
    return places
