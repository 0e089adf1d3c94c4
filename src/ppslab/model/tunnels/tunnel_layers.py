"""The headers that tunnels put around a packet, each in bytes and with where it is written.

A packet grows from the inside out: what a layer is given, it puts its parts around.  Sizes are
without the frame check sequence, preamble and gap of the link, which no tunnel carries.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from typing import Protocol

ETHERNET_HEADER = 14
VLAN_TAG = 4
IPV4_HEADER = 20
IPV6_HEADER = 40


@dataclass(frozen=True)
class Packet:
    """A packet between two layers.

    `size` in bytes.  `ip_header`: how many of them are the IP header in front, 0 for an Ethernet
    frame.  `tags`: how many bytes of VLAN tags a frame has.
    """

    size: int
    ip_header: int
    tags: int = 0

    @property
    def is_frame(self) -> bool:
        return self.ip_header == 0

    @property
    def link_payload(self) -> int:
        """The bytes that count towards a link's MTU: a VLAN tag does not, as for Linux."""
        return self.size - ETHERNET_HEADER - self.tags if self.is_frame else self.size


@dataclass(frozen=True)
class Part:
    """A header, a trailer or a padding; `size` in bytes."""

    name: str
    size: int


if TYPE_CHECKING:

    class Layer(Protocol):
        """One layer of a stack."""

        @property
        def word(self) -> str:
            """The layer's word in a stack, e.g. `eoip`."""

        @property
        def title(self) -> str:
            """The layer's name for reading, e.g. "EoIP"."""

        @property
        def source(self) -> str:
            """The document that fixes its bytes, e.g. an RFC's section."""

        @property
        def makes_ip(self) -> bool:
            """True if it makes an IP packet, which can be fragmented."""

        def parts(self, packet: Packet) -> tuple[Part, ...]:
            """Parts that it puts around the packet, outside to inside, then those behind."""

        def wrap(self, packet: Packet) -> Packet:
            """The packet with its parts around it."""


@dataclass(frozen=True)
class Tunnel:
    """A tunnel with an IP header of its own.

    `headers` stand between that and what is carried; `carries_frames`: an IP packet that is
    routed into it gets an Ethernet header first.
    """

    makes_ip = True

    word: str
    title: str
    source: str
    ip_header: int
    headers: tuple[Part, ...]
    carries_frames: bool

    def parts(self, packet: Packet) -> tuple[Part, ...]:
        """IP header, the tunnel's own headers, and the Ethernet header of the frame inside."""
        name = "IPv4 header" if self.ip_header == IPV4_HEADER else "IPv6 header"
        inside: tuple[Part, ...] = ()
        if self.carries_frames and not packet.is_frame:
            inside = (Part("Ethernet header inside", ETHERNET_HEADER),)
        return (Part(name, self.ip_header),) + self.headers + inside

    def wrap(self, packet: Packet) -> Packet:
        return Packet(packet.size + _sum(self.parts(packet)), self.ip_header)


@dataclass(frozen=True)
class Session:
    """PPPoE: a header between Ethernet and IP (RFC 2516)."""

    makes_ip = False

    word: str
    title: str
    source: str
    headers: tuple[Part, ...]

    def parts(self, packet: Packet) -> tuple[Part, ...]:
        """Ethernet header and PPPoE's own; inside, a frame would need bridging (BCP), so not."""
        del packet
        return (Part("Ethernet header", ETHERNET_HEADER),) + self.headers

    def wrap(self, packet: Packet) -> Packet:
        """An Ethernet frame."""
        return Packet(packet.size + _sum(self.parts(packet)), 0)


class Vlan:
    """A VLAN tag in an Ethernet frame."""

    word = "vlan"
    title = "802.1Q tag"
    source = "IEEE 802.1Q, clause 9"
    makes_ip = False

    def parts(self, packet: Packet) -> tuple[Part, ...]:
        """The tag, and an Ethernet header where there is none yet."""
        header = () if packet.is_frame else (Part("Ethernet header", ETHERNET_HEADER),)
        return header + (Part("802.1Q tag", VLAN_TAG),)

    def wrap(self, packet: Packet) -> Packet:
        """A tagged frame."""
        return Packet(packet.size + _sum(self.parts(packet)), 0, packet.tags + VLAN_TAG)


@dataclass(frozen=True)
class Cipher:
    """An encryption of ESP: bytes of its initialization vector, and of the block it pads to.

    `tag`: the integrity check value of a cipher that has its own (AEAD), else 0.
    """

    vector: int
    pads_to: int
    tag: int
    source: str


_CBC = (("aes", "RFC 3602"), ("camellia", "RFC 4312"))

CIPHERS = {
    f"{name}-{bits}-cbc": Cipher(16, 16, 0, source)
    for name, source in _CBC
    for bits in (128, 192, 256)
}
CIPHERS.update({f"aes-{bits}-ctr": Cipher(8, 4, 0, "RFC 3686") for bits in (128, 192, 256)})
CIPHERS.update({f"aes-{bits}-gcm": Cipher(8, 4, 16, "RFC 4106") for bits in (128, 192, 256)})
CIPHERS["chacha20-poly1305"] = Cipher(8, 4, 16, "RFC 7634")
CIPHERS["3des"] = Cipher(8, 8, 0, "RFC 2451")
CIPHERS["null"] = Cipher(0, 4, 0, "RFC 2410")
"""RouterOS's encryption algorithms of an IPsec proposal, by its names."""

CHECKS = {"md5": 12, "sha1": 12, "sha256": 16, "sha512": 32, "null": 0}
"""Bytes of ESP's integrity check value by RouterOS's names (RFC 2403, RFC 2404, RFC 4868)."""


