"""EoIP packed by hand, to hold the BPF program and the page against."""

from __future__ import annotations

import struct

_HEADER = struct.Struct("<4s2sH")
_MAGIC = bytes.fromhex("20016400")


def encode(tunnel_id: int, frame: bytes = b"") -> bytes:
    """The payload of an IPv4 packet of protocol 47; without a frame it is a keepalive."""
    return _HEADER.pack(_MAGIC, len(frame).to_bytes(2, "big"), tunnel_id) + frame


def decode(payload: bytes) -> tuple[int, bytes]:
    """The tunnel and the frame; what stands behind the frame is padding."""
    magic, length, tunnel_id = _HEADER.unpack_from(payload)
    frame = payload[_HEADER.size :][: int.from_bytes(length, "big")]
    assert magic == _MAGIC
    assert len(frame) == int.from_bytes(length, "big"), "cut"
    return tunnel_id, frame
