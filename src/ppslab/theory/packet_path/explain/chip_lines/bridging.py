"""The ports of a bridge as the switch chip sees them: those that it may have, and the CPU's."""

from __future__ import annotations

from ppslab.theory.packet_path.explain.chip_lines.refusals import as_port
from ppslab.theory.packet_path.explain.chip_lines.wired import COUNTED, ELSEWHERE, apart
from ppslab.theory.packet_path.explain.deciding import Reason
from ppslab.theory.packet_path.explain.network import Network
from ppslab.theory.packet_path.exports.row import Row

ZEROTIER = "/zerotier/interface"

OF_CHIP = ("ethernet", "bonding")
"""Kinds of ports that a switch chip may have; what a CPU makes, as a VLAN, is none."""


class BridgePort:
    """A port of a bridge: its `kind`, the fact by which the chip `refused` it, `wired`: where.

    `wired` is None where the port is the chip's for certain.
    """

    def __init__(self, net: Network, row: Row) -> None:
        self.row = row
        self.name: str = row.get("interface")
        self.kind = _kind(net, self.name)
        self.refused = as_port(net, row)
        self.wired: Reason | None = apart(net, self.name)

    @property
    def off(self) -> bool:
        """Whether hw=no keeps it from the chip."""
        return self.row.get("hw") == "no"

    @property
    def of_chip(self) -> bool:
        """Whether the chip may have it, but for hw=no."""
        elsewhere = self.wired is not None and self.wired.fact == ELSEWHERE
        return not self.refused and self.kind in OF_CHIP and not elsewhere

    @property
    def unsaid(self) -> Reason | None:
        """Why no source says whether it is the chip's; None: one does."""
        return self.wired if self.wired is not None and self.wired.fact == COUNTED else None


def bridge_ports(net: Network, bridge: str) -> list[BridgePort]:
    """The ports of a bridge, in the order of their rows."""
    return [BridgePort(net, row) for row in net.port_rows.get(bridge, [])]


def _kind(net: Network, name: str) -> str:
    """The kind of a bridge's port; one that no line makes is the router's own, as ether2."""
    if name in net.lists:
        return "ethernet"  # of many ports nothing is known but that they are ports
    if name in net.kinds:
        return net.kinds[name]
    for path in net.rows.menus:
        above, _, kind = path.rpartition("/")
        made = above == "/interface" and kind != "list"
        if (made or path == ZEROTIER) and net.rows.where(path, "name", name):
            return kind if made else "zerotier"
    return "ethernet"
