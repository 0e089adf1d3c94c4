"""What is said of a packet's marks: which it has, by which line, and what a routing mark does."""

from __future__ import annotations

from ppslab.theory.packet_path.explain.firewall import Step
from ppslab.theory.packet_path.explain.matchers import NO, YES
from ppslab.theory.packet_path.explain.network import MARKS, Network
from ppslab.theory.packet_path.explain.one_packet.ending import MOST_NAMED, place_of
from ppslab.theory.packet_path.explain.one_packet.marks import NO_MARK
from ppslab.theory.packet_path.explain.packets import Packet
from ppslab.theory.packet_path.exports.row import Row
from ppslab.theory.packet_path.remedies.commands import quoted, spelled

ASKS = {"connection-mark": "/ip/firewall/connection/print where connection-mark=",
        "packet-mark": "/ip/firewall/mangle/print stats where new-packet-mark=",
        "routing-mark": "/ip/firewall/mangle/print stats where new-routing-mark="}  # fmt: skip
"""What tells whether packets get a mark."""


def marks_said(net: Network, packet: Packet, rows: list[Row]) -> list[str]:
    """The marks that rules ask for and that it has or may have, and by which line.

    Where it only may, the command that tells is named too.
    """
    made: list[str] = []
    for row in rows:
        for name in MARKS:
            value = row.get(name).lstrip("!")
            known = packet.marks_before(row)
            if not value or value in NO_MARK or known is None or value not in known[name]:
                continue
            said = _said(net, packet, name, value, known[name] == [value])
            made += [said] if said not in made else []
    return made


def _said(net: Network, packet: Packet, name: str, value: str, sure: bool) -> str:
    found = [place_of(net, row.first) for row in packet.marked_by.get(name + "=" + value, [])]
    more = len(found) - MOST_NAMED
    by = found[:MOST_NAMED] + ([str(more) + " more"] if more > 0 else [])
    lines = " (" + " or ".join(by) + ")"
    if sure:
        return "It has " + name + "=" + value + lines + "."
    ask = ASKS[name] if packet.family == 4 else ASKS[name].replace("/ip/", "/ipv6/")
    ask = spelled(net, ask + quoted(value))
    return "It perhaps has " + name + "=" + value + lines + ": ask the router by " + ask + "."


def routing_said(net: Network, steps: list[Step]) -> list[str]:
    """That a routing mark chooses its table, and so the interface that it leaves by."""
    made = []
    for step in steps:
        value = step.row.get("new-routing-mark")
        if step.action != "mark-routing" or step.verdict == NO or value in NO_MARK:
            continue
        may = "" if step.verdict == YES and step.sure else "perhaps "
        line = " (" + place_of(net, step.row.first) + ")"
        said = (
            "It is " + may + "routed by the table " + value + line + ", and the rules below take "
        )
        made.append(said + "it to leave as the main table says: give out= to be sure.")
    return made
