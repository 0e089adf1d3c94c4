"""Where the running router contradicts the answer: its counters against the paths of the classes.

A counter of nothing proves nothing where no packet came, so each finding says under what condition
it holds.
"""

from __future__ import annotations

from typing import Any

from ppslab.theory.packet_path import packet_way
from ppslab.theory.packet_path.explain.asking import Explained
from ppslab.theory.packet_path.explain.deciding import Decided
from ppslab.theory.packet_path.explain.traffic import BRIDGED, ESTABLISHED

FASTTRACKED = (packet_way.FASTTRACK, packet_way.CHIP_FASTTRACK)
BRIDGE_FAST = (packet_way.BRIDGE_FAST, packet_way.FORWARD)

AGAINST = "against"
FOR = "for"

IF_TRAFFIC = (
    "If such packets crossed the router meanwhile, something that the export does not show keeps "
    "them off FastTrack, or the export is not what runs: /ip/firewall/filter/print stats tells "
    "whether packets meet the rule."
)
IF_CURRENT = "So the export is not all that runs, or it is not of this router."
BRIDGED_FAST = "the answer is the bridge's fast path where the switch chip does not forward"
CLOSED = (
    "So something that the export does not show closes it, such as a tool: /tool/sniffer/print "
    "tells whether the sniffer runs."
)


def of(found: Explained) -> list[dict[str, Any]]:
    """Each sentence of the router that does not fit: what it is about, and what follows.

    None where lines are taken as gone: that router does not run.
    """
    if found.without:
        return []
    made = []
    for each in found.seen:
        classes, says, then = _against(found, each)
        if says:
            made.append({"what": each["what"], "value": each["value"], "file": each["file"],
                         "line": each["line"], "classes": classes, "says": says, "then": then,
                         "speaks": each["speaks"]})  # fmt: skip
    return made


def sentence(each: dict[str, Any]) -> str:
    """One of them in words."""
    where = each["file"] + ":" + str(each["line"])
    shown = each["what"] + ": " + each["value"] + " (" + where + ")"
    about = " for " + "; ".join(each["classes"]) if each["classes"] else ""
    but = shown + ", but " + each["says"] + about + ". " + each["then"]
    return "The running router contradicts this answer. It printed " + str(but)


def _against(found: Explained, each: dict[str, Any]) -> tuple[list[str], str, str]:
    """The titles of the classes, what was said of them, and what follows; empty: it fits."""
    if each["tells"] == "fasttrack":
        fast = _titles(found.classes, ESTABLISHED, each["family"], FASTTRACKED)
        if each["speaks"] == AGAINST and fast:
            return fast, "the answer is FastTrack", IF_TRAFFIC
        if each["speaks"] == FOR and not fast:
            slow = _titles(found.classes, ESTABLISHED, each["family"], ())
            return slow, "the answer is not FastTrack", IF_CURRENT
    if each["tells"] == "fast-path":
        fast = _titles(found.classes, ESTABLISHED, each["family"], (packet_way.FAST,))
        if each["speaks"] == AGAINST and fast:
            return fast, "the answer is the fast path", CLOSED
    if each["tells"] == "bridge-fast-path" and each["speaks"] == AGAINST:
        fast = _titles(found.classes, BRIDGED, 0, BRIDGE_FAST)
        if fast:
            return fast, BRIDGED_FAST, CLOSED
    return [], "", ""


def _titles(classes: list[Decided], kind: str, family: int, ways: tuple[str, ...]) -> list[str]:
    """The classes of a kind and a family that may take one of these ways; `()`: any way."""
    return [
        each.traffic.title
        for each in classes
        if each.traffic.kind == kind
        and family in (0, each.traffic.family)
        and (not ways or any(way in each.ways for way in ways))
    ]
