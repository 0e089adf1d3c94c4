"""EoIP as a scapy layer: importing this module teaches scapy to open RouterOS's tunnels.

Other GRE stays what it was: PPTP's, and GRE of RFC 2784 with Linux's gretap in it.

    >>> from scapy.layers.inet import IP
    >>> packet = IP(src="198.18.0.1", dst="198.18.0.2") / EoIP(tunnel_id=100)
    >>> len(packet), bytes(packet)[20:].hex(" ")
    (28, '20 01 64 00 00 00 64 00')
    >>> IP(bytes(packet))[EoIP].keepalive
    True
"""

from __future__ import annotations

import struct
from typing import Any

from scapy.fields import LEShortField, ShortField, XShortField
from scapy.layers.inet import IP
from scapy.layers.l2 import GRE, Ether
from scapy.packet import Packet, bind_layers, split_bottom_up

from ppslab.model.tunnels.eoip_bytes import EOIP_MAGIC as MAGIC
from ppslab.model.tunnels.eoip_bytes import GRE as PROTOCOL

_FLAGS_AND_VERSION, _PROTOCOL_TYPE = struct.unpack(">HH", MAGIC)


class EoIP(Packet):
    """RouterOS's EoIP header; `length` is filled in from the frame when it is left out."""

    name = "EoIP"
    fields_desc = [  # noqa: RUF012  (scapy's way to declare a layer)
        XShortField("flags_version", _FLAGS_AND_VERSION),
        XShortField("protocol_type", _PROTOCOL_TYPE),
        ShortField("length", None),
        LEShortField("tunnel_id", 0),
    ]

    @classmethod
    def dispatch_hook(cls, _pkt: bytes | None = None, *args: Any, **kwargs: Any) -> type[Packet]:
        """EoIP by its first four bytes; what is not EoIP is what scapy took it for before."""
        if _pkt is None or _pkt[: len(MAGIC)] == MAGIC:
            return cls
        return GRE.dispatch_hook(_pkt, *args, **kwargs)

    @property
    def keepalive(self) -> bool:
        """True if it carries no frame."""
        return not (len(self.payload) if self.length is None else self.length)

    def post_build(self, pkt: bytes, pay: bytes) -> bytes:
        """Fill in the length of the frame."""
        if self.length is None:
            pkt = pkt[:4] + struct.pack(">H", len(pay)) + pkt[6:]
        return pkt + pay

    def extract_padding(self, s: bytes) -> tuple[bytes, bytes | None]:
        """The frame has the length that the header says; what stands behind it is padding."""
        return s[: self.length], s[self.length :]

    def mysummary(self) -> str:
        """One line of a list of packets."""
        what = "keepalive" if self.keepalive else f"frame of {self.length} bytes"
        return f"EoIP tunnel {self.tunnel_id}, {what}"


def _take_over() -> None:
    """Ask EoIP first what a packet of protocol 47 is."""
    field = {"frag": 0, "proto": PROTOCOL}
    # Bottom up only: what is built as IP()/GRE() keeps its protocol number.
    split_bottom_up(IP, GRE, field)
    bind_layers(IP, EoIP, field)
    bind_layers(EoIP, Ether)


_take_over()
