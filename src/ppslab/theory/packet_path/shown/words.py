"""The parts of an answer in words, for the terminal, the page of HTML and the site alike."""

from __future__ import annotations

from typing import Any

from ppslab.theory.packet_path.explain.answering import path_of, place
from ppslab.theory.packet_path.exports import printed

NOT_YET = " (what it prints cannot be read back yet)"

READ_BACK = (
    "/ip/settings/print, /ipv6/settings/print, /interface/bridge/settings/print, "
    "/ip/firewall/connection/tracking/print, /tool/sniffer/print, /tool/traffic-generator/print, "
    "/interface/print, /interface/print stats-detail, /interface/bridge/print, "
    "/interface/bridge/port/print, /ip/firewall/filter/print stats, /tool/profile, and any print "
    "with count-only"
)
"""The commands whose output --print takes."""

PACKET = ["rule", "chain", "matches", "action", "why"]
"""The head of the table of one packet."""


def asks(each: dict[str, Any]) -> list[str]:
    """The commands that tell what the export cannot; marked where --print does not take them."""
    return [one + ("" if printed.readable(one) else NOT_YET) for one in each["asks"]]


def defaults(plain: dict[str, Any]) -> list[str]:
    """What RouterOS is taken to have where the export says nothing, and who says so."""
    return [
        each["menu"] + " " + each["property"] + "=" + each["value"] + " [" + each["source"] + "]"
        for each in plain["defaults"]
    ]


def evidence(plain: dict[str, Any]) -> list[str]:
    """What the router printed."""
    return [
        each["what"] + ": " + each["value"] + " (" + place(each) + ")" for each in plain["evidence"]
    ]


def offload(plain: dict[str, Any]) -> list[str]:
    """What becomes of L3 hardware offload, with the line that it is seen by."""
    made = []
    for each in plain["offload"]:
        where = ", ".join([place(line) for line in each["lines"]]) or "the export"
        seen = each["seen"] + ": " if each["seen"] else ""
        made.append(where + ": " + seen + each["says"] + " [" + each["cited"] + "]")
    return made


def packet_rows(packet: dict[str, Any]) -> list[list[str]]:
    """One packet, rule by rule: the cells under PACKET."""
    rows = []
    for step in packet["steps"]:
        matches = step["verdict"] if step["sure"] else step["verdict"] + ", if it gets here"
        chain = step["table"] + " " + step["chain"]
        rows.append([place(step["line"]), chain, matches, step["action"], ", ".join(step["why"])])
    return rows


def packet_end(packet: dict[str, Any]) -> list[str]:
    """What else is to say of it, and what becomes of it."""
    left = [str(packet["left"]) + " more rules are not shown."] if packet["left"] else []
    says: list[str] = packet.get("says", [])
    path = " or ".join([path_of(way) for way in packet.get("path", [])])
    why = "".join([": " + line for line in packet.get("because", [])])
    says = (["Its path: " + path + why] if path else []) + says
    end = "The packet ends with: " + packet["ended"] + ". Fast-tracked: " + packet["fasttrack"]
    return left + says + [end + "."]


def unread(each: dict[str, Any]) -> str:
    """A line that was not read."""
    begins = " " + each["begins"] if each["begins"] else ""
    return place(each) + begins + ": " + str(each["why"])
