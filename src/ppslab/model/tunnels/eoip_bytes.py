"""The bytes of a frame that carries EoIP or L2TP, field by field, as two routers would send it.

RFC 791 (IPv4), RFC 768 (UDP), RFC 2661 (L2TP), RFC 4303 (ESP), RFC 2516 (PPPoE), IEEE 802.3;
None: a byte that depends on a key or on chance, as in an initialization vector or an integrity
check value.

MikroTik publishes no description of EoIP.  Its eight bytes are those of captures between CHRs of
RouterOS 7.18.2 (manawenuz/EoIP-rs), behind an IPv4 header of protocol 47:

    20 01   flags: key present; version 1
    64 00   protocol type
    LL LL   length of the frame, big-endian; 0 in a keepalive, which has no frame
    II II   tunnel id, little-endian

It is neither GRE of RFC 2784, nor PPTP's GRE (RFC 2637), which has version 1 and protocol type
0x880B, nor Linux's gretap (version 0, type 0x6558): a gretap cannot talk to it.
"""

from __future__ import annotations

import binascii
from typing import TYPE_CHECKING

from ppslab.model.tunnels.overhead import fragments
from rosexplain.addresses import packed

if TYPE_CHECKING:
    from ppslab.model.tunnels.tunnel_layers import Cipher

EOIP_MAGIC = b"\x20\x01\x64\x00"
"""Flags, version and protocol type: what tells EoIP from any other GRE."""

GRE, UDP, ESP = 47, 17, 50
ROUTERS = ("198.19.1.2", "198.19.2.2")
BRIDGED = ("198.18.0.1", "198.18.0.2")
ROUTED = ("198.18.1.2", "198.18.2.2")
_LINK_MACS = (b"\x02\x00\xc6\x13\x01\x01", b"\x02\x00\xc6\x13\x01\x02")
_INNER_MACS = (b"\x02\x00\xc6\x12\x00\x02", b"\x02\x00\xc6\x12\x00\x01")
_OUTER_ID, _INNER_ID = 0x4E01, 0x1701
_TTL = 64


class Field:
    """Bytes with one meaning; None: not known without the key.

    `part`: the header that they belong to.  `side`: link, tunnel (what the tunnel and IPsec add) or
    inside (what was sent into it).
    """

    def __init__(
        self, part: str, name: str, values: list[int | None], side: str, secret: bool = False
    ) -> None:
        self.part = part
        self.name = name
        self.values = values
        self.side = side
        self.secret = secret

    def hex(self, most: int = 8) -> str:
        """`45 00 05 dc`, with two dots for a byte that is not known."""
        if self.values and all(value is None for value in self.values):
            return "not known here"
        shown = [".." if value is None else f"{value:02x}" for value in self.values[:most]]
        return " ".join(shown) + (" and so on" if len(self.values) > most else "")


def field(part: str, name: str, values: bytes, side: str) -> Field:
    """A field whose bytes are known."""
    return Field(part, name, list(values), side)


def ethernet(part: str, side: str, macs: tuple[bytes, bytes], kind: int) -> list[Field]:
    """Destination, source, and type."""
    return [
        field(part, "destination", macs[0], side),
        field(part, "source", macs[1], side),
        field(part, "type", kind.to_bytes(2, "big"), side),
    ]


def ipv4(
    part: str, side: str, total: int, ident: int, place: tuple[int, bool, bool],
    protocol: int, ends: tuple[str, str],
) -> list[Field]:  # fmt: skip
    """A header of 20 bytes; `place`: offset in bytes, whether more fragments come, DF."""
    offset, more, df = place
    flags = offset // 8 | (0x2000 if more else 0) | (0x4000 if df else 0)
    said = "flags, offset of the fragment"
    if offset or more:
        said += f": {offset} bytes, {'more come' if more else 'the last'}"
    made = [
        field(part, "version, header length", b"\x45", side),
        field(part, "type of service", b"\x00", side),
        field(part, f"total length: {total}", total.to_bytes(2, "big"), side),
        field(part, "identification", ident.to_bytes(2, "big"), side),
        field(part, said, flags.to_bytes(2, "big"), side),
        field(part, "time to live", bytes([_TTL]), side),
        field(part, f"protocol: {protocol}", bytes([protocol]), side),
        field(part, "header checksum", b"\x00\x00", side),
        field(part, f"source: {ends[0]}", packed(ends[0]), side),
        field(part, f"destination: {ends[1]}", packed(ends[1]), side),
    ]
    made[7].values = list(checksum(known(made)).to_bytes(2, "big"))
    return made


