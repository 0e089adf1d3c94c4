"""The headers that tunnels put around a packet, each in bytes and with where it is written.

They stand in ppslab.theory.tunnels.tunnel_layers, where a page has them too.
"""

from __future__ import annotations

from ppslab.theory.tunnels.tunnel_layers import (
    CHECKS,
    CIPHERS,
    DEFAULT_ESP,
    ETHERNET_HEADER,
    FIXED,
    IPV4_HEADER,
    IPV6_HEADER,
    VLAN_TAG,
    Cipher,
    Esp,
    Packet,
    Part,
    Session,
    Tunnel,
    Vlan,
)

__all__ = [
    "CHECKS",
    "CIPHERS",
    "DEFAULT_ESP",
    "ETHERNET_HEADER",
    "FIXED",
    "IPV4_HEADER",
    "IPV6_HEADER",
    "VLAN_TAG",
    "Cipher",
    "Esp",
    "Packet",
    "Part",
    "Session",
    "Tunnel",
    "Vlan",
]
