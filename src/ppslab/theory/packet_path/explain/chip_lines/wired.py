"""Where a port is wired, by what the manual says of the device: at the switch chip, or elsewhere.

An export does not say it; `/interface/ethernet/switch/port/print` on the router does.
"""

from __future__ import annotations

from ppslab.theory.packet_path.explain.deciding import Reason
from ppslab.theory.packet_path.explain.network import Network

COUNTED, ELSEWHERE = "l3hw-ports-counted", "l3hw-other-switch"
"""The fact behind a port of which no source says where it is, and behind one that is elsewhere."""

ETHER = "ether"


def apart(net: Network, port: str) -> Reason | None:
    """Why a port is not, or perhaps not, one of the switch chip's; None where it is.

    The fact of the reason says which: `ELSEWHERE` or `COUNTED`.
    """
    counted = net.chip_ports
    if counted is None or net.kinds.get(port, "ethernet") != "ethernet":
        return None
    name = default_name(net, port)
    number = name[len(ETHER) :]
    if name[: len(ETHER)] != ETHER or not number.isdigit():
        return None  # all others are counted
    if name in counted["elsewhere"]:
        return Reason(ELSEWHERE, "", [], port)
    count = counted["ethernet"]
    if count is not None and int(number) <= count:
        return None
    return Reason(COUNTED, "", [], port)


def default_name(net: Network, port: str) -> str:
    """What a port is called before anybody renames it."""
    for row in net.rows.where("/interface/ethernet", "name", port):
        return str(row.get("default-name") or row.key)
    return port
