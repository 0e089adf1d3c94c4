"""The sentences of a router that contradict an answer, each with what follows.

A counter of nothing proves nothing where no packet came, so each says on what condition it holds.
"""

from __future__ import annotations

from typing import Any

from rosexplain import decide
from rosexplain.classify import Explanation
from rosexplain.decide import Verdict
from rosexplain.language import N_, gettext
from rosexplain.traffic import BRIDGED, ESTABLISHED

FASTTRACKED = (decide.FASTTRACK, decide.CHIP_FASTTRACK)
BRIDGE_FAST = (decide.BRIDGE_FAST, decide.FORWARD)

AGAINST, FOR = "against", "for"

IF_TRAFFIC = N_(
    "If such packets crossed the router in the meantime, something outside the export keeps them "
    "out of FastTrack, or the export is outdated. /ip/firewall/filter/print stats shows whether "
    "packets match the rule."
)
IF_CURRENT = N_(
    "So the export is not the whole running configuration, or it is from another router."
)
BRIDGED_FAST = N_("the answer is the bridge fast path where the switch chip does not forward")
CLOSED = N_(
    "So something outside the export closes it, such as a tool. /tool/sniffer/print shows "
    "whether the sniffer is running."
)


def contradictions(explanation: Explanation) -> list[dict[str, Any]]:
    """Each sentence of the router that does not fit: what it is about, and what follows.

    None where lines are taken as gone: that router does not run.
    """
    if explanation.without:
        return []
    rows = []
    for seen in explanation.seen:
        classes, says, then = _against(explanation, seen)
        if says:
            rows.append({"what": seen["what"], "value": seen["value"], "file": seen["file"],
                         "line": seen["line"], "classes": classes, "says": says, "then": then,
                         "speaks": seen["speaks"]})  # fmt: skip
    return rows


def _against(explanation: Explanation, seen: dict[str, Any]) -> tuple[list[str], str, str]:
    """The titles of the classes, what was said of them, and what follows; empty: it fits."""
    if seen["tells"] == "fasttrack":
        fast = _titles(explanation.classes, ESTABLISHED, seen["family"], FASTTRACKED)
        if seen["speaks"] == AGAINST and fast:
            return fast, gettext("the answer is FastTrack"), gettext(IF_TRAFFIC)
        if seen["speaks"] == FOR and not fast:
            slow = _titles(explanation.classes, ESTABLISHED, seen["family"], ())
            return slow, gettext("the answer is not FastTrack"), gettext(IF_CURRENT)
    if seen["tells"] == "fast-path":
        fast = _titles(explanation.classes, ESTABLISHED, seen["family"], (decide.FAST,))
        if seen["speaks"] == AGAINST and fast:
            return fast, gettext("the answer is the fast path"), gettext(CLOSED)
    if seen["tells"] == "bridge-fast-path" and seen["speaks"] == AGAINST:
        fast = _titles(explanation.classes, BRIDGED, 0, BRIDGE_FAST)
        if fast:
            return fast, gettext(BRIDGED_FAST), gettext(CLOSED)
    return [], "", ""


def _titles(classes: list[Verdict], kind: str, family: int, ways: tuple[str, ...]) -> list[str]:
    """The classes of a kind and a family that may take one of these ways; `()`: any way."""
    return [
        verdict.traffic.title
        for verdict in classes
        if verdict.traffic.kind == kind
        and family in (0, verdict.traffic.family)
        and (not ways or any(way in verdict.ways for way in ways))
    ]
