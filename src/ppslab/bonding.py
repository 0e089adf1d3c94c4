"""Which port of a bond a packet leaves by: the hash of Linux's bonding driver, in Python.

Documentation/networking/bonding.rst, `xmit_hash_policy`; drivers/net/bonding/bond_main.c of Linux
6.1: `__bond_xmit_hash`, `bond_eth_hash`, `bond_ip_hash`.  A VLAN tag takes no part in it: the
driver's frames carry it beside the frame (skb->vlan_tci), so the protocol that is hashed is that
of the packet behind the tag.  RouterOS calls the policies layer-2, layer-2-and-3, layer-3-and-4.
"""

from __future__ import annotations

import ipaddress
from dataclasses import dataclass
from typing import Literal, get_args

from ppslab.errors import UsageError

Policy = Literal["layer2", "layer2+3", "layer3+4"]

POLICIES: tuple[Policy, ...] = get_args(Policy)

# linux/if_ether.h
_IPV4, _IPV6 = 0x0800, 0x86DD


@dataclass(frozen=True)
class Packet:
    """What the hash looks at: MAC addresses of the frame, addresses and ports of the packet.

    `ports`: source, destination; None for a fragment, or a protocol that has none.
    """

    source_mac: str
    target_mac: str
    source: str
    target: str
    ports: tuple[int, int] | None = None


def hash_of(packet: Packet, policy: Policy) -> int:
    """The 32-bit hash of a packet, as the driver has it on a little-endian machine.

    UsageError for a policy or an address that is none.
    """
    if policy not in POLICIES:
        raise UsageError(f"no hash policy {policy!r}: there are {', '.join(POLICIES)}")
    source, target = _address(packet.source), _address(packet.target)
    if policy == "layer2":
        return _ethernet(packet, source.version)
    if policy == "layer2+3":
        value = _ethernet(packet, source.version)
    else:
        # The driver reads the four bytes of the two ports, as they stand in the packet, as one
        # number of its own byte order.
        wire = b"".join(port.to_bytes(2, "big") for port in packet.ports or (0, 0))
        value = int.from_bytes(wire, "little")
    value ^= _folded(source) ^ _folded(target)
    value ^= value >> 16
    value ^= value >> 8
    # Clients count their ports up in steps of two, so the lowest bit is always the same.
    return value >> 1 if policy == "layer3+4" else value


def port_of(packet: Packet, policy: Policy, ports: int) -> int:
    """The number of the port, counted from 0 in the order in which they joined the bond.

    >>> flow = Packet("02:00:c6:12:01:01", "02:00:c6:12:00:02", "198.18.1.2", "198.18.2.2")
    >>> port_of(flow, "layer2", 8)
    3
    """
    return hash_of(packet, policy) % ports


def _ethernet(packet: Packet, version: int) -> int:
    """`bond_eth_hash`: the last bytes of the two MAC addresses, and the protocol."""
    last = [int(mac.rsplit(":", 1)[-1], 16) for mac in (packet.source_mac, packet.target_mac)]
    return last[0] ^ last[1] ^ (_IPV4 if version == 4 else _IPV6)


def _folded(address: ipaddress.IPv4Address | ipaddress.IPv6Address) -> int:
    """An address as 32 bits: of IPv6 the exclusive or of its four words (`ipv6_addr_hash`)."""
    packed, value = address.packed, 0
    for start in range(0, len(packed), 4):
        value ^= int.from_bytes(packed[start : start + 4], "little")
    return value


def _address(text: str) -> ipaddress.IPv4Address | ipaddress.IPv6Address:
    try:
        return ipaddress.ip_address(text)
    except ValueError as error:
        raise UsageError(str(error)) from None