@dataclass(frozen=True)
class Esp:
    """IPsec ESP (RFC 4303, section 2) around an IP packet.

    Transport mode leaves the packet's own IP header in front; tunnel mode puts a new one there.
    `udp`: in UDP, through a NAT (RFC 3948).
    """

    makes_ip = True

    word: str
    cipher: str
    check: str
    tunnel: bool
    udp: bool

    @property
    def title(self) -> str:
        """Mode and algorithms."""
        mode = "tunnel" if self.tunnel else "transport"
        through = ", in UDP" if self.udp else ""
        check = "" if CIPHERS[self.cipher].tag else f" with {self.check}"
        return f"IPsec ESP, {mode} mode, {self.cipher}{check}{through}"

    @property
    def source(self) -> str:
        """The RFCs of ESP and of the cipher."""
        return f"RFC 4303, {CIPHERS[self.cipher].source}"

    def parts(self, packet: Packet) -> tuple[Part, ...]:
        """ESP pads what it encrypts, with the two bytes of its trailer, to the cipher's block."""
        cipher = CIPHERS[self.cipher]
        plain = packet.size if self.tunnel else packet.size - packet.ip_header
        padding = -(plain + 2) % cipher.pads_to
        front = (Part("IPv4 header", IPV4_HEADER),) if self.tunnel else ()
        udp = (Part("UDP header", 8),) if self.udp else ()
        vector = (Part("initialization vector", cipher.vector),) if cipher.vector else ()
        value = cipher.tag or CHECKS[self.check]
        trailer = (Part("padding", padding), Part("pad length, next header", 2))
        checked = (Part("integrity check value", value),) if value else ()
        return front + udp + (Part("ESP header", 8),) + vector + trailer + checked

    def wrap(self, packet: Packet) -> Packet:
        """An IP packet of protocol 50, or of UDP."""
        header = IPV4_HEADER if self.tunnel else packet.ip_header
        return Packet(packet.size + _sum(self.parts(packet)), header)


def _sum(parts: tuple[Part, ...]) -> int:
    return sum([part.size for part in parts])


_GRE = Part("GRE header", 4)
_GRE_KEY = Part("GRE key", 4)
_VXLAN = (Part("UDP header", 8), Part("VXLAN header", 8))
_PPP = (Part("PPP address and control", 2), Part("PPP protocol", 2))
_L2TP_SOURCE = "RFC 2661, section 3.1; RFC 1662, section 3.1; with IPsec RFC 3193"
_PPPOE = (Part("PPPoE header", 6), Part("PPP protocol", 2))

_V4, _V6 = IPV4_HEADER, IPV6_HEADER
_CAPTURED = "manual.mikrotik.com, EoIP; captures of RouterOS 7.18.2"
_ETHERIP = "RFC 3378, which RouterOS uses with IP protocol 97"
_UDP = Part("UDP header", 8)
_MPPE = (Part("MPPE header", 2), Part("PPP protocol, encrypted", 2))

FIXED: dict[str, Layer] = {
    layer.word: layer
    for layer in (
        Tunnel("eoip", "EoIP", _CAPTURED, _V4, (Part("EoIP header", 8),), True),
        Tunnel("eoipv6", "EoIP over IPv6", _ETHERIP, _V6, (Part("EtherIP header", 2),), True),
        Tunnel("gretap", "Ethernet over GRE (Linux)", "RFC 2784", _V4, (_GRE,), True),
        Tunnel("gretap-key", "Ethernet over GRE with a key (Linux): as large as EoIP",
               "RFC 2890", _V4, (_GRE, _GRE_KEY), True),
        Tunnel("gre", "GRE", "RFC 2784", _V4, (_GRE,), False),
        Tunnel("gre-key", "GRE with a key", "RFC 2890", _V4, (_GRE, _GRE_KEY), False),
        Tunnel("gre6", "GRE over IPv6", "RFC 7676", _V6, (_GRE,), False),
        Tunnel("ipip", "IP in IP", "RFC 2003", _V4, (), False),
        Tunnel("ipipv6", "IP in IPv6", "RFC 2473", _V6, (), False),
        Tunnel("vxlan", "VXLAN", "RFC 7348, section 5", _V4, _VXLAN, True),
        Tunnel("vxlan6", "VXLAN over IPv6", "RFC 7348, section 5", _V6, _VXLAN, True),
        Tunnel("l2tp", "L2TP", _L2TP_SOURCE, _V4, (_UDP, Part("L2TP header", 6)) + _PPP, False),
        Tunnel("l2tp-length", "L2TP with the optional length field", _L2TP_SOURCE, _V4,
               (_UDP, Part("L2TP header", 8)) + _PPP, False),
        # The least of each: a cookie takes four or eight bytes more, the sublayer four.
        Tunnel("l2tpv3", "L2TPv3, Ethernet over IP", "RFC 3931, section 4.1.1; RFC 4719", _V4,
               (Part("L2TPv3 session ID", 4),), True),
        Tunnel("l2tpv3-udp", "L2TPv3, Ethernet over UDP", "RFC 3931, section 4.1.2; RFC 4719", _V4,
               (_UDP, Part("L2TPv3 header", 8)), True),
        Session("pppoe", "PPPoE", "RFC 2516, section 4", _PPPOE),
        Session("pppoe-mppe", "PPPoE with MPPE", "RFC 3078, section 3", _PPPOE + _MPPE),
        Vlan(),
    )
}  # fmt: skip
"""Every layer that has no options, by its word."""

DEFAULT_ESP = "esp:aes-128-cbc:sha1"
"""ESP that `ipsec-secret` of a RouterOS tunnel sets up (manual.mikrotik.com, EoIP)."""
