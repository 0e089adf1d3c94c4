"""Whether the switch chip routes a packet, which then no rule of the firewall sees."""

from __future__ import annotations

from ppslab.theory.packet_path.explain import chip_lines
from ppslab.theory.packet_path.explain.firewall import marking
from ppslab.theory.packet_path.explain.network import Network
from ppslab.theory.packet_path.explain.one_packet.marks import answering
from ppslab.theory.packet_path.explain.packets import Packet
from ppslab.theory.packet_path.explain.traffic import ESTABLISHED, Traffic

ALL, SOME, NONE = "all", "some", "none"
"""Of the packets that are as the one that was asked about: those that the chip routes."""

SAID = "routed by the switch chip, and no rule sees it"


def routed(net: Network, packet: Packet) -> str:
    """Which of such packets the chip routes: ALL, SOME where that depends, or NONE."""
    traffic = Traffic("packet", "the packet", ESTABLISHED, packet.family)
    traffic.packet = packet
    both = [marking(net, one, packet.family) for one in (packet, answering(net, packet))]
    routes = [mode.chip == chip_lines.ROUTES for mode in chip_lines.modes(net, traffic, both)]
    if not any(routes):
        return NONE
    return ALL if all(routes) else SOME


def ended(by_chip: str, words: str) -> str:
    """How it ends in words, where the firewall would end it as `words` say."""
    return {ALL: SAID, SOME: words + "; or " + SAID, NONE: words}[by_chip]
