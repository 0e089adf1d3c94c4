"""A stack of layers over a link, the largest packet that fits, and what becomes of a larger one.

The arithmetic of theory.tunnels.overhead, and the one copy of it.  Layers stand innermost first.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ppslab.core.units import FCS_BYTES
from ppslab.model.tunnels.tunnel_layers import (
    ETHERNET_HEADER,
    IPV4_HEADER,
    IPV6_HEADER,
    Packet,
    Part,
)

if TYPE_CHECKING:
    from ppslab.model.tunnels.tunnel_layers import Layer

FRAGMENT_HEADER = 8
"""IPv6's extension header of a fragment (RFC 8200, section 4.5)."""

SMALLEST_FRAME = 64


def fragments(size: int, ip_header: int, mtu: int) -> tuple[int, ...]:
    """The sizes of what an IP packet of `size` bytes becomes on a link of `mtu`, in bytes.

    Every fragment but the last carries a multiple of eight bytes, since its offset is counted in
    eights (RFC 791, section 3.1).  An IPv6 packet is fragmented by its sender only, and each
    fragment has a header more (RFC 8200, section 4.5).  ValueError where a fragment has no room.
    """
    if size <= mtu:
        return (size,)
    head = ip_header + (FRAGMENT_HEADER if ip_header == IPV6_HEADER else 0)
    room = (mtu - head) // 8 * 8
    if room <= 0:
        raise ValueError(f"an MTU of {mtu} has no room for a fragment")
    rest = size - ip_header
    made: list[int] = []
    while rest > 0:
        # The last one may be as large as the link allows, whatever its size is a multiple of.
        part = rest if rest + head <= mtu else room
        made.append(part + head)
        rest -= part
    return tuple(made)


def wrapped(layers: tuple[Layer, ...], packet: Packet) -> Packet:
    """The packet with every layer around it, unfragmented."""
    for layer in layers:
        packet = layer.wrap(packet)
    return packet


def parts(layers: tuple[Layer, ...], packet: Packet) -> list[tuple[Layer, tuple[Part, ...]]]:
    """What each layer puts around the packet."""
    found: list[tuple[Layer, tuple[Part, ...]]] = []
    for layer in layers:
        found.append((layer, layer.parts(packet)))
        packet = layer.wrap(packet)
    return found


def largest(layers: tuple[Layer, ...], mtu: int, inner_header: int) -> int:
    """The largest inner IP packet that a link of `mtu` carries whole; ValueError: none does."""
    for size in range(mtu, inner_header + 8, -1):
        if wrapped(layers, Packet(size, inner_header)).link_payload <= mtu:
            return size
    raise ValueError(f"nothing fits: the layers need more than the {mtu} bytes of the MTU")


def sent(
    layers: tuple[Layer, ...], mtu: int, packet: Packet, limit: int, df: bool
) -> tuple[tuple[int, ...], tuple[tuple[int, ...], ...], tuple[int, ...], str]:
    """What becomes of an inner IP packet: see theory.tunnels.overhead.Sent, without its size.

    `limit`: the MTU of the tunnel's interface, by which the packet is cut before it enters.
    """
    size, header = packet.size, packet.ip_header
    if size > limit and (df or header == IPV6_HEADER):
        error = "fragmentation needed" if header == IPV4_HEADER else "packet too big"
        return (size,), (), (), f"dropped; ICMP says {error}, MTU {limit}"
    inside = fragments(size, header, limit)
    outside: list[tuple[int, ...]] = []
    frames: list[int] = []
    for each in inside:
        found = on_the_link(layers, mtu, Packet(each, header))
        if found is None:
            return inside, (), (), "dropped; no layer makes an IP packet to fragment"
        outside.append(tuple([one.link_payload for one in found]))
        frames += [frame_bytes(one) for one in found]
    return inside, tuple(outside), tuple(frames), ""


def on_the_link(layers: tuple[Layer, ...], mtu: int, packet: Packet) -> list[Packet] | None:
    """What the link carries for one inner packet: the outermost IP packet is fragmented.

    None where there is none and the packet does not fit.
    """
    last = max([i for i, layer in enumerate(layers) if layer.makes_ip] + [-1])
    packet = wrapped(layers[: last + 1], packet)
    link = layers[last + 1 :]
    # What the layers outside of every IP packet take of the MTU.
    room = mtu - (wrapped(link, packet).link_payload - packet.size)
    if packet.size > room and last < 0:
        return None
    return [
        wrapped(link, Packet(piece, packet.ip_header))
        for piece in fragments(packet.size, packet.ip_header, room)
    ]


def frame_bytes(packet: Packet) -> int:
    """The Ethernet frame of what the link carries, with frame check sequence."""
    header = 0 if packet.is_frame else ETHERNET_HEADER
    return max(packet.size + header + FCS_BYTES, SMALLEST_FRAME)
