"""A stack of layers over a link, the largest packet that fits, and what becomes of a larger one."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from typing import TYPE_CHECKING

from ppslab.core.errors import UsageError, did_you_mean
from ppslab.core.units import WIRE_OVERHEAD_BYTES
from ppslab.model.tunnels import tunnel_stack
from ppslab.model.tunnels.tunnel_layers import (
    CHECKS,
    CIPHERS,
    DEFAULT_ESP,
    FIXED,
    IPV4_HEADER,
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

LARGEST_IP = 65535
"""The total length of an IPv4 packet has 16 bits."""


def parse(words: tuple[str, ...]) -> tuple[Layer, ...]:
    """A stack from its words, innermost first: `eoip`, then `ipsec`, then `vlan`.

    Words: those of `layers.FIXED`; `esp:CIPHER[:CHECK][:udp]` and `esp-tunnel:...`; `ipsec`, which
    is what RouterOS's ipsec-secret makes.  UsageError for any other, with a near one.
    """
    if not words:
        raise UsageError("a stack has one layer at least, such as eoip")
    if len(words) > MOST_LAYERS:
        raise UsageError(f"a stack of {len(words)} layers: there are at most {MOST_LAYERS}")
    return tuple(_layer(word) for word in words)


def _layer(word: str) -> Layer:
    if word in FIXED:
        return FIXED[word]
    kind, *options = (DEFAULT_ESP if word == "ipsec" else word).split(":")
    if kind not in ("esp", "esp-tunnel"):
        known = [*FIXED, "ipsec", "esp:CIPHER:CHECK", "esp-tunnel:CIPHER:CHECK"]
        raise UsageError(
            f"no layer {word!r}{did_you_mean(word, known)}: there are {', '.join(known)}"
        )
    udp = "udp" in options
    names = [option for option in options if option != "udp"]
    cipher, check = (*names, "", "")[:2]
    if cipher not in CIPHERS:
        near = did_you_mean(cipher, CIPHERS)
        raise UsageError(f"{word}: no cipher {cipher!r}{near}: there are {', '.join(CIPHERS)}")
    check = check or ("null" if CIPHERS[cipher].tag else "sha1")
    if check not in CHECKS or len(names) > 2:
        raise UsageError(f"{word}: no integrity check {names[-1]!r}: there are {', '.join(CHECKS)}")
    if CIPHERS[cipher].tag and check != "null":
        raise UsageError(f"{word}: {cipher} checks integrity by itself; leave {check} out")
    return Esp(word, cipher, check, tunnel=kind == "esp-tunnel", udp=udp)


def fragments(size: int, ip_header: int, mtu: int) -> tuple[int, ...]:
    """The sizes of what an IP packet of `size` bytes becomes on a link of `mtu`, in bytes.

    See ppslab.model.tunnels.tunnel_stack; UsageError where a fragment has no room.

    >>> fragments(1500, 20, 1458), fragments(1542, 20, 1500), fragments(1500, 20, 1500)
    ((1452, 68), (1500, 62), (1500,))
    """
    try:
        return tunnel_stack.fragments(size, ip_header, mtu)
    except ValueError as error:
        raise UsageError(str(error)) from None


@dataclass(frozen=True)
class Sent:
    """What becomes of one packet of `size` bytes that is sent into the stack.

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
        return sum(frame + WIRE_OVERHEAD_BYTES for frame in self.frames)

    @property
    def share(self) -> float:
        """How much of the wire is the packet that was sent."""
        return self.size / self.wire


@dataclass(frozen=True)
class Stack:
    """Layers, innermost first, over an Ethernet link that carries `mtu` bytes.

    `inner_header`: of the packet inside, 20 for IPv4, 40 for IPv6.
    """

    layers: tuple[Layer, ...]
    mtu: int = 1500
    inner_header: int = IPV4_HEADER

    def __post_init__(self) -> None:
        """Refuse what could not carry a packet."""
        if not SMALLEST_MTU <= self.mtu <= LARGEST_IP:
            raise UsageError(f"an MTU of {self.mtu}: from {SMALLEST_MTU} to {LARGEST_IP} bytes")
        for before, layer in pairwise(self.layers):
            if isinstance(layer, Esp | Session) and not before.makes_ip:
                raise UsageError(f"{layer.word} carries IP packets, and {before.word} makes frames")

    def packet(self, size: int) -> Packet:
        """A packet of the inside."""
        return Packet(size, self.inner_header)

    def wrapped(self, size: int) -> Packet:
        """An inner IP packet of `size` bytes with every layer around it, unfragmented."""
        return tunnel_stack.wrapped(self.layers, self.packet(size))

    def parts(self, size: int) -> list[tuple[Layer, tuple[Part, ...]]]:
        """What each layer puts around an inner packet of `size` bytes."""
        return tunnel_stack.parts(self.layers, self.packet(size))

    @cached_property
    def inner_mtu(self) -> int:
        """The largest inner IP packet that the link carries whole."""
        try:
            return tunnel_stack.largest(self.layers, self.mtu, self.inner_header)
        except ValueError as error:
            raise UsageError(str(error)) from None

    def overhead(self, size: int | None = None) -> int:
        """What the layers add to an inner packet, in bytes of the link's MTU; of the largest."""
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
        if size < self.inner_header:
            raise UsageError(f"a packet of {size} bytes is smaller than its IP header")
        if size > LARGEST_IP:
            raise UsageError(f"a packet of {size} bytes: an IP packet has {LARGEST_IP} at most")
        limit = self.inner_mtu if interface_mtu is None else interface_mtu
        try:
            return Sent(
                size,
                *tunnel_stack.sent(self.layers, self.mtu, self.packet(size), limit, df=df),
            )
        except ValueError as error:
            raise UsageError(str(error)) from None
