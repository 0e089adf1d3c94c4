"""Rules that no packet matches, or every one, since the interface list that they name is empty."""

from __future__ import annotations

from ppslab.theory.packet_path.explain.network import Network
from ppslab.theory.packet_path.explain.network.interface_lists import named_by
from ppslab.theory.packet_path.explain.one_packet.ending import MOST_NAMED, place_of
from ppslab.theory.packet_path.explain.packets import Packet
from ppslab.theory.packet_path.exports.row import Row
from ppslab.theory.packet_path.remedies.commands import quoted, spelled


def empty_lists_said(net: Network, packet: Packet, rows: list[Row]) -> list[str]:
    """What is so with each empty list that rules name, and the command that would change it."""
    none: dict[str, list[str]] = {}
    every: dict[str, list[str]] = {}
    ends: dict[str, list[str] | None] = {}
    for row in rows:
        for word, name in named_by(row):
            if name in net.empty_lists:
                lines = (every if row.get(word)[0] == "!" else none).setdefault(name, [])
                place = place_of(net, row.first)
                lines += [] if place in lines else [place]
                ends[name] = packet.ins if word[0] == "i" else packet.outs
    made = []
    for name, at in ends.items():
        said = []
        if name in none:
            said.append("no packet matches " + _listed(none[name]))
        if name in every:
            said.append("its name with ! matches every packet in " + _listed(every[name]))
        end = at[0] if at is not None and len(at) == 1 else "INTERFACE"
        change = "/interface/list/member/add list=" + quoted(name) + " interface="
        change = spelled(net, change + quoted(end))
        made.append("The interface list " + name + " has no members, so " + " and ".join(said)
                    + "; " + change + " would change that.")  # fmt: skip
    return made


def _listed(lines: list[str]) -> str:
    more = len(lines) - MOST_NAMED
    return ", ".join(lines[:MOST_NAMED] + (["and " + str(more) + " more"] if more > 0 else []))
