"""A stack of layers over a link, the largest packet that fits, and what becomes of a larger one.

Layers stand innermost first.  MicroPython runs this in pages.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from ppslab.core.errors import UsageError, did_you_mean
from ppslab.core.units import FCS_BYTES, WIRE_OVERHEAD_BYTES
from ppslab.model.tunnels.tunnel_layers import (
    CHECKS,
    CIPHERS,
    DEFAULT_ESP,
    ETHERNET_HEADER,
    FIXED,
    IPV4_HEADER,
    IPV6_HEADER,
    Esp,
    Packet,
    Part,
    Session,
)

if TYPE_CHECKING:
    from ppslab.model.tunnels.tunnel_layers import Layer

TCP_HEADER = 20
SMALLEST_MTU = 68
"""Every IPv4 link carries that many bytes whole (RFC 791)."""

MOST_LAYERS = 16
"""More than anybody stacks; an MTU is tried byte by byte through all of them."""

FRAGMENT_HEADER = 8
"""IPv6's extension header of a fragment (RFC 8200, section 4.5)."""

SMALLEST_FRAME = 64

LARGEST_IP = 65535
"""The total length of an IPv4 packet has 16 bits."""


def parse(words: tuple[str, ...]) -> tuple[Layer, ...]:
    """A stack from its words, innermost first: `eoip`, then `ipsec`, then `vlan`.

    Words: those of `layers.FIXED`; `esp:CIPHER[:CHECK][:udp]` and `esp-tunnel:...`; `ipsec`, which
    is what RouterOS's ipsec-secret makes.  UsageError for any other, with a near one.
    """
    if not words:
        raise UsageError("empty stack: name at least one layer, such as eoip")
    if len(words) > MOST_LAYERS:
        raise UsageError(f"a stack of {len(words)} layers: at most {MOST_LAYERS} are supported")
    return tuple(_layer(word) for word in words)


def _layer(word: str) -> Layer:
    if word in FIXED:
        return FIXED[word]
    kind, *options = (DEFAULT_ESP if word == "ipsec" else word).split(":")
    if kind not in ("esp", "esp-tunnel"):
        known = list(FIXED) + ["ipsec", "esp:CIPHER:CHECK", "esp-tunnel:CIPHER:CHECK"]
        raise UsageError(
            f"no layer '{word}'{did_you_mean(word, known)}: there are {', '.join(known)}"
        )
    udp = "udp" in options
    names = [option for option in options if option != "udp"]
    cipher, check = (names + ["", ""])[:2]
    if cipher not in CIPHERS:
        near = did_you_mean(cipher, CIPHERS)
        raise UsageError(f"{word}: no cipher '{cipher}'{near}: there are {', '.join(CIPHERS)}")
    check = check or ("null" if CIPHERS[cipher].tag else "sha1")
    if check not in CHECKS or len(names) > 2:
        raise UsageError(f"{word}: no integrity check '{names[-1]}': there are {', '.join(CHECKS)}")
    if CIPHERS[cipher].tag and check != "null":
        raise UsageError(f"{word}: {cipher} includes the integrity check; leave {check} out")
    return Esp(word, cipher, check, tunnel=kind == "esp-tunnel", udp=udp)


def fragments(size: int, ip_header: int, mtu: int) -> tuple[int, ...]:
    """The sizes of what an IP packet of `size` bytes becomes on a link of `mtu`, in bytes.

    Every fragment but the last carries a multiple of eight bytes, since its offset is counted in
    eights (RFC 791, section 3.1).  An IPv6 packet is fragmented by its sender only, and each
    fragment has a header more (RFC 8200, section 4.5).  UsageError where a fragment has no room.

    >>> fragments(1500, 20, 1458), fragments(1542, 20, 1500), fragments(1500, 20, 1500)
    ((1452, 68), (1500, 62), (1500,))
    """
    if size <= mtu:
        return (size,)
    head = ip_header + (FRAGMENT_HEADER if ip_header == IPV6_HEADER else 0)
    room = (mtu - head) // 8 * 8
    if room <= 0:
        raise UsageError(f"an MTU of {mtu} leaves no room for a fragment")
    rest = size - ip_header
    sizes: list[int] = []
    while rest > 0:
        # The last one may be as large as the link allows, whatever its size is a multiple of.
        part = rest if rest + head <= mtu else room
        sizes.append(part + head)
        rest -= part
    return tuple(sizes)


def frame_bytes(packet: Packet) -> int:
    """The Ethernet frame of what the link carries, with frame check sequence."""
    header = 0 if packet.is_frame else ETHERNET_HEADER
    return max(packet.size + header + FCS_BYTES, SMALLEST_FRAME)


@dataclass(frozen=True)
class Sent:
    """The fate of one packet of `size` bytes that is sent into the stack.

    `inside`: the IP packets that enter the tunnel, more than one where it was fragmented before.
    `outside`: for each of them the packets that the link carries, as bytes of its MTU.
    `frames`: their Ethernet frames, in the same order, with frame check sequence.
    `lost`: why it is not sent at all; empty where it is.
    """

    size: int
    inside: tuple[int, ...]
    outside: tuple[tuple[int, ...], ...]
    frames: tuple[int, ...]
    lost: str = ""

    @property
    def wire(self) -> int:
        """Bytes of time on the wire, with preamble and gap."""
        return sum([frame + WIRE_OVERHEAD_BYTES for frame in self.frames])

    @property
    def share(self) -> float:
        """Share of the bytes on the wire that is the packet itself."""
        return self.size / self.wire


