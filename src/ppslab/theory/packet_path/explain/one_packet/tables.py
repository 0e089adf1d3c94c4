"""The tables and chains of the firewall that a packet meets, in their order."""

from __future__ import annotations

from typing import Any

from ppslab.theory.packet_path.explain.packets import OUTPUT, Packet

Table = Any  # tuple[str, str, Packet]: a table, its chain, and the packet as it is there


def tables_of(packet: Packet, before: Packet | None = None) -> list[Table]:
    """The tables and chains that it meets, in their order (manual: Packet Flow).

    `before`: the packet as it came in, where its destination has been translated.
    """
    came = before or packet
    first = packet.state == "new"
    leaves = [("mangle", "postrouting", packet)]
    leaves += [("nat", "srcnat", packet)] if first else []
    if packet.chain == OUTPUT:
        tables = ("raw", "mangle", "filter")
        return [(table, OUTPUT, packet) for table in tables] + leaves
    found = [("raw", "prerouting", came), ("mangle", "prerouting", came)]
    found += [("nat", "dstnat", came)] if first else []
    if packet.chain == "input":
        return found + [("mangle", "input", packet), ("filter", "input", packet)]
    return found + [("mangle", "forward", packet), ("filter", "forward", packet)] + leaves
