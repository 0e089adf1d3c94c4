"""Whether the switch chip routes a packet, which then no rule of the firewall sees."""

from __future__ import annotations

from ppslab.theory.packet_path.explain import chip_lines
from ppslab.theory.packet_path.explain.firewall import marking
from ppslab.theory.packet_path.explain.network import Network
from ppslab.theory.packet_path.explain.packets import Packet
from ppslab.theory.packet_path.explain.traffic import ESTABLISHED, Traffic

BY_CHIP = "routed by the switch chip, and no rule sees it"


def ended(net: Network, packet: Packet, words: str) -> str:
    """How it ends, where the firewall would end it as `words` say."""
    traffic = Traffic("packet", "the packet", ESTABLISHED, packet.family)
    traffic.packet = packet
    both = [marking(net, one, packet.family) for one in (packet, packet.back())]
    routes = [mode.chip == chip_lines.ROUTES for mode in chip_lines.modes(net, traffic, both)]
    if not any(routes):
        return words
    return BY_CHIP if all(routes) else words + "; or " + BY_CHIP
