"""EoIP as RouterOS sends it: Ethernet frames in GRE version 1, tunnel id and length in its key.

Behind the IPv4 header (protocol 47) stand eight bytes and the frame without its frame check
sequence:

    20 01   flags: key present; version 1
    64 00   protocol type
    LL LL   length of the frame, big-endian
    II II   tunnel id, little-endian

MikroTik publishes no description.  The layout is that of captures between CHRs of RouterOS
7.18.2 (manawenuz/EoIP-rs).  It is neither GRE of RFC 2784, nor PPTP's GRE (RFC 2637), which has
version 1 and protocol type 0x880B, nor Linux's gretap (version 0, type 0x6558): a gretap cannot
talk to it.
"""

from __future__ import annotations

import struct
from dataclasses import dataclass

from ppslab.core.errors import UsageError
from ppslab.model.tunnels.eoip_bytes import EOIP_MAGIC, eoip_header

MAGIC = EOIP_MAGIC
"""Flags, version and protocol type: what tells EoIP from any other GRE."""

HEADER_BYTES = 8
PROTOCOL = 47
"""The IP protocol number of GRE."""

MAX_TUNNEL_ID = 0xFFFF
_KEY_LENGTH = struct.Struct(">H")
_KEY_ID = struct.Struct("<H")


@dataclass(frozen=True)
class Frame:
    """The content of one EoIP packet.

    `frame` begins with the destination MAC address and has no frame check sequence; it is empty
    in a keepalive.
    """

    tunnel_id: int
    frame: bytes

    @property
    def keepalive(self) -> bool:
        """True for a keepalive: it only says that its sender lives."""
        return not self.frame


def encode(tunnel_id: int, frame: bytes = b"") -> bytes:
    """The payload of an IPv4 packet of protocol 47; without a frame it is a keepalive.

    Raises UsageError where the id or the length does not fit its two bytes.

    >>> encode(100).hex(" ")
    '20 01 64 00 00 00 64 00'
    """
    if not 0 <= tunnel_id <= MAX_TUNNEL_ID:
        raise UsageError(f"tunnel id {tunnel_id}: RouterOS has 0 to {MAX_TUNNEL_ID}")
    if len(frame) > 0xFFFF:
        raise UsageError(f"a frame of {len(frame)} bytes: its length must fit two bytes")
    return eoip_header(len(frame), tunnel_id) + frame


def decode(payload: bytes) -> Frame:
    """Decode an EoIP packet; bytes behind the frame's length are padding and are left out.

    Raises UsageError, with what is wrong, where the payload is no whole EoIP packet.

    >>> decode(bytes.fromhex("2001640000006400")).keepalive
    True
    """
    if len(payload) < HEADER_BYTES:
        raise UsageError(f"{len(payload)} bytes: an EoIP header has {HEADER_BYTES}")
    if payload[:4] != MAGIC:
        raise UsageError(f"begins with {payload[:4].hex(' ')}, EoIP with {MAGIC.hex(' ')}")
    (length,) = _KEY_LENGTH.unpack_from(payload, 4)
    (tunnel_id,) = _KEY_ID.unpack_from(payload, 6)
    frame = payload[HEADER_BYTES : HEADER_BYTES + length]
    if len(frame) < length:
        raise UsageError(
            f"the header says a frame of {length} bytes, {len(frame)} are here: "
            "a fragment, or a capture that was cut"
        )
    return Frame(tunnel_id, frame)
