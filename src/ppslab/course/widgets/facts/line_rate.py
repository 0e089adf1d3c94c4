"""Facts of the line rate: what each meter counts, and how many bytes each header takes."""

from __future__ import annotations

from typing import Any

from ppslab.model import meters
from ppslab.model.tunnels.tunnel_layers import ETHERNET_HEADER, FIXED, IPV4_HEADER, Packet

SHOWN = ("vlan", "pppoe", "ipip", "gre", "eoip", "vxlan")


def facts() -> dict[str, Any]:
    """`meters` and `headers`, as ppslab.course.models.line_rate takes them."""
    counted = [[m.id, m.name, m.system, m.offset, m.counts] for m in meters.load().values()]
    return {"meters": counted, "headers": [_header(word) for word in SHOWN]}


def _header(word: str) -> list[Any]:
    layer, packet = FIXED[word], Packet(100, IPV4_HEADER)
    taken = layer.wrap(packet).size - packet.size
    # A layer that makes no IP packet makes a frame, whose own header every frame has.
    more = taken if layer.makes_ip else taken - ETHERNET_HEADER
    return [word, layer.title, more, layer.source]