def checksum(header: bytes) -> int:
    """The internet checksum (RFC 1071) of an even number of bytes."""
    total = 0
    for place in range(0, len(header), 2):
        total += header[place] << 8 | header[place + 1]
    while total >> 16:
        total = (total & 0xFFFF) + (total >> 16)
    return ~total & 0xFFFF


def inner_packet(
    size: int, part_of: tuple[int, int, bool], df: bool, ends: tuple[str, str]
) -> list[Field]:
    """An IPv4 packet with UDP in it, or the fragment of it from `part_of` on.

    `part_of`: offset and bytes behind the IP header, whether more come.  The data count up.
    """
    offset, length, more = part_of
    part = "IPv4 header inside"
    made = ipv4(part, "inside", 20 + length, _INNER_ID, (offset, more, df), UDP, ends)
    behind: list[Field] = []
    ports = (49184).to_bytes(2, "big") + (7).to_bytes(2, "big")
    for name, values in (
        ("source port, destination port", ports),
        ("length", (size - 20).to_bytes(2, "big")),
        ("no checksum", b"\x00\x00"),
    ):
        behind.append(field("UDP header inside", name, values, "inside"))
    data = bytes([i & 255 for i in range(size - 28)])
    behind.append(field("data", f"{len(data)} bytes", data, "inside"))
    return made + cut(behind, offset, length)


def eoip_header(length: int, tunnel_id: int) -> bytes:
    """EoIP's eight bytes before a frame of `length`; the id is the one number in little-endian."""
    return EOIP_MAGIC + length.to_bytes(2, "big") + tunnel_id.to_bytes(2, "little")


def eoip_packet(
    frame: list[Field], tunnel_id: int, esp: tuple[Cipher, int, bool] | None
) -> list[Field]:
    """Everything behind the tunnel's IP header: [UDP, ESP,] EoIP's header, the frame, [ESP's end].

    `esp`: the cipher, bytes of the integrity check value, whether in UDP.
    """
    side = "tunnel"
    length = size_of(frame)
    header = eoip_header(length, tunnel_id)
    made = [
        field("EoIP header", "GRE flags with a key, version 1", header[:2], side),
        field("EoIP header", "protocol type, its own", header[2:4], side),
        field("EoIP header", f"length of the frame: {length}", header[4:6], side),
        field("EoIP header", f"tunnel id: {tunnel_id}, low byte first", header[6:], side),
    ] + frame
    return made if esp is None else encrypted(made, GRE, esp)


def l2tp_packet(
    packet: list[Field], tunnel_id: int, esp: tuple[Cipher, int, bool] | None
) -> list[Field]:
    """Everything behind the tunnel's IP header: [UDP, ESP,] UDP, L2TP, PPP, packet, [ESP's end].

    The message has none of the optional fields; its session is 1.  `esp` as for EoIP.
    """
    side, udp, l2tp, ppp = "tunnel", "UDP header of L2TP", "L2TP header", "PPP header"
    made = [
        field(udp, "ports 1701", (1701).to_bytes(2, "big") * 2, side),
        field(udp, "length", (18 + size_of(packet)).to_bytes(2, "big"), side),
        field(udp, "checksum", b"\x00\x00", side),
        field(l2tp, "a data message of version 2", b"\x00\x02", side),
        field(l2tp, f"tunnel id: {tunnel_id}", tunnel_id.to_bytes(2, "big"), side),
        field(l2tp, "session id: 1", b"\x00\x01", side),
        field(ppp, "address and control", b"\xff\x03", side),
        field(ppp, "PPP protocol: IPv4", b"\x00\x21", side),
    ] + packet
    pseudo = packed(ROUTERS[0]) + packed(ROUTERS[1]) + bytes([0, UDP]) + known(made)[4:6]
    summed = checksum(pseudo + known(made) + b"\x00" * (size_of(made) % 2))
    made[2].values = list((summed or 0xFFFF).to_bytes(2, "big"))
    return made if esp is None else encrypted(made, UDP, esp)