class Stack:
    """Layers, innermost first, over an Ethernet link that carries `mtu` bytes.

    `inner_header`: of the packet inside, 20 for IPv4, 40 for IPv6.
    """

    def __init__(
        self, layers: tuple[Layer, ...], mtu: int = 1500, inner_header: int = IPV4_HEADER
    ) -> None:
        """UsageError for what could not carry a packet."""
        if not SMALLEST_MTU <= mtu <= LARGEST_IP:
            raise UsageError(f"an MTU of {mtu}: from {SMALLEST_MTU} to {LARGEST_IP} bytes")
        for index in range(1, len(layers)):
            before, layer = layers[index - 1], layers[index]
            if isinstance(layer, (Esp, Session)) and not before.makes_ip:
                raise UsageError(f"{layer.word} carries IP packets, but {before.word} makes frames")
        self.layers = layers
        self.mtu = mtu
        self.inner_header = inner_header
        self._inner_mtu = 0

    def packet(self, size: int) -> Packet:
        """A packet of the inside."""
        return Packet(size, self.inner_header)

    def wrapped(self, size: int) -> Packet:
        """An inner IP packet of `size` bytes with every layer around it, unfragmented."""
        return _wrapped(self.layers, self.packet(size))

    def parts(self, size: int) -> list[tuple[Layer, tuple[Part, ...]]]:
        """Parts that each layer puts around an inner packet of `size` bytes."""
        packet = self.packet(size)
        rows: list[tuple[Layer, tuple[Part, ...]]] = []
        for layer in self.layers:
            rows.append((layer, layer.parts(packet)))
            packet = layer.wrap(packet)
        return rows

    @property
    def inner_mtu(self) -> int:
        """The largest inner IP packet that the link carries whole; UsageError: none does."""
        if not self._inner_mtu:
            for size in range(self.mtu, self.inner_header + 8, -1):
                if self.wrapped(size).link_payload <= self.mtu:
                    self._inner_mtu = size
                    break
            else:
                raise UsageError(
                    f"no packet fits: the layers need more than the {self.mtu} bytes of the MTU"
                )
        return self._inner_mtu

    def overhead(self, size: int | None = None) -> int:
        """Bytes of the link's MTU that the layers add to an inner packet, or to the largest."""
        size = size or self.inner_mtu
        return self.wrapped(size).link_payload - size

    def segment(self, ip_header: int = IPV4_HEADER) -> int:
        """The largest TCP segment that fits whole: what MSS clamping must say."""
        return self.inner_mtu - ip_header - TCP_HEADER

    def send(self, size: int, interface_mtu: int | None = None, *, df: bool = False) -> Sent:
        """Send an inner IP packet of `size` bytes.

        `interface_mtu`: of the tunnel's interface; larger packets are fragmented before they enter
        it.  None: `inner_mtu`, so that nothing is fragmented outside.  `df`: the inner packet must
        not be fragmented.  A bridged frame is never fragmented inside: give the packet's size.
        """
        header = self.inner_header
        if size < header:
            raise UsageError(f"a packet of {size} bytes is smaller than its IP header")
        if size > LARGEST_IP:
            raise UsageError(f"a packet of {size} bytes: an IP packet has {LARGEST_IP} at most")
        limit = self.inner_mtu if interface_mtu is None else interface_mtu
        if size > limit and (df or header == IPV6_HEADER):
            error = "fragmentation needed" if header == IPV4_HEADER else "packet too big"
            return Sent(size, (size,), (), (), f"dropped; ICMP says {error}, MTU {limit}")
        inside = fragments(size, header, limit)
        outside: list[tuple[int, ...]] = []
        frames: list[int] = []
        for piece in inside:
            packets = self._on_the_link(self.packet(piece))
            if not packets:
                lost = "dropped; no layer makes an IP packet to fragment"
                return Sent(size, inside, (), (), lost)
            outside.append(tuple([outer.link_payload for outer in packets]))
            frames += [frame_bytes(outer) for outer in packets]
        return Sent(size, inside, tuple(outside), tuple(frames))

    def _on_the_link(self, packet: Packet) -> list[Packet]:
        """Packets on the link for one inner packet: the outermost IP packet is fragmented.

        Empty where there is none and the packet does not fit.
        """
        last = max([i for i, layer in enumerate(self.layers) if layer.makes_ip] + [-1])
        packet = _wrapped(self.layers[: last + 1], packet)
        link = self.layers[last + 1 :]
        # What the layers outside of every IP packet take of the MTU.
        room = self.mtu - (_wrapped(link, packet).link_payload - packet.size)
        if packet.size > room and last < 0:
            return []
        return [
            _wrapped(link, Packet(piece, packet.ip_header))
            for piece in fragments(packet.size, packet.ip_header, room)
        ]


def _wrapped(layers: tuple[Layer, ...], packet: Packet) -> Packet:
    for layer in layers:
        packet = layer.wrap(packet)
    return packet