def encrypted(made: list[Field], kind: int, esp: tuple[Cipher, int, bool]) -> list[Field]:
    """ESP around the fields in transport mode; `kind`: the protocol that they are of."""
    side = "tunnel"
    cipher, check, udp = esp
    padding = -(size_of(made) + 2) % cipher.pads_to
    for one in made:
        one.secret = True
    end = "ESP trailer"
    trailer = [
        Field(end, f"padding: {padding}", [i + 1 for i in range(padding)], side, True),
        Field(end, "pad length", [padding], side, True),
        Field(end, f"next header: {kind}", [kind], side, True),
    ]
    if check:
        none: list[int | None] = [None] * check
        trailer.append(Field("integrity check value", f"{check} bytes", none, side))
    vector: list[int | None] = [None] * cipher.vector
    front = [
        field("ESP header", "security parameters index", b"\x00\x00\x10\x01", side),
        field("ESP header", "sequence number", b"\x00\x00\x00\x01", side),
    ]
    if cipher.vector:
        front.append(Field("initialization vector", f"{cipher.vector} bytes", vector, side))
    whole = front + made + trailer
    if udp:
        total = (8 + size_of(whole)).to_bytes(2, "big")
        port = (4500).to_bytes(2, "big")
        whole = [
            field("UDP header", "ports 4500", port + port, side),
            field("UDP header", "length", total, side),
            field("UDP header", "no checksum", b"\x00\x00", side),
        ] + whole
    return whole


def outer_packets(behind: list[Field], protocol: int, room: int) -> list[list[Field]]:
    """The tunnel's IP packet, or the fragments that a link of `room` bytes makes of it."""
    made: list[list[Field]] = []
    offset = 0
    sizes = fragments(20 + size_of(behind), 20, room)
    for index, size in enumerate(sizes):
        place = (offset, index < len(sizes) - 1, False)
        head = ipv4(
            "IPv4 header of the tunnel", "tunnel", size, _OUTER_ID, place, protocol, ROUTERS
        )
        made.append(head + cut(behind, offset, size - 20))
        offset += size - 20
    return made


def link_frame(packet: list[Field], pppoe: bool) -> list[Field]:
    """The Ethernet frame of an IP packet, padded and with its check sequence."""
    made = ethernet("Ethernet header of the path", "link", _LINK_MACS, 0x8864 if pppoe else 0x0800)
    if pppoe:
        length = (2 + size_of(packet)).to_bytes(2, "big")
        part = "PPPoE header"
        made += [
            field(part, "version, type, session data", b"\x11\x00", "link"),
            field(part, "session", b"\x00\x01", "link"),
            field(part, "length", length, "link"),
            field(part, "PPP protocol: IPv4", b"\x00\x21", "link"),
        ]
    made += packet
    missing = 60 - size_of(made)
    if missing > 0:
        made.append(field("padding of the frame", f"{missing} bytes", bytes(missing), "link"))
    values = [value for one in made for value in one.values]
    if any(value is None for value in values):
        fcs: list[int | None] = [None] * 4
    else:
        fcs = list((binascii.crc32(known(made)) & 0xFFFFFFFF).to_bytes(4, "little"))
    return made + [Field("frame check sequence", "CRC-32", fcs, "link")]


def inner_frame(packet: list[Field], tagged: bool) -> list[Field]:
    """The Ethernet frame that goes into the tunnel, without its check sequence."""
    part = "Ethernet header inside"
    if not tagged:
        return ethernet(part, "inside", _INNER_MACS, 0x0800) + packet
    made = ethernet(part, "inside", _INNER_MACS, 0x8100)
    tag = "VLAN tag inside"
    made.append(field(tag, "VLAN 100", b"\x00\x64", "inside"))
    made.append(field(tag, "type", b"\x08\x00", "inside"))
    return made + packet


def cut(fields: list[Field], offset: int, length: int) -> list[Field]:
    """The bytes from `offset` on, in their fields."""
    made: list[Field] = []
    place = 0
    for one in fields:
        start, end = max(offset - place, 0), min(offset + length - place, len(one.values))
        if end > start:
            made.append(Field(one.part, one.name, one.values[start:end], one.side, one.secret))
        place += len(one.values)
    return made


def size_of(fields: list[Field]) -> int:
    return sum([len(one.values) for one in fields])


def known(fields: list[Field]) -> bytes:
    """The bytes, zeros where one is not known."""
    return bytes([value or 0 for one in fields for value in one.values])
